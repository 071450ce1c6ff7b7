import { describe, expect, test } from '@jest/globals'
import { needsReviews } from '../../../src/agent/features/reviewers.ts'
import type { CheckPlan } from '../../../src/emulator/github/check-plan.ts'
import {
  AGENT_USER,
  BOT,
  GITHUB_TOKEN,
  MAINTAINER,
  OUTSIDER,
  TOKEN_USER,
} from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenario } from '../../../src/emulator/github/github-scenarios.ts'
import { mergePull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG } from '../../../src/emulator/github/state.ts'
import { htmlResponse } from '../../../src/emulator/http/exchange.ts'
import { NO_RESPONSE } from '../../../src/emulator/http/faults.ts'
import { RUN_FACTS } from '../../../testing/given-run.ts'
import { PULL_REQUEST } from '../../../testing/github-values.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { terminalJob } from '../../../testing/jobs.ts'
import {
  changeResponse,
  playStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
  respondAsUsual,
  respondForbidden,
} from '../../../testing/play-step.ts'
import { endWith, turnIn } from '../../../testing/report.ts'

type Given = Readonly<Record<string, string>>
type OnRequest = NonNullable<PlayStepOptions['onRequest']>

const [PULL, REVIEWS, COMPARE] = ['pulls/get', 'pulls/request-reviewers', 'repos/compare-commits-with-basehead']
const [LABEL, LIST, COMMENT, UPDATE] = [
  'issues/add-labels',
  'issues/list-comments',
  'issues/create-comment',
  'issues/update-comment',
]
const MARKS = [LABEL, LIST, COMMENT, UPDATE]

/** Runs a step, by default with a new job whose pull request is open at once. */
async function play(given: Given = {}, options: Partial<PlayStepOptions> = {}) {
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    turns: [{ durationMs: 0 }, {}],
    ...options,
  })
  const { allRequests: requests, notice } = played
  return {
    ...played,
    text: notice?.text,
    marks: requests.map(({ what }) => what).filter((what) => MARKS.includes(what)),
    timesOf: (name: string) => requests.filter(({ what }) => what === name).map(({ atMs }) => atMs),
  }
}

const AGAIN = { prompt: '', 'job-id': 'job_finished' }
const CHECKED = { 'wait-for-checks': 'true' }

describe('the mark of a pull request', () => {
  test.each<[string, string, readonly string[]]>([
    ['is updated if this token wrote it', TOKEN_USER, [LIST, UPDATE]],
    ['is updated if a person with write access wrote it', MAINTAINER, [LIST, UPDATE]],
    ['is updated if an app wrote it', BOT, [LIST, UPDATE]],
    ['is added if only an outsider has written one', OUTSIDER, [LIST, COMMENT]],
  ])('%s', async (_what, user, marks) => {
    const prepare = ({ pulls }: RepositoryState): void => {
      const comments = pulls[1]?.comments ?? []
      comments.splice(0, Infinity, ...comments.map((comment) => ({ ...comment, user })))
    }
    const played = await play(AGAIN, { github: combineScenarios(['open-pull-request']), prepare })
    expect([played.marks, played.text]).toEqual([marks, undefined])
  })

  test.each<[string, Responder, readonly string[]]>([
    ['because GitHub fails', respondWith(503), [LABEL, COMMENT]],
    ['because the connection breaks', () => NO_RESPONSE, [LABEL, COMMENT]],
    ['because the response is invalid', () => htmlResponse(200, '<p>Soon.'), [LABEL, COMMENT]],
    ['because of a long rate limit', respondWith(429, { 'retry-after': '86400' }), []],
    ['because the token may not', respondForbidden, []],
  ])('of a pull request that cannot be read %s', async (_why, response, expected) => {
    const { marks, text, outputs } = await play({}, { responses: { [PULL]: response } })
    expect([marks.toSorted(), outputs['pr-state']]).toEqual([expected.toSorted(), ''])
    expect(text).toContain('The pull request could not be read: ')
  })

  test.each([
    [LABEL, [], 1],
    [COMMENT, ['docs-agent'], 0],
  ])('keeps its other part if %s fails', async (operation, labels, comments) => {
    const { docs, isGreen } = await play({}, { responses: { [operation]: respondForbidden } })
    expect([isGreen, docs.pulls[4]?.labels, docs.pulls[4]?.comments.length]).toEqual([true, labels, comments])
  })

  test('is complete if a later turn could add it', async () => {
    const { report } = await play(
      { 'on-open-pr': 'follow-up', 'fix-rounds': '1' },
      {
        github: combineScenarios(['checks-fixed']),
        responses: { [LABEL]: respondInOrder(respondForbidden, respondAsUsual) },
      },
    )
    expect([report.rounds.length, report.untracked]).toEqual([1, undefined])
  })

  test('is only a warning if it is unknown whether the history exists', async () => {
    const responses = { [LIST]: () => htmlResponse(200, '<p>Soon.') }
    const { isGreen, marks, text } = await play(AGAIN, { responses })
    expect([isGreen, marks.includes(COMMENT)]).toEqual([true, false])
    expect(text).toContain('The history comment was not written')
  })
})

