import { expect, test } from '@jest/globals'
import type { ComparedCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest } from '../../../src/github/pull-requests.ts'
import {
  changedFile,
  comparing,
  mergedBy,
  PULL_REQUEST,
  pullCommits,
  PUSH,
  createGitHubError,
  rejectWith,
} from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'
import { containing, playChange, type Responses, type Given, type GivenEvent } from '../../../testing/play-change.ts'

const SKIP = { 'skip-labels': 'no-docs\ninternal', 'change-context': 'files' }
const ANN = { login: 'ann', type: 'User' }
const SCHEDULE: GivenEvent = ['schedule']
const PUSHED: GivenEvent = ['push', PUSH]

const createCommit = (digit: string, message = `Change ${digit}`): ComparedCommit => ({
  sha: commit(digit),
  message,
  author: 'Ann',
  account: { login: 'ann', type: 'User' },
})

interface Merged {
  readonly pull: ListedPullRequest
  /** The commits of the pull request, by their digits. */
  readonly digits: string
}

const merged = (number: number, digits: string, ...labels: string[]): Merged => ({
  pull: { ...mergedBy(number, ...labels), author: { login: 'ann', type: 'User' } },
  digits,
})

/** A range of commits that changes files. */
function range(digits: string, files: string, ...pulls: readonly Merged[]): Partial<GitHub> {
  const commits = Array.from(digits).map((digit) => createCommit(digit))
  const findSources = (sha: string) =>
    pulls.filter(({ digits }) => Array.from(digits).some((digit) => commit(digit) === sha))
  const find = (number: number) => pulls.find(({ pull }) => pull.number === number)
  return {
    ...comparing({
      commits,
      totalCommits: commits.length,
      files: files.split(' ').map(changedFile),
    }),
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(findSources(sha).map(({ pull }) => pull)),
    listPullRequestCommits: ({ number }) =>
      Promise.resolve(pullCommits(...Array.from(find(number)?.digits ?? '').map((digit) => ({ sha: commit(digit) })))),
    listComments: () => Promise.resolve([]),
  }
}

const EXEMPT = merged(12, 'b', 'No-Docs')
const ALSO_EXEMPT = merged(13, 'cd', 'internal', 'bug')
const COUNTED = merged(14, 'ef', 'bug')
const MIXED = range('bcdef', 'src/a.ts src/c.ts src/e.ts', EXEMPT, ALSO_EXEMPT, COUNTED)
const WITH_DIRECT = range('bcd9', 'src/a.ts src/c.ts direct.ts', EXEMPT, ALSO_EXEMPT)
const EVERYTHING = 'These pull requests need no documentation: #12, #13.'

interface Expected {
  readonly skip?: string
  /** Texts that the prompt must contain. */
  readonly has?: readonly string[]
  /** Texts that the prompt must not contain. */
  readonly lacks?: readonly string[]
  readonly calls?: unknown
}

const pull = (...labels: readonly string[]) => ({
  pull_request: {
    number: 12,
    labels: labels.map((name) => ({ name })),
    base: { sha: commit('a') },
    head: { sha: commit('b') },
  },
})

const QUEUE = 'refs/heads/gh-readonly-queue/main/pr-12-abc'
const QUEUED: GivenEvent = [
  'merge_group',
  { merge_group: { base_sha: commit('a'), head_sha: commit('b'), head_ref: QUEUE } },
]
const readingWith = (...labels: readonly string[]): Partial<GitHub> => ({
  readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, number, labels, author: ANN }),
  listComments: () => Promise.resolve([]),
})

const BUILT: GivenEvent = [
  'workflow_run',
  {
    workflow_run: {
      event: 'push',
      head_sha: commit('b'),
      head_branch: 'release',
      pull_requests: [12, 13].map((number) => ({ number, base: { sha: commit('a'), repo: { id: 1 } } })),
    },
    repository: { id: 1, default_branch: 'main' },
  },
]

/** @param labels of each pull request, by number */
const labelled = (labels: Readonly<Record<number, readonly string[]>>): Partial<GitHub> => ({
  readPullRequest: ({ number }) =>
    Promise.resolve({ ...PULL_REQUEST, number, labels: labels[number] ?? [], author: ANN }),
  listComments: () => Promise.resolve([]),
})

const COMMENTED: GivenEvent = [
  'issue_comment',
  { issue: { number: 12, pull_request: {} }, comment: { id: 1, body: 'Hi.' } },
]

