import { expect, test } from '@jest/globals'
import { issueState } from '../../src/emulator/github/issue-state.ts'
import { type PullState, pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { hasLabel } from '../../src/github/labels.ts'
import { askingGitHub, type AskingOptions } from '../support/github-client.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'

test('a label is the same in other letters, and no label is none', () => {
  expect([hasLabel('Docs-Agent', ['docs', 'docs-agent']), hasLabel('docs-agent', ['docs'])]).toEqual([true, false])
  expect(hasLabel('', [''])).toBe(false)
})

test('one request puts a label on, and makes it where the repository does not know it', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async (github, { docs, asked }) => {
    await github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs-agent')
    expect([docs.labels, docs.pulls[7]?.labels, asked]).toEqual([['docs-agent'], ['docs-agent'], ['issues/add-labels']])
  })
})

test('without `issues: write` a label that exists is added, and a label that does not exist is not created', async () => {
  const state = { permissions: { 'pull-requests': 'write' } } as const
  const docs = repositoryWithPull({}, { labels: ['docs'] })
  await askingGitHub({ docs, state }, async (github) => {
    await github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs')
    const refused = github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs-agent')
    await expect(refused).rejects.toMatchObject({ code: 'forbidden', hint: expect.stringContaining('issues: write') })
    expect([docs.labels, docs.pulls[7]?.labels]).toEqual([['docs'], ['docs']])
  })
})

const pull = (fields: Partial<PullState> = {}): PullState =>
  pullState({ branch: 'agent/guide', headSha: commit('c'), ...fields })
const labelled = pull({ labels: ['Docs-Agent'] })
const closed = pull({ labels: ['docs-agent'], state: 'closed' })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const others = (count: number) => Object.fromEntries(numbers(count).map((number) => [number, pull()]))
const holding = (pulls: Record<number, PullState>) => repositoryState({ pulls })

/** The numbers of the open pull requests, and of requests for them. */
const list = (options: AskingOptions) =>
  askingGitHub(options, async (github, { asked }) => {
    const found = await github.listOpenPullRequests('acme/docs')
    return [...found.map(({ number }) => number), `${asked.length} requests`]
  })

test('lists all open pull requests, oldest first, and more pages than one twice', async () => {
  const one = holding({ 8: labelled, 5: labelled, 6: pull(), 7: closed })
  expect(await list({ docs: one })).toEqual([5, 6, 8, '1 requests'])
  const [many, requests] = [numbers(120), '4 requests']
  expect(await list({ docs: holding({ ...others(120), 200: labelled }) })).toEqual([...many, 200, requests])
})

test('one that moves to a page that was read, as another is closed, is found', async () => {
  const docs = holding({ ...others(100), 101: labelled, 300: pull() })
  const beforeAnswer = (_operation: string, before: number): void => {
    const [first] = Object.values(docs.pulls)
    if (before === 1 && first !== undefined) first.state = 'closed'
  }
  expect(await list({ docs, beforeAnswer })).toEqual([...numbers(101), 300, '4 requests'])
})

test.each([
  [7, true, 7, 1],
  [100, true, 100, 1],
  [101, true, 101, 4],
  [1_100, false, 1_000, 20],
])(
  'of %i open pull requests, that all are among the newest is %j: it lists %i, oldest first, in %i requests',
  async (count, isWhole, listed, requests) => {
    const pulls = Object.fromEntries(numbers(count).map((number) => [number, pull({ createdAtMs: number })]))
    const docs = holding({ ...pulls, [count + 1]: closed })
    await askingGitHub({ docs }, async (github, { asked }) => {
      const found = await github.listNewestOpenPullRequests('acme/docs')
      expect(found.pullRequests.map(({ number }) => number)).toEqual(numbers(count).slice(-listed))
      expect([found.isWhole, asked.length]).toEqual([isWhole, requests])
    })
  },
)

test('a new pull request that moves to a page that was read, as another is closed, is found', async () => {
  const pulls = Object.fromEntries(numbers(150).map((number) => [number, pull({ createdAtMs: number })]))
  const docs = holding(pulls)
  const beforeAnswer = (_operation: string, before: number): void => {
    const [newest] = Object.values(docs.pulls).slice(-1)
    if (before === 1 && newest !== undefined) newest.state = 'closed'
  }
  await askingGitHub({ docs, beforeAnswer }, async (github) => {
    const { pullRequests } = await github.listNewestOpenPullRequests('acme/docs')
    expect(pullRequests.map(({ number }) => number)).toEqual(numbers(150))
  })
})

const docs = repositoryState({
  pulls: { ...others(300), 301: labelled, 302: closed, 304: labelled },
  issues: { 303: issueState({ labels: ['docs-agent'] }) },
})

test.each<[string, AskingOptions, readonly number[] | undefined]>([
  ['the open pull requests and no issues', {}, [301, 304]],
  [
    'nothing known for a token that cannot read issues',
    { state: { permissions: { 'pull-requests': 'read' } } },
    undefined,
  ],
  ['nothing for a token that cannot read pull requests', { state: { permissions: { issues: 'read' } } }, []],
  ['nothing known where there are no issues', { faults: { 'issues/list-for-repo': [410] } }, undefined],
])('the list of one label holds %s, in one request', async (_what, options, numbers) => {
  await askingGitHub({ docs, ...options }, async (github, { asked }) => {
    const found = await github.findLabelledPullRequests('acme/docs', 'DOCS-AGENT')
    expect(found).toEqual(numbers?.map((number) => ({ repository: 'acme/docs', number })))
    expect(asked).toHaveLength(1)
  })
})

test('the list of one label is not empty where GitHub does not answer', async () => {
  const faults = { 'issues/list-for-repo': Array<number>(4).fill(500) }
  const asked = askingGitHub({ docs, faults }, (github) => github.findLabelledPullRequests('acme/docs', 'docs-agent'))
  await expect(asked).rejects.toMatchObject({ code: 'service-error' })
})

const byAgent = { user: 'docs-agent[bot]' }
const AGENT = { login: 'docs-agent[bot]', type: 'Bot' }
const [LIST_OF_LABEL, LIST] = ['issues/list-for-repo', 'pulls/list']

test.each<[string, AskingOptions, readonly string[]]>([
  ['one page of the list of the label', {}, [LIST_OF_LABEL]],
  [
    'a page of all pull requests, for a token that cannot read issues',
    { state: { permissions: { 'pull-requests': 'read' } } },
    [LIST_OF_LABEL, LIST],
  ],
  [
    'a page of all pull requests, in a repository without issues',
    { faults: { [LIST_OF_LABEL]: [410] } },
    [LIST_OF_LABEL, LIST],
  ],
])('finds the newest pull requests with a label, in any state, in %s', async (_what, options, requests) => {
  const opened = { createdAtMs: 1_000, ...byAgent }
  const docs = repositoryState({
    pulls: {
      ...others(99),
      101: pull({ ...opened, labels: ['DOCS-AGENT'] }),
      102: pull({ ...opened, labels: ['docs-agent'], state: 'closed' }),
      103: pull({ ...opened, labels: ['docs'] }),
    },
    issues: { 104: issueState({ createdAtMs: 1_000, labels: ['docs-agent'] }) },
  })
  await askingGitHub({ docs, ...options }, async (github, { asked }) => {
    const found = await github.listNewestPullRequests('acme/docs', 'docs-agent')
    expect(found.map(({ number, author }) => [number, author])).toEqual([
      [102, AGENT],
      [101, AGENT],
    ])
    expect(asked).toEqual(requests)
  })
})
