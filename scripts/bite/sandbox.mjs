import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'

const root = path.dirname(path.dirname(import.meta.dirname))
const NOT_COPIED = new Set(['node_modules', '.git', 'build', 'coverage'])

/** These run what is packed in `dist`, which holds no mutant. */
const RUN_DIST = '/__tests__/(bundle|recipes)/'
/** A mutant may hang its tests; that counts as killed. */
const LONGEST_RUN_MS = 300_000

/**
 * @typedef {object} Sandbox A copy of the project in a temporary folder, where mutants live.
 * @property {(file: string, text: string) => Promise<boolean>} isNoticed Whether a test fails where a file has another text.
 * @property {(files: readonly string[]) => Promise<boolean>} passes Whether all tests that concern some files pass.
 * @property {() => void} remove
 */

/**
 * @param {string} folder
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} Whether it ended in time, and well.
 */
function runJest(folder, args) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [
        ...['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testPathIgnorePatterns', RUN_DIST],
        ...['--runInBand', '--forceExit', '--bail', ...args],
      ],
      {
        cwd: folder,
        env: { ...process.env, NODE_NO_WARNINGS: '1' },
        stdio: 'ignore',
        timeout: LONGEST_RUN_MS,
        // Some mutants no longer listen to the gentler one.
        killSignal: 'SIGKILL',
      },
    )
    child.on('error', () => {
      resolve(false)
    })
    child.on('close', (code) => {
      resolve(code === 0)
    })
  })
}

/**
 * @param {string} folder
 * @param {string} file
 * @returns {string[]} the suites of the same folder that are about it
 */
function testsOf(folder, file) {
  const place = path.posix.dirname(file).replace(/^src/, '__tests__')
  const name = path.basename(file, '.ts')
  const suites = fs.readdirSync(path.join(folder, place)).filter((suite) => suite.endsWith('.test.ts'))
  const isAbout = (/** @type {string} */ suite) =>
    suite === `${name}.test.ts` || fs.readFileSync(path.join(folder, place, suite), 'utf8').includes(`/${name}.ts'`)
  return suites.filter(isAbout).map((suite) => `${place}/${suite}`)
}

/** @returns {Sandbox} */
export function openSandbox() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bite-')))
  for (const name of fs.readdirSync(root).filter((name) => !NOT_COPIED.has(name))) {
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  // A junction needs no rights on Windows, and is a plain link elsewhere.
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')

  const passes = (/** @type {readonly string[]} */ files) => runJest(folder, ['--findRelatedTests', ...files])

  return {
    passes,
    async isNoticed(file, text) {
      const place = path.join(folder, file)
      const before = fs.readFileSync(place)
      const ownTests = testsOf(folder, file)
      fs.writeFileSync(place, text)
      try {
        // Its own test notices most, and takes a second where all others take a minute.
        const survivesOwn = ownTests.length === 0 || (await runJest(folder, ownTests))
        return !survivesOwn || !(await passes([file]))
      } finally {
        fs.writeFileSync(place, before)
      }
    },
    remove() {
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