type Row = [what: string, given: Given, event: GivenEvent, responses: Responses, expected: Expected]
test.each<Row>([
  ['skips a push of an exempt pull request', {}, PUSHED, range('b', 'a', EXEMPT), { skip: '#12.' }],
  [
    'skips a range of exempt pull requests',
    {},
    SCHEDULE,
    range('bcd', 'a', EXEMPT, ALSO_EXEMPT),
    { skip: '#12, #13.' },
  ],
  [
    'sends everything if a commit came from another pull request, and names the exempt ones',
    {},
    SCHEDULE,
    MIXED,
    { has: [EVERYTHING, 'Change b', 'Change f', '5 commits', 'src/a.ts', 'src/e.ts'] },
  ],
  [
    'sends everything if a commit was pushed directly',
    {},
    SCHEDULE,
    WITH_DIRECT,
    { has: [EVERYTHING, 'Change b', 'Change 9', 'src/a.ts', 'direct.ts'] },
  ],
  [
    'sends a push without a pull request',
    {},
    PUSHED,
    range('b', 'src/a.ts'),
    { has: ['Change b'], lacks: ['need no documentation'] },
  ],
  [
    'sends a commit that also came from a pull request that is not exempt',
    {},
    SCHEDULE,
    range('b', 'src/a.ts', EXEMPT, merged(16, 'b', 'src/a.ts')),
    { has: ['Change b', 'These pull requests need no documentation: #12.'] },
  ],
  [
    'sends a commit of an open pull request with the label',
    {},
    SCHEDULE,
    range('b', 'src/a.ts', { ...EXEMPT, pull: { ...EXEMPT.pull, state: 'open' } }),
    { has: ['Change b'], lacks: ['need no documentation'] },
  ],
  [
    'sends a change if GitHub does not list all its commits',
    {},
    SCHEDULE,
    { ...range('b', 'src/a.ts', EXEMPT), ...comparing({ commits: [createCommit('b')], totalCommits: 2 }) },
    { has: ['Change b', 'These pull requests need no documentation: #12.'] },
  ],
  [
    'examines the complete change, whatever files match `paths`',
    { paths: 'src/a.ts' },
    SCHEDULE,
    MIXED,
    { has: [EVERYTHING, 'src/a.ts'], lacks: ['src/c.ts', 'src/e.ts'] },
  ],
  [
    'skips the event of an exempt pull request',
    {},
    ['pull_request', pull('internal')],
    readingWith('internal'),
    { skip: '#12.' },
  ],
  [
    'sends the event of another pull request',
    {},
    ['pull_request', pull('bug')],
    { ...range('b', 'src/a.ts', EXEMPT), ...readingWith('bug') },
    { has: ['Change b'] },
  ],
  ['skips a merge queue run of an exempt pull request', {}, QUEUED, readingWith('no-docs'), { skip: '#12.' }],
  [
    'sends a merge queue run of a pull request that is not exempt',
    {},
    QUEUED,
    readingWith('bug'),
    { has: ['docs/guide.md'] },
  ],
  [
    'skips an event of two exempt pull requests',
    {},
    BUILT,
    labelled({ 12: ['no-docs'], 13: ['internal'] }),
    { skip: '#12, #13.' },
  ],
  [
    'sends an event of two pull requests of which only the first is exempt',
    {},
    BUILT,
    labelled({ 12: ['no-docs'], 13: ['bug'] }),
    { has: ['docs/guide.md'] },
  ],
  [
    'sends a comment by a person on an exempt pull request',
    {},
    COMMENTED,
    readingWith('no-docs'),
    { has: ['docs/guide.md'] },
  ],
  [
    'sends an explicit range after a comment by a person, including exempt pull requests',
    { 'change-range': 'v1...v2' },
    COMMENTED,
    { ...range('b', 'src/a.ts', EXEMPT), ...readingWith('no-docs') },
    { has: ['Change b', 'src/a.ts'], lacks: ['need no documentation'] },
  ],
  [
    'sends an exempt pull request that `change-range` names',
    { 'change-range': 'pull/12' },
    ['workflow_dispatch'],
    { ...range('b', 'src/a.ts', EXEMPT), ...readingWith('no-docs') },
    { has: ['src/a.ts'], lacks: ['need no documentation'] },
  ],
])('%s', async (_what, given, event, responses, { skip, has = [], lacks = [], calls = expect.anything() }) => {
  const found = await playChange({ ...SKIP, ...given }, event, responses)
  expect(found).toMatchObject({ skip: containing(skip), calls })
  for (const text of has) expect(found.prompt).toContain(text)
  for (const text of lacks) expect(found.prompt).not.toContain(text)
})

