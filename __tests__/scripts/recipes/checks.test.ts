import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { Check, Expected } from '../../../scripts/recipes/check.ts'
import { CHECKS } from '../../../scripts/recipes/checks.ts'
import { root } from '../../../testing/markdown-files.ts'
import { CENTRAL_RECIPE } from '../../../testing/workflow-files.ts'

/** The checks of a recipe; those of its caller if it only runs when another recipe calls it. */
const getChecks = (path: string): Readonly<Record<string, Check>> =>
  CHECKS[path === CENTRAL_RECIPE ? 'docs/recipes/organisation-caller.yml' : path] ?? {}

const recipes = readdirSync(`${root}docs/recipes`).map((name) => `docs/recipes/${name}`)

test('every recipe is run by a check, and every check runs a workflow that exists; if not, see scripts/recipes/checks.ts', () => {
  expect(recipes.filter((path) => Object.keys(getChecks(path)).length === 0)).toEqual([])
  expect(Object.keys(CHECKS).filter((path) => !existsSync(`${root}${path}`))).toEqual([])
})

/** What the first lines of a recipe promise, and what a run that shows it looks like. */
const PROMISES: readonly (readonly [words: RegExp, shown: (expected: Expected) => boolean])[] = [
  [/\bstarts? no job|No new job/, ({ isRed, prompts }) => !isRed && prompts === undefined],
  [/\b(?:is|are) red\b|is an error/, ({ isRed }) => isRed === true],
  [/adds? (?:commits )?to|a follow-up|to one job/, ({ prompts = [] }) => prompts.some((to) => /(?:^| )job_/.test(to))],
  [/starts (?:a new job|another)/, ({ prompts }) => prompts?.join() === 'new'],
  [/[Aa]fter a failed run the next one/, ({ isRed, promptTexts: texts = [] }) => !isRed && texts.length > 1],
  [/\bmerges the/, ({ isRed, commands = [] }) => !isRed && commands.some((text) => text.startsWith('pr merge'))],
  [/refuses the merge/, ({ isRed, commands }) => isRed === true && commands !== undefined],
  [/from forks: nothing runs/, ({ jobs }) => jobs?.length === 0],
]

test.each(recipes)('the first lines of %s promise what a check of it shows', (path) => {
  const head = readFileSync(`${root}${path}`, 'utf8')
    .replace(/^# Needs:[^]*/m, '')
    .replace(/\n# ?/g, ' ')
  const runs = Object.values(getChecks(path)).flatMap((check) => check.runs)
  const missing = PROMISES.filter(([words, shown]) => words.test(head) && !runs.some(shown))
  expect(missing.map(([words]) => words.exec(head)?.[0])).toEqual([])
})
