import { formatAcceptedPermissions, checkTokenPermission } from './operation.ts'
import { checkParameters } from './parameters.ts'
import { type GitHubCall, type Reply, notImplemented } from './reply.ts'
import { OPERATIONS } from './routes.ts'

/**
 * Checks the permissions of the token, then the parameters, and performs the operation.
 * @param name operation id in GitHub's API description
 */
export function performOperation(name: string, call: GitHubCall): Reply {
  const operation = OPERATIONS[name]
  if (operation === undefined) return notImplemented(name)
  const reply =
    checkTokenPermission(operation, call) ??
    checkParameters(name, operation.parameters, call.query, call.body) ??
    operation.handle(call)
  const accepted = { 'x-accepted-github-permissions': formatAcceptedPermissions(operation, call) }
  return { ...reply, headers: { ...accepted, ...reply.headers } }
}
