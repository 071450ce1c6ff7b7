import * as z from 'zod/mini'
import type { AskGitHub } from './ask-github.ts'
import type { ComparedCommit } from './comparisons.ts'
import { parseAnswer, part, text } from './parse-list.ts'
import { accountSchema } from './pull-request-answers.ts'
import type { Account, PullRequestAddress } from './pull-requests.ts'
import { followPages, PAGE_SIZE } from './read-pages.ts'

export interface PullRequestCommit extends ComparedCommit {
  readonly account: Account
  /** The author's login, or name and address in git if GitHub does not know whose they are. */
  readonly writtenBy: string
  /** The same of the committer: whoever rebases or amends a commit leaves its author and that time as they were. */
  readonly committedBy: string
  readonly writtenAt: string
  readonly parents: readonly string[]
}

/** GitHub lists no more commits of a pull request. */
export const MOST_COMMITS = 250
const MOST_PAGES = Math.ceil(MOST_COMMITS / PAGE_SIZE)

const signature = part(z.object({ name: text, email: text, date: text }))
/** One that cannot be read may be somebody's, so that none is left out. */
const commitsSchema = z.array(
  z.object({
    ...{ sha: z.string(), parents: z.array(z.object({ sha: z.string() })) },
    ...{ author: accountSchema, committer: accountSchema },
    commit: part(z.object({ message: text, author: signature, committer: signature })),
  }),
)

type ListedCommit = z.infer<typeof commitsSchema>[number]

function nameOf({ login }: Account, signed: z.infer<typeof signature>): string {
  const { name = '', email = '' } = signed ?? {}
  return login === '' && name + email !== '' ? `${name} <${email}>` : login
}

function toCommit({ sha, commit, author: account, committer, parents }: ListedCommit): PullRequestCommit {
  const { message = '', author } = commit ?? {}
  return {
    ...{ sha, message, author: author?.name ?? '', account },
    writtenBy: nameOf(account, author),
    committedBy: nameOf(committer, commit?.committer),
    writtenAt: author?.date ?? '',
    parents: parents.map((parent) => parent.sha),
  }
}

export interface Commits {
  /** The commits of a pull request, oldest first by the dates that their authors gave them. */
  readonly listPullRequestCommits: (pullRequest: PullRequestAddress) => Promise<readonly PullRequestCommit[]>
  /** The commits that a head has and a base has not, as a pull request of the two would list them. */
  readonly listCommitsBetween: (repository: string, base: string, head: string) => Promise<readonly PullRequestCommit[]>
}

export const connectCommits = (ask: AskGitHub): Commits => ({
  listPullRequestCommits: ({ repository, number }) =>
    ask({ permission: 'pull-requests: read', repository }, ({ rest }, where) =>
      followPages(async (place) => {
        const asked = { ...where, pull_number: number, per_page: PAGE_SIZE, ...place }
        const { data, headers } = await rest.pulls.listCommits(asked)
        return { data: parseAnswer(commitsSchema, data).map(toCommit), headers }
      }, MOST_PAGES),
    ),
  listCommitsBetween: (repository, base, head) =>
    ask({ permission: 'contents: read', repository }, ({ rest }, where) =>
      followPages(async (place) => {
        const asked = { ...where, basehead: `${base}...${head}`, per_page: PAGE_SIZE, ...place }
        const { data, headers } = await rest.repos.compareCommitsWithBasehead(asked)
        return { data: parseAnswer(commitsSchema, data.commits).map(toCommit), headers }
      }, MOST_PAGES),
    ),
})

/** Those of the commits that this one has in its history, itself included; none if it is not among them. */
export function historyIn(commits: readonly PullRequestCommit[], sha: string): readonly PullRequestCommit[] {
  const left = new Map(commits.map((commit) => [commit.sha, commit]))
  const found: PullRequestCommit[] = []
  for (const next = [sha]; next.length > 0;) {
    const commit = left.get(next.pop() ?? '')
    if (commit === undefined) continue
    left.delete(commit.sha)
    found.push(commit)
    for (const parent of commit.parents) next.push(parent)
  }
  return found
}

/**
 * Whoever opened a pull request, and whoever wrote the first commit of its branch: the agent's commits may be by another
 * account than its pull request. What was merged into the branch may be older, and is no part of its first line.
 * @param commits those of the pull request
 * @param head the newest one
 */
export function ownersOf({ login }: Account, commits: readonly PullRequestCommit[], head: string): ReadonlySet<string> {
  const firstLine = commits.map((commit) => ({ ...commit, parents: commit.parents.slice(0, 1) }))
  const first = historyIn(firstLine, head).at(-1)
  return new Set([login, first?.writtenBy ?? ''].filter((name) => name !== ''))
}
