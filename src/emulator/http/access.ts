import { type RequestRefusal, refuseRequest } from './exchange.ts'

/** A key with all permissions for every project. It is public: it works only for the embedded service. */
export const EMULATOR_KEY = 'docs_emulator_0123456789abcdef'
/** A key that can read jobs and analytics, but cannot send prompts. */
export const READ_ONLY_KEY = 'docs_readonly_0123456789abcdef'
/** A key that is no longer valid. */
export const EXPIRED_KEY = 'docs_expired_0123456789abcdef'

export type Access = 'read' | 'write'

const KEYS: ReadonlyMap<string, Access | 'expired'> = new Map([
  [EMULATOR_KEY, 'write'],
  [READ_ONLY_KEY, 'read'],
  [EXPIRED_KEY, 'expired'],
])

const refuseUnauthorized = (problem: string): RequestRefusal =>
  refuseRequest(401, [problem], { 'www-authenticate': 'Bearer' })

/** Returns the 401 or 403 for a request without the required `Authorization: Bearer docs_...` (section 5). */
export function checkAccess(authorization: string | undefined, need: Access): RequestRefusal | undefined {
  if (authorization === undefined) return refuseUnauthorized('The Authorization header is missing.')
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined) return refuseUnauthorized('The Authorization header must read: Bearer <key>.')
  if (!token.startsWith('docs_')) return refuseUnauthorized('An API key begins with docs_.')
  const granted = KEYS.get(token)
  if (granted === undefined) return refuseUnauthorized('This API key is not valid.')
  if (granted === 'expired') return refuseUnauthorized('This API key has expired.')
  return granted === 'read' && need === 'write' ? refuseRequest(403, ['This API key may only read.']) : undefined
}
