/** Finds the pull requests that commits came from. Hides how GitHub connects the two, and how late. */
import { type Context, requireGitHub, type Step } from '../../action/step.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { EventCommit } from '../../github/event.ts'
import type { ListedPullRequest, PullRequest } from '../../github/pull-requests.ts'
import { MOVE_BASE_HINT } from '../../github/workflow-runs.ts'
import { ActionError, catchExpected, orUndefined } from '../../runtime/errors.ts'
import { findEventOrigin } from './event-origin.ts'

/** A pull request that commits came from. */
export type SourcePullRequest = ListedPullRequest | PullRequest

/** A commit of a change. */
export interface ChangeCommit extends Pick<
  EventCommit,
  'sha' | 'message' | 'author' | 'authorLogin' | 'committerLogin'
> {
  /** Whether it came with the event, so that GitHub may not have recorded its pull request yet. */
  readonly isNew: boolean
}

export const toChangeCommit = ({
  sha,
  message,
  author,
  account,
  committerLogin = '',
}: ComparedCommit): ChangeCommit => ({
  sha,
  message,
  author,
  authorLogin: account?.login ?? '',
  committerLogin,
  isNew: false,
})

/** The commits of the event, newest first. */
export function listEventCommits(context: Pick<Context, 'event' | 'sha'>): readonly ChangeCommit[] {
  // A release can be about an old commit.
  const isNew = context.event.kind !== 'release'
  return findEventOrigin(context).commits.map((commit) => ({ ...commit, isNew }))
}

/** Returns the commits of a range, newest first. What only the event or only the range knows about a commit is kept. */
export function mergeCommits(
  compared: readonly ComparedCommit[],
  eventCommits: readonly ChangeCommit[],
): readonly ChangeCommit[] {
  return compared.toReversed().map((commit) => {
    const other = toChangeCommit(commit)
    const eventCommit = eventCommits.find(({ sha }) => sha === commit.sha)
    if (eventCommit === undefined) return other
    const isKnown = eventCommit.authorLogin !== '' || eventCommit.committerLogin !== ''
    return { ...(isKnown ? eventCommit : other), isNew: eventCommit.isNew }
  })
}

/** GitHub's own account, which commits what people merge and edit on its pages. */
const WEB_FLOW = 'web-flow'

/**
 * Bots whose logins do not end in `[bot]`: GitHub's own agent (anthropics/claude-code-action#1284), and the account of
 * `action@github.com`, with which workflows commit (akhilmhdh/contributors-readme-action#17).
 */
const OTHER_BOTS: readonly string[] = ['Copilot', 'actions-user']

const isBot = (login: string): boolean => login.endsWith('[bot]') || OTHER_BOTS.includes(login)

/** Without a login, GitHub knows no account. */
export const isPerson = (login: string): boolean => login !== '' && login !== WEB_FLOW && !isBot(login)

/** Whether a person wrote and committed it, also on GitHub's pages. */
export const isCommitByPerson = ({ authorLogin, committerLogin }: ChangeCommit): boolean =>
  isPerson(authorLogin) && (isPerson(committerLogin) || committerLogin === WEB_FLOW)

/** Whether the person who pushed also wrote the commit, so that it most probably came from no pull request. */
function isByPusher({ authorLogin, committerLogin }: ChangeCommit, { event }: Context): boolean {
  const { sender } = event
  return !sender.isBot && sender.login !== '' && authorLogin === sender.login && committerLogin === sender.login
}

/** GitHub's default message of a merge, and the end of its first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

/**
 * A merge may take this long until GitHub lists it for its commits; a merge by a bot is the likeliest to be looked up early.
 * Counted from the first look-up of the step, so that many commits do not wait one after the other.
 */
const SECOND_LOOK_MS = 3_000
const THIRD_LOOK_MS = SECOND_LOOK_MS + 5_000

/** Each look-up costs a request or two. */
const MAX_LOOK_UPS = 100

/** Compared by identity: what does not depend on the look-ups can go on without them. */
export const TOO_MANY_LOOK_UPS = new ActionError(
  'rejected',
  `the change has more than ${MAX_LOOK_UPS} commits to look up.`,
  { hint: MOVE_BASE_HINT },
)

