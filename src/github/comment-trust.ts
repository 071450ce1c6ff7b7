import * as z from 'zod/mini'
import type { Api, Call } from './call.ts'
import type { Person } from './event-parts.ts'
import { unlessRefused } from './github-error.ts'
import { integer, orUndefined, parseResponse, part, textOrEmpty } from './schemas.ts'

/** Without an id it is whoever has the login now. */
type Asked = Pick<Person, 'login'> & Partial<Person>

/** The older half of the answer, to which every finer role is mapped: `maintain` and roles of one's own as well. */
const WRITING = ['write', 'maintain', 'admin']

const permissionSchema = z.object({ permission: z.string(), user: z.nullish(z.object({ id: z.int() })) })

/** A user who is gone may not write. */
async function mayWrite(api: Api, { id, login }: Asked): Promise<boolean> {
  const { request, repo } = api
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission'
  const answer = await unlessRefused(request(route, { ...repo, username: login }), [404])
  if (answer === undefined) {
    // It is the user who is gone only if the token sees the repository.
    await request('GET /repos/{owner}/{repo}', repo)
    return false
  }
  const { permission, user } = parseResponse(permissionSchema, answer)
  // A login can pass to somebody else.
  return (id === undefined || user?.id === id) && WRITING.includes(permission)
}

/** Who wrote a comment. `bot`: an app, which may be the one that the token of an earlier step was of, or anybody's. */
export type Author = 'trusted' | 'bot' | 'stranger'

/** One that cannot be read is like one that was deleted: nobody is believed for it. */
const accountSchema = z.object({ id: z.int(), login: z.string(), type: z.string() })
type Account = Readonly<z.infer<typeof accountSchema>>

/** What a comment says of its author. */
export const WRITER = {
  user: orUndefined(accountSchema),
  /** How GitHub shows them. It shows private members as strangers, so that it only says whom to ask first. */
  author_association: textOrEmpty,
}
interface Writer {
  readonly user?: Account | undefined
  readonly author_association: string
}

/** With this name write the workflows of the repository, and nobody else in it. */
const WORKFLOWS_BOT = 'github-actions[bot]'

/** Past so many people nobody is asked about: anybody can comment, and each question is a request. */
const MOST_ASKED = 10

const NO_STRANGERS = ['OWNER', 'MEMBER', 'COLLABORATOR']

const viewerSchema = part({ data: part({ viewer: part({ databaseId: integer }) }) })

/** Of a user or of an app (`GET /user` is for users only); undefined if GitHub does not tell. */
async function readOwnId(api: Api): Promise<number | undefined> {
  const answer = await unlessRefused(api.graphql('query { viewer { databaseId } }'))
  return answer && parseResponse(viewerSchema, answer).data.viewer.databaseId
}

/** Whom to ask about: each once, those whom GitHub shows as belonging to the repository first, and of these the newest first. */
function peopleToAsk(writers: readonly Writer[]): readonly Account[] {
  const rank = ({ author_association: association }: Writer): number => (NO_STRANGERS.includes(association) ? 0 : 1)
  const people = writers
    .toReversed()
    .sort((a, b) => rank(a) - rank(b))
    .flatMap(({ user }) => (user === undefined || user.type === 'Bot' ? [] : user))
  return [...new Map(people.map((user) => [user.id, user])).values()].slice(0, MOST_ASKED)
}

/**
 * Who of those who wrote may be believed in a repository, by their ids: its workflows, the token's own user or app, and people
 * who may write. An app is not believed for being one, as everybody can make one. Where one may be believed, what all others
 * say does not matter, and nobody is asked about them.
 */
async function findTrusted(api: Api, writers: readonly Writer[]): Promise<readonly number[]> {
  const accounts = writers.flatMap(({ user }) => user ?? [])
  const workflows = accounts.filter(({ type, login }) => type === 'Bot' && login === WORKFLOWS_BOT)
  if (accounts.length === 0 || workflows.length > 0) return workflows.map(({ id }) => id)

  const ownId = await readOwnId(api)
  if (ownId !== undefined && accounts.some(({ id }) => id === ownId)) return [ownId]

  const trusted: number[] = []
  // That GitHub refuses to tell is an answer, too.
  for (const person of peopleToAsk(writers))
    if ((await unlessRefused(mayWrite(api, person))) === true) trusted.push(person.id)
  return trusted
}

/** @param writers oldest first */
export async function judgeWriters(api: Api, writers: readonly Writer[]): Promise<(writer: Writer) => Author> {
  const trusted = await findTrusted(api, writers)
  return ({ user }) => {
    if (user === undefined) return 'stranger'
    if (trusted.includes(user.id)) return 'trusted'
    return user.type === 'Bot' ? 'bot' : 'stranger'
  }
}

export interface Permissions {
  /**
   * Whether somebody may write (`GET /repos/{owner}/{repo}/collaborators/{username}/permission`). `author_association` does
   * not say: it shows private members of an organisation as strangers.
   */
  readonly mayWrite: (repository: string, person: Asked) => Promise<boolean>
}

export const connectPermissions = (call: Call): Permissions => ({
  mayWrite: (repository, person) => call('metadata: read', repository, (api) => mayWrite(api, person)),
})
