import type { GitHub } from '../../github/connect-github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { CommitPullRequest } from '../../github/pull-requests.ts'
import { ActionError, unlessNotFound } from '../../shared/errors.ts'
import type { Pushed } from './change-range.ts'
import { isOwnPullRequest } from './own-pull-request.ts'
import type { EventCommit } from './push-range.ts'

export interface OwnChangesQuery {
  readonly repository: string
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** Empty if no label is put on pull requests. */
  readonly label: string
  /** Undefined where nobody pushed to a branch. */
  readonly pushed: Pushed | undefined
  /** For commits that are so new that GitHub may not know yet where they came from. */
  readonly askAgain?: (<T>(ask: () => Promise<T>, willDo: (answer: T) => boolean) => Promise<T>) | undefined
  /** For an open pull request that an app pushes to: its label and its marker may still come. */
  readonly untilMarked: (isOwn: () => Promise<boolean>) => Promise<boolean>
}

type Bringer = Pick<CommitPullRequest, 'number' | 'labels' | 'isMerged'>

type OwnChangesAnswer =
  /** All of it came with these pull requests, which jobs opened. */
  | { readonly kind: 'own'; readonly numbers: readonly number[] }
  | { readonly kind: 'others' }
  | { readonly kind: 'too-many' }

/** One request a commit: a push of more than this is not the merge of an agent's pull request. */
const MOST_COMMITS = 50

/** As GitHub writes it for a merge, and at the end of the first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

function numberIn(message: string): number | undefined {
  const [, merged, squashed] = NAMES_PULL_REQUEST.exec(message) ?? []
  const number = merged ?? squashed
  return number === undefined ? undefined : Number(number)
}

/** GitHub refuses a commit that it does not know yet (422). */
function refusedYet(error: unknown): ActionError {
  if (error instanceof ActionError && error.code === 'rejected') return error
  throw error
}

/**
 * Whether all of the commits came with pull requests that this action's jobs opened. The first commit that did not ends the
 * search. A merged pull request brought its commits. An open one brought those that whoever opened it pushed to its branch:
 * commits of others on it are theirs, and those that it only branched off came from elsewhere.
 * @throws ActionError if GitHub does not tell
 */
export async function findOwnChanges(
  { repository, commits, label, pushed, askAgain, untilMarked }: OwnChangesQuery,
  github: GitHub,
): Promise<OwnChangesAnswer> {
  if (commits.length === 0) return { kind: 'others' }
  if (commits.length > MOST_COMMITS) return { kind: 'too-many' }
  const known = new Map<number, boolean>()

  async function isKnownAsOwn({ number, labels, isMerged }: Bringer): Promise<boolean> {
    const isOwn = (names?: readonly string[]) => isOwnPullRequest({ repository, number }, label, github, names)
    const mayBeUnmarked = label !== '' && !isMerged && pushed?.isByApp === true && !hasLabel(label, labels)
    const answer = known.get(number) ?? (await (mayBeUnmarked ? untilMarked(isOwn) : isOwn(labels)))
    known.set(number, answer)
    return answer
  }

  const broughtBy = (found: readonly CommitPullRequest[]): readonly CommitPullRequest[] =>
    found.filter(({ isMerged, branch, author }) => isMerged || (branch === pushed?.branch && author === pushed.by))

  /** What was merged as a commit, or ends with it, is mostly known at once. What its author pushed waits for no other answer. */
  async function lookUpNew(
    { sha, isByPusher }: EventCommit,
    ask: NonNullable<typeof askAgain>,
  ): Promise<readonly CommitPullRequest[]> {
    const look = async (): Promise<readonly CommitPullRequest[] | ActionError> => {
      // Both at once, as most commits came with none; where the first answer is enough, a failure of the other is none.
      const alsoAsked = github.findPullRequestsEndingWith(repository, sha)
      alsoAsked.catch(() => undefined)
      const found = await github.findPullRequestsOfCommit(repository, sha).catch(refusedYet)
      if (!(found instanceof ActionError) && found.length > 0) return broughtBy(found)
      const ending = broughtBy(await alsoAsked)
      return ending.length > 0 ? ending : found
    }
    const found = await ask(look, (answer) => !(answer instanceof ActionError) && (answer.length > 0 || isByPusher))
    if (found instanceof ActionError) throw found
    return found
  }

  async function findBringers(commit: EventCommit): Promise<readonly Bringer[]> {
    const { sha, message } = commit
    const named = await readMerged(numberIn(message), repository, github)
    if (named?.mergeCommitSha === sha) return [{ ...named, isMerged: true }]
    if (askAgain !== undefined) return lookUpNew(commit, askAgain)
    return broughtBy(await github.findPullRequestsOfCommit(repository, sha))
  }

  for (const commit of commits) {
    const bringers = await findBringers(commit)
    if (bringers.length === 0) return { kind: 'others' }
    for (const bringer of bringers) if (!(await isKnownAsOwn(bringer))) return { kind: 'others' }
  }
  return { kind: 'own', numbers: [...known.keys()] }
}

/** Anybody can write a number into a message, and one of an issue or of another repository leads nowhere. */
async function readMerged(number: number | undefined, repository: string, github: GitHub) {
  if (number === undefined) return undefined
  const pullRequest = await unlessNotFound(github.readPullRequest({ repository, number }))
  return pullRequest?.state === 'merged' ? pullRequest : undefined
}
