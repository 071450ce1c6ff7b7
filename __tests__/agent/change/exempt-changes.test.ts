import { expect, test } from '@jest/globals'
import type { ComparedCommit } from '../../../src/github/commits.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { FilePaths, ListedPullRequest } from '../../../src/github/pull-requests.ts'
import {
  changedFile,
  COMPARISON,
  comparing,
  mergedBy,
  PULL_REQUEST,
  pullCommits,
  PUSH,
  createGitHubError,
  rejectWith,
} from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { containing, playChange, type Responses, type Given, type GivenEvent } from '../../support/play-change.ts'

const SKIP = { 'skip-labels': 'no-docs\ninternal', 'change-context': 'files' }
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
  readonly paths: readonly FilePaths[]
}

/** @param text paths separated by spaces, a renamed one as `old.ts>new.ts` */
const toPaths = (text: string): readonly FilePaths[] =>
  text.split(' ').map((entry) => {
    const [path = '', newPath] = entry.split('>')
    return newPath === undefined ? [path] : [newPath, path]
  })

const merged = (number: number, digits: string, paths: string, ...labels: string[]): Merged => ({
  pull: { ...mergedBy(number, ...labels), author: { login: 'ann', type: 'User' } },
  digits,
  paths: toPaths(paths),
})

/** A range of commits. Those that came from no pull request change `direct.ts`. */
function range(digits: string, files: string, ...pulls: readonly Merged[]): Partial<GitHub> {
  const commits = Array.from(digits).map((digit) => createCommit(digit))
  const findSources = (sha: string) =>
    pulls.filter(({ digits }) => Array.from(digits).some((digit) => commit(digit) === sha))
  const find = (number: number) => pulls.find(({ pull }) => pull.number === number)
  return {
    ...comparing({
      commits,
      totalCommits: commits.length,
      files: toPaths(files).map(([path, previousPath]) => ({ ...changedFile(path), previousPath })),
    }),
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(findSources(sha).map(({ pull }) => pull)),
    listPullRequestCommits: ({ number }) =>
      Promise.resolve(pullCommits(...Array.from(find(number)?.digits ?? '').map((digit) => ({ sha: commit(digit) })))),
    listPullRequestPaths: ({ number }) => Promise.resolve(find(number)?.paths ?? []),
    listCommitPaths: () => Promise.resolve([['direct.ts']]),
    listComments: () => Promise.resolve([]),
  }
}

