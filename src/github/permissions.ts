import * as z from 'zod/mini'
import { path, type AskGitHub, type RepositoryApi } from './ask-github.ts'
import { hasStatus } from './github-error.ts'
import { parseAnswer } from './parse-answer.ts'

export interface Person {
  readonly id: number
  readonly login: string
}

/** Without an id it is whoever has the login now. */
type Asked = Pick<Person, 'login'> & Partial<Person>

/** The older half of the answer, to which every finer role is mapped: `maintain` and roles of one's own as well. */
const WRITING = ['write', 'maintain', 'admin']

const permissionSchema = z.object({ permission: z.string(), user: z.nullish(z.object({ id: z.number() })) })

/**
 * Whether somebody may write (`GET /repos/{owner}/{repo}/collaborators/{username}/permission`). `author_association` does
 * not say: it shows private members of an organisation as strangers. A user who is gone may not.
 */
export async function mayWrite(api: RepositoryApi, { id, login }: Asked): Promise<boolean> {
  try {
    const { data } = await api.get(path`/collaborators/${login}/permission`)
    const { permission, user } = parseAnswer(permissionSchema, data)
    // A login can pass to somebody else.
    return (id === undefined || user?.id === id) && WRITING.includes(permission)
  } catch (error) {
    if (!hasStatus(error, 404)) throw error
    // It is the user who is gone only if the token sees the repository.
    await api.get('')
    return false
  }
}

export interface Permissions {
  readonly mayWrite: (repository: string, person: Asked) => Promise<boolean>
}

export const connectPermissions = (ask: AskGitHub): Permissions => ({
  mayWrite: (repository, person) => ask({ permission: 'metadata: read', repository }, (api) => mayWrite(api, person)),
})
