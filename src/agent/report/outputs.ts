import { oneLine } from '../../text/untrusted.ts'
import { OUTCOME_ROWS, type AskedReport } from './outcomes.ts'
import { jobIdOf, ownPullRequest, type Continued, type Report } from './report.ts'

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
  'result',
] as const
export type Outputs = Readonly<Record<(typeof OUTPUT_NAMES)[number], string>>

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
  return mayBeTaken(report) ? OUTCOME_ROWS[outcome].changed(report) : false
}

/** Only of a prompt that the service is known to have taken. */
export function continuedOf({ continued, progress }: Report): Continued | undefined {
  return progress === undefined || progress === 'unsent' ? undefined : continued
}

/** The step's outputs but for `result`, where an empty text stands for "there is none". */
export function toOutputs(report: Report): Omit<Outputs, 'result'> {
  const { outcome, operation, job, durationMs, pullRequest, rounds, stop } = report
  const link = ownPullRequest(report)
  return {
    outcome,
    status: job?.status ?? '',
    changed: String(changedOf(report) ?? ''),
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
    continued: continuedOf(report) ?? '',
    'fix-rounds': rounds.length === 0 && stop === undefined ? '' : String(rounds.length),
    model: oneLine(job?.model ?? '', LONGEST_MODEL_NAME),
    'duration-seconds': (durationMs / 1000).toFixed(1),
  }
}
