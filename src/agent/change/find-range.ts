import type { GitHub } from '../../github/connect-github.ts'
import type { RunFacts } from '../../github/run-facts.ts'
import { unlessNotFound } from '../../shared/errors.ts'
import type { ChangeRange } from './change-range.ts'
import { findTagsBefore } from './tag-before.ts'

/** Each costs a comparison. Further back than this, a tag is none that comes before another one. */
const MOST_TAGS = 5

/** A range whose two ends are known, or why it has none. */
type KnownRange = Extract<ChangeRange, { kind: 'compare' | 'nothing-to-compare' | 'nothing-changed' }>

/** Tags of other lines of development are in the list too, so the one before has to be in this one's history. */
async function findTagBefore(tag: string, github: GitHub, repository: string): Promise<string | undefined> {
  for (const other of findTagsBefore(tag, await github.listTags(repository)).slice(0, MOST_TAGS)) {
    // Undefined if they have no common history.
    const comparison = await unlessNotFound(github.compare(repository, other, tag))
    if (comparison?.relation === 'ahead') return other
  }
  return undefined
}

async function sinceLastSuccess(
  { head, firstTime, of }: Extract<ChangeRange, { kind: 'since-last-success' }>,
  github: GitHub,
  { repository, workflow, refName: branch, runId }: RunFacts,
): Promise<ChangeRange> {
  if (workflow === undefined)
    return { kind: 'nothing-to-compare', reason: 'the runner does not say which workflow this is' }
  const isOther = of !== undefined
  const base = await github.findLastSuccess({ repository, workflow, branch, runId, ...of, isOther })
  const which = isOther ? 'the workflow that started this one' : 'this workflow'
  if (base !== undefined) {
    const about = `everything since the last successful run${isOther ? ` of ${which}` : ''}`
    return { kind: 'compare', base, head, about, isReplacement: true }
  }
  const reason = `no run of ${which} on this branch was successful before`
  return firstTime ?? { kind: 'nothing-to-compare', reason }
}

/**
 * Asks GitHub for the ends of a range that the event does not have.
 * @throws ActionError if GitHub does not tell
 */
export async function findRange(range: ChangeRange, github: GitHub, facts: RunFacts): Promise<KnownRange> {
  const { repository } = facts
  switch (range.kind) {
    case 'since-last-success':
      return findRange(await sinceLastSuccess(range, github, facts), github, facts)
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
