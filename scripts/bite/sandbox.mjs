import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'

/** @import { Mutant } from './mutants.mjs' */

const root = path.dirname(path.dirname(import.meta.dirname))
const NOT_COPIED = new Set(['node_modules', '.git', 'dist', 'build', 'coverage'])

/** Enough schedules for every mutant that the model has to kill, and few enough to be quick. */
const MODEL_RUNS = '5000'
/** A mutant may hang its tests; that counts as killed. */
const LONGEST_RUN_MS = 120_000

/**
 * What came of one run of some test files. `broken`: it did not get so far as to test anything.
 * @typedef {'passed' | 'failed' | 'broken'} FileResult
 * @typedef {Readonly<Record<string, FileResult>>} Results By test file.
 */

/**
 * @typedef {object} Sandbox A copy of the project in a temporary folder, where mutants live.
 * @property {(mutant: Mutant) => Promise<Results>} tryMutant Throws where its text is not in its file exactly once.
 * @property {(tests: readonly string[]) => Promise<Results>} runTests
 * @property {() => void} remove
 */

/**
 * @typedef {object} JestReport What is needed of `jest --json`.
 * @property {{ name: string, status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * @param {string} source
 * @param {Mutant} mutant
 */
function mutate(source, { name, file, find, replace }) {
  const times = source.split(find).length - 1
  if (times !== 1) throw new Error(`${name}: its text must be in ${file} once, and is there ${times} times:\n${find}`)
  return source.replace(find, () => replace)
}

/**
 * @param {string} folder
 * @param {readonly string[]} args
 * @returns {Promise<void>} Resolves when the process has ended, however it did.
 */
function runJest(folder, args) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand', '--forceExit', ...args],
      {
        cwd: folder,
        env: { ...process.env, MODEL_RUNS, NODE_NO_WARNINGS: '1' },
        stdio: 'ignore',
        timeout: LONGEST_RUN_MS,
      },
    )
    child.on('error', () => {
      resolve()
    })
    child.on('close', () => {
      resolve()
    })
  })
}

/**
 * @param {string} file
 * @param {string} folder
 * @param {readonly string[]} tests
 * @returns {Results}
 */
function readResults(file, folder, tests) {
  // Without a report, the run hung until it was ended.
  if (!fs.existsSync(file)) return Object.fromEntries(tests.map((test) => [test, 'failed']))
  /** @type {unknown} */
  const parsed = JSON.parse(fs.readFileSync(file, 'utf8'))
  const { testResults } = /** @type {JestReport} */ (parsed)
  return Object.fromEntries(
    tests.map((test) => {
      const found = testResults.find(({ name }) => path.relative(folder, name) === path.normalize(test))
      if (found === undefined || found.assertionResults.length === 0) return [test, 'broken']
      return [test, found.status === 'passed' ? 'passed' : 'failed']
    }),
  )
}

/** @returns {Sandbox} */
export function openSandbox() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'bite-')))
  for (const name of fs.readdirSync(root).filter((name) => !NOT_COPIED.has(name))) {
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  }
  // A junction needs no rights on Windows, and is a plain link elsewhere.
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')

  /** @param {readonly string[]} tests */
  async function runTests(tests) {
    const report = path.join(folder, 'bite-report.json')
    fs.rmSync(report, { force: true })
    await runJest(folder, ['--json', `--outputFile=${report}`, '--runTestsByPath', ...tests])
    return readResults(report, folder, tests)
  }

  return {
    runTests,
    async tryMutant(mutant) {
      const file = path.join(folder, mutant.file)
      const source = fs.readFileSync(file, 'utf8')
      fs.writeFileSync(file, mutate(source, mutant))
      try {
        return await runTests(mutant.tests)
      } finally {
        fs.writeFileSync(file, source)
      }
    },
    remove() {
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
