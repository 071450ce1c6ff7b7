import type { AskGitHub } from './ask-github.ts'
import { splitRepository } from './repository-name.ts'

/** What somebody may do in a repository, and who that is: a name can come to belong to somebody else. */
export interface Permission {
  readonly userId: number | undefined
  readonly mayWrite: boolean
}

/** The older half of the answer, to which every finer role is mapped: `maintain` and roles of one's own as well. */
const WRITING = ['write', 'maintain', 'admin']

/**
 * What a user may do (`GET /repos/{owner}/{repo}/collaborators/{username}/permission`). `author_association` does not say:
 * it shows private members of an organisation as strangers.
 * @throws ActionError if GitHub does not tell
 */
export function readPermission(ask: AskGitHub, repository: string, login: string): Promise<Permission> {
  return ask({ permission: 'metadata: read', repository }, async ({ rest }) => {
    const where = { ...splitRepository(repository), username: login }
    const { permission, user } = (await rest.repos.getCollaboratorPermissionLevel(where)).data
    return { userId: user?.id, mayWrite: WRITING.includes(permission) }
  })
}