const EXEMPT = merged(12, 'b', 'src/a.ts src/both.ts', 'No-Docs')
const ALSO_EXEMPT = merged(13, 'cd', 'src/c.ts direct.ts', 'internal', 'bug')
const COUNTED = merged(14, 'ef', 'src/e.ts src/both.ts', 'bug')
const MIXED = range('bcdef', 'src/a.ts src/both.ts src/c.ts src/e.ts', EXEMPT, ALSO_EXEMPT, COUNTED)
const WITH_DIRECT = range('bcd9', 'src/a.ts src/c.ts direct.ts', EXEMPT, ALSO_EXEMPT)
const OWN = merged(15, 'e', 'docs/a.md', 'docs-agent')

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
  readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, number, labels }),
  listComments: () => Promise.resolve([]),
})
const pushing = (digits: string): GivenEvent => [
  'push',
  { ...PUSH, commits: Array.from(digits, (digit) => ({ ...PUSH.commits[0], id: commit(digit) })) },
]
const BUILT: GivenEvent = [
  'check_suite',
  {
    check_suite: {
      head_sha: commit('b'),
      head_branch: 'release',
      pull_requests: [12, 13].map((number) => ({ number, base: { sha: commit('a'), repo: { id: 1 } } })),
    },
    repository: { id: 1, default_branch: 'main' },
  },
]
/** @param labels of each pull request, by number */
const labelled = (labels: Readonly<Record<number, readonly string[]>>): Partial<GitHub> => ({
  readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, number, labels: labels[number] ?? [] }),
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
    'leaves out the commits of exempt pull requests, and the files that only they changed',
    {},
    SCHEDULE,
    MIXED,
    {
      has: [
        'Left out, because they need no documentation: #12, #13.',
        'Change e',
        'Change f',
        'src/both.ts',
        'src/e.ts',
        '2 commits',
      ],
      lacks: ['Change b', 'Change c', 'Change d', 'src/a.ts', 'src/c.ts'],
    },
  ],
  [
    'keeps a commit that was pushed directly, and the files that it changed',
    {},
    SCHEDULE,
    WITH_DIRECT,
    { has: ['Change 9', 'direct.ts'], lacks: ['src/c.ts', 'src/a.ts'] },
  ],
  [
    'sends a push without a pull request',
    {},
    PUSHED,
    range('b', 'src/a.ts'),
    { has: ['Change b'], lacks: ['left out'] },
  ],
  [
    'counts a commit that also came from a pull request that is not exempt',
    {},
    SCHEDULE,
    range('b', 'src/a.ts', EXEMPT, merged(16, 'b', 'src/a.ts')),
    { has: ['Change b'], lacks: ['left out'] },
  ],
  [
    'skips a change if only exempt files match `paths`',
    { paths: 'src/c.ts' },
    SCHEDULE,
    MIXED,
    { skip: 'No changed file matches' },
  ],
  [
    "skips a range that is partly exempt and otherwise the agent's own",
    {},
    SCHEDULE,
    range('be', 'src/a.ts docs/a.md', EXEMPT, OWN),
    { skip: '#15' },
  ],
  [
    'lists no files if the prompt names none',
    { 'change-context': 'commits' },
    SCHEDULE,
    MIXED,
    { calls: expect.not.arrayContaining(['listPullRequestPaths']) },
  ],
  [
    'skips the event of an exempt pull request without a look-up',
    {},
    ['pull_request', pull('internal')],
    {},
    { skip: '#12.', calls: expect.not.arrayContaining(['compare']) },
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
    "skips a push that is partly exempt and otherwise the agent's own",
    {},
    pushing('be'),
    range('be', 'src/a.ts docs/a.md', EXEMPT, OWN),
    { skip: '#15' },
  ],
  [
    "sends a push that is partly exempt, partly the agent's own and partly the work of others",
    {},
    pushing('bef'),
    range('bef', 'src/a.ts docs/a.md direct.ts', EXEMPT, OWN),
    { has: ['Change f', 'direct.ts'], lacks: ['src/a.ts'] },
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
    { has: ['Change b', 'src/a.ts'], lacks: ['left out'] },
  ],
  [
    'sends an exempt pull request that `change-range` names',
    { 'change-range': 'pull/12' },
    ['workflow_dispatch'],
    { ...range('b', 'src/a.ts', EXEMPT), ...readingWith('no-docs') },
    { has: ['src/a.ts'], lacks: ['left out'] },
  ],
  [
    'sends no request about labels without the input',
    { 'skip-labels': '' },
    PUSHED,
    range('b', 'src/a.ts', EXEMPT),
    { calls: expect.not.arrayContaining(['readPullRequest', 'listPullRequestCommits']) },
  ],
])('%s', async (_what, given, event, responses, { skip, has = [], lacks = [], calls = expect.anything() }) => {
  const found = await playChange({ ...SKIP, ...given }, event, responses)
  expect(found).toMatchObject({ skip: containing(skip), calls })
  for (const text of has) expect(found.prompt).toContain(text)
  for (const text of lacks) expect(found.prompt).not.toContain(text)
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
      repositories.add(repository)
      return repository === 'acme/code'
        ? (inRange.findPullRequestsOfCommit?.(repository, sha) ?? Promise.resolve([]))
        : Promise.reject(createGitHubError('rejected'))
    },
    readPullRequest: (address) => {
      repositories.add(address.repository)
      return Promise.resolve(PULL_REQUEST)
    },
    listPullRequestCommits: (address) => {
      repositories.add(address.repository)
      return inRange.listPullRequestCommits?.(address) ?? Promise.resolve([])
    },
  })
  expect(found.skip).toContain('`skip-labels`: `acme/code#12`, `acme/code#13`.')
  expect([...repositories]).toEqual(['acme/code'])
})

