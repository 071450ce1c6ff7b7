import { escapeHtml } from '../text/markdown.ts'
import { renderComment } from './comment-html.ts'
import { type ShownCheck, listChecks } from './github/checks-view.ts'
import type { StoredComment } from './github/issue-state.ts'
import { type PullState, listRequestedReviewers } from './github/pull-state.ts'
import type { RepositoryState } from './github/repository-state.ts'
import { type ServiceResponse, htmlResponse } from './http/exchange.ts'
import { createEdits, getTitle } from './service/agent-edits.ts'
import { SOURCE } from './service/job-body.ts'
import { type JobRecord, type ScheduledTurn, listPushedTurns } from './service/job-machine.ts'

const STYLE = `
  :root { color-scheme: light dark; --line: light-dark(#d1d9e0, #3d444d); --soft: light-dark(#f6f8fa, #151b23);
    --dim: light-dark(#59636e, #9198a1); --good: light-dark(#1a7f37, #3fb950); --bad: light-dark(#d1242f, #f85149);
    --busy: light-dark(#9a6700, #d29922); font: 15px/1.5 system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif }
  body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem; background: light-dark(#fff, #0d1117);
    color: light-dark(#1f2328, #f0f6fc) }
  h1 { font-size: 1.7rem; font-weight: 500; line-height: 1.25; margin: 0 0 .5rem }
  h2, summary { font-size: 1rem; font-weight: bold; margin: 0; padding: .6rem 1rem; background: var(--soft) }
  h2, [open] summary { border-bottom: 1px solid var(--line) }
  h3 { font: 600 .85rem ui-monospace, 'DejaVu Sans Mono', monospace; margin: 1rem 0 .4rem } div > h3:first-child { margin-top: 0 }
  h1 span, small, footer { color: var(--dim); font-weight: normal }
  code, pre { font: .85rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace }
  p.facts { color: var(--dim); margin: 0 0 1.5rem }
  .state { color: #fff; border-radius: 2rem; padding: .25rem .8rem; font-weight: 500; margin-right: .5rem;
    background: light-dark(#1f883d, #238636) }
  .draft { background: #59636e } .closed { background: light-dark(#cf222e, #da3633) }
  .merged { background: light-dark(#8250df, #8957e5) }
  .label { border: 1px solid light-dark(#54aeff, #1f6feb); color: light-dark(#0969da, #79c0ff); border-radius: 2rem;
    padding: .1rem .6rem; font-size: .8rem; margin-left: .3rem }
  section, details { border: 1px solid var(--line); border-radius: .5rem; margin: 1rem 0; overflow: hidden }
  section > div, details > div { padding: .8rem 1rem }
  pre { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: 0; white-space: pre-wrap;
    overflow-wrap: anywhere }
  ul { list-style: none; margin: 0; padding: 0 }
  li { padding: .5rem 1rem; border-top: 1px solid var(--line) } li:first-child { border-top: 0 }
  li pre { margin-top: .4rem }
  p, table, ul.list { margin: 0 0 .8rem } section > div > :last-child { margin-bottom: 0 }
  table { border-collapse: collapse } a { color: light-dark(#0969da, #4493f8) }
  th, td { border: 1px solid var(--line); padding: .3rem .7rem; text-align: left }
  ul.list { list-style: disc; padding-left: 1.4rem } ul.list li { border: 0; padding: .1rem 0 }
  .comment { position: relative; margin: 0 0 1.2rem 3.5rem; overflow: visible }
  .comment > h2 { font-weight: 600; border-radius: .5rem .5rem 0 0; padding: .5rem 1rem }
  .comment::before { content: attr(data-initial); position: absolute; left: -3.5rem; top: 0; width: 2.5rem;
    line-height: 2.5rem; border-radius: 50%; background: light-dark(#bf3989, #9e3670); color: #fff; font-weight: 600;
    text-align: center }
  .comment.by-bot::before { border-radius: .4rem; background: light-dark(#24292f, #3d444d) }
  .comment::after { content: ''; position: absolute; left: 1rem; top: 100%; height: 1.2rem;
    border-left: 2px solid var(--line) }
  .bot { border: 1px solid var(--line); border-radius: 2rem; padding: 0 .4rem; color: var(--dim); font-size: .75rem;
    font-weight: 500 }
  .passed::before, .failed::before, .running::before, .queued::before { display: inline-block; width: 1.6rem;
    font-weight: bold }
  .passed::before { content: '✓'; color: var(--good) } .failed::before { content: '✗'; color: var(--bad) }
  .running::before { content: '●'; color: var(--busy) } .queued::before { content: '○'; color: var(--dim) }
  ins, del { display: block; text-decoration: none; margin: 0 -.6rem; padding: 0 .6rem }
  ins { background: color-mix(in srgb, var(--good) 18%, transparent) }
  del { background: color-mix(in srgb, var(--bad) 18%, transparent) }
`

/** A prompt can be megabytes long. */
const MAX_PROMPT_LENGTH = 4_000

