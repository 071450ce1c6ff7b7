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

type Waiting = Pick<Step, 'clock' | 'signal'>

/** Of each file the places that matter. Thousands of long paths take seconds: in between, that the run was cancelled is heard. */
async function findPlaces(
  files: readonly MovablePath[],
  matters: (path: string) => boolean,
  { clock, signal }: Waiting,
): Promise<readonly string[][]> {
  const found: string[][] = []
  for (const { path, previousPath } of files) {
    await clock.turn()
    signal.throwIfAborted()
    found.push([path, ...(previousPath === undefined ? [] : [previousPath])].filter(matters))
  }
  return found
}

/**
 * How many files count.
 * @throws ActionError `cancelled`
 */
export async function countFiles(
  { kind, rules }: PathFilter,
  files: readonly MovablePath[],
  step: Waiting,
): Promise<number> {
  const places = await findPlaces(files, (path) => includesPath(rules, path) === (kind === 'paths'), step)
  return places.filter(({ length }) => length > 0).length
}

/**
 * The places outside of `allowed-paths` that files are in, or were moved from.
 * @throws ActionError `cancelled`
 */
export async function findOutOfScope(
  allowed: readonly PathRule[],
  files: readonly MovablePath[],
  step: Waiting,
): Promise<readonly string[]> {
  return (await findPlaces(files, (path) => !includesPath(allowed, path), step)).flat()
}
