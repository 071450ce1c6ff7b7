/**
 * Runs every workflow of docs/recipes, and the steps of docs/migrating.md, under act, a real workflow engine, as it stands in
 * the file: against the embedded service, on this machine itself, without containers. A recipe that nobody checks is an error.
 *
 *   node scripts/recipes/run-recipes.ts <path of act> [part of a recipe's path ...]
 *
 * Needs Git, Node 24, Python 3, the development dependencies, act 0.2.89 or newer, and the registries of npm and PyPI.
 */
import { resolve } from 'node:path'
import { root } from '../../__tests__/support/markdown-files.ts'
import type { Check } from './check.ts'
import { CHECKS } from './checks.ts'
import { findGaps } from './gaps.ts'
import { ENGINE_CRASH, runCheck } from './run-check.ts'

/** How many checks run at the same time: most of the time they wait. */
const AT_ONCE = 5

/** @returns what is to be printed, one line if all is as it must be */
async function tryCheck(act: string, recipe: string, check: Check): Promise<string[]> {
  const startedAt = performance.now()
  let problems = await runCheck(act, recipe, check)
  if (problems.includes(ENGINE_CRASH)) problems = await runCheck(act, recipe, check)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const verdict = `  ${problems.length === 0 ? 'ok' : 'FAILED'} (${seconds} s): ${check.name}`
  return [verdict, ...problems.map((problem) => problem.replaceAll(/^/gm, '    '))]
}

async function runAll(act: string, parts: readonly string[]): Promise<void> {
  const gaps = findGaps(root, Object.keys(CHECKS))
  for (const gap of gaps) console.error(gap)
  const all = Object.entries(CHECKS)
    .filter(([recipe]) => parts.length === 0 || parts.some((part) => recipe.includes(part)))
    .flatMap(([recipe, checks]) => checks.map((check) => ({ recipe, check })))
  const left = [...all.entries()]
  const told: string[][] = []
  let printed = 0
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { recipe, check }] = next
      const lines = await tryCheck(act, recipe, check)
      told[index] = recipe === all[index - 1]?.recipe ? lines : [recipe, ...lines]
      // In the order of the list.
      for (let ended = told[printed]; ended !== undefined; ended = told[++printed]) console.log(ended.join('\n'))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const isGood = gaps.length === 0 && told.every((lines) => lines.some((line) => line.startsWith('  ok')))
  process.exitCode = isGood ? 0 : 1
}

const [act, ...parts] = process.argv.slice(2)
if (act === undefined) {
  console.error('Give the path of act: node scripts/recipes/run-recipes.ts <path of act> [part of a path ...]')
  process.exitCode = 2
} else {
  await runAll(resolve(act), parts)
}