/** Looks up the pull requests of commits, each commit once. */
export interface PullRequestLookup {
  /**
   * Returns the pull requests that a commit came from: merged ones, or an open one of the branch that was pushed to; none if
   * the commit was pushed directly.
   * @param commits of the change, newest first: those that a found pull request lists need no look-up of their own
   * @throws ActionError if a request to GitHub fails; `TOO_MANY_LOOK_UPS`
   */
  readonly find: (commit: ChangeCommit, commits: readonly ChangeCommit[]) => Promise<readonly SourcePullRequest[]>
}

/** @param repository of the commits */
export function createPullRequestLookup(repository: string, step: Step): PullRequestLookup {
  const { clock, context, signal } = step
  const { event } = context
  const lookups = new Map<string, Promise<readonly SourcePullRequest[]>>()
  const listed = new Set<number>()
  let lookUps = 0
  let firstLookAt: number | undefined
  let failure: ActionError | undefined

  async function list(sha: string): Promise<readonly ListedPullRequest[]> {
    // GitHub rejects a commit that it does not know yet (422).
    const listed = await orUndefined(requireGitHub(step).findPullRequestsOfCommit(repository, sha), 'rejected')
    const all = listed ?? []
    const merged = all.filter(({ state }) => state === 'merged')
    // An open pull request also lists what others have merged into its branch.
    if (merged.length > 0) return merged
    // It is the source of what is pushed to its branch, but not of what its branch began with.
    return all.filter(({ isOfFork, branch }) => event.kind !== 'push' || (!isOfFork && branch === event.branch))
  }

  async function lookUp(commit: ChangeCommit): Promise<readonly SourcePullRequest[]> {
    if (++lookUps > MAX_LOOK_UPS) throw TOO_MANY_LOOK_UPS
    const github = requireGitHub(step)
    const [, merged, squashed] = NAMES_PULL_REQUEST.exec(commit.message) ?? []
    const number = merged ?? squashed
    if (number !== undefined) {
      const named = await orUndefined(github.readPullRequest({ repository, number: Number(number) }), 'not-found')
      // Anybody can write a number into a message, so the pull request counts only if it was merged as this commit.
      if (named?.state === 'merged' && named.mergeCommitSha === commit.sha) return [named]
    }
    firstLookAt ??= clock.now()
    const startedAt = firstLookAt
    const isByBot = isBot(commit.authorLogin) || isBot(commit.committerLogin)
    const looks =
      !commit.isNew || isByPusher(commit, context) ? [] : [SECOND_LOOK_MS, ...(isByBot ? [THIRD_LOOK_MS] : [])]
    let listed = await list(commit.sha)
    for (const afterMs of looks) {
      const pauseMs = startedAt + afterMs - clock.now()
      if (listed.length > 0 || pauseMs <= 0) continue
      await clock.sleep(pauseMs, signal)
      listed = await list(commit.sha)
    }
    return listed
  }

  async function find(commit: ChangeCommit, commits: readonly ChangeCommit[]): Promise<readonly SourcePullRequest[]> {
    const known = lookups.get(commit.sha)
    if (known !== undefined) return known
    // Each further look-up would fail too, after its own retries.
    if (failure !== undefined) throw failure
    const looking = lookUp(commit)
    lookups.set(commit.sha, looking)
    try {
      const sources = await looking
      // The commits that a found pull request lists need no look-up of their own.
      for (const source of sources) {
        const { number } = source
        if (listed.has(number) || commits.every(({ sha }) => lookups.has(sha))) continue
        listed.add(number)
        for (const { sha } of await requireGitHub(step).listPullRequestCommits({ repository, number }))
          if (!lookups.has(sha)) lookups.set(sha, Promise.resolve([source]))
      }
      return sources
    } catch (error) {
      failure ??= catchExpected(error)
      throw error
    }
  }

  return { find }
}

/**
 * Sorts commits by how soon they decide: first those that name their pull request, which also lists others of the change, then
 * those that need no second look.
 */
export function sortByLookUp(
  commits: readonly ChangeCommit[],
  { context }: Pick<Step, 'context'>,
): readonly ChangeCommit[] {
  const toRank = (commit: ChangeCommit): number => {
    if (NAMES_PULL_REQUEST.test(commit.message)) return 0
    return !commit.isNew || isByPusher(commit, context) ? 1 : 2
  }
  return commits.toSorted((a, b) => toRank(a) - toRank(b))
}
