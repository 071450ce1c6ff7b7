import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Expected } from '../../../scripts/recipes/check.ts'
import { CHECKS } from '../../../scripts/recipes/checks.ts'
import { findGaps } from '../../../scripts/recipes/gaps.ts'
import { root } from '../../support/markdown-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('every recipe is run by a check, and every check runs a workflow that is there', () => {
  expect(findGaps(root, Object.keys(CHECKS))).toEqual([])
  expect(Object.values(CHECKS).filter((checks) => checks.length === 0)).toEqual([])
})

test('a new recipe without a check is named, and a check without its recipe too', () => {
  const project = temporaryFolder()
  mkdirSync(join(project, 'docs/recipes'), { recursive: true })
  for (const name of ['known.yml', 'new.yml', 'README.md']) writeFileSync(join(project, 'docs/recipes', name), '')
  expect(findGaps(project, ['docs/recipes/known.yml', 'docs/recipes/gone.yml'])).toEqual([
    'docs/recipes/new.yml has no check. Add one to scripts/recipes/checks.ts.',
    'scripts/recipes/checks.ts names docs/recipes/gone.yml, which is not there.',
  ])
})

/** What the first lines of a recipe promise, and what a run that shows it looks like. */
const PROMISES: readonly (readonly [words: RegExp, shown: (expected: Expected) => boolean])[] = [
  [/\bstarts? no job|No new job/, ({ isRed, prompts }) => !isRed && prompts === undefined],
  [/\b(?:is|are) red\b|is an error/, ({ isRed }) => isRed === true],
  [/adds? (?:commits )?to|a follow-up|to one job/, ({ prompts = [] }) => prompts.some((to) => to.startsWith('job_'))],
  [/starts (?:a new job|another)/, ({ prompts }) => prompts?.join() === 'new'],
  [/[Aa]fter a failed run the next one/, ({ isRed, told = [] }) => !isRed && told.length > 1],
  [/\bmerges the/, ({ isRed, commands = [] }) => !isRed && commands.some((text) => text.startsWith('pr merge'))],
  [/refuses the merge/, ({ isRed, commands }) => isRed === true && commands !== undefined],
  [/from forks: nothing runs/, ({ jobs }) => jobs?.length === 0],
]

const recipes = Object.entries(CHECKS).filter(([path]) => path.startsWith('docs/recipes/'))

test.each(recipes)('the first lines of %s promise what a check of it shows', (path, checks) => {
  const head = readFileSync(`${root}${path}`, 'utf8')
    .replace(/^# Needs:[^]*/m, '')
    .replace(/\n# ?/g, ' ')
  const runs = checks.flatMap((check) => check.runs)
  const missing = PROMISES.filter(([words, shown]) => words.test(head) && !runs.some(shown))
  expect(missing.map(([words]) => words.exec(head)?.[0])).toEqual([])
})
