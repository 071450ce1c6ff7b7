import { acceptedPermissions, refuseAccess } from './operation.ts'
import { checkParameters } from './parameters.ts'
import { type Call, type Reply, notPlayed } from './reply.ts'
import { OPERATIONS } from './routes.ts'

/**
 * Checks the permissions of the token, then the parameters, and performs the operation.
 * @param name operation id in GitHub's API description
 */
export function performOperation(name: string, call: Call): Reply {
  const operation = OPERATIONS[name]
  if (operation === undefined) return notPlayed(name)
  const reply =
    refuseAccess(operation, call) ??
    refuseFormat(name, operation.plays.formats, call.format) ??
    checkParameters(name, operation.plays, call.query, call.body) ??
    operation.answer(call)
  const accepted = { 'x-accepted-github-permissions': acceptedPermissions(operation, call) }
  return { ...reply, headers: { ...accepted, ...reply.headers } }
}

/** `raw` is always supported: JSON responses contain the Markdown source of bodies. */
function refuseFormat(name: string, supported: readonly string[] = [], format = 'raw'): Reply | undefined {
  return format === 'raw' || supported.includes(format) ? undefined : notPlayed(`the media type “${format}” of ${name}`)
}
