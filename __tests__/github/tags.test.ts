import { expect, test } from '@jest/globals'
import { listTags } from '../../src/github/tags.ts'
import { askingGitHub } from '../support/github-client.ts'
import { repositoryState } from '../support/github-state.ts'

test('lists the tags of all pages', async () => {
  const tags = Array.from({ length: 120 }, (_, index) => `v${index}`)
  const state = { repositories: { 'acme/docs': repositoryState({ tags }) } }
  expect(await askingGitHub({ state }, ({ ask }) => listTags(ask, 'acme/docs'))).toEqual(tags)
})
