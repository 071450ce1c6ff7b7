import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findReaderRepository } from '../../../../scripts/start/workflow/reader-repository.ts'
import { createTemporaryFolder } from '../../../support/temporary-folder.ts'

test('a clone has the name of its remote, and another repository that of its folder', () => {
  const folder = join(createTemporaryFolder(), 'web')
  const file = join(folder, '.github/workflows/docs.yml')
  expect(findReaderRepository(file)).toEqual({ folder, name: 'acme/web' })
  mkdirSync(join(folder, '.git'), { recursive: true })
  writeFileSync(join(folder, '.git/config'), '[remote "origin"]\n  url = git@github.com:me/site.git\n')
  expect(findReaderRepository(file).name).toBe('me/site')
})

test.each(['docs.yml', 'my web/.github/workflows/docs.yml'])(
  'the repository of %s is not the docs repository',
  (file) => {
    expect(findReaderRepository(join(createTemporaryFolder(), file)).name).toBe('acme/code')
  },
)
