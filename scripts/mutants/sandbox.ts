import * as fs from 'node:fs'
import * as path from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { type Run, runLimited } from './run-limited.ts'

const NOT_COPIED = new Set(['node_modules', '.git', 'build', 'coverage'])

/** These tests run `dist`, which contains no mutant. */
const RUN_DIST = '/__tests__/(bundle|recipes)/'

/** Tests may take this many times as long with a mutant as without it. A busy machine slows them down less. */
const LIMIT_FACTOR = 5
/** A shorter limit would measure the machine, and not the tests. */
const MIN_LIMIT_MS = 60_000

/** Returns the time limit of tests with a mutant. */
export const getLimitMs = (baselineMs: number): number => Math.max(MIN_LIMIT_MS, LIMIT_FACTOR * baselineMs)

/** A copy of the project in a temporary folder. */
export interface Sandbox {
  /**
   * Runs all related tests without a mutant, and derives the time limit from their duration. As many other sandboxes should be
   * busy as later.
   */
  readonly measure: (files: readonly string[]) => Promise<Run>
  /** Runs the related tests of a file that has another text. */
  readonly runWith: (file: string, text: string) => Promise<Run>
  readonly remove: () => void
}

function runJest(folder: string, args: readonly string[], limitMs?: number): Promise<Run> {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testPathIgnorePatterns', RUN_DIST]
  return runLimited(folder, [...jest, '--runInBand', '--forceExit', '--bail', ...args], limitMs)
}

function listOwnTests(folder: string, file: string): string[] {
  const place = path.posix.dirname(file).replace(/^src/, '__tests__')
  const name = path.basename(file, '.ts')
  const suites = fs.readdirSync(path.join(folder, place)).filter((suite) => suite.endsWith('.test.ts'))
  const isAbout = (suite: string): boolean =>
    suite === `${name}.test.ts` || fs.readFileSync(path.join(folder, place, suite), 'utf8').includes(`/${name}.ts'`)
  return suites.filter(isAbout).map((suite) => `${place}/${suite}`)
}

/** @returns how the program ended, and its duration in milliseconds */
async function timed(run: () => Promise<Run>): Promise<readonly [Run, number]> {
  const startedAt = performance.now()
  return [await run(), performance.now() - startedAt]
}

export function openSandbox(): Sandbox {
  const { path: folder, remove } = openScratchFolder('mutants-')
  for (const name of fs.readdirSync(root).filter((name) => !NOT_COPIED.has(name)))
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  // On Windows a junction needs no privileges. Elsewhere it is a symbolic link.
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')

  let relatedMs = Infinity
  const ownMs = new Map<string, number>()

  /** Measures the tests of a file without a mutant, once. */
  async function measureOwn(file: string, ownTests: readonly string[]): Promise<number> {
    const known = ownMs.get(file)
    if (known !== undefined) return known
    const [, tookMs] = await timed(() => runJest(folder, ownTests))
    ownMs.set(file, tookMs)
    return tookMs
  }

  const findRelated = (files: readonly string[]): string[] => ['--findRelatedTests', ...files]

  return {
    async measure(files) {
      const [run, tookMs] = await timed(() => runJest(folder, findRelated(files)))
      relatedMs = tookMs
      return run
    },
    async runWith(file, text) {
      const place = path.join(folder, file)
      const before = fs.readFileSync(place)
      const ownTests = listOwnTests(folder, file)
      const limitMs = ownTests.length === 0 ? 0 : getLimitMs(await measureOwn(file, ownTests))
      fs.writeFileSync(place, text)
      try {
        // A module's own tests kill most mutants within a second; all related tests take a minute.
        const own = ownTests.length === 0 ? undefined : await runJest(folder, ownTests, limitMs)
        if (own !== undefined && own.kind !== 'passed') return own
        return await runJest(folder, findRelated([file]), getLimitMs(relatedMs))
      } finally {
        fs.writeFileSync(place, before)
      }
    },
    remove,
  }
}
