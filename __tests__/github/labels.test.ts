import { expect, test } from '@jest/globals'
import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import { type PullState, createPullState } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { hasLabel } from '../../src/github/labels.ts'
import { withGitHub, type EmbeddedGitHubOptions } from '../support/github-client.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'

test('compares labels without case, and never finds an empty label', () => {
  expect([hasLabel('Docs-Agent', ['docs', 'docs-agent']), hasLabel('docs-agent', ['docs'])]).toEqual([true, false])
  expect(hasLabel('', [''])).toBe(false)
})

test('adds a label in one request, and creates it if it does not exist', async () => {
  await withGitHub({ docs: repositoryWithPull() }, async (github, { docs, operations }) => {
    await github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs-agent')
    expect([docs.labels, docs.pulls[7]?.labels, operations]).toEqual([
      ['docs-agent'],
      ['docs-agent'],
      ['issues/add-labels'],
    ])
  })
})

test('without `issues: write` a label that exists is added, and a label that does not exist is not created', async () => {
  const state = { permissions: { 'pull-requests': 'write' } } as const
  const docs = repositoryWithPull({}, { labels: ['docs'] })
  await withGitHub({ docs, state }, async (github) => {
    await github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs')
    const refused = github.addLabel({ repository: 'acme/docs', number: 7 }, 'docs-agent')
    await expect(refused).rejects.toMatchObject({ code: 'forbidden', hint: expect.stringContaining('issues: write') })
    expect([docs.labels, docs.pulls[7]?.labels]).toEqual([['docs'], ['docs']])
  })
})

const pull = (fields: Partial<PullState> = {}): PullState =>
  createPullState({ branch: 'agent/guide', headSha: commit('c'), ...fields })
const labelled = pull({ labels: ['Docs-Agent'] })
const closed = pull({ labels: ['docs-agent'], state: 'closed' })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const others = (count: number) => Object.fromEntries(numbers(count).map((number) => [number, pull()]))
const createRepository = (pulls: Record<number, PullState>) => createRepositoryState({ pulls })

/** Returns the numbers of the open pull requests, and the number of requests. */
const listOpen = (options: EmbeddedGitHubOptions) =>
  withGitHub(options, async (github, { operations }) => {
    const found = await github.listOpenPullRequests('acme/docs')
    return [...found.map(({ number }) => number), `${operations.length} requests`]
  })

test('lists all open pull requests, oldest first, and reads several pages twice', async () => {
  const one = createRepository({ 8: labelled, 5: labelled, 6: pull(), 7: closed })
  expect(await listOpen({ docs: one })).toEqual([5, 6, 8, '1 requests'])
  const [many, requests] = [numbers(120), '4 requests']
  expect(await listOpen({ docs: createRepository({ ...others(120), 200: labelled }) })).toEqual([
    ...many,
    200,
    requests,
  ])
})

test('finds a pull request that moves to an earlier page because another is closed', async () => {
  const docs = createRepository({ ...others(100), 101: labelled, 300: pull() })
  const onBeforeResponse = (_operation: string, before: number): void => {
    const [first] = Object.values(docs.pulls)
    if (before === 1 && first !== undefined) first.state = 'closed'
  }
  expect(await listOpen({ docs, onBeforeResponse })).toEqual([...numbers(101), 300, '4 requests'])
})

test.each([
  [7, true, 7, 1],
  [100, true, 100, 1],
  [101, true, 101, 4],
  [1_100, false, 1_000, 20],
])(
  'of %i open pull requests (all are listed: %j) lists the newest %i, oldest first, in %i requests',
  async (count, isComplete, listed, requests) => {
    const pulls = Object.fromEntries(numbers(count).map((number) => [number, pull({ createdAtMs: number })]))
    const docs = createRepository({ ...pulls, [count + 1]: closed })
    await withGitHub({ docs }, async (github, { operations }) => {
      const found = await github.listNewestOpenPullRequests('acme/docs')
      expect(found.pullRequests.map(({ number }) => number)).toEqual(numbers(count).slice(-listed))
      expect([found.isComplete, operations.length]).toEqual([isComplete, requests])
    })
  },
)