test('names the repository of exempt pull requests in the log if it is another one', async () => {
  const given = { ...SKIP, 'change-range': 'acme/code@v1...v2' }
  const found = await playChange(given, ['repository_dispatch'], MIXED)
  expect(found.prompt).toContain('What changed in acme/code')
  expect(found.prompt).toContain('Left out, because they need no documentation: #12, #13.')
  expect(found.change).toContain('Left out by `skip-labels`: `acme/code#12`, `acme/code#13`.')
})

test('recognizes the commits of a pull request that was merged by a rebase', async () => {
  const responses = range('bc', 'src/a.ts', EXEMPT)
  const found = await playChange(SKIP, SCHEDULE, {
    ...responses,
    ...comparing({ commits: [createCommit('b', 'One'), createCommit('c', 'Two')], totalCommits: 2, files: [] }),
    // GitHub knows only the pull request of the newest commit. A rebase changes the ids of the others.
    findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(sha === commit('c') ? [EXEMPT.pull] : []),
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
  [
    'the files of a pull request',
    SCHEDULE,
    { listPullRequestPaths: rejectWith(createGitHubError('forbidden', 'Grant it.')) },
  ],
  [
    'the files of a commit',
    SCHEDULE,
    { ...WITH_DIRECT, listCommitPaths: rejectWith(createGitHubError('service-error')) },
  ],
  ['the pull request in a merge queue', QUEUED, { readPullRequest: rejectWith(createGitHubError('service-error')) }],
])('sends nothing if GitHub does not provide %s', async (_what, event, responses) => {
  const error = { code: 'not-sent', message: containing('`skip-labels`'), hint: expect.anything() as unknown }
  const given = { ...SKIP }
  await expect(playChange(given, event, { ...MIXED, ...responses })).rejects.toMatchObject(error)
})

test('keeps all files if there are too many lists to read, and counts commits beyond the look-up limit', async () => {
  const digits = '123456789bcdef'
  const many = Array.from({ length: 31 }, (_, index) =>
    merged(100 + index, digits[index % 14] ?? '', 'src/a.ts', 'no-docs'),
  )
  const responses = range(`${digits}a`, 'src/a.ts', ...many)
  const found = await playChange(SKIP, SCHEDULE, responses)
  expect(found.prompt).toContain('src/a.ts')
  expect(found.calls).not.toContain('listPullRequestPaths')
  const commits = Array.from({ length: 52 }, (_, index) => ({
    ...createCommit('b'),
    sha: index.toString(16).padStart(40, '0'),
  }))
  const long = {
    ...responses,
    ...comparing({ commits, totalCommits: 52 }),
    findPullRequestsOfCommit: () => Promise.resolve([]),
  }
  expect((await playChange({ ...SKIP }, SCHEDULE, long)).log).toContain('looked up only 50 of 52 commits')
})

const withUnlistedCommit = (responses: Partial<GitHub>): Partial<GitHub> => ({
  ...responses,
  // GitHub counts a commit that it does not list.
  compare: async (...ends) => {
    const comparison = await responses.compare?.(...ends)
    return { ...COMPARISON, ...comparison, totalCommits: (comparison?.totalCommits ?? 0) + 1 }
  },
})
const renaming = (number: number, digit: string, paths: string): Merged => merged(number, digit, paths, 'no-docs')

test.each<[what: string, responses: Partial<GitHub>, kept: string]>([
  ['if GitHub does not list all commits of the range', withUnlistedCommit(range('b', 'src/a.ts', EXEMPT)), 'src/a.ts'],
  [
    'that an exempt pull request renamed and another one changed before',
    range('bf', 'src/old.ts>src/new.ts', merged(14, 'b', 'src/old.ts'), renaming(12, 'f', 'src/old.ts>src/new.ts')),
    'src/new.ts',
  ],
  [
    'that exempt pull requests renamed twice and another one changed in between',
    range(
      'bcd',
      'src/a.ts>src/c.ts',
      renaming(12, 'b', 'src/a.ts>src/b.ts'),
      merged(14, 'c', 'src/b.ts'),
      renaming(13, 'd', 'src/b.ts>src/c.ts'),
    ),
    'src/c.ts',
  ],
  [
    'whose old path no exempt pull request changed',
    range('bf', 'src/old.ts>src/new.ts', merged(14, 'b', 'src/e.ts'), renaming(12, 'f', 'src/new.ts')),
    'src/new.ts',
  ],
  [
    'that only the comparison lists as renamed',
    range('bf', 'src/old.ts>src/new.ts', merged(14, 'b', 'src/old.ts'), renaming(12, 'f', 'src/old.ts src/new.ts')),
    'src/new.ts',
  ],
  [
    'if GitHub does not list all files of the other pull requests',
    {
      ...range('bf', 'src/a.ts', EXEMPT, merged(14, 'f', 'src/e.ts')),
      listPullRequestPaths: ({ number }) =>
        number === 12 ? Promise.resolve([['src/a.ts']]) : Promise.reject(createGitHubError('rejected')),
    },
    'src/a.ts',
  ],
])('keeps a file %s', async (_what, responses, kept) => {
  const { prompt, skip } = await playChange({ ...SKIP, paths: 'src/**' }, SCHEDULE, responses)
  expect(skip).toBeUndefined()
  expect(prompt).toContain(kept)
})

test('leaves out a file that only exempt pull requests renamed', async () => {
  const responses = range(
    'be',
    'src/old.ts>src/new.ts src/e.ts',
    renaming(12, 'b', 'src/old.ts>src/new.ts'),
    merged(14, 'e', 'src/e.ts'),
  )
  expect((await playChange(SKIP, SCHEDULE, responses)).prompt).not.toContain('src/new.ts')
})

/** Another pull request was merged into the branch of an exempt one. */
function nested(...labels: string[]): Partial<GitHub> {
  const umbrella = merged(12, 'bc', 'src/a.ts src/c.ts', 'no-docs')
  const inner = merged(16, 'c', 'src/c.ts', ...labels)
  const commits = [
    createCommit('b'),
    createCommit('c', 'Add a limit (#16)'),
    createCommit('d', 'Merge pull request #12 from acme/release'),
  ]
  const byNumber = new Map([12, 16].map((number) => [number, commit(number === 12 ? 'd' : 'c')]))
  return {
    ...range('bcd', 'src/a.ts src/c.ts', umbrella, inner),
    ...comparing({ commits, totalCommits: 3, files: ['src/a.ts', 'src/c.ts'].map(changedFile) }),
    readPullRequest: ({ number }) =>
      Promise.resolve({
        ...PULL_REQUEST,
        number,
        labels: (number === 12 ? umbrella : inner).pull.labels,
        state: 'merged',
        mergeCommitSha: byNumber.get(number) ?? '',
      }),
  }
}

test('counts a pull request that was merged into the branch of an exempt one, unless both are exempt', async () => {
  const { prompt } = await playChange(SKIP, SCHEDULE, nested('bug'))
  expect(prompt).toContain('Add a limit')
  expect(prompt).toContain('src/c.ts')
  expect(prompt).not.toContain('src/a.ts')
  expect((await playChange(SKIP, SCHEDULE, nested('internal'))).skip).toContain('#12, #16.')
})

test('counts commits that name other pull requests beyond the look-up limit', async () => {
  const count = 55
  const toSha = (index: number): string => index.toString(16).padStart(40, '0')
  const commits = Array.from({ length: count }, (_, index) => ({
    ...createCommit('b', `Change (#${index + 100})`),
    sha: toSha(index),
  }))
  const exempt = merged(12, '', 'src/a.ts', 'no-docs')
  const responses = {
    ...range('b', 'src/a.ts', exempt),
    ...comparing({ commits, totalCommits: count }),
    readPullRequest: rejectWith(createGitHubError('not-found')),
    findPullRequestsOfCommit: () => Promise.resolve([exempt.pull]),
    listPullRequestCommits: () => Promise.resolve(pullCommits(...commits.map(({ sha }) => ({ sha })))),
  }
  const { prompt } = await playChange(SKIP, SCHEDULE, responses)
  expect(prompt).toContain('5 commits')
})
