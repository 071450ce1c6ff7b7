import { acceptedPermissions, refuseAccess } from './operation.ts'
import { checkParameters } from './parameters.ts'
import { type Call, type Reply, notPlayed } from './reply.ts'
import { OPERATIONS } from './routes.ts'

/**
 * Performs an operation as GitHub does: the token's permissions first, then what the request says, then the operation itself.
 * @param name of the operation in GitHub's description
 */
export function performOperation(name: string, call: Call): Reply {
  const operation = OPERATIONS[name]
  if (operation === undefined) return notPlayed(name)
  const { plays } = operation
  const reply =
    refuseAccess(operation, call) ??
    refuseFormat(name, plays.formats, call.format) ??
    checkParameters(name, plays, call.query, call.body) ??
    operation.answer(call)
  const accepted = { 'x-accepted-github-permissions': acceptedPermissions(operation, call) }
  return { ...reply, headers: { ...accepted, ...reply.headers } }
}

/** The text of a Markdown body (`raw`) is in the JSON anyway. */
function refuseFormat(name: string, played: readonly string[] = [], format = 'raw'): Reply | undefined {
  return format === 'raw' || played.includes(format) ? undefined : notPlayed(`the media type “${format}” of ${name}`)
}
