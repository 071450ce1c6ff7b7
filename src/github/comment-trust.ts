import type { Octokit } from './ask-github.ts'
import { isRefusal } from './github-error.ts'
import { mayWrite, type Person } from './permissions.ts'

/** Who wrote a comment. `bot`: an app, which may be the one that the token of an earlier step was of, or anybody's. */
export type Author = 'trusted' | 'bot' | 'stranger'

interface Account extends Person {
  readonly type: string
}

/** With this name write the workflows of the repository, and nobody else in it. */
const WORKFLOWS_BOT = 'github-actions[bot]'

/** Gives undefined if GitHub refuses to tell: that is an answer, too. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** This interface refuses, and limits the rate of questions, with 200 and a list of errors: such an error has no status. */
function refusedInWords(error: unknown): undefined {
  if (error instanceof Error && !('status' in error)) return undefined
  throw error
}

/** Of a user or of an app (`GET /user` is for users only); undefined if GitHub does not tell. */
async function readOwnId({ graphql }: Octokit): Promise<number | undefined> {
  const asked = graphql<{ viewer: { databaseId: number | null } }>('query { viewer { databaseId } }')
  return (await unlessRefused(asked.catch(refusedInWords)))?.viewer.databaseId ?? undefined
}

/**
 * Gives what finds out whether an account may be believed in a repository: its workflows, the token's own user or app, and
 * people who may write. An app is not believed for being one, as everybody can make one.
 */
export function createTrust(octokit: Octokit, repository: string): (account: Account | null) => Promise<Author> {
  const known = new Map<number, Promise<Author>>()
  let ownId: Promise<number | undefined> | undefined

  async function judge({ id, login, type }: Account): Promise<Author> {
    if (type === 'Bot' && login === WORKFLOWS_BOT) return 'trusted'
    ownId ??= readOwnId(octokit)
    if ((await ownId) === id) return 'trusted'
    if (type === 'Bot') return 'bot'
    return (await unlessRefused(mayWrite(octokit, repository, { id, login }))) === true ? 'trusted' : 'stranger'
  }

  return (account) => {
    if (account === null) return Promise.resolve('stranger')
    const judged = known.get(account.id) ?? judge(account)
    known.set(account.id, judged)
    return judged
  }
}
