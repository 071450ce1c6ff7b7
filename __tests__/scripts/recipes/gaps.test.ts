import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { CHECKS, RUN_ELSEWHERE } from '../../../scripts/recipes/checks.mjs'
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
