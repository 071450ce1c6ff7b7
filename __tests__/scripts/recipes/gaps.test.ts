import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { CHECKS, RUN_ELSEWHERE, type Expected } from '../../../scripts/recipes/checks.mjs'
import { findGaps } from '../../../scripts/recipes/gaps.mjs'
import { root } from '../../support/markdown-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('every recipe is run by a check, and every check runs a workflow that is there', () => {
  expect(findGaps(root, [...Object.keys(CHECKS), ...Object.keys(RUN_ELSEWHERE)])).toEqual([])
  expect(Object.values(CHECKS).filter((checks) => checks.length === 0)).toEqual([])
})

test('a new recipe without a check is named, and a check without its recipe too', () => {
  const project = temporaryFolder()
  mkdirSync(join(project, 'docs/recipes'), { recursive: true })
  for (const name of ['known.yml', 'new.yml', 'README.md']) writeFileSync(join(project, 'docs/recipes', name), '')
  expect(findGaps(project, ['docs/recipes/known.yml', 'docs/recipes/gone.yml'])).toEqual([
    'docs/recipes/new.yml has no check. Add one to scripts/recipes/checks.mjs.',
    'scripts/recipes/checks.mjs names docs/recipes/gone.yml, which is not there.',
  ])
})

/** What the first lines of a recipe promise, and what a run that shows it looks like. */
const PROMISES: readonly (readonly [words: RegExp, shown: (expected: Expected) => boolean])[] = [
  [/\bstarts? no job|No new job/, ({ conclusion, prompts }) => conclusion === 'success' && prompts.length === 0],
  [/\b(?:is|are) red\b|is an error/, ({ conclusion }) => conclusion === 'failure'],
  [/adds? (?:commits )?to|a follow-up|to one job/, ({ prompts }) => prompts.some((to) => to.endsWith('/message'))],
  [/[Aa]fter a failed run the next one/, ({ conclusion, told = [] }) => conclusion === 'success' && told.length > 1],
  [/\bmerges the/, ({ commands = [] }) => commands.some((command) => command.startsWith('pr merge'))],
]

const recipes = Object.entries(CHECKS).filter(([path]) => path.startsWith('docs/recipes/'))

test.each(recipes)('the first lines of %s promise what a check of it shows', (path, checks) => {
  const head = readFileSync(`${root}${path}`, 'utf8')
    .replace(/^# Needs:[^]*/m, '')
    .replace(/\n# ?/g, ' ')
  const runs = checks.flatMap((check) => [check, ...(check.then ?? [])])
  const missing = PROMISES.filter(([words, shown]) => words.test(head) && !runs.some(({ expected }) => shown(expected)))
  expect(missing.map(([words]) => words.exec(head)?.[0])).toEqual([])
})
