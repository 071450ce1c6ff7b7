import { type FileEdit, editsFor, titleOf } from './agent-edits.ts'
import { escapeHtml } from '../shared/markdown.ts'
import { type ServiceResponse, htmlResponse } from './exchange.ts'
import { SOURCE } from './job-body.ts'
import { type JobRecord, type Turn, pushedTurns } from './job-machine.ts'

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  h1 span, small { color: GrayText; font-weight: normal }
  b { background: #1a7f37; color: #fff; border-radius: 1rem; padding: .2rem .8rem }
  section, pre { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .4rem }
  section { padding: 0 1rem; margin: 1rem 0 }
  pre { padding: .6rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
  ins, del { display: block; text-decoration: none }
  ins { background: color-mix(in srgb, #1a7f37 20%, transparent) }
  del { background: color-mix(in srgb, #d1242f 20%, transparent) }
`

/** A prompt can be megabytes long; a page shows its beginning. In characters. */
const LONGEST_PROMPT = 4_000

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<body>
${body}
</body>
</html>
`
}

function diffLine(line: string): string {
  const text = escapeHtml(line)
  if (line.startsWith('+')) return `<ins>${text}</ins>`
  return line.startsWith('-') ? `<del>${text}</del>` : `${text}\n`
}

function fileSection({ path, change, diff }: FileEdit): string {
  return `<h3>${escapeHtml(path)} <small>${change}</small></h3>\n<pre>${diff.map(diffLine).join('')}</pre>`
}

function turnSection({ prompt, endsAtMs }: Turn, index: number): string {
  const shown = prompt.length <= LONGEST_PROMPT ? prompt : `${prompt.slice(0, LONGEST_PROMPT)} […]`
  return `<section>
<h2>${index === 0 ? 'Instruction' : `Follow-up ${index}`} <small>done ${new Date(endsAtMs).toISOString()}</small></h2>
<pre>${escapeHtml(shown)}</pre>
${editsFor(prompt).map(fileSection).join('\n')}
</section>`
}

function pullRequestPage(job: JobRecord, turns: readonly Turn[]): string {
  const title = titleOf(job.turns[0].prompt)
  return page(
    `${title} · Pull request #${job.pullNumber}`,
    `<h1>${escapeHtml(title)} <span>#${job.pullNumber}</span></h1>
<p><b>Open</b> from <code>agent/${job.id}</code> into <code>${SOURCE.ref}</code> of <code>${SOURCE.repository}</code></p>
${turns.map(turnSection).join('\n')}
<p><small>A page of the embedded documentation service. No code host was involved.</small></p>`,
  )
}

/** The page behind a job's link at a time, or 404 as long as there is no pull request. It needs no key. */
export function pullRequestResponse(job: JobRecord | undefined, nowMs: number): ServiceResponse {
  const turns = job === undefined ? [] : pushedTurns(job, nowMs)
  if (job === undefined || turns.length === 0) {
    return htmlResponse(404, page('Not found', '<h1>There is no such pull request</h1>'))
  }
  return htmlResponse(200, pullRequestPage(job, turns))
}
