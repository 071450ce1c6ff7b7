import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/connect-github.ts'
import { unlessNotFound } from '../../shared/errors.ts'
import { oneLine } from '../../shared/untrusted-text.ts'
import type { ChangeRange } from './change-range.ts'

type Range = Extract<ChangeRange, { kind: 'compare' }>

export interface Compared {
  readonly repository: string
  /** For the agent, with no names of people. */
  readonly title: string
  /** The same for people, each name between back-ticks. */
  readonly story: string
  readonly comparison: Comparison
  /** Why more may have changed than is listed, as the beginning of a sentence. */
  readonly unlisted: string | undefined
}

const shorten = (ref: string): string => (/^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : oneLine(ref, 100))

/** A name of a stranger, for a sentence of ours. */
const quoted = (name: string): string => `\`${shorten(name).replaceAll('`', "'")}\``

const isRewritten = ({ relation }: Comparison): boolean => relation === 'diverged' || relation === 'behind'

/** The two ends, each as `show` tells it. A rewritten history is compared from the merge base. */
function tellEnds({ head }: Range, base: string, comparison: Comparison, show: (ref: string) => string): string {
  if (!isRewritten(comparison)) return `from ${show(base)} to ${show(head)}`
  const from = `from the merge base ${show(comparison.mergeBase)} to ${show(head)}`
  return `${from}, as ${show(base)} is not in its history`
}

const tellPush = ({ pushed }: Range): string =>
  pushed === undefined ? '' : ` to ${quoted(pushed.branch)} by ${quoted(pushed.by)}`

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
    const title = `${range.about}, ${tellEnds(range, from, comparison, shorten)}`
    const story = `${range.about}${tellPush(range)}, ${tellEnds(range, from, comparison, quoted)}`
    return { repository, comparison, title, story, unlisted: whyUnlisted(range, from, comparison) }
  }
  if (otherwise === undefined) return to(base)
  return (await unlessNotFound(to(base))) ?? to(otherwise)
}
