import { GraphQLError } from 'graphql'
import { checkAccess } from './operation.ts'
import type { Call } from './reply.ts'
import { OPERATIONS } from './routes.ts'

/** Turns the complete response into a 501. The message names the unsupported feature. */
export class NotImplementedError extends Error {}

/** @param type GitHub's error type, such as `NOT_FOUND` */
export function createError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } })
}

/** @throws GraphQLError `FORBIDDEN` if the token lacks the permission of the REST operation */
export function requireAccess(call: Call, operationName: string): void {
  const operation = OPERATIONS[operationName]
  if (operation !== undefined && checkAccess(operation, call) !== undefined)
    throw createError('FORBIDDEN', 'Resource not accessible by integration')
}
