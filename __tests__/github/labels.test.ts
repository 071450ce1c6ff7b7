import { expect, test, describe } from '@jest/globals'
import { connectLabels, hasLabel } from '../../src/github/labels.ts'
import { askingGitHub, errorOf, answering } from '../support/github-client.ts'
import { repositoryWithPull, commit } from '../support/github-state.ts'
import { type PullState, pullState } from '../../src/emulator/github/pull-state.ts'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { issueState } from '../../src/emulator/github/issue-state.ts'

const ADDRESS = { repository: 'acme/docs', number: 7 }

test('a label is the same in other letters, and no label is none', () => {
  expect([hasLabel('Docs-Agent', ['docs', 'docs-agent']), hasLabel('docs-agent', ['docs'])]).toEqual([true, false])
  expect(hasLabel('', [''])).toBe(false)
})

test('one request puts a label on, and makes it where the repository does not know it', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async ({ ask, github }) => {
    await connectLabels(ask).addLabel(ADDRESS, 'docs-agent')
    expect(github.docs.labels).toEqual(['docs-agent'])
    expect(github.docs.pulls[7]?.labels).toEqual(['docs-agent'])
    expect(github.requests).toEqual(['issues/add-labels'])
  })
})

test('says which permission a label needs', async () => {
  const options = { docs: repositoryWithPull(), state: { permissions: { 'pull-requests': 'read' } } } as const
  const error = await askingGitHub(options, ({ ask }) => errorOf(connectLabels(ask).addLabel(ADDRESS, 'docs-agent')))
  expect(error).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('`pull-requests: write`') as unknown,
  })
})

const pull = (fields: Partial<PullState> = {}): PullState =>
  pullState({ branch: 'agent/guide', headSha: commit('c'), ...fields })
const labelled = pull({ labels: ['Docs-Agent'] })
const others = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, pull()]))
const list = (server: Parameters<typeof askingGitHub>[0]) =>
  askingGitHub(server, async ({ ask, github }) => {
    const found = await connectLabels(ask).listOpenPullRequests('acme/docs', 'docs-agent')
    return { numbers: found.map(({ number }) => number), asked: github.requests.length }
  })

const holding = (pulls: Record<number, PullState>) => ({ docs: repositoryState({ pulls }) })

test('lists the open pull requests with the label, oldest first', async () => {
  const server = holding({
    5: labelled,
    6: pull(),
    7: pull({ labels: ['docs-agent'], state: 'closed' }),
    8: labelled,
  })
  const found = await askingGitHub(server, ({ ask }) =>
    connectLabels(ask).listOpenPullRequests('acme/docs', 'docs-agent'),
  )
  expect(found).toEqual([
    { repository: 'acme/docs', number: 5 },
    { repository: 'acme/docs', number: 8 },
  ])
})

test('looks on more than one page', async () => {
  expect(await list(holding({ ...others(120), 200: labelled }))).toEqual({ numbers: [200], asked: 4 })
})

test('a list that GitHub does not give is no empty list', async () => {
  const server = { ...holding({ 5: labelled }), faults: { 'pulls/list': ['html'] } } as const
  expect(
    await askingGitHub(server, ({ ask }) => errorOf(connectLabels(ask).listOpenPullRequests('acme/docs', 'x'))),
  ).toMatchObject({
    code: 'bad-answer',
  })
})

test('one that moves to a page that was read, as another is closed, is found', async () => {
  const server = holding({ ...others(100), 101: labelled, 300: pull() })
  const beforeAnswer = (_operation: string, before: number): void => {
    const [first] = Object.values(server.docs.pulls)
    if (before === 1 && first !== undefined) first.state = 'closed'
  }
  expect(await list({ ...server, beforeAnswer })).toEqual({ numbers: [101], asked: 4 })
})

test('a page that is not full is not taken for the last one', async () => {
  const pages = [
    { number: 3, labels: [] },
    { number: 5, labels: [{ name: 'docs-agent' }] },
  ]
  const ask = answering({
    pulls: {
      list: ({ page }: { page: number }) =>
        Promise.resolve({
          data: [pages[page - 1]],
          headers: page === 1 ? { link: '<https://api.github.com/x?page=2>; rel="next"' } : {},
        }),
    },
  })
  expect(await connectLabels(ask).listOpenPullRequests('acme/docs', 'docs-agent')).toMatchObject([{ number: 5 }])
})

test('the list of a repository that was renamed is found by its old name', async () => {
  const moved = repositoryState({ movedTo: 'acme/manual' })
  const state = {
    repositories: { 'acme/docs': moved, 'acme/manual': repositoryState({ id: 2, pulls: { 5: labelled } }) },
  }
  const found = await askingGitHub({ state }, ({ ask }) =>
    connectLabels(ask).listOpenPullRequests('acme/docs', 'docs-agent'),
  )
  expect(found).toMatchObject([{ number: 5 }])
})

describe('the list of one label', () => {
  const find = (server: Parameters<typeof askingGitHub>[0], label = 'docs-agent') =>
    askingGitHub(server, async ({ ask, github }) => {
      const found = await connectLabels(ask).findLabelledPullRequests('acme/docs', label)
      return { numbers: found.map(({ number }) => number), asked: github.requests.length }
    })
  const docs = repositoryState({
    pulls: { ...others(300), 301: labelled, 302: pull({ labels: ['docs-agent'], state: 'closed' }), 304: labelled },
    issues: { 303: issueState({ labels: ['docs-agent'] }) },
  })

  test('has the pull requests that are open, and no issues, in one request', async () => {
    expect(await find({ docs }, 'DOCS-AGENT')).toEqual({ numbers: [301, 304], asked: 1 })
  })

  test.each([
    ['no issues', { state: { permissions: { 'pull-requests': 'read' } } }],
    ['no pull requests', { state: { permissions: { issues: 'read' } } }],
    ['nothing, as there are no issues', { faults: { 'issues/list-for-repo': [410] } }],
  ] as const)('is empty for a token that may read %s', async (_what, options) => {
    expect(await find({ docs, ...options })).toEqual({ numbers: [], asked: 1 })
  })

  test('is not empty where GitHub does not answer', async () => {
    const faults = { 'issues/list-for-repo': [500, 500, 500, 500] }
    await expect(find({ docs, faults })).rejects.toMatchObject({ code: 'service-error' })
  })
})
