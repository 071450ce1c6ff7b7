import * as z from 'zod/mini'
import type { AskGitHub } from './ask-github.ts'
import type { ComparedCommit } from './comparisons.ts'
import { parseAnswer, part, text } from './parse-list.ts'
import { accountSchema } from './pull-request-answers.ts'
import type { Account, PullRequestAddress } from './pull-requests.ts'
import { followPages, PAGE_SIZE } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

export interface PullRequestCommit extends ComparedCommit {
  /** The author's on GitHub. */
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

/**
 * The commits of a pull request, oldest first by the dates that their authors gave them.
 * @throws ActionError if GitHub does not tell
 */
export function listPullRequestCommits(
  ask: AskGitHub,
  { repository, number }: PullRequestAddress,
): Promise<readonly PullRequestCommit[]> {
  return ask({ permission: 'pull-requests: read', repository }, ({ rest }) =>
    followPages(async (place) => {
      const where = { ...splitRepository(repository), pull_number: number, per_page: PAGE_SIZE, ...place }
      const { data, headers } = await rest.pulls.listCommits(where)
      return { data: parseAnswer(commitsSchema, data).map(toCommit), headers }
    }, MOST_PAGES),
  )
}

/**
 * The commits that a head has and a base has not, as a pull request of the two would list them.
 * @throws ActionError if GitHub does not tell
 */
export function listCommitsBetween(
  ask: AskGitHub,
  repository: string,
  base: string,
  head: string,
): Promise<readonly PullRequestCommit[]> {
  return ask({ permission: 'contents: read', repository }, ({ rest }) =>
    followPages(async (place) => {
      const where = { ...splitRepository(repository), basehead: `${base}...${head}`, per_page: PAGE_SIZE, ...place }
      const { data, headers } = await rest.repos.compareCommitsWithBasehead(where)
      return { data: parseAnswer(commitsSchema, data.commits).map(toCommit), headers }
    }, MOST_PAGES),
  )
}
