/**
 * Runs every workflow of docs/recipes, and the merge steps of a page, unchanged with act, a workflow engine: against
 * the embedded service, on this machine, without containers.
 *
 *   node scripts/recipes/run-recipes.ts <path of act> <path of gojq> [part of a recipe's path ...]
 *
 * Needs Git, Node 24, Python 3, the development dependencies, act 0.2.89 or newer, gojq, and the registries of npm and
 * PyPI.
 */
import { resolve } from 'node:path'
import { CHECKS } from './checks.ts'
import { ENGINE_CRASH, runCheck } from './run-check.ts'

/** More than there are cores, because checks mostly wait. */
const MAX_CONCURRENT_CHECKS = 8
/** Parts of the paths of recipes that take longest, and therefore start first. */
const LONGEST = ['rehearse', 'before-auto-merge', 'many-projects', 'organisation', 'self-test']

function getRank(recipe: string): number {
  const rank = LONGEST.findIndex((part) => recipe.includes(part))
  return rank < 0 ? LONGEST.length : rank
}

const [act = '', gojq = '', ...parts] = process.argv.slice(2)
const programs = { act: resolve(act), gojq: resolve(gojq) }
const queue = Object.entries(CHECKS)
  .filter(([recipe]) => parts.length === 0 || parts.some((part) => recipe.includes(part)))
  .toSorted(([a], [b]) => getRank(a) - getRank(b))
  .flatMap(([recipe, checks]) => Object.entries(checks).map(([name, check]) => ({ recipe, name, check })))

async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { recipe, name, check } = next
    const startedAt = performance.now()
    let problems = await runCheck(programs, recipe, check)
    if (problems.includes(ENGINE_CRASH)) problems = await runCheck(programs, recipe, check)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(`${problems.length === 0 ? 'ok' : 'FAILED'} (${seconds} s): ${recipe}: ${name}`)
    for (const problem of problems) console.log(problem.replaceAll(/^/gm, '    '))
    if (problems.length > 0) process.exitCode = 1
  }
}

await Promise.all(Array.from({ length: MAX_CONCURRENT_CHECKS }, work))
