import type { Conclusion } from '../../action/conclusion.ts'
import { formatDuration } from '../../text/duration.ts'
import { foldedText, grid, heading, inlineCode, joinBlocks, linked, prose, table } from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import { formatUtc, readableTime } from '../../text/utc-time.ts'
import { adviseAttaching } from './conclusion.ts'
import { OUTCOME_ROWS } from './outcomes.ts'
import { firstRows, pullRequestSections } from './pull-request-sections.ts'
import { isLookedAt, jobIdOf, lastReadJob, type Report } from './report.ts'
import { formatShortfalls } from './journal.ts'
import { adviseOnPullRequest, formatPullRequest } from './standing.ts'

const MOST_PROMPT_BYTES = 32 * 1024

const TASK_NAMES = { create: 'new job', 'follow-up': 'follow-up', attach: 'attached' } as const

/** In the heading. */
const LONGEST_NAME = 40

/** What kind of step it was; undefined for one that had nothing to do. */
function kindOf({ outcome, task, comment, continued }: Report): string | undefined {
  if (task === undefined || outcome === 'skipped') return undefined
  const origin = comment !== undefined ? ' from a comment' : continued === undefined ? '' : ' on an open pull request'
  return `${TASK_NAMES[task.kind]}${origin}`
}

/** GitHub shows the workflow job above all of its summaries. */
function headline(report: Report, { isGreen, title }: Conclusion): string {
  const { outcome, projectId, stepId } = report
  const [green, red] = OUTCOME_ROWS[outcome].icons
  const icon = isGreen ? (adviseOnPullRequest(report) === undefined ? green : '⚠️') : red
  const name = (text: string): string => inlineCode(oneLine(text, LONGEST_NAME))
  const place = [projectId && name(projectId), stepId ? `step ${name(stepId)}` : undefined]
  return heading(icon, ['Docs agent', ...place, kindOf(report)], title)
}

/** One that is too long would leave no room for what comes behind it. */
const LONGEST_FACT = 300
const fact = (text: string): string => inlineCode(oneLine(text, LONGEST_FACT))

/** Of a push. The change says how many commits there are in its range. */
const COUNT = /: \d+ commits?$/

/** What the sections before have not told, what started the run, and the job. */
function facts(report: Report, { text }: Conclusion): string {
  const { startedBy, change, pullRequest: { state, branch, outside = [] } = {}, shortfalls, job, durationMs } = report
  const [id, lastRead] = [jobIdOf(report), lastReadJob(report)]
  const trigger = startedBy && { ...startedBy, text: startedBy.text.replace(change === undefined ? '' : COUNT, '') }
  const ref = job?.ref === undefined ? '' : ` at ${fact(job.ref)}`
  return table({
    'Triggered by': trigger && linked(trigger),
    Change: change && prose(change),
    'Pull request': state && branch && `${state}, ${fact(branch)}`,
    'Last seen of it': isLookedAt(report) ? '' : prose(formatPullRequest(report)),
    'Outside of allowed-paths': firstRows(outside, (path) => [fact(path)]).join(', '),
    'Not done on GitHub': prose(formatShortfalls(shortfalls, text) ?? ''),
    Job: id && inlineCode(id),
    Status: lastRead && fact(lastRead.unlistedStatus ?? lastRead.status),
    Repository: job?.repository && `${fact(job.repository)}${ref}`,
    Model: job?.model && fact(job.model),
    Created: job?.createdAt && fact(readableTime(job.createdAt)),
    'This step took': id && formatDuration(durationMs),
  })
}

/** The day stands at its first entry. */
function timeline({ timeline }: Report): string[] {
  let today = ''
  const rows = timeline.map(({ at, elapsedMs, event }) => {
    const [day = '', time = ''] = formatUtc(at).split(' ')
    const shown = day === today ? time : `${day} ${time}`
    today = day
    return [shown, formatDuration(elapsedMs), prose(event)]
  })
  return rows.length === 0 ? [] : ['### Time line', grid(['UTC', 'After', 'What happened'], rows)]
}

function prompt({ task }: Report): string {
  return task === undefined || task.kind === 'attach' || task.prompt === ''
    ? ''
    : foldedText('The prompt', task.prompt, MOST_PROMPT_BYTES)
}

/** Only ids that were checked get in here. */
function linesToCopy(id: string | undefined, ...more: readonly string[]): string {
  return ['```yaml', 'with:', `  job-id: ${id ?? ''}`, ...more, '```'].join('\n')
}

/** What the job could do next. Nobody is to send more before it is known what became of this. */
function whatNext(report: Report, { advice }: Conclusion): string[] {
  const { job, error, progress, outcome } = report
  const attaching = adviseAttaching(report)
  if (attaching !== undefined)
    return attaching === advice ? [] : ['### What next', attaching, linesToCopy(jobIdOf(report))]
  const mayFollow = job?.status === 'completed' || job?.status === 'failed'
  if (!mayFollow || error !== undefined || progress === 'taken' || outcome === 'cancelled') return []
  const more = '  prompt: Now do this as well.'
  return ['### What next', 'To tell the agent more, send a follow-up to this job:', linesToCopy(job.id, more)]
}

/** The job summary, as Markdown for GitHub: the verdict first, then the pull request, then what led to it. */
export function renderSummary(report: Report, conclusion: Conclusion): string {
  const { text, advice } = conclusion
  const quote = report.error?.quote
  return joinBlocks([
    headline(report, conclusion),
    text,
    quote && `The service says: ${inlineCode(quote)}`,
    advice && `**What to do:** ${advice}`,
    advice && advice === adviseAttaching(report) ? linesToCopy(jobIdOf(report)) : '',
    ...pullRequestSections(report),
    facts(report, conclusion),
    ...timeline(report),
    prompt(report),
    ...whatNext(report, conclusion),
  ])
}
