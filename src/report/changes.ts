/** Reads which changes were merged in a range, and groups commits by the pull request that they came from. */
import { type ChangeCommit, openSourceLookUp, type SourcePullRequest, toChangeCommit } from '../agent/change/sources.ts'
import { openGitHub, type Step } from '../action/step.ts'
import type { ComparedCommit } from '../github/commits.ts'
import type { GitHub } from '../github/github.ts'
import { failsForAll } from '../github/github-error.ts'
import { DAY_MS } from '../runtime/clock.ts'
import { ActionError, asExpectedError } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import type { Range, ReportInputs } from './inputs.ts'
import { nameRef } from './report.ts'
import type { ReportedChange } from './verdict.ts'

/** The newest published release ... the commit of the run. Undefined without a release. */
async function findDefaultRange(step: Step): Promise<Range | undefined> {
  const { context } = step
  const { event, repository, sha } = context
  const own = event.kind === 'release' || event.kind === 'tag' ? event.tag : undefined
  const base = await openGitHub(step).findNewestRelease(repository, own)
  return base === undefined ? undefined : { base, head: sha }
}

export async function findRange({ range }: ReportInputs, step: Step): Promise<Range | undefined> {
  return range ?? findDefaultRange(step)
}

/** At the same time. */
const MAX_PARALLEL = 8

/** Maps in batches, so that GitHub gets few requests at the same time. */
export async function mapInBatches<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += MAX_PARALLEL)
    results.push(...(await Promise.all(items.slice(at, at + MAX_PARALLEL).map(map))))
  return results
}

/**
 * Returns the message of an error that concerns one item only.
 * @throws the error itself if it would concern all items, or is a bug
 */
export function explainFailure(caught: unknown): string {
  const error = asExpectedError(caught)
  if (failsForAll(error)) throw error
  return error.message
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? ''

type Source = Pick<SourcePullRequest, 'title' | 'labels' | 'createdAt'> & { readonly number: number }

const isMerge = ({ parents = [] }: ComparedCommit): boolean => parents.length > 1
const isSquash = ({ parents = [], committerLogin }: ComparedCommit): boolean =>
  parents.length === 1 && committerLogin === 'web-flow'

/** Finds the pull requests of squashed commits in a list, so that they need no look-up. Counts those merged as the commit. */
async function findSquashed(
  compared: readonly ComparedCommit[],
  repository: string,
  since: string,
  github: GitHub,
): Promise<ReadonlyMap<string, readonly Source[]>> {
  const shas = new Set(compared.filter(isSquash).map(({ sha }) => sha))
  if (shas.size === 0) return new Map()
  const { pullRequests } = await github.listUpdatedPullRequests(repository, 'closed', since)
  return new Map(
    pullRequests.flatMap((pull) =>
      pull.state === 'merged' && shas.has(pull.mergeCommitSha ?? '') ? [[pull.mergeCommitSha ?? '', [pull]]] : [],
    ),
  )
}

/**
 * Reads the merged pull requests and the direct commits of a range, newest first. A commit that cannot be looked up is a change
 * of its own that says why.
 * @throws ActionError if the range cannot be compared, a gate's range is reversed, or a look-up fails for a reason that
 *   concerns all
 */
export async function readChanges(
  { base, head }: Range,
  { failOn }: Pick<ReportInputs, 'failOn'>,
  step: Step,
): Promise<readonly ReportedChange[]> {
  const { repository } = step.context
  const github = openGitHub(step)
  const { commits: compared, totalCommits, mergeBaseAt, relation } = await github.compare(repository, base, head)
  // Such as a run again of an older release: a later one contains its changes.
  if (failOn === 'no-trace' && relation === 'behind')
    throw new ActionError(
      'invalid-input',
      `The range is empty, because ${nameRef(base)} is newer than ${nameRef(head)}.`,
      {
        hint: 'Set `range` to `BASE...HEAD`, with the older commit first.',
      },
    )
  // A commit cannot have been pushed before the merge base. Its time is from somebody's clock.
  const sinceMs = Date.parse(mergeBaseAt ?? '') - DAY_MS
  const since = Number.isNaN(sinceMs) ? undefined : new Date(sinceMs).toISOString()
  const squashed = await findSquashed(compared, repository, since ?? '', github)
  const commits = compared.map(toChangeCommit).toReversed()
  const sources = openSourceLookUp(repository, step)
  const found = new Map<string, readonly Source[] | string>(squashed)
  const lookUp = async (commit: ChangeCommit): Promise<void> => {
    try {
      found.set(
        commit.sha,
        (await sources.find(commit, commits)).filter(({ state }) => state === 'merged'),
      )
    } catch (error) {
      found.set(commit.sha, explainFailure(error))
    }
  }
  // A merge, and the newest commit of a rebase, also find the commits below them, which then need no look-up of their own.
  const merges = new Set(compared.filter(isMerge).map(({ sha }) => sha))
  await mapInBatches(
    commits.filter(({ sha }) => merges.has(sha)),
    lookUp,
  )
  for (const commit of commits) if (!found.has(commit.sha)) await lookUp(commit)
  const direct = { labels: [], since }
  const changes: ReportedChange[] = []
  const numbers = new Set<number>()
  for (const { sha, message } of commits) {
    const pullRequests = found.get(sha) ?? []
    const title = firstLine(message)
    if (typeof pullRequests === 'string') changes.push({ ...direct, title, shas: [sha], unreadable: pullRequests })
    else if (pullRequests.length === 0) changes.push({ ...direct, title, shas: [sha] })
    else
      for (const { number, title, labels, createdAt } of pullRequests) {
        if (numbers.has(number)) continue
        numbers.add(number)
        const isFrom = ({ sha }: ChangeCommit): boolean => {
          const sources = found.get(sha)
          return typeof sources === 'object' && sources.some((source) => source.number === number)
        }
        const shas = commits.filter(isFrom).map((one) => one.sha)
        changes.push({ number, title, labels, shas, since: createdAt })
      }
  }
  const unlisted = totalCommits - commits.length
  if (unlisted > 0)
    changes.push({
      ...direct,
      title: formatCount(unlisted, 'older commit'),
      shas: [],
      unreadable: `the range has ${totalCommits} commits, and only the newest were read`,
    })
  return changes
}
