import { expect, test } from '@jest/globals'
import { TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { createIssueState } from '../../src/emulator/github/issue-state.ts'
import { type PullState, createPullState } from '../../src/emulator/github/pull-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { hasLabel } from '../../src/github/labels.ts'
import { withGitHub, type EmbeddedGitHubOptions } from '../../testing/github-client.ts'
import { commit, repositoryWithPull } from '../../testing/github-state.ts'

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
const closed = pull({ labels: ['docs-agent'], state: 'closed' })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const createRepository = (pulls: Record<number, PullState>) => createRepositoryState({ pulls })

/** Returns the numbers of the open pull requests, and the number of requests. */
const listOpen = (options: EmbeddedGitHubOptions) =>
  withGitHub(options, async (github, { operations }) => {
    const found = await github.listOpenPullRequests('acme/docs', 'docs-agent')
    return [found.map(({ number }) => number), operations.length]
  })

const opened = (count: number) =>
  Object.fromEntries(numbers(count).map((number) => [number, pull({ createdAtMs: number })]))

test.each([
  [7, 1],
  [100, 1],
  [101, 2],
  [900, 9],
])('lists all of %i open pull requests, oldest first, in %i requests', async (count, requests) => {
  const docs = createRepository({ ...opened(count), [count + 1]: closed })
  expect(await listOpen({ docs })).toEqual([numbers(count), requests])
})

test('beyond a thousand open pull requests, also lists those with the label', async () => {
  const old = { ...opened(1_200), 3: pull({ createdAtMs: 3, labels: ['docs-agent'] }) }
  const newest = numbers(1_200).slice(-1_000)
  expect(await listOpen({ docs: createRepository(old) })).toEqual([[3, ...newest], 11])
  const state = { permissions: { 'pull-requests': 'read' } } as const
  const [found] = await listOpen({ docs: createRepository(old), state })
  expect([found].flat().slice(-1_000)).toEqual(newest)
})

test.each([
  ['the list of pull requests', 'pulls/list'],
  ['the list of the label', 'issues/list-for-repo'],
])('fails if %s cannot be read', async (_what, operation) => {
  const faults = { [operation]: Array<number>(4).fill(500) }
  await expect(listOpen({ docs: createRepository(opened(1_200)), faults })).rejects.toMatchObject({
    code: 'service-error',
  })
})

test('finds the newest pull requests with a label, in any state, in one page', async () => {
  const byAgent = { user: 'docs-agent[bot]', createdAtMs: 1_000 }
  const docs = createRepositoryState({
    pulls: {
      ...Object.fromEntries(numbers(97).map((number) => [number, pull()])),
      101: pull({ ...byAgent, labels: ['DOCS-AGENT'] }),
      102: pull({ ...byAgent, labels: ['docs-agent'], state: 'closed' }),
      103: pull({ ...byAgent, labels: ['docs'] }),
    },
    issues: { 104: createIssueState({ createdAtMs: 1_000, labels: ['docs-agent'] }) },
  })
  // A token that cannot read issues lists them, too.
  const state = { permissions: { 'pull-requests': 'read' } } as const
  await withGitHub({ docs, state }, async (github, { operations }) => {
    const found = await github.listNewestPullRequests('acme/docs', 'docs-agent')
    const author = { login: 'docs-agent[bot]', type: 'Bot' }
    expect(found.map(({ number, author }) => [number, author])).toEqual([
      [102, author],
      [101, author],
    ])
    expect(operations).toEqual(['pulls/list'])
  })
})

test.each<[what: string, events: readonly (readonly [label: string, user: string])[], hasAdded: boolean]>([
  ['nobody', [], false],
  ['the token itself, in other case', [['DOCS-AGENT', TOKEN_USER]], true],
  [
    'the token itself, after a person',
    [
      ['docs-agent', 'mona'],
      ['docs-agent', TOKEN_USER],
    ],
    true,
  ],
  ['a person', [['docs-agent', 'mona']], false],
  ['the token itself, another label', [['docs', TOKEN_USER]], false],
])('returns whether the token itself has added a label: %s', async (_what, events, hasAdded) => {
  const labelEvents = events.map(([label, user], id) => ({ id, label, user, atMs: 0 }))
  const docs = createRepositoryState({ pulls: { 7: pull({ labelEvents }) } })
  await withGitHub({ docs }, async (github, { operations }) => {
    expect(await github.hasAddedLabel({ repository: 'acme/docs', number: 7 }, 'docs-agent')).toBe(hasAdded)
    const isOfLabel = ([label]: readonly [string, string]) => label.toLowerCase() === 'docs-agent'
    expect(operations).toEqual(['issues/list-events', ...(events.some(isOfLabel) ? ['graphql'] : [])])
  })
})

const [GET_LABEL, CREATE_LABEL] = ['issues/get-label', 'issues/create-label']

test('creates a label, and reads whether it exists', async () => {
  const docs = createRepositoryState()
  await withGitHub({ docs }, async (github) => {
    expect(await github.labelExists('acme/docs', 'docs-agent')).toBe(false)
    await github.createLabel('acme/docs', 'docs-agent')
    expect([docs.labels, await github.labelExists('acme/docs', 'Docs-Agent')]).toEqual([['docs-agent'], true])
  })
})

test.each<[GitHubFault, readonly string[]]>([
  [502, [CREATE_LABEL, CREATE_LABEL]],
  ['response-lost', [CREATE_LABEL, CREATE_LABEL, GET_LABEL]],
])('creates a label once if the first response is %s', async (fault, sent) => {
  const docs = createRepositoryState()
  await withGitHub({ docs, faults: { [CREATE_LABEL]: [fault] } }, async (github, { operations }) => {
    await github.createLabel('acme/docs', 'docs-agent')
    expect([docs.labels, operations]).toEqual([['docs-agent'], sent])
  })
})

test('accepts a label that somebody has created in the meantime, and no other refusal', async () => {
  const create = (options: EmbeddedGitHubOptions) =>
    withGitHub(options, async (github, { operations }) => {
      await github.createLabel('acme/docs', 'docs-agent')
      return operations
    })
  const docs = createRepositoryState({ labels: ['docs-agent'] })
  expect(await create({ docs })).toEqual([CREATE_LABEL, GET_LABEL])
  const refused = create({ docs: createRepositoryState(), faults: { [CREATE_LABEL]: [422] } })
  await expect(refused).rejects.toMatchObject({ code: 'not-found' })
})
