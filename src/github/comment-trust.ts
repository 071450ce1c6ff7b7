import * as z from 'zod/mini'
import type { RepositoryApi } from './ask-github.ts'
import { isRefusal } from './github-error.ts'
import { mayWrite, type Person } from './permissions.ts'

/** Who wrote a comment. `bot`: an app, which may be the one that the token of an earlier step was of, or anybody's. */
export type Author = 'trusted' | 'bot' | 'stranger'

interface Account extends Person {
  readonly type: string
}

/** Somebody who wrote. */
export interface Writer {
  /** An account that was deleted is null. */
  readonly account: Account | null
  /** How GitHub shows them. It shows private members as strangers, so that it only says whom to ask first. */
  readonly association: string
}

/** With this name write the workflows of the repository, and nobody else in it. */
const WORKFLOWS_BOT = 'github-actions[bot]'

/** Past so many people nobody is asked about: anybody can comment, and each question is a request. */
const MOST_ASKED = 10

const NO_STRANGERS = ['OWNER', 'MEMBER', 'COLLABORATOR']

/** Gives undefined if GitHub refuses to tell: that is an answer, too. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

const viewerSchema = z.object({ data: z.object({ viewer: z.object({ databaseId: z.number() }) }) })

/** Of a user or of an app (`GET /user` is for users only); undefined if GitHub does not tell. */
async function readOwnId(api: RepositoryApi): Promise<number | undefined> {
  const told = await unlessRefused(api.graphql('query { viewer { databaseId } }'))
  return viewerSchema.safeParse(told).data?.data.viewer.databaseId
}

/** Whom to ask about: each once, those whom GitHub shows as belonging to the repository first, and of these the newest first. */
function peopleToAsk(writers: readonly Writer[]): readonly Account[] {
  const rank = ({ association }: Writer): number => (NO_STRANGERS.includes(association) ? 0 : 1)
  const people = writers.toReversed().sort((a, b) => rank(a) - rank(b))
  const byId = new Map(people.map(({ account }) => [account?.id, account]))
  const isPerson = (account: Account | null): account is Account => account !== null && account.type !== 'Bot'
  return [...byId.values()].filter(isPerson).slice(0, MOST_ASKED)
}

/**
 * Who of those who wrote may be believed in a repository, in their order, oldest first: its workflows, the token's own user or
 * app, and people who may write. An app is not believed for being one, as everybody can make one. Where one may be believed,
 * what all others say does not matter, and nobody is asked about them.
 */
export async function judgeWriters(api: RepositoryApi, writers: readonly Writer[]): Promise<readonly Author[]> {
  const judged = (isTrusted: (account: Account) => boolean): readonly Author[] =>
    writers.map(({ account }) => {
      if (account === null) return 'stranger'
      if (isTrusted(account)) return 'trusted'
      return account.type === 'Bot' ? 'bot' : 'stranger'
    })
  const isWorkflow = ({ type, login }: Account): boolean => type === 'Bot' && login === WORKFLOWS_BOT
  const byWorkflows = judged(isWorkflow)
  if (byWorkflows.includes('trusted') || writers.every(({ account }) => account === null)) return byWorkflows

  const ownId = await readOwnId(api)
  const byToken = judged(({ id }) => id === ownId)
  if (byToken.includes('trusted')) return byToken

  const trusted = new Set<number>()
  for (const { id, login } of peopleToAsk(writers))
    if ((await unlessRefused(mayWrite(api, { id, login }))) === true) trusted.add(id)
  return judged(({ id }) => trusted.has(id))
}
