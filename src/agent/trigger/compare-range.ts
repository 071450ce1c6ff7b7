import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/github.ts'
import type { Context } from '../../action/context.ts'
import { unlessNotFound } from '../../runtime/errors.ts'
import { quoted } from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { ChangeRange } from './change-range.ts'
import { findRange } from './find-range.ts'

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

const shortRef = (ref: string): string => (/^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 7) : oneLine(ref, 100))

const isRewritten = ({ relation }: Comparison): boolean => relation === 'diverged' || relation === 'behind'

/** The two ends, each as `show` tells it. A rewritten history is compared from the merge base. */
function formatEnds({ base, head }: Range, comparison: Comparison, show: (ref: string) => string): string {
  if (!isRewritten(comparison)) return `from ${show(base)} to ${show(head)}`
  const from = `from the merge base ${show(comparison.mergeBase)} to ${show(head)}`
  return `${from}, as ${show(base)} is not in its history`
}

const formatPush = ({ pushed }: Range): string =>
  pushed === undefined ? '' : ` to ${quoted(pushed.branch)} by ${quoted(pushed.by)}`

/** A comparison lists what came since the merge base, and not what a forced push took out. */
function whyUnlisted({ isReplacement }: Range, isFallback: boolean, comparison: Comparison): string | undefined {
  if (comparison.fileList === 'cut') return 'GitHub does not list all changed files'
  const hasLost = isFallback || (isReplacement === true && isRewritten(comparison))
  return hasLost ? 'History was rewritten, and GitHub does not list what that took out' : undefined
}

async function compareRange(
  range: Range,
  isFallback: boolean,
  github: GitHub,
  ownRepository: string,
): Promise<Compared> {
  const { repository = ownRepository, base, head, about } = range
  const comparison = await github.compare(repository, base, head)
  return {
    ...{ repository, comparison },
    title: `${about}, ${formatEnds(range, comparison, shortRef)}`,
    story: `${about}${formatPush(range)}, ${formatEnds(range, comparison, (ref) => quoted(shortRef(ref)))}`,
    unlisted: whyUnlisted(range, isFallback, comparison),
  }
}

export type Looked = {
  /** How many bases were gone, one after the other. */
  readonly gone: number
} & (
  | { readonly kind: 'compared'; readonly compared: Compared }
  /** @property reason why there is nothing to compare, as a part of a sentence */
  | { readonly kind: 'nothing'; readonly reason: string }
)

/**
 * Asks GitHub what changed. A commit that a forced push took out of the history may be gone for good: then the range that
 * takes its place is compared.
 * @throws ActionError if GitHub does not tell
 */
export async function compareWhatIsThere(range: ChangeRange, github: GitHub, context: Context): Promise<Looked> {
  for (let gone = 0, next = range; ; gone++) {
    const found = await findRange(next, github, context)
    if (found.kind !== 'compare') return { kind: 'nothing', gone, reason: found.reason }
    const ask = () => compareRange(found, gone > 0, github, context.repository)
    if (found.fallback === undefined) return { kind: 'compared', gone, compared: await ask() }
    // Twice, as one 404 may be that of a gateway.
    const compared = (await unlessNotFound(ask())) ?? (await unlessNotFound(ask()))
    if (compared !== undefined) return { kind: 'compared', gone, compared }
    next = found.fallback
  }
}

/** The title and the text of a notice, as another change is told than the one that was asked for. */
export function formatGone(looked: Looked): readonly [title: string, text: string] {
  const runs = looked.gone === 1 ? 'the last successful run' : `the last ${looked.gone} successful runs`
  const instead = looked.kind === 'compared' ? looked.compared.title : 'nothing, as there is none before'
  return [
    'A commit to compare with is gone',
    `The commit of ${runs} is no longer in the repository, as after a forced push. It is compared instead: ${instead}.`,
  ]
}
