import type { GitHub } from '../../github/connect-github.ts'
import type { CommitPullRequest } from '../../github/pull-requests.ts'
import { ActionError } from '../../shared/errors.ts'
import { isOwnPullRequest } from './own-pull-request.ts'
import type { EventCommit, Pushed } from './push-range.ts'

export interface OwnChangesQuery {
  readonly repository: string
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** Empty if no label is put on pull requests. */
  readonly label: string
  /** Undefined where nobody pushed to a branch. */
  readonly pushed: Pushed | undefined
}

export type OwnChangesAnswer =
  /** All of it came with these pull requests, which jobs opened. */
  | { readonly kind: 'own'; readonly numbers: readonly number[] }
  | { readonly kind: 'others' }
  | { readonly kind: 'too-many' }

type LookUp = (sha: string) => Promise<readonly CommitPullRequest[]>
/** Looks up again what may not be known yet. */
export type LookUpPatiently = (lookUp: LookUp) => LookUp

/** One request a commit: a push of more than this is not the merge of an agent's pull request. */
const MOST_COMMITS = 50

/** As GitHub writes it for a merge, and at the end of the first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

function numberIn(message: string): number | undefined {
  const [, merged, squashed] = NAMES_PULL_REQUEST.exec(message) ?? []
  const number = merged ?? squashed
  return number === undefined ? undefined : Number(number)
}

/**
 * Whether all of the commits came with pull requests that this action's jobs opened. The first commit that did not ends the
 * search. A merged pull request brought its commits. An open one brought those that whoever opened it pushed to its branch:
 * commits of others on it are theirs, and those that it only branched off came from elsewhere.
 * @throws ActionError if GitHub does not tell
 */
export async function findOwnChanges(
  { repository, commits, label, pushed }: OwnChangesQuery,
  github: GitHub,
  patiently: LookUpPatiently = (lookUp) => lookUp,
): Promise<OwnChangesAnswer> {
  if (commits.length === 0) return { kind: 'others' }
  if (commits.length > MOST_COMMITS) return { kind: 'too-many' }
  const known = new Map<number, boolean>()

  async function isKnownAsOwn({ number, labels }: Pick<CommitPullRequest, 'number' | 'labels'>): Promise<boolean> {
    const answer = known.get(number) ?? (await isOwnPullRequest({ repository, number }, label, github, labels))
    known.set(number, answer)
    return answer
  }

  const lookUp = patiently((sha) => github.findPullRequestsOfCommit(repository, sha))

  async function findBringers({
    sha,
    message,
  }: EventCommit): Promise<readonly Pick<CommitPullRequest, 'number' | 'labels'>[]> {
    const named = await readMerged(numberIn(message), repository, github)
    if (named?.mergeCommitSha === sha) return [named]
    const found = await lookUp(sha)
    return found.filter(
      ({ isMerged, branch, author }) => isMerged || (branch === pushed?.branch && author === pushed.by),
    )
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
  try {
    const pullRequest = await github.readPullRequest({ repository, number })
    return pullRequest.state === 'merged' ? pullRequest : undefined
  } catch (error) {
    if (error instanceof ActionError && error.code === 'not-found') return undefined
    throw error
  }
}
