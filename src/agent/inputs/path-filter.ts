import { includesPath, type PathRule } from './path-patterns.ts'

/** Which files count: those that `paths` includes, or all but those that `paths-ignore` does. */
export interface PathFilter {
  readonly kind: 'paths' | 'paths-ignore'
  readonly rules: readonly PathRule[]
  /** As they were given, for the reader. */
  readonly patterns: readonly string[]
}

/** A renamed file is in two places, and both changed. */
interface MovablePath {
  readonly path: string
  readonly previousPath: string | undefined
}

function placesOf({ path, previousPath }: MovablePath): string[] {
  return previousPath === undefined ? [path] : [path, previousPath]
}

/** The files that count. */
export function filterFiles<T extends MovablePath>(
  { kind, rules }: Pick<PathFilter, 'kind' | 'rules'>,
  files: readonly T[],
): readonly T[] {
  const isWanted = (path: string): boolean => includesPath(rules, path) === (kind === 'paths')
  return files.filter((file) => placesOf(file).some(isWanted))
}

/** The places outside of `allowed-paths` that files are in, or were moved from. */
export function findOutOfScope(allowed: readonly PathRule[], files: readonly MovablePath[]): string[] {
  return files.flatMap(placesOf).filter((path) => !includesPath(allowed, path))
}
