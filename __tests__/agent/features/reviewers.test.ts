import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/facts.ts'
import { parsePathRules } from '../../../src/agent/path-filter.ts'
import { waitForChecks, readMergeability } from '../../../src/agent/features/checks.ts'
import { findOutside } from '../../../src/agent/features/scope.ts'
import { needsReviews, requestReviews } from '../../../src/agent/features/reviewers.ts'
import { readTrackable, trackPullRequest } from '../../../src/agent/features/track.ts'
import { readChanges } from '../../../src/agent/features/changed-files.ts'
import { describePullRequest } from '../../../src/agent/derived.ts'
import { formatWarnings } from '../../../src/agent/journal.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError, ErrorCode } from '../../../src/runtime/errors.ts'
import { ATTACH, endWith, turnIn, type TurnFacts } from '../../../testing/report.ts'
import { fakeClock } from '../../../testing/fake-clock.ts'
import { terminalJob } from '../../../testing/jobs.ts'
import {
  comparing,
  fakeGitHub,
  resolveInOrder,
  MARKER,
  PULL_REQUEST,
  createGitHubError,
  type FakeGitHub,
} from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'
import { agentInputs, fakeStep, openFakeStep } from '../../../testing/fake-step.ts'

const LINK = 'https://github.com/acme/docs/pull/7'

/** Looks after the pull request of a turn, as a step does. */
async function lookAfterPullRequest({ step, record }: ReturnType<typeof openFakeStep>) {
  const { pullRequest, untracked: unread } = await readTrackable(record.newest, step)
  if (pullRequest === undefined) return { found: {}, untracked: unread }
  record.update({ pullRequest: describePullRequest(pullRequest) })
  const untracked = await trackPullRequest(pullRequest, 'job_1', step)
  if (needsReviews(pullRequest, record.turns, step)) await requestReviews(pullRequest, [], step)
  return { found: await waitForChecks(pullRequest, () => false, findOutside, step), untracked }
}

/**
 * Takes a new job's pull request as far as it goes.
 * @param github null without a token
 */
async function handOver(
  fields: Partial<AgentInputs> = {},
  github: FakeGitHub | null = fakeGitHub(),
  prLink = LINK,
  ended: TurnFacts = endWith('unknown', terminalJob('completed', { prLink })),
) {
  const clock = fakeClock()
  const inputs = agentInputs({ githubToken: github === null ? '' : 'ghs_token', label: 'docs-agent', ...fields })
  const opened = openFakeStep({ inputs, github: github ?? undefined, clock })
  const { step, record } = opened
  record.begin({ task: inputs.task })
  record.update(ended)
  const { found, untracked } = await lookAfterPullRequest(opened)
  return {
    found,
    notice: formatWarnings(step.journal.warnings),
    calls: github?.calls ?? [],
    waitedMs: clock.passed(),
    unmarked: untracked,
  }
}

const CHECKED = { waitForChecks: true }
const AGAIN = { ...CHECKED, task: ATTACH }
const ALLOWED = { allowedPaths: parsePathRules('docs/**') }
const FOUND = describePullRequest(PULL_REQUEST)

const unmarked = (responses: Partial<GitHub> = {}): FakeGitHub =>
  fakeGitHub({
    readPullRequest: resolveInOrder({ ...PULL_REQUEST, labels: [] }),
    listComments: () => Promise.resolve([]),
    ...responses,
  })
const markedBy = (author: ListedComment['author']): FakeGitHub =>
  unmarked({ listComments: () => Promise.resolve([{ ...MARKER, author }]) })
const rejectReads = (code: ErrorCode, hint?: string): FakeGitHub =>
  fakeGitHub({ readPullRequest: resolveInOrder<never>(createGitHubError(code, hint)) })

test.each<[string, Partial<AgentInputs>, FakeGitHub, readonly string[]]>([
  ['adds the label and the history', {}, unmarked(), ['addLabel', 'addComment']],
  ['adds nothing without a `label` input', { label: '' }, unmarked(), []],
  ['only updates the history if it is already marked', AGAIN, fakeGitHub(), ['listComments', 'editComment']],
  ['updates the history by a trusted author', AGAIN, markedBy('trusted'), ['addLabel', 'listComments', 'editComment']],
  ['updates the history by an app', AGAIN, markedBy('bot'), ['addLabel', 'listComments', 'editComment']],
  [
    'adds a history if only an untrusted author has written one',
    AGAIN,
    markedBy('untrusted'),
    ['addLabel', 'listComments', 'addComment'],
  ],
])('reads the state of a pull request, and %s', async (_what, inputs, github, calls) => {
  const { found, notice, ...done } = await handOver(inputs, github)
  expect(found).toMatchObject({ state: 'open', branch: 'agent/guide', headSha: PULL_REQUEST.headSha })
  expect([done.calls.filter((name) => !name.startsWith('read')), notice]).toEqual([calls, undefined])
})

