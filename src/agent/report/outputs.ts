import { oneLine } from '../../shared/untrusted-text.ts'
import { jobIdOf, ownPullRequest, type Outcome, type Report } from './report.ts'

export const OUTPUT_NAMES = [
  'outcome',
  'status',
  'changed',
  'pr-link',
  'pr-number',
  'pr-head-sha',
  'checks',
  'in-scope',
  'job-id',
  'pr-operation',
  'pr-repository',
  'pr-state',
  'pr-branch',
  'pr-mergeable',
  'continued',
  'fix-rounds',
  'model',
  'duration-seconds',
] as const
export type Outputs = Readonly<Record<(typeof OUTPUT_NAMES)[number], string>>

const LONGEST_MODEL_NAME = 200
/** Longer than git and GitHub let a branch's name be. */
const LONGEST_BRANCH_NAME = 1_000

/** What an outcome says of `changed` if nobody compared heads. All that is not here is `false`. */
const CHANGED: Readonly<Partial<Record<Outcome, (report: Report) => string>>> = {
  'pull-request': ({ task }) => (task?.kind === 'follow-up' ? '' : 'true'),
  'no-changes': ({ job }) => (job?.hasUnsafeLink === true ? '' : 'false'),
  submitted: () => '',
  failed: openedAll,
  archived: openedAll,
  // Such a step may have seen the end, and waited for checks.
  cancelled: ({ task, job }) =>
    String(task?.kind === 'attach' && job?.status === 'completed' && job.prLink !== undefined),
}

/** However a job ended, its pull request holds its work. Of a follow-up, an earlier turn may have opened it. */
function openedAll({ task, job }: Report): string {
  return String(task?.kind !== 'follow-up' && job?.prLink !== undefined)
}

/** Whether this step's work is in a pull request. Empty if nobody knows; a red step claims nothing of an earlier turn. */
function changedOf(report: Report): string {
  const { operation, outcome } = report
  return operation === undefined ? (CHANGED[outcome]?.(report) ?? 'false') : String(operation !== 'unchanged')
}

/** Only of a prompt that the service is known to have taken. */
function continuedOf({ continued, turn }: Report): string {
  return turn === undefined || turn === 'unsent' ? '' : (continued ?? '')
}

/** The step's outputs, where an empty text stands for "there is none". */
export function toOutputs(report: Report): Outputs {
  const { outcome, operation, job, durationMs, pullRequest, fixing } = report
  const link = ownPullRequest(report)
  return {
    outcome,
    status: job?.status ?? '',
    changed: changedOf(report),
    'pr-link': link?.href ?? '',
    'pr-number': link?.number ?? '',
    'pr-head-sha': pullRequest?.headSha ?? '',
    checks: pullRequest?.checks ?? '',
    'in-scope': pullRequest?.scope === undefined ? '' : String(pullRequest.scope.outside.length === 0),
    'job-id': jobIdOf(report) ?? '',
    'pr-operation': operation ?? '',
    'pr-repository': link?.repository ?? '',
    'pr-state': pullRequest?.state ?? '',
    'pr-branch': oneLine(pullRequest?.branch ?? '', LONGEST_BRANCH_NAME),
    'pr-mergeable': String(pullRequest?.mergeable ?? ''),
    continued: continuedOf(report),
    'fix-rounds': fixing === undefined ? '' : String(fixing.sent),
    model: oneLine(job?.model ?? '', LONGEST_MODEL_NAME),
    'duration-seconds': (durationMs / 1000).toFixed(1),
  }
}
