/**
 * Parses responses with zod schemas that tolerate malformed fields. A step reads few of the resources that it could read, so the
 * schema of a resource is lazy: it is built when the first one is read.
 */
import * as z from 'zod/mini'

/** A response that does not match GitHub's documentation. The message contains nothing from the response. */
export class InvalidResponse extends Error {
  constructor(cause?: unknown) {
    super("A response does not match GitHub's documentation.", cause === undefined ? {} : { cause })
  }
}

/** What a function that builds a schema makes of a value. */
export type Built<Build extends () => z.ZodMiniType> = z.infer<ReturnType<Build>>

/** @throws InvalidResponse */
export function parseResponse<T>(schema: z.ZodMiniType<T>, { data }: { readonly data: unknown }): T {
  const result = schema.safeParse(data)
  if (!result.success) throw new InvalidResponse(result.error)
  return result.data
}

// A field that is missing, null or of an undocumented type becomes undefined, so that the rest remains usable.
export const stringField = z.catch(z.optional(z.string()), undefined)
export const integerField = z.catch(z.optional(z.int()), undefined)
export const booleanField = z.catch(z.optional(z.boolean()), undefined)
export const stringOrEmpty = z.catch(z.string(), '')

type Shape = Readonly<Record<string, z.ZodMiniType>>

/** An object whose fields may all be missing. If the object is missing, all its fields are undefined. */
export function looseObject<S extends Shape>(shape: S): z.ZodMiniCatch<z.ZodMiniObject<S>> {
  const schema = z.object(shape)
  return z.catch(schema, () => z.parse(schema, {}))
}

/** Undefined if it is missing or malformed. */
export function optionalOrUndefined<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T | undefined> {
  return z.catch(z.optional(schema), undefined)
}

/** Like `lenient`, but the schema is built when a value is present: of all possible objects, an event contains few. */
export function optionalLazily<T>(build: () => z.ZodMiniType<T>): z.ZodMiniType<T | undefined> {
  let schema: z.ZodMiniType<T> | undefined
  const parse = (value: unknown): T | undefined =>
    value === undefined ? undefined : (schema ??= build()).safeParse(value).data
  return z.pipe(z.optional(z.unknown()), z.transform(parse))
}

/** A list in which malformed items are undefined. */
export function withGaps<T>(item: z.ZodMiniType<T>): z.ZodMiniType<(T | undefined)[]> {
  return z.array(optionalOrUndefined(item))
}

/** A list without its malformed items. */
export function skipMalformed<T>(item: z.ZodMiniType<T>): z.ZodMiniType<T[]> {
  const isWellFormed = (item: T | undefined): item is T => item !== undefined
  return z.pipe(
    withGaps(item),
    z.transform((items) => items.filter(isWellFormed)),
  )
}

export type Visibility = 'public' | 'private' | 'internal'

/** A repository whose visibility may be unknown. */
interface KnownRepository {
  /** `owner/name` */
  readonly repository: string
  readonly visibility?: Visibility | undefined
}

/** The visibility of a repository. Undefined if unknown: with `private: true` alone, the repository may be internal. */
export const visibilitySchema = z.lazy(() =>
  z.pipe(
    looseObject({ visibility: optionalOrUndefined(z.enum(['public', 'private', 'internal'])), private: booleanField }),
    z.transform(
      ({ visibility, private: isPrivate }): Visibility | undefined =>
        visibility ?? (isPrivate === false ? 'public' : undefined),
    ),
  ),
)

/** GitHub ignores the case of repository names. */
export const isSameRepository = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/**
 * Whether text in `target` may name `source`, its branches and its people. An unknown source counts as private, and an
 * unknown target as public.
 */
export function canName(source: KnownRepository, target: KnownRepository): boolean {
  if (isSameRepository(source.repository, target.repository)) return true
  const { visibility = 'private' } = source
  return visibility === 'public' || visibility === (target.visibility ?? 'public')
}
