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
import { root } from '../../__tests__/support/markdown-files.ts'
import type { Drawn } from '../../__tests__/support/soak.ts'
import { renderTable } from '../docs/markdown-tables.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'

/** The suites that generate cases until their time is up. */
const SUITES = [
  '__tests__/model/service-properties.test.ts',
  '__tests__/model/courses.test.ts',
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
const child = spawn(process.execPath, [...jest, `--maxWorkers=${workers}`, '--runTestsByPath', ...SUITES], {
  cwd: root,
  env: { ...process.env, SEED: seed, SOAK_SUITE_MS: String(suiteMs), SOAK_REPORT: reportFile },
  stdio: 'inherit',
  timeout: Math.max(minutes * 60_000 * KILL_FACTOR, minutes * 60_000 + 120_000),
})
const [exitCode, signal] = (await once(child, 'exit')) as [number | null, string | null]

const lines = existsSync(reportFile) ? readFileSync(reportFile, 'utf8').trim().split('\n') : []
const rows = lines.map((line) => JSON.parse(line) as Drawn).map(({ what, cases }) => [what, cases.toLocaleString('en')])
const tookMinutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
const verdict = signal !== null ? `was ended by ${signal}: it hung` : exitCode === 0 ? 'passed' : 'failed'
const report = `The soak ${verdict} after ${tookMinutes} minutes: \`${command}\`\n\n${renderTable([['Drawn', 'Cases'], ...rows.sort()])}\n`
console.log(`\n${report}`)
const summaryFile = process.env['GITHUB_STEP_SUMMARY']
if (summaryFile) appendFileSync(summaryFile, report)
remove()
process.exitCode = exitCode ?? 1
