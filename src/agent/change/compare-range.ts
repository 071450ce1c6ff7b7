import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/connect-github.ts'
import { ActionError } from '../../shared/errors.ts'
import { oneLine } from '../../shared/untrusted-text.ts'
import type { ChangeRange } from './change-range.ts'

type Range = Extract<ChangeRange, { kind: 'compare' }>

export interface Compared {
  readonly repository: string
  readonly title: string
  readonly comparison: Comparison
  /** Why more may have changed than is listed, as the beginning of a sentence. */
  readonly unlisted: string | undefined
}

const shorten = (ref: string): string => (/^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : oneLine(ref, 100))

const isRewritten = ({ relation }: Comparison): boolean => relation === 'diverged' || relation === 'behind'

function titleOf({ about, head }: Range, base: string, comparison: Comparison): string {
  const from = isRewritten(comparison)
    ? `${shorten(comparison.mergeBase)}, the merge base, as ${shorten(base)} is not in its history`
    : shorten(base)
  return `${oneLine(about, 150)}, up to ${shorten(head)} from ${from}`
}

/** A comparison lists what came since the merge base, and not what a forced push took out. */
function whyUnlisted({ isReplacement, base }: Range, from: string, comparison: Comparison): string | undefined {
  if (comparison.fileList === 'cut') return 'GitHub does not list all changed files'
  const hasLost = isReplacement === true && (from !== base || isRewritten(comparison))
  return hasLost ? 'History was rewritten, and GitHub does not list what that took out' : undefined
}

/**
 * Asks GitHub what changed. A commit that a forced push took out of the history may be gone for good.
 * @param ownRepository `owner/name`, for ranges that name none
 * @throws ActionError if GitHub does not tell
 */
export async function compareRange(range: Range, github: GitHub, ownRepository: string): Promise<Compared> {
  const { repository = ownRepository, base, head, otherwise } = range
  const to = async (from: string): Promise<Compared> => {
    const comparison = await github.compare(repository, from, head)
    const title = titleOf(range, from, comparison)
    return { repository, comparison, title, unlisted: whyUnlisted(range, from, comparison) }
  }
  try {
    return await to(base)
  } catch (error) {
    if (otherwise === undefined || !(error instanceof ActionError) || error.code !== 'not-found') throw error
    return to(otherwise)
  }
}
