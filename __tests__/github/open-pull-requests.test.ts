import { expect, test } from '@jest/globals'
import { listOpenPullRequests, listPeoplesCommits } from '../../src/github/open-pull-requests.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { commit, pullState, repositoryState, type PullState } from '../support/github-state.ts'

const holding = (pulls: Record<number, PullState>) => ({
  state: { repositories: { 'acme/docs': repositoryState({ pulls }) } },
})
const labelled = pullState({ labels: ['Docs-Agent'] })

test('lists the open pull requests with the label, oldest first', async () => {
  const server = holding({
    5: labelled,
    6: pullState(),
    7: pullState({ labels: ['docs-agent'], state: 'closed' }),
    8: labelled,
  })
  const found = await askingGitHub(server, ({ ask }) => listOpenPullRequests(ask, 'acme/docs', 'docs-agent'))
  expect(found).toEqual([
    { repository: 'acme/docs', number: 5, branch: 'docs-agent/guide' },
    { repository: 'acme/docs', number: 8, branch: 'docs-agent/guide' },
  ])
})

test('looks on more than one page', async () => {
  const others = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [index + 1, pullState()]))
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

test('gives the commits that no app has made', async () => {
  const commits = [
    { sha: commit('a'), message: 'Write the guide', author: 'agent', userType: 'Bot' },
    { sha: commit('b'), message: 'Mend a link', author: 'Ann', userType: 'User' },
  ] as const
  const found = await askingGitHub(holding({ 7: pullState({ commits: [...commits] }) }), ({ ask }) =>
    listPeoplesCommits(ask, { repository: 'acme/docs', number: 7 }),
  )
  expect(found).toEqual([{ sha: commit('b'), message: 'Mend a link', author: 'Ann' }])
})
