import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs.ts'
import { parsePathRules } from '../../../src/agent/path-filter.ts'
import {
  requestReviews,
  examinePullRequest,
  needsReviews,
  markPullRequest,
  readAtEnd,
} from '../../../src/agent/pull-request/track-pull-request.ts'
import { describePullRequest, type EndedState, type PullRequestFindings } from '../../../src/agent/report/turn.ts'
import type { AgentStep } from '../../../src/agent/journal.ts'
import { getPullRequest } from '../../../src/agent/report/turns.ts'
import { formatWarnings } from '../../../src/agent/report/report.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError, ErrorCode } from '../../../src/runtime/errors.ts'
import { ATTACH, endWith } from '../../support/report.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { terminalJob } from '../../support/fake-client.ts'
import {
  fakeGitHub,
  resolveInOrder,
  MARKER,
  PULL_REQUEST,
  createGitHubError,
  type FakeGitHub,
} from '../../support/fake-github.ts'
import { withGitHub } from '../../support/github-client.ts'
import { repositoryWithPull } from '../../support/github-state.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const DAY_MS = 86_400_000
const LINK = 'https://github.com/acme/docs/pull/7'

async function trackPullRequest(end: EndedState, step: AgentStep): Promise<PullRequestFindings> {
  const pullRequest = await markPullRequest(end, step)
  if (pullRequest === undefined) return {}
  if (needsReviews(end, pullRequest, step.journal)) await requestReviews(pullRequest, [], step)
  return examinePullRequest(end, pullRequest, step)
}

/**
 * Takes a new job's pull request as far as it goes.
 * @param github null without a token
 */
async function handOver(
  fields: Partial<AgentInputs> = {},
  github: FakeGitHub | null = fakeGitHub(),
  prLink = LINK,
  ended: EndedState = endWith('unknown', terminalJob('completed', { prLink })),
) {
  const clock = fakeClock()
  const inputs = agentInputs({ githubToken: github === null ? '' : 'ghs_token', label: 'docs-agent', ...fields })
  const step = fakeStep({ inputs, github: github ?? undefined, clock })
  const found = await trackPullRequest(ended, step)
  return {
    found,
    notice: formatWarnings(step.journal.warnings),
    calls: github?.calls ?? [],
    waitedMs: clock.passed(),
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
  ['adds the comment before the label', {}, unmarked(), ['addComment', 'addLabel']],
  ['adds nothing without a `label` input', { label: '' }, unmarked(), []],
  ['adds nothing if it is already marked', AGAIN, fakeGitHub(), ['listComments']],
  ['adds no comment if a trusted author has marked it', AGAIN, markedBy('trusted'), ['listComments', 'addLabel']],
  ['adds no comment if an app has marked it', AGAIN, markedBy('bot'), ['listComments', 'addLabel']],
  [
    'adds a comment if only an untrusted author has marked it',
    AGAIN,
    markedBy('untrusted'),
    ['listComments', 'addComment', 'addLabel'],
  ],
])('reads the state of a pull request, and %s', async (_what, inputs, github, calls) => {
  const { found, notice, ...done } = await handOver(inputs, github)
  expect(found).toMatchObject({ state: 'open', branch: 'agent/guide', headSha: PULL_REQUEST.headSha })
  expect([done.calls.filter((name) => !name.startsWith('read')), notice]).toEqual([calls, undefined])
})

test.each<[ErrorCode, readonly string[]]>([
  ['service-error', ['addComment', 'addLabel']],
  ['unreachable', ['addComment', 'addLabel']],
  ['bad-answer', ['addComment', 'addLabel']],
  ['rate-limited', []],
  ['forbidden', []],
])('marks a pull request that cannot be read (%s) with %j', async (code, calls) => {
  const { found, notice, calls: all } = await handOver({}, rejectReads(code))
  expect([found, all.filter((name) => name !== 'readPullRequest')]).toEqual([{}, calls])
  expect(notice).toContain('The pull request could not be read (its state, the label)')
})

test('only warns if the label cannot be added', async () => {
  const hint = 'Create the label.'
  const github = unmarked({ addLabel: () => Promise.reject(createGitHubError('forbidden', hint)) })
  const { found, notice, calls } = await handOver({}, github)
  expect([found.state, calls.includes('addComment')]).toEqual(['open', true])
  expect(notice).toBe(`The label was not added to the pull request: GitHub said forbidden. ${hint}`)
})

test('only warns if it is unknown whether the comment exists', async () => {
  const { found, notice, calls } = await handOver(
    AGAIN,
    unmarked({ listComments: resolveInOrder<never>(createGitHubError('bad-answer')) }),
  )
  const text = 'The comment that names the job was not written: GitHub said bad-answer.'
  expect([found.state, notice, calls.includes('addComment')]).toEqual(['open', text, false])
})

