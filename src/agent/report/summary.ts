import type { Conclusion } from '../../shared/conclusion.ts'
import { formatDuration } from '../../shared/duration.ts'
import { escapeHtml, foldedText, inlineCode, joinBlocks, shorten, table, type TableRow } from '../../shared/markdown.ts'
import { oneLine } from '../../shared/untrusted-text.ts'
import type { Task } from '../inputs/task.ts'
import { tellFixing } from './fixing.ts'
import { jobIdOf, ownPullRequest, type Outcome, type Report } from './report.ts'
import { tellShortfalls } from './shortfalls.ts'

/** A quarter of what the runner takes for a step: a summary over its limit is dropped whole. */
const MAX_SUMMARY_BYTES = 256 * 1024
const MAX_PROMPT_BYTES = 32 * 1024

const GREEN_ICONS: Readonly<Partial<Record<Outcome, string>>> = {
  'pull-request': '✅',
  'no-changes': '✅',
  submitted: '🚀',
  skipped: '⏭️',
}
const RED_ICONS: Readonly<Partial<Record<Outcome, string>>> = { 'timed-out': '⏰', unconfirmed: '❓', cancelled: '🛑' }

const TASK_NAMES: Readonly<Record<Task['kind'], string>> = {
  create: 'new job',
  'follow-up': 'follow-up',
  attach: 'attached',
}

/** A new job is told from a follow-up, and two steps of one workflow job from each other. */
function placeOf({ task, origin }: Report): string {
  if (task === undefined || origin === undefined) return ''
  const { projectId, workflowJob, stepId } = origin
  const step = [workflowJob, stepId].filter((name) => name !== '').join('/')
  return ` (${TASK_NAMES[task.kind]} in ${fact(projectId)}${step === '' ? '' : `, step ${fact(step)}`})`
}

function heading(report: Report, { isGreen, title }: Conclusion): string {
  const { outcome } = report
  const icon = isGreen ? (GREEN_ICONS[outcome] ?? '⚪') : (RED_ICONS[outcome] ?? '❌')
  return `## ${icon} ${title}${placeOf(report)}`
}

function pullRequest(report: Report): string[] {
  const link = ownPullRequest(report)
  if (link === undefined) return []
  const { href, number, repository } = link
  const name =
    number === undefined || repository === undefined
      ? 'Open the pull request'
      : `Pull request #${number} in ${repository}`
  return [`### [${name.replaceAll('_', '&#95;')}](${href})`]
}

/** One that is too long would leave no room for what comes behind it. */
const LONGEST_FACT = 300

function fact(text: string): string {
  return inlineCode(oneLine(text, LONGEST_FACT))
}

function facts(report: Report): string[] {
  const { job, durationMs } = report
  const id = jobIdOf(report)
  if (id === undefined) return []
  const rows: (TableRow | undefined)[] = [
    { name: 'Job', html: inlineCode(id) },
    job && { name: 'Status', html: fact(job.unlistedStatus ?? job.status) },
    job?.repository === undefined
      ? undefined
      : {
          name: 'Repository',
          html: [job.repository, ...(job.ref === undefined ? [] : [job.ref])].map(fact).join(' at '),
        },
    job?.model === undefined ? undefined : { name: 'Model', html: fact(job.model) },
    job?.createdAt === undefined ? undefined : { name: 'Created', html: fact(job.createdAt) },
    { name: 'This step took', html: formatDuration(durationMs) },
  ]
  return [table(rows.filter((row) => row !== undefined))]
}

/** How many of the files outside of `allowed-paths` are named. */
const MOST_PATHS = 20

/** The change that started the run, and what GitHub knows of the pull request. */
function gitHubFacts({ change, pullRequest, fixing, shortfalls }: Report): string[] {
  const { state, branch, headSha, checks, scope } = pullRequest ?? {}
  const outside = scope?.outside ?? []
  const more = outside.length > MOST_PATHS ? `, and ${outside.length - MOST_PATHS} more` : ''
  const rounds = tellFixing(fixing)
  const notDone = tellShortfalls(shortfalls)
  const rows: (TableRow | undefined)[] = [
    change === undefined ? undefined : { name: 'What changed', html: inlineCode(change) },
    state === undefined || branch === undefined || headSha === undefined
      ? undefined
      : { name: 'Pull request', html: [state, branch, headSha.slice(0, 7)].map(inlineCode).join(' ') },
    checks === undefined ? undefined : { name: 'Checks', html: inlineCode(checks) },
    scope === undefined
      ? undefined
      : {
          name: 'Allowed paths',
          html:
            outside.length === 0
              ? scope.fileCount === 1
                ? 'its one file is inside'
                : `all ${scope.fileCount} files are inside`
              : `outside: ${outside.slice(0, MOST_PATHS).map(inlineCode).join(', ')}${more}`,
        },
    rounds.length === 0 ? undefined : { name: 'Rounds', html: escapeHtml(rounds.join(' ')) },
    notDone === undefined ? undefined : { name: 'Not done on GitHub', html: inlineCode(notDone) },
  ]
  const known = rows.filter((row) => row !== undefined)
  return known.length === 0 ? [] : ['### On GitHub', table(known)]
}

function timeline({ timeline }: Report): string[] {
  if (timeline.length === 0) return []
  const rows = timeline.map(({ at, elapsedMs, event }) => {
    const time = at.toISOString().slice(11, 19)
    return `<tr><td>${time}</td><td>${formatDuration(elapsedMs)}</td><td>${escapeHtml(event)}</td></tr>`
  })
  const head = '<tr><th>UTC</th><th>After</th><th>What happened</th></tr>'
  return ['### Time line', `<table>\n${[head, ...rows].join('\n')}\n</table>`]
}

function prompt({ task }: Report): string[] {
  if (task === undefined || task.kind === 'attach') return []
  const title = `The prompt (${Buffer.byteLength(task.prompt)} bytes)`
  return [foldedText(title, shorten(task.prompt, MAX_PROMPT_BYTES))]
}

/** The lines to copy for a next step; only ids that were checked get in here. */
function nextSteps(report: Report): string[] {
  const id = jobIdOf(report)
  if (id === undefined || report.job === undefined || report.job.status === 'archived') return []
  const followUp = `To tell the agent more, send a follow-up to this job:\n\n\`\`\`yaml\nwith:\n  job-id: ${id}\n  prompt: Now do this as well.\n\`\`\``
  const attach = `To wait for it, attach to it, without a prompt:\n\n\`\`\`yaml\nwith:\n  job-id: ${id}\n\`\`\``
  const mayGoOn = report.job.status === 'active' && report.turn !== 'taken' && report.turn !== 'unsent'
  return ['### What next', ...(mayGoOn ? [attach] : []), followUp]
}

/** The job summary, as Markdown for GitHub: the verdict first, then the pull request to click, then what led to it. */
export function renderSummary(report: Report, conclusion: Conclusion): string {
  const quote = report.error?.quote
  return joinBlocks(
    [
      heading(report, conclusion),
      ...pullRequest(report),
      conclusion.text,
      ...(quote === undefined ? [] : [`The service says: ${inlineCode(quote)}`]),
      ...conclusion.advice.map((sentence) => `**What to do:** ${sentence}`),
      ...facts(report),
      ...gitHubFacts(report),
      ...timeline(report),
      ...prompt(report),
      ...nextSteps(report),
    ],
    MAX_SUMMARY_BYTES,
  )
}
