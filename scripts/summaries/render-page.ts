import { playFlags } from './play-flags.ts'
import { SCENES } from './scenes.ts'

const HEAD = `<!-- Written by npm run docs. -->

# Job summaries

What a step writes on the page of its run, for each way in which it can end. The command after each title shows the same summary on your machine. The first summary is complete. The others leave out the facts about the job, the timeline, the prompt, the next steps and rows that an earlier summary has. Lists are cut after three rows.
`

/** Removes what an earlier summary of the page already shows. @param known the table rows of earlier summaries; extended */
function omitKnown(summary: string, known: Set<string>): string {
  const isFirst = known.size === 0
  const rows = summary.split('\n').filter((line) => line.startsWith('<tr>') && !line.startsWith('<tr><th>'))
  const shown = isFirst
    ? summary
    : summary
        .replace(
          /### Timeline\n\n<table>[^]*?<\/table>\n*|<table>\n(?:<tr><td><b>.*\n)*?<tr><td><b>Job<[^]*?<\/table>\n*|<details>.*<\/details>\n*|### Next steps\n[^]*$/g,
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

/** Renders the page as Markdown. The result is the same in every run. */
export async function renderPage(): Promise<string> {
  const parts = [HEAD]
  const known = new Set<string>()
  for (const { flags, shows } of SCENES) {
    const summary = omitKnown((await playFlags(flags)).summary, known)
    parts.push(`---\n\n_${shows}_, \`npm start${flags === '' ? '' : ` -- ${flags}`}\`:\n\n${summary}`)
  }
  return parts.join('\n')
}
