import { type Refusal, refuse } from './exchange.ts'

/** The key that may do everything, in any project. It is public: it opens nothing but this service. */
export const EMULATOR_KEY = 'docs_emulator_0123456789abcdef'
/** A key that may read jobs and analytics, and send no prompt. */
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

/** Section 5: every operation wants `Authorization: Bearer docs_...`. Answers 401 or 403 where that does not suffice. */
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
