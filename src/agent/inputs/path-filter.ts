import type { Step } from '../../action/step.ts'
import { includesPath, type PathRule } from './path-patterns.ts'

/** Which files count: those that `paths` includes, or all but those that `paths-ignore` does. */
export interface PathFilter {
  readonly kind: 'paths' | 'paths-ignore'
  readonly rules: readonly PathRule[]
}

/** A renamed file is in two places, and both changed. */
interface MovablePath {
  readonly path: string
  readonly previousPath: string | undefined
}

function placesOf({ path, previousPath }: MovablePath): string[] {
  return previousPath === undefined ? [path] : [path, previousPath]
}

/** Thousands of long paths take seconds: in between, that the run was cancelled is heard. */
async function filterInTurns<T>(
  items: readonly T[],
  isWanted: (item: T) => boolean,
  { clock, signal }: Pick<Step, 'clock' | 'signal'>,
): Promise<T[]> {
  const wanted: T[] = []
  for (const item of items) {
    await clock.turn()
    signal.throwIfAborted()
    if (isWanted(item)) wanted.push(item)
  }
  return wanted
}

/**
 * The files that count.
 * @throws ActionError `cancelled`
 */
export function filterFiles<T extends MovablePath>(
  { kind, rules }: PathFilter,
  files: readonly T[],
  step: Pick<Step, 'clock' | 'signal'>,
): Promise<readonly T[]> {
  const isWanted = (path: string): boolean => includesPath(rules, path) === (kind === 'paths')
  return filterInTurns(files, (file) => placesOf(file).some(isWanted), step)
}

/**
 * The places outside of `allowed-paths` that files are in, or were moved from.
 * @throws ActionError `cancelled`
 */
export function findOutOfScope(
  allowed: readonly PathRule[],
  files: readonly MovablePath[],
  step: Pick<Step, 'clock' | 'signal'>,
): Promise<readonly string[]> {
  return filterInTurns(files.flatMap(placesOf), (path) => !includesPath(allowed, path), step)
}
