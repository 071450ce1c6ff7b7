import { expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { parsePathPatterns } from '../../../src/agent/inputs/path-patterns.ts'
import { trackPullRequest } from '../../../src/agent/pull-request/track-pull-request.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { describePullRequest, type PullRequestFindings } from '../../../src/agent/report/report.ts'
import { formatShortfalls } from '../../../src/agent/report/shortfalls.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ATTACH } from '../../support/agent-run.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { job } from '../../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal, rejecting, type FakeGitHub } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

interface HandedOff {
  readonly found: PullRequestFindings
  readonly notice: string | undefined
}

const LINK = 'https://github.com/acme/docs/pull/7'

/** @param github null without a token */
async function handOver(
  fields: Partial<AgentInputs> = {},
  github: GitHub | null = fakeGitHub(),
  prLink = LINK,
  clock = fakeClock(),
): Promise<HandedOff> {
  const inputs = agentInputs({ githubToken: github === null ? '' : 'ghs_token', label: 'docs-agent', ...fields })
  const step = fakeStep({ github: github ?? undefined, clock })
  const journal = new Journal(inputs, step)
  const result = { outcome: 'pull-request', job: job({ status: 'completed', prLink }) } as const
  const found = await trackPullRequest([{ task: inputs.task, result }], inputs, step, journal)
  return { found, notice: formatShortfalls(journal.shortfalls) }
}

/** The comment is not left to the end of the step. */
const EARLY = { waitForChecks: true }

const unmarked = (answers: Partial<GitHub> = {}): FakeGitHub =>
  fakeGitHub({
    readPullRequest: inTurn({ ...PULL_REQUEST, labels: [] }),
    listMarkerComments: () => Promise.resolve([]),
    ...answers,
  })

test('tells state, branch and head', async () => {
  expect(await handOver()).toEqual({
    found: describePullRequest(PULL_REQUEST),
    notice: undefined,
  })
})

test('puts on the label and the comment that names the job', async () => {
  const written: unknown[] = []
  const note = (...args: unknown[]): Promise<undefined> => {
    written.push(args)
    return Promise.resolve(undefined)
  }
  await handOver(EARLY, unmarked({ addLabel: note, addComment: note }))
  const address = { repository: 'acme/docs', number: 7 }
  expect(written).toEqual([
    [expect.objectContaining(address), 'docs-agent'],
    [expect.objectContaining(address), expect.stringContaining('<!-- docs-agent-action: job=job_1 -->')],
  ])
})

test('a step that leaves the comment to its end asks nothing about it', async () => {
  const github = unmarked()
  await handOver({}, github)
  expect(github.asked).toEqual(['readPullRequest', 'addLabel'])
})

test('a re-run adds nothing to a pull request that is marked', async () => {
  const github = fakeGitHub()
  await handOver({ ...EARLY, task: ATTACH }, github)
  expect(github.asked.filter((name) => /^add|Comment/.test(name))).toEqual(['listMarkerComments'])
})

test.each([
  ['trusted', []],
  ['bot', []],
  ['stranger', ['addComment']],
] as const)('a marker for this job of a %s: what is written then is %j', async (author, written) => {
  const body = '<!-- docs-agent-action: job=job_1 -->'
  const github = unmarked({ listMarkerComments: () => Promise.resolve([{ id: 1, body, author }]) })
  await handOver({ ...EARLY, task: ATTACH }, github)
  expect(github.asked.filter((name) => name === 'addComment')).toEqual(written)
})

test('no marker is written where nobody knows whether there is one', async () => {
  const github = unmarked({ listMarkerComments: rejecting(refusal('bad-answer')) })
  const { notice } = await handOver({ ...EARLY, task: ATTACH }, github)
  expect(github.asked).not.toContain('addComment')
  expect(notice).toBe('The comment that names the job was not written: GitHub said bad-answer.')
})

test('a pull request that the service has just opened may be missing for half a minute', async () => {
  const missing = refusal('not-found')
  const late = fakeGitHub({
    readPullRequest: inTurn<PullRequest>(...Array<typeof missing>(10).fill(missing), PULL_REQUEST),
  })
  expect(await handOver({}, late)).toEqual({ found: describePullRequest(PULL_REQUEST), notice: undefined })
  const clock = fakeClock()
  const refused = fakeGitHub({ readPullRequest: rejecting(refusal('forbidden')) })
  expect((await handOver({}, refused, LINK, clock)).notice).toContain('forbidden')
  expect(clock.passed()).toBe(0)
})

test('with no label wanted, nothing is put on it at all', async () => {
  const github = unmarked()
  await handOver({ label: '' }, github)
  expect(github.asked).toEqual(['readPullRequest'])
})

test('a token that may not mark it costs the marks and nothing else, with one text', async () => {
  const forbidden = rejecting(refusal('forbidden', 'Grant it.'))
  const { found, notice } = await handOver(EARLY, unmarked({ addLabel: forbidden, addComment: forbidden }))
  expect(found.state).toBe('open')
  expect(notice).toBe(
    'The label was not put on the pull request. The comment that names the job was not written: GitHub said forbidden. Grant it.',
  )
})

test('a pull request that the token cannot see is looked for for half a minute, and not asked about any further', async () => {
  const clock = fakeClock()
  const github = fakeGitHub({ readPullRequest: rejecting(refusal('not-found', 'Grant it.')) })
  const { found, notice } = await handOver({ waitForChecks: true }, github, LINK, clock)
  expect(found).toEqual({})
  expect(notice).toContain('(its state, the label, its checks)')
  expect(new Set(github.asked)).toEqual(new Set(['readPullRequest']))
  expect(clock.passed()).toBe(30_000)
})

test('another code host is not asked', async () => {
  const github = fakeGitHub()
  const { found, notice } = await handOver({}, github, 'https://gitlab.example.com/acme/docs/-/merge_requests/7')
  expect(found).toEqual({})
  expect(notice).toContain("it is at gitlab.example.com, and this run's GitHub is github.com.")
  expect(github.asked).toEqual([])
})

test('an address of no known shape is not guessed at', async () => {
  expect((await handOver({}, fakeGitHub(), 'https://github.com/acme/docs/compare/x')).notice).toContain('does not say')
})

test('without a token only what was asked for by name is missed', async () => {
  expect((await handOver({}, null)).notice).toBeUndefined()
  expect((await handOver({ waitForChecks: true }, null)).notice).toContain('there is no `github-token`')
  const allowedPaths = parsePathPatterns('docs/**').rules
  expect((await handOver({ allowedPaths }, null)).notice).toContain('there is no `github-token`')
})

test('looks at checks and files where they were asked for', async () => {
  const allowedPaths = parsePathPatterns('docs/**').rules
  const { found } = await handOver({ waitForChecks: true, allowedPaths })
  expect(found).toMatchObject({ state: 'open', checks: 'success', scope: { outside: [] } })
})
