/**
 * Runs every workflow of docs/recipes, and the steps of docs/migrating.md, unchanged with act, a workflow engine:
 * against the embedded service, on this machine, without containers.
 *
 *   node scripts/recipes/run-recipes.ts <path of act> [part of a recipe's path ...]
 *
 * Needs Git, Node 24, Python 3, the development dependencies, act 0.2.89 or newer, and the registries of npm and PyPI.
 * Recipes that call gh are skipped if gh cannot reach the embedded GitHub.
 */
import { resolve } from 'node:path'
import { CHECKS } from './checks.ts'
import { ENGINE_CRASH, runCheck } from './run-check.ts'
import { findGh } from './run-environment.ts'
import { readWorkflowText } from './temporary-repositories.ts'

/** More than there are cores, because checks mostly wait. */
const MAX_CONCURRENT_CHECKS = 5

/** A rehearsal has a `gh` of its own. */
function callsGh(workflow: string): boolean {
  return workflow.includes('run: gh ') && !/uses: \S+\/emulator\b/.test(workflow)
}

/** `.ci/recipes` reports that recipes are skipped. */
const canRun = (recipe: string): boolean => findGh() !== undefined || !callsGh(readWorkflowText(recipe))

const [act = '', ...parts] = process.argv.slice(2)
const queue = Object.entries(CHECKS)
  .filter(([recipe]) => parts.length === 0 || parts.some((part) => recipe.includes(part)))
  .filter(([recipe]) => canRun(recipe))
  .flatMap(([recipe, checks]) => Object.entries(checks).map(([name, check]) => ({ recipe, name, check })))

async function work(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { recipe, name, check } = next
    const startedAt = performance.now()
    let problems = await runCheck(resolve(act), recipe, check)
    if (problems.includes(ENGINE_CRASH)) problems = await runCheck(resolve(act), recipe, check)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(`${problems.length === 0 ? 'ok' : 'FAILED'} (${seconds} s): ${recipe}: ${name}`)
    for (const problem of problems) console.log(problem.replaceAll(/^/gm, '    '))
    if (problems.length > 0) process.exitCode = 1
  }
}

await Promise.all(Array.from({ length: MAX_CONCURRENT_CHECKS }, work))
