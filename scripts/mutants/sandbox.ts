import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'

const NOT_COPIED = new Set(['node_modules', '.git', 'build', 'coverage'])

/** These tests run `dist`, which contains no mutant. */
const RUN_DIST = '/__tests__/(bundle|recipes)/'
/** A mutant whose tests hang counts as killed. */
const RUN_TIMEOUT_MS = 300_000

/** A copy of the project in a temporary folder. */
export interface Sandbox {
  /** Whether a test fails with another text of a file. */
  readonly isNoticed: (file: string, text: string) => Promise<boolean>
  /** The output of jest if a related test fails; undefined if all pass. */
  readonly findFailure: (files: readonly string[]) => Promise<string | undefined>
  readonly remove: () => void
}

/** @returns the output of jest if a test fails or hangs; undefined if all pass in time */
async function runJest(folder: string, args: readonly string[]): Promise<string | undefined> {
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testPathIgnorePatterns', RUN_DIST]
  const child = spawn(process.execPath, [...jest, '--runInBand', '--forceExit', '--bail', ...args], {
    cwd: folder,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: RUN_TIMEOUT_MS,
    // Some mutants ignore SIGTERM.
    killSignal: 'SIGKILL',
  })
  let printed = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await once(child, 'close')
  return child.exitCode === 0 ? undefined : printed
}

function listOwnTests(folder: string, file: string): string[] {
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
  // On Windows a junction needs no privileges. Elsewhere it is a symbolic link.
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')

  const findFailure = (files: readonly string[]) => runJest(folder, ['--findRelatedTests', ...files])

  return {
    findFailure,
    async isNoticed(file, text) {
      const place = path.join(folder, file)
      const before = fs.readFileSync(place)
      const ownTests = listOwnTests(folder, file)
      fs.writeFileSync(place, text)
      try {
        // A module's own tests kill most mutants within a second; all related tests take a minute.
        const survivesOwn = ownTests.length === 0 || (await runJest(folder, ownTests)) === undefined
        return !survivesOwn || (await findFailure([file])) !== undefined
      } finally {
        fs.writeFileSync(place, before)
      }
    },
    remove,
  }
}
