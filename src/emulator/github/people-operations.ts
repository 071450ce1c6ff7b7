import { type Operations, reads } from './operation.ts'
import { type Call, NOT_FOUND, type Reply, ok, refusal, spelledIn } from './reply.ts'
import { userBody, wholeRepositoryBody } from './resource-body.ts'
import type { Role } from './repository-state.ts'

/** What the finer roles are called by the older half of the answer. */
const PERMISSIONS: Readonly<Record<Role, 'read' | 'write' | 'admin'>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

/** Anybody may read a public repository. An app is no user, whatever it may do. */
function permissionOf({ state, repository, params: { username: named = '' } }: Call): Reply {
  const username = spelledIn(Object.keys(state.users), named) ?? named
  const user = state.users[username]
  if (user === undefined) return NOT_FOUND
  if (user.type === 'Bot') return refusal(404, `${username} is not a user`)
  const role = repository.collaborators[username] ?? 'read'
  const held = { role_name: role }
  return ok({ permission: PERMISSIONS[role], ...held, user: { ...userBody(state, username), ...held } })
}

/** The repository itself, and who may do what in it. */
export const PEOPLE_OPERATIONS: Operations = {
  'repos/get': reads('', [], (call) => ok(wholeRepositoryBody(call))),
  'repos/get-collaborator-permission-level': reads('/collaborators/{username}/permission', [], permissionOf),
}