test('sends a change of more than a hundred commits to look up, and says that no pull request was exempted', async () => {
  const shas = Array.from({ length: 120 }, (_, index) => String(index).padStart(40, '0'))
  const commits = shas.map((sha) => ({ ...createCommit('b', 'One'), sha }))
  const responses = {
    ...comparing({ commits, totalCommits: commits.length }),
    findPullRequestsOfCommit: () => Promise.resolve([EXEMPT.pull]),
    listPullRequestCommits: () => Promise.resolve([]),
    listComments: () => Promise.resolve([]),
  }
  for (const event of [SCHEDULE, PUSHED]) {
    const found = await playChange(SKIP, event, responses)
    expect(found.skip).toBeUndefined()
    expect(found.prompt).toContain('120 commits')
    expect(found.prompt).toContain('Which pull requests need no documentation was not looked up')
    expect(found.notices.join()).toContain('No pull request was exempted, because the change has more than 100 commits')
  }
})

test.each<[what: string, event: GivenEvent]>([
  ['a repository dispatch', ['repository_dispatch']],
  ['a push to the own repository', PUSHED],
])('looks up the commits of a range in another repository in that repository, after %s', async (_what, event) => {
  const repositories = new Set<string>()
  const inRange = range('bcd', 'src/a.ts src/c.ts', EXEMPT, ALSO_EXEMPT)
  const found = await playChange({ ...SKIP, 'change-range': 'acme/code@v1...v2' }, event, {
    ...inRange,
    findPullRequestsOfCommit: (repository, sha) => {
      // The loop guard looks up the commit of the event.
      if (repository === 'acme/docs') return Promise.resolve([])
      repositories.add(repository)
      return inRange.findPullRequestsOfCommit?.(repository, sha) ?? Promise.resolve([])
    },
    listPullRequestCommits: (address) => {
      repositories.add(address.repository)
      return inRange.listPullRequestCommits?.(address) ?? Promise.resolve([])
    },
  })
  expect(found.skip).toContain('`skip-labels`: `acme/code#12`, `acme/code#13`.')
  expect([...repositories]).toEqual(['acme/code'])
})

test('names the exempt pull requests of another repository', async () => {
  const given = { ...SKIP, 'change-range': 'acme/code@v1...v2' }
  const found = await playChange(given, ['repository_dispatch'], MIXED)
  expect(found.prompt).toContain('What changed in acme/code')
  expect(found.prompt).toContain(EVERYTHING)
})

test('recognizes the commits of a pull request that was merged by a rebase', async () => {
  const responses = range('bc', 'src/a.ts', EXEMPT)
  const found = await playChange(SKIP, SCHEDULE, {
    ...responses,
    ...comparing({ commits: [createCommit('b', 'One'), createCommit('c', 'Two')], totalCommits: 2, files: [] }),
    // A rebase changes the ids of the commits.
    findPullRequestsOfCommit: () => Promise.resolve([EXEMPT.pull]),
    listPullRequestCommits: () =>
      Promise.resolve(
        pullCommits(
          { sha: commit('1'), message: 'One', author: 'Ann' },
          { sha: commit('2'), message: 'Two', author: 'Ann' },
        ),
      ),
  })
  expect(found.skip).toContain('#12.')
})

test.each<[what: string, event: GivenEvent, responses: Partial<GitHub>]>([
  [
    'the pull requests of a commit',
    SCHEDULE,
    { findPullRequestsOfCommit: rejectWith(createGitHubError('service-error')) },
  ],
  [
    'the commits of a pull request',
    SCHEDULE,
    { listPullRequestCommits: rejectWith(createGitHubError('service-error')) },
  ],
])('sends nothing if GitHub does not provide %s', async (_what, event, responses) => {
  const error = { code: 'not-sent', message: containing('`skip-labels`'), hint: expect.anything() as unknown }
  await expect(playChange(SKIP, event, { ...MIXED, ...responses })).rejects.toMatchObject(error)
})
