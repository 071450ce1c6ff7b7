import { type Refusal, refuse } from './exchange.ts'

/** A key with all permissions for every project. It is public, because it works only here. */
export const EMULATOR_KEY = 'docs_emulator_0123456789abcdef'
/** A key that can read jobs and analytics, but cannot send prompts. */
export const READ_ONLY_KEY = 'docs_readonly_0123456789abcdef'
/** A key that was valid once. */
export const EXPIRED_KEY = 'docs_expired_0123456789abcdef'

export type Need = 'read' | 'write'

const KEYS: ReadonlyMap<string, Need | 'expired'> = new Map([
  [EMULATOR_KEY, 'write'],
  [READ_ONLY_KEY, 'read'],
  [EXPIRED_KEY, 'expired'],
])

const unauthorized = (problem: string): Refusal => refuse(401, [problem], { 'www-authenticate': 'Bearer' })

/** Every operation requires `Authorization: Bearer docs_...` (section 5). Returns the 401 or 403 for a request without it. */
export function refuseAccess(authorization: string | undefined, need: Need): Refusal | undefined {
  if (authorization === undefined) return unauthorized('The Authorization header is missing.')
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined) return unauthorized('The Authorization header must read: Bearer <key>.')
  if (!token.startsWith('docs_')) return unauthorized('An API key begins with docs_.')
  const grant = KEYS.get(token)
  if (grant === undefined) return unauthorized('This API key is not valid.')
  if (grant === 'expired') return unauthorized('This API key has expired.')
  return grant === 'read' && need === 'write' ? refuse(403, ['This API key may only read.']) : undefined
}
