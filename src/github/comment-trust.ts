import type { Octokit } from './ask-github.ts'
import { isRefusal } from './github-error.ts'
import { splitRepository } from './repository-name.ts'

/** Who wrote a comment. `bot`: an app, and nobody knows whether it is the one that the token is of. */
export type Author = 'trusted' | 'bot' | 'stranger'

interface Account {
  readonly id: number
  readonly login: string
  readonly type: string
}

/** With this name write the workflows of the repository, and nobody else in it. */
const WORKFLOWS_BOT = 'github-actions[bot]'
const MAY_WRITE = ['write', 'maintain', 'admin']

/** Gives undefined if GitHub refuses to tell: that is an answer, too. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/**
 * Gives what finds out whether an account may be believed in a repository: its workflows, the token's own user, and people
 * who may write. `author_association` does not tell the last, as it shows private members as strangers. An app is not
 * believed for being one, as everybody can make one; and the token of an app cannot ask whose it is (`GET /user` is for users).
 */
export function createTrust({ rest }: Octokit, repository: string): (account: Account | null) => Promise<Author> {
  const known = new Map<number, Promise<Author>>()
  let ownId: Promise<number | undefined> | undefined

  async function judge({ id, login, type }: Account): Promise<Author> {
    if (type === 'Bot') return login === WORKFLOWS_BOT ? 'trusted' : 'bot'
    ownId ??= unlessRefused(rest.users.getAuthenticated()).then((answer) => answer?.data.id)
    if ((await ownId) === id) return 'trusted'
    const query = { ...splitRepository(repository), username: login }
    const answer = await unlessRefused(rest.repos.getCollaboratorPermissionLevel(query))
    // A login can pass to somebody else.
    return answer?.data.user?.id === id && MAY_WRITE.includes(answer.data.permission) ? 'trusted' : 'stranger'
  }

  return (account) => {
    if (account === null) return Promise.resolve('stranger')
    const judged = known.get(account.id) ?? judge(account)
    known.set(account.id, judged)
    return judged
  }
}
