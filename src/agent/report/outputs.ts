import { oneLine } from '../../shared/untrusted-text.ts'
import { cleanPullRequestLink } from '../../service/pull-request-link.ts'
import { jobIdOf, type Report } from './report.ts'

export const OUTPUT_NAMES = [
  'status',
  'pr-link',
  'job-id',
  'outcome',
  'changed',
  'pr-number',
  'pr-repository',
  'model',
  'duration-seconds',
  'pr-state',
  'pr-branch',
  'pr-head-sha',
  'checks',
  'in-scope',
] as const
export type Outputs = Readonly<Record<(typeof OUTPUT_NAMES)[number], string>>

const LONGEST_MODEL_NAME = 200
/** Longer than git and GitHub let a branch's name be. */
const LONGEST_BRANCH_NAME = 1_000

/** The step's outputs, where an empty text stands for "there is none". */
export function toOutputs(report: Report): Outputs {
  const { outcome, job, durationMs, handOff } = report
  const link = job?.prLink === undefined ? undefined : cleanPullRequestLink(job.prLink)
  return {
    status: job?.status ?? '',
    'pr-link': link?.href ?? '',
    'job-id': jobIdOf(report) ?? '',
    outcome,
    changed: String(job?.prLink !== undefined),
    'pr-number': link?.number ?? '',
    'pr-repository': link?.repository ?? '',
    model: oneLine(job?.model ?? '', LONGEST_MODEL_NAME),
    'duration-seconds': (durationMs / 1000).toFixed(1),
    'pr-state': handOff?.state ?? '',
    'pr-branch': oneLine(handOff?.branch ?? '', LONGEST_BRANCH_NAME),
    'pr-head-sha': handOff?.headSha ?? '',
    checks: handOff?.checks ?? '',
    'in-scope': handOff?.scope === undefined ? '' : String(handOff.scope.outside.length === 0),
  }
}
