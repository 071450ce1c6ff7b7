/**
 * Proves the same as the tests of `__tests__/model`, on twenty times as many schedules and courses, and on other ones each time.
 *
 *   npm run test:soak               with a seed drawn now, which is printed
 *   MODEL_SEED=7 npm run test:soak  with that one
 *
 * MODEL_RUNS sets the number of schedules; to 200 of these there is one course of each kind.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import * as path from 'node:path'

const root = path.join(import.meta.dirname, '../..')
const MODEL_RUNS = process.env['MODEL_RUNS'] ?? '200000'
const MODEL_SEED = process.env['MODEL_SEED'] ?? String(randomInt(2 ** 31))

console.log(`MODEL_SEED=${MODEL_SEED} MODEL_RUNS=${MODEL_RUNS}`)
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '__tests__/model/service-properties',
    '__tests__/model/courses',
  ],
  { cwd: root, env: { ...process.env, MODEL_RUNS, MODEL_SEED }, stdio: 'inherit' },
)
process.exitCode = status ?? 1
