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
const AT_ONCE = 5

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
  const all = chosen.flatMap(([recipe, checks]) =>
    checks.map((check) => {
      /** @type {(lines: string[] | Promise<string[]>) => void} */
      let end = () => undefined
      /** @type {Promise<string[]>} */
      const lines = new Promise((resolve) => (end = resolve))
      return { recipe, check, lines, end }
    }),
  )
  const left = [...all]
  const work = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      one.end(tryCheck(act, one.recipe, one.check))
      await one.lines
    }
  }
  const ends = Array.from({ length: AT_ONCE }, work)
  let heading = ''
  for (const { recipe, lines } of all) {
    const told = await lines
    console.log([...(recipe === heading ? [] : [recipe]), ...told].join('\n'))
    heading = recipe
    if (told.length > 1) failed += 1
  }
  await Promise.all(ends)
  process.exitCode = failed === 0 ? 0 : 1
}

const [act, ...parts] = process.argv.slice(2)
if (act === undefined) {
  console.error('Give the path of act: node scripts/recipes/run-recipes.mjs <path of act> [part of a path ...]')
  process.exitCode = 2
} else {
  await runAll(resolve(act), parts)
}
