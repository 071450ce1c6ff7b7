/** An object as GitHub wrote it. A part of it that is null, or not as GitHub describes it, is as if it were not there. */
export type Payload = Readonly<Record<string, unknown>>

export const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param path such as `pull_request.head.sha` */
const at = (payload: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (isPayload(value) ? value[name] : undefined), payload)

/** Where there is none, nothing is in it. */
export function part(payload: Payload, path: string): Payload {
  const value = at(payload, path)
  return isPayload(value) ? value : {}
}

export function list(payload: Payload, path: string): readonly Payload[] {
  const value = at(payload, path)
  return Array.isArray(value) ? value.map((item) => (isPayload(item) ? item : {})) : []
}

export const has = (payload: Payload, path: string): boolean => isPayload(at(payload, path))
export const isTrue = (payload: Payload, path: string): boolean => at(payload, path) === true

export function text(payload: Payload, path: string): string | undefined {
  const value = at(payload, path)
  return typeof value === 'string' ? value : undefined
}

export function integer(payload: Payload, path: string): number | undefined {
  const value = at(payload, path)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

export function sha(payload: Payload, path: string): string | undefined {
  const value = text(payload, path) ?? ''
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : undefined
}
