import { GraphQLError } from 'graphql'
import { refuseAccess } from './operation.ts'
import type { Call } from './reply.ts'
import { OPERATIONS } from './routes.ts'

/** Something that is not played: the whole response is 501 then. The message names it. */
export class NotPlayedError extends Error {}

/** @param type as GitHub names it, such as `NOT_FOUND` */
export function refuse(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } })
}

/** Refuses as GitHub does if the token may not do what the REST operation does. */
export function requireAccess(call: Call, operationName: string): void {
  const operation = OPERATIONS[operationName]
  if (operation !== undefined && refuseAccess(operation, call) !== undefined)
    throw refuse('FORBIDDEN', 'Resource not accessible by integration')
}