test('retries for 30 seconds if a new pull request is not found', async () => {
  const missing = Array<ActionError>(10).fill(createGitHubError('not-found'))
  const late = fakeGitHub({ readPullRequest: resolveInOrder<PullRequest>(...missing, PULL_REQUEST) })
  expect(await handOver({}, late)).toMatchObject({ found: FOUND, notice: undefined, waitedMs: 30_000 })
})

test.each<[string, Partial<AgentInputs>, isBrief: boolean]>([
  ['no input needs the pull request', {}, true],
  ['there is a label', { label: 'docs-agent' }, false],
  ['`wait-for-checks` is set', CHECKED, false],
  ['`allowed-paths` is set', ALLOWED, false],
  ['`reviewers` is set', { reviewers: { hasAuthors: false, hasApprovers: false, names: ['mona'] } }, false],
])(
  'if %s, limiting the reads of a pull request to one minute, including rate limits, is %j',
  async (_what, fields, isBrief) => {
    const faults = { 'pulls/get': ['long-limit'], 'repos/compare-commits': ['long-limit'] } as const
    const [tookMs, found] = await withGitHub({ docs: repositoryWithPull(), faults }, async (github, { clock }) => {
      const inputs = agentInputs({ githubToken: 'ghs_token', label: '', ...fields })
      const step = fakeStep({ inputs, clock, github: github.until(3 * DAY_MS), timeoutMs: 3 * DAY_MS })
      const end = endWith('created', terminalJob('completed', { prLink: LINK }))
      step.journal.updateTurn(end)
      step.journal.updateTurn({ ...end, pullRequest: await trackPullRequest(end, step) })
      if (isBrief) await readAtEnd(step)
      return [clock.now(), getPullRequest(step.journal.report())] as const
    })
    expect(tookMs <= 60_000).toBe(isBrief)
    expect(found.state).toBe(isBrief ? undefined : 'open')
  },
)

test('all reads for the summary share one minute', async () => {
  const clock = fakeClock()
  const late = {
    readPullRequest: () => (clock.advance(50_000), Promise.resolve({ ...PULL_REQUEST, mergeable: undefined })),
  }
  const github = fakeGitHub(late)
  const step = fakeStep({ inputs: agentInputs({ githubToken: 'ghs_token', label: '' }), clock, github })
  const end = endWith('created', terminalJob('completed', { prLink: LINK }))
  step.journal.updateTurn(end)
  step.journal.updateTurn({ ...end, pullRequest: await trackPullRequest(end, step) })
  await readAtEnd(step)
  expect(Math.max(...github.deadlines) - step.startedAt).toBeLessThanOrEqual(60_000)
})

test.each<[string, Partial<AgentInputs>, FakeGitHub | null, string, string | undefined, number]>([
  ['the token has no access to', {}, rejectReads('forbidden'), LINK, 'GitHub said forbidden.', 0],
  [
    'the token cannot see',
    CHECKED,
    rejectReads('not-found', 'Grant it.'),
    LINK,
    '(its state, the label, its checks): GitHub said not-found. Grant it.',
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
  ['`wait-for-checks` needs, without a token', CHECKED, null, LINK, 'there is no `github-token`', 0],
  ['`allowed-paths` needs, without a token', ALLOWED, null, LINK, 'there is no `github-token`', 0],
])('reports nothing about a pull request that %s', async (_what, inputs, github, prLink, text, waitedMs) => {
  const done = await handOver(inputs, github, prLink)
  expect(done).toMatchObject({ found: {}, waitedMs })
  if (text === undefined) expect(done.notice).toBeUndefined()
  else expect(done.notice).toContain(text)
  expect(done.calls.filter((name) => name !== 'readPullRequest')).toEqual([])
})

const withLink = (status: 'completed' | 'failed' | 'archived') => terminalJob(status, { prLink: LINK })

test.each<[string, EndedState, number]>([
  ['opened the pull request', endWith('created', withLink('completed')), 1],
  ['added commits to the pull request', endWith('updated', withLink('completed')), 1],
  ['added no commits', endWith('unchanged', withLink('completed')), 0],
  ['failed', endWith('updated', withLink('failed')), 0],
  ['was archived', endWith('updated', withLink('archived')), 0],
])('requests reviews only after new commits of a completed job: a turn that %s', async (_what, ended, count) => {
  const reviewers = { names: ['ann'], hasAuthors: false, hasApprovers: false }
  const { calls } = await handOver({ reviewers }, fakeGitHub(), LINK, ended)
  expect(calls.filter((name) => name === 'requestReview')).toHaveLength(count)
})

test.each([
  { names: [], hasAuthors: true, hasApprovers: false },
  { names: [], hasAuthors: false, hasApprovers: true },
  { names: ['ann'], hasAuthors: false, hasApprovers: false },
])('the warning about an unread pull request names its reviewers: %j', async (reviewers) => {
  const { notice } = await handOver({ label: '', reviewers }, rejectReads('forbidden'))
  expect(notice).toContain('The pull request could not be read (its state, its reviewers)')
})
