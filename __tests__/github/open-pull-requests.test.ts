import { expect, test } from '@jest/globals'
import { type PullState, pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { listOpenPullRequests } from '../../src/github/open-pull-requests.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { commit } from '../support/github-state.ts'

const pull = (fields: Partial<PullState> = {}): PullState =>
  pullState({ branch: 'agent/guide', headSha: commit('c'), ...fields })
const labelled = pull({ labels: ['Docs-Agent'] })
const holding = (pulls: Record<number, PullState>) => ({ docs: repositoryState({ pulls }) })

test('lists the open pull requests with the label, oldest first', async () => {
  const server = holding({
    5: labelled,
    6: pull(),
    7: pull({ labels: ['docs-agent'], state: 'closed' }),
    8: labelled,
  })
  const found = await askingGitHub(server, ({ ask }) => listOpenPullRequests(ask, 'acme/docs', 'docs-agent'))
  expect(found).toEqual([
    { repository: 'acme/docs', number: 5, branch: 'agent/guide' },
    { repository: 'acme/docs', number: 8, branch: 'agent/guide' },
  ])
})

test('looks on more than one page', async () => {
  const others = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [index + 1, pull()]))
  const found = await askingGitHub(holding({ ...others, 200: labelled }), ({ ask }) =>
    listOpenPullRequests(ask, 'acme/docs', 'docs-agent'),
  )
  expect(found.map(({ number }) => number)).toEqual([200])
})

test('a list that GitHub does not give is no empty list', async () => {
  const server = { ...holding({ 5: labelled }), faults: { 'pulls/list': ['html'] } } as const
  expect(await askingGitHub(server, ({ ask }) => errorOf(listOpenPullRequests(ask, 'acme/docs', 'x')))).toMatchObject({
    code: 'bad-answer',
  })
})
