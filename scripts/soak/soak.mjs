/**
 * Proves the same as the tests of `__tests__/model` and `__tests__/faults`, on a hundred times as many schedules, and
 * twenty times as many courses and mixtures of faults, and on other ones each time.
 *
 *   npm run test:soak         with a seed drawn now, which is printed
 *   SEED=7 npm run test:soak  with that one
 *
 * SCHEDULES and COURSES set their numbers.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import * as path from 'node:path'

const SEED = process.env['SEED'] ?? String(randomInt(2 ** 31))
console.log(`SEED=${SEED} npm run test:soak`)
const { status } = spawnSync('npm', ['test', '--', '__tests__/model', '__tests__/faults'], {
  ...{ cwd: path.join(import.meta.dirname, '../..'), shell: process.platform === 'win32' },
  ...{ env: { ...process.env, SEED, SOAK: 'true' }, stdio: 'inherit' },
})
process.exitCode = status ?? 1
