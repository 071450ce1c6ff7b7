import { InvalidResponse } from './schemas.ts'

// What GitHub wrote is read field by field, each by its path, such as `pull_request.head.sha`. One that is missing, null or
// not as GitHub describes it is undefined: the reader says what stands in for it, or that nothing is of use without it.

type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** As it is: null, where that says something. */
export function at(from: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), from)
}

export const has = (from: object, path: string): boolean => isObject(at(from, path))

export function text(from: object, path: string): string | undefined {
  const value = at(from, path)
  return typeof value === 'string' ? value : undefined
}

/** One of these words. */
export function word<const T extends string>(from: object, path: string, words: readonly T[]): T | undefined {
  const value = at(from, path)
  return words.find((one) => one === value)
}

/** All of GitHub's numbers are whole. */
export function number(from: object, path: string): number | undefined {
  const value = at(from, path)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

/**
 * What nothing is of use without.
 * @throws InvalidResponse if it is undefined
 */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new InvalidResponse()
  return value
}

function toObject<T>(value: unknown, read: (from: object) => T): T | undefined {
  try {
    return isObject(value) ? read(value) : undefined
  } catch (error) {
    if (error instanceof InvalidResponse) return undefined
    throw error
  }
}

/** What is made of an object. Undefined also if it lacks what is required of it. */
export function object<T>(from: object, path: string, read: (from: object) => T): T | undefined {
  return toObject(at(from, path), read)
}

/** What is made of the objects in a list, each of them undefined as above. */
function list<T>(from: object, path: string, read: (item: object) => T): readonly (T | undefined)[] | undefined {
  const value = at(from, path)
  return Array.isArray(value) ? value.map((item) => toObject(item, read)) : undefined
}

/** Those that can be read. */
export function items<T>(from: object, path: string, read: (item: object) => T): readonly T[] | undefined {
  return list(from, path, read)?.filter((item) => item !== undefined)
}

/** Undefined if one of them cannot be read: it may be the one that matters. */
export function all<T>(from: object, path: string, read: (item: object) => T): readonly T[] | undefined {
  const found = list(from, path, read)
  return found?.every((item) => item !== undefined) === true ? found : undefined
}
