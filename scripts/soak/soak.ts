/**
 * Generates random schedules, histories, fleets and combinations of faults for some minutes, and checks the same properties as
 * the tests in `__tests__/model` and `__tests__/faults`. Prints a table of the generated cases at the end.
 *
 *   npm run test:soak                         for 10 minutes, with a random seed, which it prints
 *   SOAK_MINUTES=5 SEED=7 npm run test:soak   for 5 minutes, with that seed
 *
 * A failure prints the smallest case and the command that replays it.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../../__tests__/support/markdown-files.ts'
import type { Drawn } from '../../__tests__/support/soak.ts'
import { renderTable } from '../docs/markdown-tables.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'

/** The suites that generate cases until their time is up. */
const SUITES = [
  '__tests__/model/service-properties.test.ts',
  '__tests__/model/histories.test.ts',
  '__tests__/model/consequences.test.ts',
  '__tests__/model/fleet.test.ts',
  '__tests__/faults/faults.test.ts',
]
/** The time of a suite besides generated cases: start, fixed cases, shrinking. */
const FIXED_MS = 20_000
/** A soak that takes longer by this factor hangs. */
const KILL_FACTOR = 1.5

const minutes = Number(process.env['SOAK_MINUTES'] ?? 10)
if (!(minutes > 0)) {
  console.error('SOAK_MINUTES must be a number of minutes above 0, such as 5 or 0.5.')
  process.exit(2)
}
const givenSeed = process.env['SEED'] ?? ''
const seed = givenSeed === '' ? String(randomInt(2 ** 31)) : givenSeed
const workers = Math.min(SUITES.length, availableParallelism())
const rounds = Math.ceil(SUITES.length / workers)
const suiteMs = Math.max(1_000, (minutes * 60_000) / rounds - FIXED_MS)

const command = `SOAK_MINUTES=${minutes} SEED=${seed} npm run test:soak`
console.log(command)
const { path: folder, remove } = openScratchFolder('soak-')
const reportFile = join(folder, 'drawn.jsonl')
const startedAt = performance.now()
const jest = ['--disable-warning=ExperimentalWarning', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js']

interface Ended {
  readonly exitCode: number | null
  readonly signal: string | null
}

/**
 * Runs a suite in its own process. jest's workers are not used: jest gives them half a second to exit, and those that have
 * drawn for minutes need longer to free their memory.
 */
async function runSuite(suite: string): Promise<Ended> {
  const child = spawn(process.execPath, [...jest, '--runInBand', '--runTestsByPath', suite], {
    cwd: root,
    env: { ...process.env, SEED: seed, SOAK_SUITE_MS: String(suiteMs), SOAK_REPORT: reportFile },
    stdio: ['ignore', 'inherit', 'pipe'],
    timeout: Math.max(minutes * 60_000 * KILL_FACTOR, minutes * 60_000 + 120_000),
  })
  const printed = text(child.stderr)
  const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null]
  // As a whole, because other suites print at the same time.
  console.error(await printed)
  return { exitCode, signal }
}

const waiting = [...SUITES]
const ended: Ended[] = []
const work = async (): Promise<void> => {
  for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) ended.push(await runSuite(suite))
}
await Promise.all(Array.from({ length: workers }, work))
const signal = ended.find((one) => one.signal !== null)?.signal
const isPassed = ended.every(({ exitCode }) => exitCode === 0)

const lines = existsSync(reportFile) ? readFileSync(reportFile, 'utf8').trim().split('\n') : []
const rows = lines.map((line) => JSON.parse(line) as Drawn).map(({ what, cases }) => [what, cases.toLocaleString('en')])
const tookMinutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
const verdict = signal ? `was ended by ${signal}: it hung` : isPassed ? 'passed' : 'failed'
const report = `The soak ${verdict} after ${tookMinutes} minutes: \`${command}\`\n\n${renderTable([['Drawn', 'Cases'], ...rows.sort()])}\n`
console.log(`\n${report}`)
const summaryFile = process.env['GITHUB_STEP_SUMMARY']
if (summaryFile) appendFileSync(summaryFile, report)
remove()
process.exitCode = isPassed ? 0 : 1