test('retries for 30 seconds if a new pull request is not found', async () => {
  const { outputs, text, report } = await play({}, { github: { lag: { ...DEFAULT_LAG, newPullMs: 30_000 } } })
  expect([outputs['pr-state'], text, report.durationMs]).toEqual(['open', undefined, 30_000])
})

const withLink = (prLink: string): Partial<PlayStepOptions> => {
  const change = changeResponse(() => ({ prLink }))
  return { responses: { create: change, 'read job_000001': change } }
}
const NO_TOKEN = { 'github-token': '', label: '' }
const UNREAD = 'The pull request could not be read: '

test.each<[string, Given, Partial<PlayStepOptions>, string | undefined, number]>([
  ['the token has no access to', {}, { responses: { [PULL]: respondForbidden } }, UNREAD, 0],
  ['the token cannot see', CHECKED, { responses: { [PULL]: respondWith(404) } }, UNREAD, 30_000],
  [
    'is on another host',
    {},
    withLink('https://gitlab.example.com/acme/docs/-/merge_requests/7'),
    "it is on gitlab.example.com, but this run's GitHub is git.example.com.",
    0,
  ],
  ['has an unknown address', {}, withLink('https://git.example.com/acme/docs/compare/x'), 'has no repository', 0],
  ['no input names, without a token', NO_TOKEN, {}, undefined, 0],
  [
    '`wait-for-checks` needs, without a token',
    { ...NO_TOKEN, ...CHECKED },
    {},
    'these permissions: `permissions: {',
    0,
  ],
  [
    '`allowed-paths` needs, without a token',
    { ...NO_TOKEN, 'allowed-paths': 'docs/**' },
    {},
    'there is no `github-token`',
    0,
  ],
])('reports nothing about a pull request that %s', async (_what, given, options, text, waitedMs) => {
  const { outputs, report, marks, ...done } = await play(given, options)
  expect([outputs['pr-state'], outputs['checks'], marks, report.durationMs]).toEqual(['', '', [], waitedMs])
  if (text === undefined) expect(done.text).toBeUndefined()
  else expect(done.text).toContain(text)
})

