import { playFlags } from './play-flags.ts'
import { SCENES } from './scenes.ts'

const HEAD = `<!-- Written by npm run docs. -->

# Job summaries

What a step writes on the page of its run, for each way in which it can end: the runs of \`npm start\`, on a clock of its own. The first one is whole. Of the others, the job's facts, the time line, the prompt, what comes next, rows that stand above, and all rows of a list but three are left out.
`

/** What the reader knows from the summaries above. */
function leaveOutKnown(summary: string, known: Set<string>): string {
  const isFirst = known.size === 0
  const rows = summary.split('\n').filter((line) => line.startsWith('<tr>') && !line.startsWith('<tr><th>'))
  const shown = isFirst
    ? summary
    : summary
        .replace(
          /### Time line\n\n<table>[^]*?<\/table>\n*|<table>\n(?:<tr><td><b>.*\n)*?<tr><td><b>Job<[^]*?<\/table>\n*|<details>.*<\/details>\n*|### What next\n[^]*$/g,
          '',
        )
        .split('\n')
        .filter((line) => !known.has(line) && !line.startsWith('<tr><td><b>Pull request</b>'))
        .join('\n')
        .replace(/((?:<tr><td><code>.*\n){3})(?:<tr><td><code>.*\n)+/g, '$1')
        .replace(/(?:### On GitHub\n\n)?<table>\n<\/table>\n*/g, '')
  for (const row of rows) known.add(row)
  return `${shown.trimEnd()}\n`
}

/** The page, as Markdown. It is the same in every run. */
export async function renderPage(): Promise<string> {
  const parts = [HEAD]
  const known = new Set<string>()
  for (const { flags, shows } of SCENES) {
    const summary = leaveOutKnown((await playFlags(flags)).summary, known)
    parts.push(`---\n\n_${shows}_, \`npm start${flags === '' ? '' : ` -- ${flags}`}\`:\n\n${summary}`)
  }
  return parts.join('\n')
}
