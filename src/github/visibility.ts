import { boolean, word } from './read-json.ts'

export type Visibility = 'public' | 'private' | 'internal'

/** A repository, as far as is known. */
export interface SeenRepository {
  /** `owner/name` */
  readonly repository: string
  readonly visibility?: Visibility | undefined
}

/**
 * The visibility of the repository at `path`. Undefined if GitHub does not say: `private: true` alone may be an internal one.
 */
export function visibilityAt(from: object, path: string): Visibility | undefined {
  const said = word(from, `${path}.visibility`, ['public', 'private', 'internal'])
  return said ?? (boolean(from, `${path}.private`) === false ? 'public' : undefined)
}

/**
 * Whether text in `target` may name `source`, its branches and its people. An unknown source counts as private, and an unknown
 * target as public.
 */
export function canName(source: SeenRepository, target: SeenRepository): boolean {
  if (source.repository.toLowerCase() === target.repository.toLowerCase()) return true
  const { visibility = 'private' } = source
  return visibility === 'public' || visibility === (target.visibility ?? 'public')
}
