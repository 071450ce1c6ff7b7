import { expect, test } from '@jest/globals'
import { pullState, repositoryState } from '../../src/emulator/github/state.ts'
import { openPull, pushCommit } from '../../src/emulator/github/repository-events.ts'
import { askingEmbedded } from '../support/embedded-github.ts'

test('gives all commits, oldest first, with the accounts that GitHub knows', async () => {
  const docs = repositoryState()
  const push = (branch: string, author: string, message: string): string =>
    pushCommit(docs, branch, { message, author, files: [] }, 0).sha
  push('main', 'mona', 'Begin')
  const shas = ['docs-agent[bot]', 'mona', 'Somebody Else'].map((author) => push('agent/x', author, `By ${author}`))
  const more = Array.from({ length: 120 }, (_, index) => push('agent/x', 'mona', `More ${index}`))
  openPull(docs, 7, pullState({ branch: 'agent/x', headSha: more.at(-1) ?? '' }), 0)

  const address = { repository: 'acme/docs', number: 7 }
  const found = await askingEmbedded({ docs }, (github) => github.listPullRequestCommits(address))
  expect(found.slice(0, 3)).toEqual([
    { sha: shas[0], author: { login: 'docs-agent[bot]', type: 'Bot' } },
    { sha: shas[1], author: { login: 'mona', type: 'User' } },
    { sha: shas[2], author: { login: '', type: '' } },
  ])
  expect(found).toHaveLength(123)
})
