/**
 * Runs every workflow of docs/recipes, and the steps of docs/migrating.md, under act, a real workflow engine, as it stands in the file: against the embedded
 * service, on this machine itself, without containers. A recipe that nobody checks is an error.
 *
 *   node scripts/recipes/run-recipes.mjs <path of act> [part of a recipe's path ...]
 *
 * Needs Git, Node 24, Python 3, the development dependencies, act 0.2.89 or newer, and the registries of npm and PyPI.
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHECKS, RUN_ELSEWHERE } from './checks.mjs'
import { findGaps } from './gaps.mjs'
import { ENGINE_CRASH, runCheck } from './run-check.mjs'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** How many checks run at the same time: most of the time they wait. */
const AT_ONCE = 3

/**
 * @param {string} act
 * @param {string} recipe
 * @param {import('./checks.mjs').Check} check
 * @returns {Promise<string[]>} what is to be printed, beginning with `  ok` if all is as it must be
 */
async function tryCheck(act, recipe, check) {
  const startedAt = performance.now()
  let problems = await runCheck(act, recipe, check)
  if (problems.includes(ENGINE_CRASH)) problems = await runCheck(act, recipe, check)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const verdict = `  ${problems.length === 0 ? 'ok' : 'FAILED'} (${seconds} s): ${check.name}`
  return [verdict, ...problems.map((problem) => problem.replaceAll(/^/gm, '    '))]
}

/**
 * @param {string} act
 * @param {readonly string[]} parts
 */
async function runAll(act, parts) {
  const gaps = findGaps(PROJECT, [...Object.keys(CHECKS), ...Object.keys(RUN_ELSEWHERE)])
  for (const gap of gaps) console.error(gap)
  let failed = gaps.length
  for (const [recipe, why] of Object.entries(RUN_ELSEWHERE)) console.log(`${recipe}\n  not run here: ${why}`)
  const chosen = Object.entries(CHECKS).filter(
    ([recipe]) => parts.length === 0 || parts.some((part) => recipe.includes(part)),
  )
  const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve(/** @type {string[]} */ ([])))
  let last = 0
  const begun = chosen.map(([recipe, checks]) => ({
    recipe,
    results: checks.map((check) => {
      const lane = (last += 1) % AT_ONCE
      return (lanes[lane] = /** @type {Promise<string[]>} */ (lanes[lane]).then(() => tryCheck(act, recipe, check)))
    }),
  }))
  for (const { recipe, results } of begun) {
    console.log(recipe)
    for (const result of results) {
      const lines = await result
      console.log(lines.join('\n'))
      if (lines.length > 1) failed += 1
    }
  }
  process.exitCode = failed === 0 ? 0 : 1
}

const [act, ...parts] = process.argv.slice(2)
if (act === undefined) {
  console.error('Give the path of act: node scripts/recipes/run-recipes.mjs <path of act> [part of a path ...]')
  process.exitCode = 2
} else {
  await runAll(resolve(act), parts)
}
