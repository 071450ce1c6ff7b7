import type { GitHub } from '../../github/github.ts'
import type { Context } from '../../action/context.ts'
import { unlessNotFound } from '../../runtime/errors.ts'
import type { ChangeRange } from './change-range.ts'
import { findTagsBefore } from './tag-before.ts'

/** Each costs a comparison; mostly the first is the one. */
const MOST_TAGS = 5

/** A range whose two ends are known, or why it has none. */
type KnownRange = Extract<ChangeRange, { kind: 'compare' | 'nothing-to-compare' | 'nothing-changed' }>

/** Tags of other lines of development are in the list too, so the one before has to be in this one's history. */
async function findTagBefore(tag: string, github: GitHub, repository: string): Promise<string | undefined> {
  const tags = await github.listTags(repository)
  const before = findTagsBefore(
    tag,
    tags.map(({ name }) => name),
  )
  // Undefined if they have no common history.
  const compareWith = (other: string) => unlessNotFound(github.compare(repository, other, tag))
  for (const other of before.slice(0, MOST_TAGS)) if ((await compareWith(other))?.relation === 'ahead') return other

  // Another line may have any number of tags: what came since the oldest tag has the one before in it.
  const oldest = before.slice(MOST_TAGS).at(-1)
  const comparison = oldest === undefined ? undefined : await compareWith(oldest)
  const nearest = (comparison?.commits ?? [])
    .toReversed()
    .flatMap(({ sha }) => tags.filter((other) => other.sha === sha && before.includes(other.name)))
    .at(0)
  return nearest?.name ?? (comparison?.relation === 'ahead' ? oldest : undefined)
}

async function sinceLastSuccess(
  { head, firstTime, of }: Extract<ChangeRange, { kind: 'since-last-success' }>,
  github: GitHub,
  { repository, workflow, refName: branch, runId }: Context,
): Promise<ChangeRange> {
  if (workflow === undefined)
    return { kind: 'nothing-to-compare', reason: 'the runner does not say which workflow this is' }
  const isOther = of !== undefined
  const bases = await github.findLastSuccesses({ repository, workflow, branch, runId, ...of, isOther })
  const which = isOther ? 'the workflow that started this one' : 'this workflow'
  const about = `everything since the last successful run${isOther ? ` of ${which}` : ''}`
  const reason =
    bases.length === 0
      ? `no run of ${which} on this branch was successful before`
      : `the commits of the last successful runs of ${which} are gone`
  return bases.reduceRight<ChangeRange>(
    (fallback, base) => ({ kind: 'compare', base, head, about, isReplacement: true, fallback }),
    firstTime ?? { kind: 'nothing-to-compare', reason },
  )
}

/**
 * Asks GitHub for the ends of a range that the event does not have.
 * @throws ActionError if GitHub does not tell
 */
export async function findRange(range: ChangeRange, github: GitHub, context: Context): Promise<KnownRange> {
  const { repository } = context
  switch (range.kind) {
    case 'since-last-success':
      return findRange(await sinceLastSuccess(range, github, context), github, context)
    case 'since-tag': {
      const { tag } = range
      const base = await findTagBefore(tag, github, repository)
      if (base === undefined)
        return { kind: 'nothing-to-compare', reason: 'no tag of the same kind comes before this one in its history' }
      return { kind: 'compare', base, head: tag, about: 'the tag since the one before it' }
    }
    case 'pull-request': {
      const { baseSha, headSha } = await github.readPullRequest({ repository, number: range.number })
      return { kind: 'compare', base: baseSha, head: headSha, about: 'the pull request' }
    }
    case 'compare':
    case 'nothing-changed':
    case 'nothing-to-compare':
      return range
  }
}