test('finds an old pull request that moves to the first page because a new one is closed', async () => {
  const pulls = Object.fromEntries(numbers(150).map((number) => [number, pull({ createdAtMs: number })]))
  const docs = createRepository(pulls)
  const onBeforeResponse = (_operation: string, before: number): void => {
    const [newest] = Object.values(docs.pulls).slice(-1)
    if (before === 1 && newest !== undefined) newest.state = 'closed'
  }
  await withGitHub({ docs, onBeforeResponse }, async (github) => {
    const { pullRequests } = await github.listNewestOpenPullRequests('acme/docs')
    expect(pullRequests.map(({ number }) => number)).toEqual(numbers(150))
  })
})

const docs = createRepositoryState({
  pulls: { ...others(300), 301: labelled, 302: closed, 304: labelled },
  issues: { 303: createIssueState({ labels: ['docs-agent'] }) },
})

test.each<[string, EmbeddedGitHubOptions, readonly number[] | undefined]>([
  ['the open pull requests, without issues', {}, [301, 304]],
  ['`undefined` if the token cannot read issues', { state: { permissions: { 'pull-requests': 'read' } } }, undefined],
  ['nothing if the token cannot read pull requests', { state: { permissions: { issues: 'read' } } }, []],
  ['`undefined` if issues are switched off', { faults: { 'issues/list-for-repo': [410] } }, undefined],
])('the list of a label is %s, in one request', async (_what, options, numbers) => {
  await withGitHub({ docs, ...options }, async (github, { operations }) => {
    const found = await github.findLabelledPullRequests('acme/docs', 'DOCS-AGENT')
    expect(found).toEqual(numbers?.map((number) => ({ repository: 'acme/docs', number })))
    expect(operations).toHaveLength(1)
  })
})

test('fails instead of returning an empty list of a label', async () => {
  const faults = { 'issues/list-for-repo': Array<number>(4).fill(500) }
  const list = withGitHub({ docs, faults }, (github) => github.findLabelledPullRequests('acme/docs', 'docs-agent'))
  await expect(list).rejects.toMatchObject({ code: 'service-error' })
})

const byAgent = { user: 'docs-agent[bot]' }
const AGENT = { login: 'docs-agent[bot]', type: 'Bot' }
const [LABEL_LIST, LIST] = ['issues/list-for-repo', 'pulls/list']

test.each<[string, EmbeddedGitHubOptions, readonly string[]]>([
  ['one page of the label’s list', {}, [LABEL_LIST]],
  [
    'a page of all pull requests, for a token that cannot read issues',
    { state: { permissions: { 'pull-requests': 'read' } } },
    [LABEL_LIST, LIST],
  ],
  [
    'a page of all pull requests, in a repository without issues',
    { faults: { [LABEL_LIST]: [410] } },
    [LABEL_LIST, LIST],
  ],
])('finds the newest pull requests with a label, in any state, by %s', async (_what, options, requests) => {
  const opened = { createdAtMs: 1_000, ...byAgent }
  const docs = createRepositoryState({
    pulls: {
      ...others(99),
      101: pull({ ...opened, labels: ['DOCS-AGENT'] }),
      102: pull({ ...opened, labels: ['docs-agent'], state: 'closed' }),
      103: pull({ ...opened, labels: ['docs'] }),
    },
    issues: { 104: createIssueState({ createdAtMs: 1_000, labels: ['docs-agent'] }) },
  })
  await withGitHub({ docs, ...options }, async (github, { operations }) => {
    const found = await github.listNewestPullRequests('acme/docs', 'docs-agent')
    expect(found.map(({ number, author }) => [number, author])).toEqual([
      [102, AGENT],
      [101, AGENT],
    ])
    expect(operations).toEqual(requests)
  })
})