test.each<[ErrorCode, readonly string[]]>([
  ['service-error', ['addLabel', 'addComment']],
  ['unreachable', ['addLabel', 'addComment']],
  ['invalid-response', ['addLabel', 'addComment']],
  ['rate-limited', []],
  ['forbidden', []],
])('marks a pull request that cannot be read (%s) with %j', async (code, calls) => {
  const { found, notice, calls: all } = await handOver({}, rejectReads(code))
  expect([found, all.filter((name) => name !== 'readPullRequest')]).toEqual([{}, calls])
  expect(notice).toContain('The pull request could not be read: ')
})

const NO_ACCESS = createGitHubError('forbidden', 'Grant it.')
const NO_LABEL = { addLabel: () => Promise.reject(NO_ACCESS) }
const NO_COMMENT = { addComment: () => Promise.reject(NO_ACCESS) }

test.each<[string, Partial<GitHub>, string]>([
  ['the label', NO_LABEL, 'The label was not added to pull request #7'],
  ['the history', NO_COMMENT, 'The history comment was not written'],
])(
  'only warns with `on-open-pr: new` if %s cannot be added, and still adds the other',
  async (_what, responses, text) => {
    const { found, notice, calls, unmarked: error } = await handOver({}, unmarked(responses))
    expect([found.state, calls.includes('addComment'), calls.includes('addLabel')]).toEqual(['open', true, true])
    expect(notice).toContain(text)
    expect(error).toBeUndefined()
  },
)

test.each<[string, Partial<GitHub>]>([
  ['the label', NO_LABEL],
  ['the history', NO_COMMENT],
])('is red where the next run would start another job, if %s cannot be added', async (_what, responses) => {
  const { unmarked: error } = await handOver({ onOpenPr: 'follow-up' }, unmarked(responses))
  expect(error?.message).toContain('so the next run would start another job')
  expect(error?.hint).toContain('pull-requests: write')
})

test('is no longer red if a later turn could mark the pull request', async () => {
  const responses = [Promise.reject(NO_ACCESS), Promise.resolve()]
  const github = fakeGitHub({ addLabel: () => responses.shift() ?? Promise.resolve() })
  const step = fakeStep({ inputs: agentInputs({ label: 'docs-agent', onOpenPr: 'follow-up' }), github })
  const isUnmarked = async (): Promise<boolean> =>
    (await trackPullRequest({ ...PULL_REQUEST, labels: [] }, 'job_1', step)) !== undefined
  expect([await isUnmarked(), await isUnmarked()]).toEqual([true, false])
})

test('only warns if it is unknown whether the history exists', async () => {
  const { found, notice, calls } = await handOver(
    AGAIN,
    unmarked({ listComments: resolveInOrder<never>(createGitHubError('invalid-response')) }),
  )
  expect([found.state, calls.includes('addComment')]).toEqual(['open', false])
  expect(notice).toContain('The history comment was not written')
})

test('retries for 30 seconds if a new pull request is not found', async () => {
  const missing = Array<ActionError>(10).fill(createGitHubError('not-found'))
  const late = fakeGitHub({ readPullRequest: resolveInOrder<PullRequest>(...missing, PULL_REQUEST) })
  expect(await handOver({}, late)).toMatchObject({ found: FOUND, notice: undefined, waitedMs: 30_000 })
})

