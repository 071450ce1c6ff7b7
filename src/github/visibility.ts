import * as z from 'zod/mini'
import { flag, part } from './schemas.ts'

export type Visibility = 'public' | 'private' | 'internal'

/** A repository, as far as is known. */
export interface SeenRepository {
  /** `owner/name` */
  readonly repository: string
  readonly visibility?: Visibility | undefined
}

const said = z.catch(z.optional(z.enum(['public', 'private', 'internal'])), undefined)

/** The visibility of a repository. Undefined if GitHub does not say: `private: true` alone may be an internal one. */
export const visibilitySchema = z.pipe(
  part({ visibility: said, private: flag }),
  z.transform(
    ({ visibility, private: isPrivate }): Visibility | undefined =>
      visibility ?? (isPrivate === false ? 'public' : undefined),
  ),
)

/**
 * Whether text in `target` may name `source`, its branches and its people. An unknown source counts as private, and an unknown
 * target as public.
 */
export function canName(source: SeenRepository, target: SeenRepository): boolean {
  if (source.repository.toLowerCase() === target.repository.toLowerCase()) return true
  const { visibility = 'private' } = source
  return visibility === 'public' || visibility === (target.visibility ?? 'public')
}