function renderPage(title: string, body: string): string {
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

function renderDiffLine(line: string): string {
  const text = escapeHtml(line)
  if (line.startsWith('+')) return `<ins>${text}</ins>`
  return line.startsWith('-') ? `<del>${text}</del>` : `${text}\n`
}

function renderTurn({ prompt, endsAtMs }: ScheduledTurn, index: number): string {
  const shown = prompt.length <= MAX_PROMPT_LENGTH ? prompt : `${prompt.slice(0, MAX_PROMPT_LENGTH)} […]`
  const title = `${index === 0 ? 'Instruction' : `Follow-up ${index}`} <small>done ${formatTime(endsAtMs)}</small>`
  return `<details${index === 0 ? ' open' : ''}>
<summary>${title}</summary>
<div><pre>${escapeHtml(shown)}</pre></div>
</details>`
}

const formatTime = (atMs: number): string => new Date(atMs).toISOString().replace('T', ' ').slice(0, 16)

/** `title` and `body` are HTML. */
function renderSection(title: string, body: string): string {
  return `<section>\n<h2>${title}</h2>\n${body}\n</section>`
}

/** Shows each file once, and equal hunks once: prompts that are alike lead to the same edits. */
function renderFiles(turns: readonly ScheduledTurn[]): string {
  const files = new Map<string, { readonly change: string; readonly hunks: Set<string> }>()
  for (const { path, change, diff } of turns.flatMap(({ prompt }) => createEdits(prompt))) {
    const hunks = files.get(path)?.hunks ?? []
    files.set(path, { change, hunks: new Set([...hunks, diff.map(renderDiffLine).join('')]) })
  }
  const rendered = Array.from(
    files,
    ([path, { change, hunks }]) =>
      `<h3>${escapeHtml(path)} <small>${change}</small></h3>\n<pre>${[...hunks].join('')}</pre>`,
  )
  return `<section class="files">\n<h2>Files changed</h2>\n<div>${rendered.join('\n')}</div>\n</section>`
}

function renderCheck({ name, app, state, findings }: ShownCheck): string {
  const found = findings.length === 0 ? '' : `<pre>${escapeHtml(findings.join('\n'))}</pre>`
  return `<li class="${state}">${escapeHtml(name)} <small>${escapeHtml(app)}, ${state}</small>${found}</li>`
}

function renderChecks(checks: readonly ShownCheck[]): string {
  const items = checks.length === 0 ? '<li>No check is registered.</li>' : checks.map(renderCheck).join('\n')
  return renderSection('Checks <small>of the newest commit</small>', `<ul>${items}</ul>`)
}

function renderReviewers(names: readonly string[]): string {
  if (names.length === 0) return ''
  return renderSection('Reviewers', `<ul>${names.map((name) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`)
}

/** Renders a comment in GitHub's layout, with an initial instead of the avatar. */
function renderCommentSection({ user, body, createdAtMs }: StoredComment): string {
  const name = user.replace(/\[bot\]$/, '')
  const isBot = name !== user
  const initial = escapeHtml(name.slice(0, 1).toUpperCase())
  return `<section class="comment${isBot ? ' by-bot' : ''}" data-initial="${initial}">
<h2>${escapeHtml(name)}${isBot ? ' <span class="bot">bot</span>' : ''} <small>commented ${formatTime(createdAtMs)}</small></h2>
<div>${renderComment(body)}</div>
</section>`
}

function getDisplayState({ state, draft, merge }: PullState): string {
  if (merge !== undefined) return 'merged'
  return state === 'open' && draft ? 'draft' : state
}

function renderPullRequest(
  job: JobRecord,
  turns: readonly ScheduledTurn[],
  repository: RepositoryState,
  nowMs: number,
): string {
  const title = getTitle(job.turns[0].prompt)
  const pull = repository.pulls[job.pullNumber]
  const [state, labels, comments] =
    pull === undefined ? ['open', [], []] : [getDisplayState(pull), pull.labels, pull.comments]
  const chips = labels.map((label) => `<span class="label">${escapeHtml(label)}</span>`).join('')
  return renderPage(
    `${title} · Pull request #${job.pullNumber}`,
    `<h1>${escapeHtml(title)} <span>#${job.pullNumber}</span></h1>
<p class="facts"><span class="state ${state}">${state.replace(/^./, (first) => first.toUpperCase())}</span>
from <code>agent/${job.id}</code> into <code>${SOURCE.ref}</code> of <code>${job.repository}</code>${chips}</p>
${comments.map(renderCommentSection).join('\n')}
${renderFiles(turns)}
${pull === undefined ? '' : renderChecks(listChecks(repository, pull.headSha, nowMs))}
${pull === undefined ? '' : renderReviewers(listRequestedReviewers(pull))}
${turns.map(renderTurn).join('\n')}
<footer><small>A page of the embedded documentation service. No code host was involved.</small></footer>`,
  )
}

/**
 * Returns the page that a job links to, or 404 if its pull request does not exist yet. Requires no key.
 * @param repository the repository of the agent's pull request
 */
export function createPullRequestResponse(
  job: JobRecord | undefined,
  repository: RepositoryState,
  nowMs: number,
): ServiceResponse {
  const turns = job === undefined ? [] : listPushedTurns(job, nowMs)
  if (job === undefined || turns.length === 0) {
    return htmlResponse(404, renderPage('Not found', '<h1>There is no such pull request</h1>'))
  }
  return htmlResponse(200, renderPullRequest(job, turns, repository, nowMs))
}