test.each<[string, Partial<AgentInputs>, FakeGitHub | null, string, string | undefined, number]>([
  ['the token has no access to', {}, rejectReads('forbidden'), LINK, 'GitHub said forbidden.', 0],
  [
    'the token cannot see',
    CHECKED,
    rejectReads('not-found', 'Check that it exists.'),
    LINK,
    'The pull request could not be read: GitHub said not-found. Check that it exists.',
    30_000,
  ],
  [
    'is on another host',
    {},
    fakeGitHub(),
    'https://gitlab.example.com/acme/docs/-/merge_requests/7',
    "it is on gitlab.example.com, but this run's GitHub is github.com.",
    0,
  ],
  ['has an unknown address', {}, fakeGitHub(), 'https://github.com/acme/docs/compare/x', 'has no repository', 0],
  ['no input names, without a token', {}, null, LINK, undefined, 0],
  [
    '`wait-for-checks` needs, without a token',
    CHECKED,
    null,
    LINK,
    "at its default. Grant the workflow's job these permissions: `permissions: {",
    0,
  ],
  ['`allowed-paths` needs, without a token', ALLOWED, null, LINK, 'there is no `github-token`', 0],
])('reports nothing about a pull request that %s', async (_what, inputs, github, prLink, text, waitedMs) => {
  const done = await handOver(inputs, github, prLink)
  expect(done).toMatchObject({ found: {}, waitedMs })
  if (text === undefined) expect(done.notice).toBeUndefined()
  else expect(done.notice).toContain(text)
  expect(done.calls.filter((name) => name !== 'readPullRequest')).toEqual([])
})

const withLink = (status: 'completed' | 'failed' | 'archived') => terminalJob(status, { prLink: LINK })

test.each<[string, TurnFacts, number]>([
  ['opened the pull request', endWith('created', withLink('completed')), 1],
  ['added commits to the pull request', endWith('updated', withLink('completed')), 1],
  ['added no commits', endWith('unchanged', withLink('completed')), 0],
  ['failed', endWith('updated', withLink('failed')), 0],
  ['was archived', endWith('updated', withLink('archived')), 0],
])('requests reviews only after new commits of a completed job: a turn that %s', async (_what, ended, count) => {
  const reviewers = { names: ['ann'], hasAuthors: false, hasApprovers: false }
  const { calls } = await handOver({ reviewers }, fakeGitHub(), LINK, ended)
  expect(calls.filter((name) => name === 'requestReviews')).toHaveLength(count)
})

describe('reviews', () => {
  interface Case {
    readonly authors?: readonly string[]
    readonly names?: readonly string[]
    readonly refuse?: (names: readonly string[]) => ActionError | undefined
  }

  async function request({ authors = [], names = [], refuse = () => undefined }: Case) {
    const requested: string[][] = []
    const github = fakeGitHub({
      requestReviews: (_pullRequest, asked) => {
        const error = refuse(asked)
        if (error === undefined) requested.push([...asked])
        return error === undefined ? Promise.resolve() : Promise.reject(error)
      },
    })
    const reviewers = { hasAuthors: true, hasApprovers: false, names }
    const step = fakeStep({ github, inputs: agentInputs({ reviewers }) })
    await requestReviews({ ...PULL_REQUEST, author: { login: 'Opener', type: 'User' } }, authors, step)
    const { calls } = github
    return { requested, calls: calls.length, warnings: step.journal.warnings.map(({ message }) => message) }
  }

  const MANY = Array.from({ length: 30 }, (_, index) => `u${index}`)
  const gone = createGitHubError('rejected')

  test.each<[string, Case, string[][], string[]]>([
    [
      'of the named reviewers and of people of the change, each once, with one request',
      { names: ['Mona', 'acme/writers'], authors: ['ann', 'mona', 'bob'] },
      [['mona', 'acme/writers', 'ann', 'bob']],
      [],
    ],
    ['not of the author of the pull request', { authors: ['opener', 'ann'] }, [['ann']], []],
    ['of at most five people of the change', { authors: MANY }, [['u0', 'u1', 'u2', 'u3', 'u4']], []],
    [
      'one by one if GitHub refuses the request for all, with a warning for each that it refuses',
      { names: ['gone', 'ann', 'bob'], refuse: (names) => (names.includes('gone') ? gone : undefined) },
      [['ann'], ['bob']],
      ['No review was requested from `gone`'],
    ],
    [
      'of nobody, with a warning for each, if the token lacks the permission',
      { names: ['ann', 'bob'], refuse: () => createGitHubError('forbidden') },
      [],
      ['No review was requested from `ann`', 'No review was requested from `bob`'],
    ],
  ])('are requested %s', async (_whom, given, requested, warnings) => {
    const done = await request(given)
    expect([done.requested, done.warnings]).toEqual([requested, warnings])
  })

  test('need no request if there is nobody to ask', async () => {
    expect((await request({ authors: ['Opener'] })).calls).toBe(0)
  })

  test.each(['merged', 'closed'] as const)('are not requested of a %s pull request', (state) => {
    const step = fakeStep({
      inputs: agentInputs({ reviewers: { hasAuthors: false, hasApprovers: false, names: ['dan'] } }),
    })
    const turns = [turnIn(endWith('created', terminalJob('completed', { prLink: LINK })))]
    expect(needsReviews({ ...PULL_REQUEST, state }, turns, step)).toBe(false)
    expect(needsReviews({ ...PULL_REQUEST, state: 'draft' }, turns, step)).toBe(true)
  })
})

