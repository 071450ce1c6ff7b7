import type { Context } from '../../../src/action/step.ts'
import type { PullRequestCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Account, PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import type { Push } from './clone.ts'
import { type Compare, toComparedCommit } from './compare-pushes.ts'

/** GitHub's default message of a merge, and the end of its first line for a squash. */
const NAMES_PULL_REQUEST = /^(?:Merge pull request #(\d+) from |.*\(#(\d+)\)\s*(?:\n|$))/

const NOBODY: Account = { login: '', type: 'User' }

/** The merged pull requests that the messages of pushes name. */
export function listMergedPullRequests(pushes: readonly Push[]): ReadonlyMap<number, Push> {
  return new Map(
    pushes.flatMap((push) => {
      const [, merged, squashed] = NAMES_PULL_REQUEST.exec(push.message) ?? []
      const number = Number(merged ?? squashed)
      return number > 0 ? [[number, push] as const] : []
    }),
  )
}

/** The author of the first commit of a merged branch opened it. Of a squashed one, only one commit is left. */
const getOpener = ({ commits, author }: Push): Account => commits[0]?.author ?? author

function toPullRequest(number: number, push: Push, { repository, event }: Context): PullRequest {
  const { login, type } = getOpener(push)
  return {
    number,
    repository,
    visibility: event.visibility,
    title: push.message.split('\n', 1)[0] ?? '',
    text: '',
    author: { login, type },
    mergedBy: { login: push.author.login, type: push.author.type },
    branch: `pull-${number}`,
    labels: [],
    state: 'merged',
    headSha: push.sha,
    baseRef: event.defaultBranch ?? '',
    baseSha: push.before,
    mergeCommitSha: push.sha,
    mergeable: undefined,
    isBlocked: false,
    isBehind: false,
    isAutoMergeOn: false,
  }
}

const toPullRequestCommit = (commit: Push['commits'][number]): PullRequestCommit => ({
  ...toComparedCommit(commit),
  account: NOBODY,
  committerLogin: commit.committer.login,
  writtenBy: commit.author.login,
  committedBy: commit.committer.login,
  writtenAt: '',
  parents: [...commit.parents],
})

export interface CloneFacts {
  readonly context: Context
  readonly compare: Compare
  /** By number. */
  readonly merged: ReadonlyMap<number, Push>
  /** The commit of the last successful run. */
  readonly lastSuccess: string
}

/** GitHub as far as a clone shows it: what a step reads before it sends a prompt. */
export function createCloneGitHub({ context, compare, merged, lastSuccess }: CloneFacts): GitHub {
  const getMerged = (number: number): Push => {
    const push = merged.get(number)
    if (push === undefined) throw new ActionError('not-found', `Pull request #${number} is not in the clone.`)
    return push
  }
  const known: Partial<GitHub> = {
    compare: (_repository, base, head) => Promise.resolve(compare(base, head)),
    findSuccesses: () => Promise.resolve({ before: lastSuccess }),
    // eslint-disable-next-line @typescript-eslint/require-await -- A missing one rejects.
    readPullRequest: async ({ number }) => toPullRequest(number, getMerged(number), context),
    listPullRequestCommits: ({ number }) => Promise.resolve(getMerged(number).commits.map(toPullRequestCommit)),
    findPullRequestsOfCommit: () => Promise.resolve([]),
    // A clone has no reviews.
    listApprovers: () => Promise.resolve([]),
    listComments: () => Promise.resolve([]),
  }
  return new Proxy(known, {
    get(methods, name) {
      if (name in methods) return Reflect.get(methods, name) as unknown
      throw new Error(`A clone does not contain what a step asks GitHub here (${String(name)}).`)
    },
  }) as GitHub
}