describe('reviews', () => {
  const [TO_JOB, REVIEWER] = [{ 'job-id': 'job_finished' }, { reviewers: 'mona' }]
  const pushes = { ending: 'archived', pushesMs: [5_000] } as const

  test.each<[string, Given, Partial<PlayStepOptions>, number]>([
    ['opened the pull request', {}, {}, 1],
    ['added commits to the pull request', TO_JOB, {}, 1],
    ['added no commits', TO_JOB, { turns: [{}, { ending: 'no-changes' }] }, 0],
    ['failed', TO_JOB, { turns: [{}, { ...pushes, ending: 'failed' }] }, 0],
    ['was archived', TO_JOB, { turns: [{}, pushes] }, 0],
  ])(
    'are requested only after new commits of a completed job: a turn that %s',
    async (_what, given, options, count) => {
      const { timesOf, outputs } = await play({ ...REVIEWER, ...given }, { turns: [{}], ...options })
      expect([timesOf(REVIEWS).length, outputs['pr-state']]).toEqual([count, 'open'])
    },
  )

  const AUTHORS = { reviewers: 'change-authors', 'change-range': 'v1.0.0...main' }
  const listRequested = ({ docs }: { docs: RepositoryState }) => docs.pulls[4]?.reviewEvents.map(({ name }) => name)

  test('are requested of each reviewer once, with one request', async () => {
    const played = await play({ ...AUTHORS, reviewers: 'Mona\nacme/writers\nchange-authors' })
    expect(played.timesOf(REVIEWS)).toHaveLength(1)
    expect(
      listRequested(played)
        ?.map((name) => name.toLowerCase())
        .sort(),
    ).toEqual(['acme/writers', 'mona'])
  })

  test('are not requested of the author of the pull request, and need no request if there is nobody to ask', async () => {
    const played = await play({ reviewers: 'Docs-Agent' }, { github: combineScenarios(['agent-is-user']) })
    expect([played.timesOf(REVIEWS), played.text]).toEqual([[], undefined])
  })

  test('are requested of the five people with the most commits in the change', async () => {
    const people = Array.from({ length: 7 }, (_, index) => `writer-${index}`)
    const addPeople: OnRequest = (_what, { service, docs, nowMs }) => {
      for (const [index, author] of people.entries()) {
        if (docs.collaborators[author] !== undefined) continue
        service.github.state.users[author] = { id: 900 + index, type: 'User' }
        docs.collaborators[author] = 'write'
        for (let commits = 0; commits < index + 2; commits++)
          pushCommit(docs, 'main', { message: 'Write', author, files: [] }, nowMs)
      }
    }
    const played = await play(AUTHORS, { onRequest: addPeople })
    expect(listRequested(played)).toEqual(people.slice(2).toReversed())
  })

  test('are requested of nobody, with a warning for each, if the token lacks the permission', async () => {
    const { report } = await play({ reviewers: 'mona, lisa' }, { responses: { [REVIEWS]: respondForbidden } })
    expect(report.warnings.map(({ message }) => message)).toEqual([
      'No review was requested from `mona`',
      'No review was requested from `lisa`',
    ])
  })

  test.each(['merged', 'closed'] as const)('are not requested of a %s pull request', (state) => {
    const facts = { inputs: agentInputs({}, { reviewers: 'dan', 'github-token': GITHUB_TOKEN }), context: RUN_FACTS }
    const job = terminalJob('completed', { prLink: 'https://github.com/acme/docs/pull/7' })
    const turns = [turnIn(endWith('created', job))]
    expect(needsReviews({ ...PULL_REQUEST, state }, turns, facts)).toBe(false)
    expect(needsReviews({ ...PULL_REQUEST, state: 'draft' }, turns, facts)).toBe(true)
  })
})

