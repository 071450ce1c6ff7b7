import { expect, test } from '@jest/globals'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { connectTags } from '../../src/github/tags.ts'
import { askingGitHub } from '../support/github-client.ts'
import { commit, madeCommit } from '../support/github-state.ts'

test('lists the tags of all pages', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `v${index}`)
  const tags = Object.fromEntries(names.map((name) => [name, commit('a')]))
  const docs = repositoryState({ commits: [madeCommit({ sha: commit('a') })], tags })
  const found = await askingGitHub({ docs }, ({ ask }) => connectTags(ask).listTags('acme/docs'))
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(names))
  expect(found[0]?.sha).toBe(commit('a'))
})
