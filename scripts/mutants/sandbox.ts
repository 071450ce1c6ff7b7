import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'

const NOT_COPIED = new Set(['node_modules', '.git', 'build', 'coverage'])

/** These run what is packed in `dist`, which holds no mutant. */
const RUN_DIST = '/__tests__/(bundle|recipes)/'
/** A mutant may hang its tests; that counts as killed. */
const LONGEST_RUN_MS = 300_000

/** A copy of the project in a temporary folder, where mutants live. */
export interface Sandbox {
  /** Whether a test fails where a file has another text. */
  readonly isNoticed: (file: string, text: string) => Promise<boolean>
  /** What jest prints if a test that concerns some files fails; undefined if all pass. */
  readonly findFailure: (files: readonly string[]) => Promise<string | undefined>
  readonly remove: () => void
}

/** @returns what jest prints if a test fails or hangs; undefined if all pass in time */
async function runJest(folder: string, args: readonly string[]): Promise<string | undefined> {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testPathIgnorePatterns', RUN_DIST]
  const child = spawn(process.execPath, [...jest, '--runInBand', '--forceExit', '--bail', ...args], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LONGEST_RUN_MS,
    // Some mutants no longer listen to the gentler one.
    killSignal: 'SIGKILL',
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await once(child, 'close')
  return child.exitCode === 0 ? undefined : printed
}

function testsOf(folder: string, file: string): string[] {
  const place = path.posix.dirname(file).replace(/^src/, '__tests__')
  const name = path.basename(file, '.ts')
  const suites = fs.readdirSync(path.join(folder, place)).filter((suite) => suite.endsWith('.test.ts'))
  const isAbout = (suite: string): boolean =>
    suite === `${name}.test.ts` || fs.readFileSync(path.join(folder, place, suite), 'utf8').includes(`/${name}.ts'`)
  return suites.filter(isAbout).map((suite) => `${place}/${suite}`)
}

export function openSandbox(): Sandbox {
  const { path: folder, remove } = openScratchFolder('mutants-')
  for (const name of fs.readdirSync(root).filter((name) => !NOT_COPIED.has(name)))
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  // A junction needs no rights on Windows, and is a plain link elsewhere.
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')

  const findFailure = (files: readonly string[]) => runJest(folder, ['--findRelatedTests', ...files])

  return {
    findFailure,
    async isNoticed(file, text) {
      const place = path.join(folder, file)
      const before = fs.readFileSync(place)
      const ownTests = testsOf(folder, file)
      fs.writeFileSync(place, text)
      try {
        // Its own test notices most, and takes a second where all others take a minute.
        const survivesOwn = ownTests.length === 0 || (await runJest(folder, ownTests)) === undefined
        return !survivesOwn || (await findFailure([file])) !== undefined
      } finally {
        fs.writeFileSync(place, before)
      }
    },
    remove,
  }
}
