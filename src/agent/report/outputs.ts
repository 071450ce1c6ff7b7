import { oneLine } from '../../text/untrusted.ts'
import { OUTCOME_ROWS, type AskedReport } from './outcomes.ts'
import { isInScope, jobIdOf, ownPullRequest, type Continued, type Report } from './report.ts'

const LONGEST_MODEL_NAME = 200
/** Longer than git and GitHub let a branch's name be. */
const LONGEST_BRANCH_NAME = 1_000

/** Whether the service may have taken the step's prompt. A step that attaches is about what the job did before. */
function mayBeTaken(report: Report): report is AskedReport {
  const { task, job, progress, error } = report
  if (task === undefined) return false
  if (error?.code === 'unknown-fate' || error?.code === 'internal' || task.kind === 'attach') return true
  return task.kind === 'create' ? job !== undefined : progress === 'taken' || progress === 'seen'
}

/** Whether this step's work is in a pull request. Undefined if nobody knows; a red step claims nothing of an earlier turn. */
export function changedOf(report: Report): boolean | undefined {
  const { operation, outcome } = report
  if (operation !== undefined) return operation !== 'unchanged'
  return mayBeTaken(report) ? OUTCOME_ROWS[outcome].changed?.(report) : false
}

/** Only of a prompt that the service is known to have taken. */
export function continuedOf({ continued, progress }: Report): Continued | undefined {
  return progress === undefined || progress === 'unsent' ? undefined : continued
}

/** What each output says, in the order of `action.yml`; undefined if there is nothing to tell. */
const OUTPUTS = {
  outcome: ({ outcome }) => outcome,
  status: ({ job }) => job?.status,
  changed: changedOf,
  'pr-link': (report) => ownPullRequest(report)?.href,
  'pr-number': (report) => ownPullRequest(report)?.number,
  'pr-head-sha': ({ pullRequest }) => pullRequest?.headSha,
  checks: ({ pullRequest }) => pullRequest?.checks,
  'in-scope': ({ pullRequest = {} }) => isInScope(pullRequest),
  'job-id': jobIdOf,
  'pr-operation': ({ operation }) => operation,
  'pr-repository': (report) => ownPullRequest(report)?.repository,
  'pr-state': ({ pullRequest }) => pullRequest?.state,
  'pr-branch': ({ pullRequest }) => oneLine(pullRequest?.branch ?? '', LONGEST_BRANCH_NAME),
  'pr-mergeable': ({ pullRequest }) => pullRequest?.mergeable,
  continued: continuedOf,
  'fix-rounds': ({ rounds, stop }) => (rounds.length === 0 && stop === undefined ? undefined : rounds.length),
  model: ({ job }) => oneLine(job?.model ?? '', LONGEST_MODEL_NAME),
  'duration-seconds': ({ durationMs }) => (durationMs / 1000).toFixed(1),
} satisfies Readonly<Record<string, (report: Report) => string | number | boolean | undefined>>

/** All but `result`. An empty text stands for "there is none". */
export type Outputs = Readonly<Record<keyof typeof OUTPUTS, string>>

export function toOutputs(report: Report): Outputs {
  const outputs = Object.entries(OUTPUTS).map(([name, tell]) => [name, String(tell(report) ?? '')])
  return Object.fromEntries(outputs) as Outputs
}
