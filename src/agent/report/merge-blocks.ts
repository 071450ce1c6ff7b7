import type { FailOn } from '../inputs/fail-on.ts'
import { tellFixing } from './fixing.ts'
import type { ChecksState, Report } from './report.ts'
import { tellLosses } from './shortfalls.ts'

/** What keeps a pull request from being merged, where `fail-on` names it. */
type MergeBlock = Extract<FailOn, 'checks' | 'out-of-scope'>

/** Only a known good answer counts: what is pending, not registered or not to be found out blocks as well. */
const BLOCKS: Readonly<Record<MergeBlock, (report: Report) => boolean>> = {
  checks: ({ pullRequest }) => pullRequest?.checks !== 'success',
  'out-of-scope': ({ pullRequest }) => pullRequest?.scope === undefined || pullRequest.scope.outside.length > 0,
}
const ALL_BLOCKS = ['out-of-scope', 'checks'] as const satisfies readonly MergeBlock[]

/** What `fail-on` finds wrong with the pull request, the gravest first. */
export function findBlocks(report: Report, failOn: ReadonlySet<FailOn>): readonly MergeBlock[] {
  if (report.outcome !== 'pull-request') return []
  return ALL_BLOCKS.filter((block) => failOn.has(block) && BLOCKS[block](report))
}

/** Whether nobody knows, which blocks as well as a bad answer. */
export function isBlockUnknown(block: MergeBlock, { pullRequest }: Report): boolean {
  return (block === 'checks' ? pullRequest?.checks : pullRequest?.scope) === undefined
}

export const BLOCK_TITLES: Readonly<Record<MergeBlock, string>> = {
  checks: 'The pull request has not passed its checks',
  'out-of-scope': 'The pull request is not known to keep to the allowed paths',
}

const ADVICE: Readonly<Record<MergeBlock, string>> = {
  checks: 'Look at the checks of the pull request.',
  'out-of-scope': 'Look at the files of the pull request, and merge it by hand if they are right.',
}
const NO_CHECKS =
  "See which workflows the branch of the pull request starts: a pull request that is opened with a workflow's own token starts none."

export function adviseOnBlock(block: MergeBlock, report: Report): string {
  const { pullRequest, shortfalls } = report
  const hint = isBlockUnknown(block, report) ? shortfalls.findLast(({ error }) => error.hint)?.error.hint : undefined
  return hint ?? (block === 'checks' && pullRequest?.checks === 'none' ? NO_CHECKS : ADVICE[block])
}

/** Why a gate is red that could not be asked: the cause is no detail then. */
export function tellCause(blocks: readonly MergeBlock[], report: Report): string[] {
  return blocks.some((block) => isBlockUnknown(block, report)) ? tellLosses(report.shortfalls) : []
}

const CHECKS_TEXTS: Readonly<Record<ChecksState, string>> = {
  success: 'All its checks have passed.',
  failure: 'At least one of its checks failed.',
  pending: 'Its checks were not done in time.',
  none: 'No check is registered for it.',
}

/** Checks that are pending or failed block a merge as well, and were told. */
const BLOCKED_TEXTS: Readonly<Partial<Record<ChecksState, string>>> = {
  success: 'GitHub does not let it be merged yet: a review is missing, or a required check that was never registered.',
  none: 'GitHub does not let it be merged yet: a review is missing, or a required check.',
}

/** What is known of the pull request, as full sentences. */
export function tellPullRequest({ pullRequest, fixing }: Report): string[] {
  const { state, mergeable, isBlocked, checks, scope } = pullRequest ?? {}
  const blocked = isBlocked === true && checks !== undefined ? BLOCKED_TEXTS[checks] : undefined
  const count = scope?.outside.length ?? 0
  return [
    ...(state === 'merged' || state === 'closed' ? [`It is ${state} already.`] : []),
    ...(mergeable === false ? ['It conflicts with its base branch, so it cannot be merged.'] : []),
    ...(checks === undefined ? [] : [CHECKS_TEXTS[checks]]),
    ...(blocked === undefined ? [] : [blocked]),
    ...(scope === undefined
      ? []
      : [
          count === 0
            ? 'It keeps to `allowed-paths`.'
            : `It changes ${count === 1 ? '1 path' : `${count} paths`} outside of \`allowed-paths\`.`,
        ]),
    ...tellFixing(fixing),
  ]
}