const UNKNOWN: PullRequest = { ...PULL_REQUEST, mergeable: undefined }
const MERGED: PullRequest = { ...UNKNOWN, state: 'merged' }
const CONFLICT: PullRequest = { ...PULL_REQUEST, mergeable: false }
const DOWN = createGitHubError('unreachable')

/** Returns the state of a pull request at the end of the step, and the times of its reads, in milliseconds. */
async function readAtEnd(before: PullRequest, reads: readonly (PullRequest | ActionError)[], timeoutMs = 60_000) {
  const clock = fakeClock()
  const [readAt, read]: [number[], () => Promise<PullRequest>] = [[], resolveInOrder(...reads)]
  const github = fakeGitHub({ readPullRequest: () => (readAt.push(clock.passed()), read()) })
  const step = fakeStep({ clock, github, timeoutMs, inputs: agentInputs(CHECKED) })
  const known = { ...describePullRequest(before), checks: 'failure' } as const
  const found = await readMergeability(before, known, step)
  expect(found).toMatchObject({ headSha: before.headSha, checks: 'failure' })
  return [found.state, found.mergeable, readAt]
}

test.each<[string, number | undefined, PullRequest, PullRequest | ActionError, unknown[]]>([
  ['until GitHub has computed whether it conflicts', undefined, UNKNOWN, CONFLICT, ['open', false, [1_000, 3_000]]],
  [
    'for some seconds if GitHub does not compute it',
    undefined,
    UNKNOWN,
    UNKNOWN,
    ['open', undefined, [1_000, 3_000, 6_000, 11_000]],
  ],
  ['never if that is known already', undefined, PULL_REQUEST, DOWN, ['open', true, []]],
  ['never if it is merged', undefined, MERGED, DOWN, ['merged', undefined, []]],
  ['until it is merged', undefined, UNKNOWN, MERGED, ['merged', undefined, [1_000, 3_000]]],
  ['until a request fails', undefined, UNKNOWN, DOWN, ['open', undefined, [1_000, 3_000]]],
  [
    'until it has another head',
    undefined,
    UNKNOWN,
    { ...MERGED, headSha: commit('d') },
    ['open', undefined, [1_000, 3_000]],
  ],
  ['never if no time is left', 1_000, UNKNOWN, CONFLICT, ['open', undefined, []]],
])('with `wait-for-checks`, reads the pull request again %s', async (_when, timeoutMs, before, then, known) => {
  expect(await readAtEnd(before, [before, then], timeoutMs)).toEqual(known)
})

const [CREATED, UPDATED] = ['a new pull request', 'new commits in a pull request']

test.each<[string, string, readonly string[], number | undefined]>([
  [UPDATED, 'by the agent', ['docs-agent[bot]', 'docs-agent[bot]'], 1],
  [UPDATED, 'of which one is by a bot that merged the base branch', ['docs-agent[bot]', 'sync[bot]'], undefined],
  [CREATED, 'by both accounts of the agent', ['docs-writer[bot]', 'docs-agent[bot]'], 1],
  [CREATED, 'to which a person has added a commit', ['docs-agent[bot]', 'lisa'], undefined],
])('lists the files of %s %s: %#', async (what, _whose, authors, count) => {
  const agent = 'docs-agent[bot]'
  const commits = authors.map((login, index) => ({
    sha: commit(String(index)),
    message: 'Guide',
    author: login,
    writtenBy: login,
  }))
  const files = [
    { path: 'docs/a.md', status: 'modified', previousPath: undefined, patch: undefined, additions: 1, deletions: 0 },
  ]
  const headSha = commit(String(authors.length - 1))
  const opened: PullRequest = { ...PULL_REQUEST, headSha, author: { login: agent, type: 'Bot' } }
  const github = fakeGitHub({
    ...comparing({ relation: 'ahead', commits, totalCommits: commits.length, files }),
  })
  const step = fakeStep({ github })
  const byAgent = authors.filter((login) => login === agent).length
  const effect = what === CREATED ? 'created' : ({ kind: 'updated', commits: byAgent } as const)
  const turns = [turnIn(endWith(effect, terminalJob('completed', { prLink: LINK })))]
  expect((await readChanges(opened, turns, step))?.files.length).toBe(count)
})