describe('with `wait-for-checks`, a pull request is read again at the end of the step', () => {
  const FAILED: CheckPlan = { kind: 'app', name: 'build', afterMs: 0, takesMs: 0, result: { conclusion: 'failure' } }
  const at = (when: number, act: (docs: RepositoryState, nowMs: number) => unknown): OnRequest => {
    let reads = 0
    return (what, { docs, nowMs }) => {
      if (what === PULL && ++reads === when) act(docs, nowMs)
    }
  }
  const unknownFor = (mergeableMs: number): Partial<GitHubScenario> => ({
    lag: { ...DEFAULT_LAG, mergeableMs },
  })
  const UNKNOWN = unknownFor(Infinity)
  const merge = at(4, (docs, nowMs) => mergePull(docs, 4, 'mona', nowMs))
  const push = at(4, (docs, nowMs) =>
    pushCommit(docs, 'agent/job_000001', { message: 'More', author: AGENT_USER, files: [] }, nowMs),
  )

  test.each<[string, Given, Partial<GitHubScenario>, Partial<PlayStepOptions>, unknown[]]>([
    ['until GitHub has computed whether it conflicts', {}, unknownFor(12_500), {}, ['open', 'true', [1_000, 3_000]]],
    ['for some seconds if GitHub does not compute it', {}, UNKNOWN, {}, ['open', '', [1_000, 3_000, 6_000, 11_000]]],
    ['never if that is known already', {}, {}, {}, ['open', 'true', []]],
    ['until it is merged', {}, UNKNOWN, { onRequest: merge }, ['merged', '', [1_000, 3_000]]],
    [
      'until a request fails',
      {},
      UNKNOWN,
      { responses: { [PULL]: respondInOrder(respondAsUsual, respondAsUsual, respondAsUsual, respondWith(404)) } },
      ['open', '', [1_000, 3_000]],
    ],
    ['until it has another head', {}, UNKNOWN, { onRequest: push }, ['open', '', [1_000, 3_000]]],
    ['never if no time is left', { ...AGAIN, 'timeout-minutes': '0.015' }, UNKNOWN, {}, ['open', '', []]],
  ])('%s', async (_when, given, github, options, known) => {
    const played = await play({ ...CHECKED, ...given }, { github: { checks: [[FAILED]], ...github }, ...options })
    const { 'pr-state': state, 'pull_request.mergeable': mergeable, checks } = played.outputs
    expect(checks).toBe('failure')
    expect(played.report.durationMs).toBeLessThanOrEqual(Number(given['timeout-minutes'] ?? '60') * 60_000)
    const [checkedAtMs = 0] = played.timesOf('checks/list-for-ref').slice(-1)
    const readsMs = played.timesOf(PULL).map((atMs) => atMs - checkedAtMs)
    expect([state, mergeable, readsMs.filter((ms) => ms > 0)]).toEqual(known)
  })
})

describe('the files of the step are listed', () => {
  const commitAs =
    (author: string): OnRequest =>
    (what, { docs, nowMs }) => {
      const branch = docs.pulls[4]?.branch
      if (what !== PULL || branch === undefined || docs.commits.some(({ message }) => message === 'More')) return
      pushCommit(docs, branch, { message: 'More', author, files: [{ filename: 'docs/b.md', patch: '' }] }, nowMs)
    }

  const OTHER = { id: 901, login: 'docs-writer[bot]' }
  const byOtherAccount = changeResponse(
    ({ commits: [first, ...others] }: { commits: { author: object; committer: object }[] }) => ({
      commits: [
        { ...first, author: { ...first?.author, ...OTHER }, committer: { ...first?.committer, ...OTHER } },
        ...others,
      ],
    }),
  )

  test.each<[string, string, Record<string, Responder>, boolean]>([
    ['if the agent has added all commits', AGENT_USER, {}, true],
    ['if two accounts of the agent have added them', AGENT_USER, { [COMPARE]: byOtherAccount }, true],
    ['not if a person has added a commit', 'lisa', {}, false],
  ])('of a new pull request %s', async (_when, author, responses, isListed) => {
    const { report, timesOf } = await play({}, { onRequest: commitAs(author), responses })
    expect([report.files !== undefined, timesOf(COMPARE).length]).toEqual([isListed, 1])
  })

  test.each<[string, Partial<GitHubScenario>, boolean]>([
    ['if the agent has added all commits', {}, true],
    [
      'not if a bot has merged the base branch',
      { events: [{ after: 'follow-up', delayMs: 8_000, act: 'bot-merges-base' }] },
      false,
    ],
  ])('of a pull request with new commits %s', async (_when, github, isListed) => {
    const { report } = await play({ 'job-id': 'job_finished' }, { turns: [{}], github })
    expect([report.operation, report.files !== undefined]).toEqual(['updated', isListed])
  })
})
