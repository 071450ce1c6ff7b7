import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { type History, parseHistory } from '../../../src/agent/history/state.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../../../src/emulator/github/github-scenarios.ts'
import { openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { changedRepository, commit } from '../../../testing/github-state.ts'
import {
  changeResponse,
  playFollowUp,
  playStep,
  type PlayedStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
} from '../../../testing/play-step.ts'

type Given = Readonly<Record<string, string>>
const play = (given: Given = {}, options: Partial<PlayStepOptions> = {}): Promise<PlayedStep> =>
  playStep({ inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }), ...options })
const withScenario = (name: GitHubScenarioName) => ({ github: combineScenarios([name]) })
const getPull = ({ docs, outputs }: PlayedStep) => docs.pulls[Number(outputs['pr-number'])]
const getState = (played: PlayedStep): History | undefined =>
  getPull(played)
    ?.comments.map(({ body }) => parseHistory(body))
    .find((state) => state !== undefined)

const ROLLING = { 'on-open-pr': 'follow-up' }
const [ADD_LABEL, COMMENT, UPDATE_COMMENT] = ['issues/add-labels', 'issues/create-comment', 'issues/update-comment']
const PERMISSIONS = '`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`'

const refuse =
  (message: string): Responder =>
  () =>
    jsonResponse(403, { message })
const NO_ACCESS = refuse('Resource not accessible by integration')

describe.each([
  ['the label', ADD_LABEL, 'The label was not added to pull request #'],
  ['the history comment', COMMENT, 'The history comment was not written'],
])('if %s cannot be written', (_what, operation, message) => {
  const responses = { [operation]: NO_ACCESS }

  test.each([{ 'on-open-pr': 'follow-up' }, { 'on-open-pr': 'skip' }])(
    'the step is red with %j, and says what to do',
    async (given) => {
      const { isGreen, report, outputs, line } = await play(given, { responses })
      expect([isGreen, outputs['outcome'], outputs['pr-number']]).toEqual([
        false,
        'pull-request',
        expect.stringMatching(/\d/),
      ])
      expect(report.untracked?.message).toContain(message)
      expect(report.untracked?.message).toContain('the next run would start another job')
      expect(line).toContain(PERMISSIONS)
      expect(line).toContain(
        'To add the label and the comment before the next run, run the workflow of the recipe `attach.yml` with `job-id: ',
      )
    },
  )

  test('the step is green with `on-open-pr: new`, with a notice', async () => {
    const { isGreen, report, notice } = await play({}, { responses })
    expect([isGreen, report.untracked]).toEqual([true, undefined])
    expect(notice?.text).toContain(message)
  })
})

test('says first what the agent did, also if the next run would not find it', async () => {
  const responses = { [ADD_LABEL]: NO_ACCESS }
  const { title, line } = await play({ ...ROLLING, 'wait-for-checks': 'true' }, { responses })
  expect(title).toBe('The next run would not find the pull request')
  expect(line).toMatch(/^The agent opened it\. All its checks have passed\. The label was not added to pull request #/)
})

test('names the label and the history comment in one sentence if both fail for the same reason', async () => {
  const { notice } = await play({}, { responses: { [ADD_LABEL]: respondWith(403), [COMMENT]: respondWith(403) } })
  expect(notice?.text).toMatch(
    /^The label was not added to pull request #\d+ of acme\/docs, and the history comment was not written: GitHub responded with 403\.$/,
  )
})

test('says to attach before the next run, and how to keep a token that expires', async () => {
  for (const responses of [{}, { [ADD_LABEL]: respondWith(401), [COMMENT]: respondWith(401) }]) {
    const options = Object.keys(responses).length === 0 ? withScenario('token-expires') : { responses }
    const { report } = await play({ ...ROLLING, label: 'docs-agent-weekly' }, options)
    expect(report.untracked?.message).toContain('the next run would start another job')
    expect(report.untracked?.hint).toMatch(
      /^To add the label and the comment before the next run, run the workflow of the recipe `attach\.yml` with `job-id: job_000001` and `label: docs-agent-weekly`\. The token of a GitHub App lasts one hour: keep `timeout-minutes` at 55 or less/,
    )
    expect(report.untracked?.hint).not.toContain('Grant')
  }
})

test.each<[what: string, operation: string, response: Responder, advice: string]>([
  [
    'a server error',
    ADD_LABEL,
    respondWith(502),
    'To add the label and the comment before the next run, run the workflow of the recipe `attach.yml`',
  ],
  [
    'a server error',
    COMMENT,
    respondWith(502),
    'To add the label and the comment before the next run, run the workflow of the recipe `attach.yml`',
  ],
  [
    'a locked conversation',
    COMMENT,
    refuse('Unable to create comment because issue is locked.'),
    'GitHub has refused this: solve the reason that it names. To add the label and the comment before the next run',
  ],
])('after %s (%s), the advice is not about permissions', async (_what, operation, response, advice) => {
  const { isGreen, report, line } = await play(ROLLING, { responses: { [operation]: response } })
  expect([isGreen, report.untracked?.message]).toEqual([
    false,
    expect.stringContaining('the next run would start another job'),
  ])
  expect(line).toContain(advice)
  expect(line).not.toContain('permissions')
})

describe('the first history comment is written once', () => {
  const truncate: Responder = ({ respond }) => ({ ...respond(), body: '{"id"' })
  const lose: Responder = ({ respond }) => ({ ...respond(), delivery: 'reset' })

  const playComment = async (response: Responder) => {
    let attempts = 0
    const onRequest: PlayStepOptions['onRequest'] = (what) => (attempts += what === COMMENT ? 1 : 0)
    return { ...(await play(ROLLING, { onRequest, responses: { [COMMENT]: response } })), attempts }
  }

  test.each<[what: string, first: Responder, attempts: number]>([
    ['after a response that is a server error', respondWith(502), 2],
    ['after a response that is truncated', truncate, 1],
    ['after a response that is lost', lose, 1],
  ])('%s', async (_what, first, attempts) => {
    const played = await playComment(respondInOrder(first, ({ respond }) => respond()))
    expect([played.isGreen, played.notice, played.attempts]).toEqual([true, undefined, attempts])
    expect(getPull(played)?.comments).toHaveLength(1)
    expect(getState(played)?.rows).toMatchObject([{ effect: 'created' }])
  })

  test('and not again during a rate limit', async () => {
    const { isGreen, attempts } = await playComment(respondWith(429, { 'retry-after': '86400' }))
    expect([isGreen, attempts]).toEqual([false, 1])
  })
})

test('a marked pull request whose row cannot be completed is a notice', async () => {
  const responses = { [UPDATE_COMMENT]: respondInOrder(({ respond }) => respond(), respondWith(502)) }
  const { isGreen, report, notice, docs } = await playFollowUp({}, { responses })
  expect(docs.pulls[1]?.labels).toContain('docs-agent')
  expect([isGreen, report.untracked]).toEqual([true, undefined])
  expect(notice?.text).toMatch(/^The history comment was not updated, so it may be out of date: /)
})

test.each<[string, Given, Responder]>([
  ['a token that has expired', ROLLING, respondWith(401)],
  ['an outage', ROLLING, respondWith(503)],
  ['an outage until the deadline', { ...ROLLING, 'timeout-minutes': '1' }, respondWith(429, { 'retry-after': '3600' })],
])('%s after a follow-up is a notice if the pull request was marked before', async (_what, given, response) => {
  let isSent = false
  const onRequest: PlayStepOptions['onRequest'] = (what) => (isSent ||= what === 'message job_finished')
  const fail: Responder = (request) => (isSent ? response(request) : request.respond())
  const operations = ['pulls/get', 'pulls/list-commits', 'issues/get-comment', UPDATE_COMMENT, ADD_LABEL]
  const responses = Object.fromEntries(operations.map((operation) => [operation, fail]))
  const { isGreen, report, outputs, notice, line } = await playFollowUp(given, { onRequest, responses })
  expect([isGreen, report.untracked]).toEqual([true, undefined])
  expect([outputs['outcome'], outputs['changed']]).toEqual(['pull-request', ''])
  expect(notice?.text).toContain('The pull request could not be read')
  expect(notice?.text).toContain('The history comment was not updated, so it may be out of date')
  expect(line).not.toContain('the next run would start another job')
})

test('does not say that the agent is working if GitHub has refused to write that', async () => {
  const { isGreen, acceptedPrompts, notice } = await playFollowUp({}, { responses: { [UPDATE_COMMENT]: NO_ACCESS } })
  expect([isGreen, acceptedPrompts]).toEqual([false, []])
  expect(notice?.text).not.toContain('is working')
})

/** After the first read that names the pull request, the job cannot be read any more. */
function readOnce(): Responder {
  let hasLink = false
  return (request) => {
    if (hasLink) return respondWith(403)()
    hasLink = request.respond().body.includes('/pull/')
    return changeResponse(() => ({ status: 'active' }))(request)
  }
}

describe('marks a known pull request even if the end of its job cannot be observed', () => {
  const expectMark = ({ docs, isGreen, report }: PlayedStep, job: string): void => {
    expect([isGreen, report.error?.code]).toEqual([false, 'forbidden'])
    const pull = job === 'job_finished' ? docs.pulls[1] : Object.values(docs.pulls).at(-1)
    expect(pull?.labels).toContain('docs-agent')
    expect(parseHistory(pull?.comments[0]?.body ?? '')).toMatchObject({ job, rows: [{ outcome: 'error' }] })
  }
  /** The pull request that an earlier run has opened, but not marked. */
  const unmarked = (response: Responder, given: Given): Promise<PlayedStep> =>
    play(
      { ...given, 'job-id': 'job_finished' },
      {
        ...withScenario('open-pull-request'),
        prepare: ({ pulls }) => Object.assign(pulls[1] ?? {}, { labels: [], comments: [] }),
        responses: { 'read job_finished': response },
      },
    )

  test('of a new job', async () => {
    expectMark(await play(ROLLING, { responses: { 'read job_000001': readOnce() } }), 'job_000001')
  })

  test('of a job to which the step attaches', async () => {
    expectMark(await unmarked(readOnce(), { prompt: '' }), 'job_finished')
  })

  test('of a follow-up to `job-id`', async () => {
    let isSent = false
    const once = readOnce()
    const respond: Responder = (request) => {
      isSent ||= request.service.requests.some(({ path }) => path.endsWith('/message'))
      return isSent ? once(request) : request.respond()
    }
    expectMark(await unmarked(respond, {}), 'job_finished')
  })

  test('but not if no prompt was sent', async () => {
    const respond: Responder = changeResponse(() => ({ status: 'archived' }))
    const { observed, report } = await unmarked(respond, {})
    expect([report.error?.code, observed.writes]).toEqual(['not-sent', []])
  })
})

test('names the repository of the pull request that cannot be marked', async () => {
  const { report } = await play({ ...ROLLING }, { responses: { [ADD_LABEL]: NO_ACCESS } })
  expect(report.untracked?.message).toMatch(/pull request #\d+ of acme\/docs/)
})

test('names all permissions if a token may read, but not write', async () => {
  const { isGreen, line } = await play(ROLLING, {
    ...withScenario('read-only'),
    prepare: ({ labels }) => labels.push('docs-agent'),
  })
  expect(isGreen).toBe(false)
  expect(line).toContain(PERMISSIONS)
})

test('asks for a token of the other repository if pull requests are opened there', async () => {
  const given = { ...ROLLING, 'pr-repository': 'acme/code' }
  const { line, isGreen } = await play(given, withScenario('read-only'))
  expect(isGreen).toBe(false)
  expect(line).toContain('`github-token` needs write access to issues and pull requests of acme/code')
  expect(line).not.toContain('Grant the workflow')
})

test('writes nothing with an empty label, and is green', async () => {
  const played = await play({ label: '' })
  expect([played.isGreen, getPull(played)?.labels, getPull(played)?.comments]).toEqual([true, [], []])
})

test('marks the pull request within a second of the end of the job', async () => {
  let endedAt = 0
  const times: number[] = []
  const onRequest: PlayStepOptions['onRequest'] = (what, { nowMs, respond }) => {
    if (what === 'read job_000001' && endedAt === 0 && respond().body.includes('"completed"')) endedAt = nowMs
    if (what === ADD_LABEL || what === COMMENT) times.push(nowMs)
  }
  await play(ROLLING, { onRequest })
  expect(times).toHaveLength(2)
  expect(Math.max(...times) - endedAt).toBeLessThanOrEqual(1_000)
})

test('marks the pull request in the middle of a step without moving the deadline of later requests', async () => {
  const never: Responder = () => ({ ...respondWith(200)(), delivery: 'never' })
  const checks = ['checks/list-for-ref', 'checks/list-suites-for-ref', 'repos/get-combined-status-for-ref']
  const responses = Object.fromEntries(checks.map((operation) => [operation, never]))
  const played = await play({ ...ROLLING, 'wait-for-checks': 'true', 'timeout-minutes': '1' }, { responses })
  expect(played.report.durationMs).toBeLessThanOrEqual(60_000)
  expect(getState(played)?.left?.items).toContain('It is not known whether its checks have passed.')
})

const MERGED = (message: string, fields = {}) =>
  changedRepository({ message, files: [{ filename: 'src/a.ts' }] }, { collaborators: { mona: 'maintain' }, ...fields })

describe('the sources of a row', () => {
  const facts = { eventName: 'push', payload: PUSH }

  test('are the commits that came without a pull request', async () => {
    const played = await play({}, { repository: MERGED('Write the guide'), facts })
    expect(getState(played)?.rows).toMatchObject([{ sources: [`@${commit('b')}`] }])
  })

  test('are named in the first version of the comment', async () => {
    const bodies: string[] = []
    const onRequest: PlayStepOptions['onRequest'] = (what, { docs }) => {
      if (what === 'issues/update-comment')
        bodies.push(...Object.values(docs.pulls).flatMap(({ comments }) => comments.map(({ body }) => body)))
    }
    const played = await play(
      {
        'wait-for-checks': 'true',
        'timeout-minutes': '5',
        'change-range': 'v1.1.0...main',
        'change-context': 'commits',
      },
      { ...withScenario('reviewed-change'), onRequest },
    )
    expect(getState(played)?.rows).toMatchObject([{ sources: ['#101'] }])
    expect(bodies.length).toBeGreaterThan(0)
    for (const body of bodies) expect(body).toContain(', about #101 |')
  })

  test.each([
    ['public', ['acme/code#12']],
    ['private', []],
  ])('name a pull request of a %s repository in a public one: %j', async (visibility, sources) => {
    const payload = {
      action: 'closed',
      repository: { default_branch: 'main', visibility },
      pull_request: { number: 12, merged: true, base: { ref: 'main', sha: commit('a') }, head: { sha: commit('b') } },
    }
    const onRequest: PlayStepOptions['onRequest'] = (_what, { service, nowMs }) => {
      const { 'acme/code': code } = service.github.state.repositories
      if (code === undefined || code.pulls[12] !== undefined) return
      pushCommit(code, 'topic', { message: 'Add a flag', author: 'mona', files: [] }, nowMs)
      openPull(code, 12, { title: 'Add a flag', user: 'mona', branch: 'topic' }, nowMs)
    }
    const other = { eventName: 'pull_request_target', repository: 'acme/code', payload }
    const played = await play({ 'pr-repository': 'acme/docs' }, { facts: other, onRequest })
    expect(getState(played)?.rows).toMatchObject([{ sources }])
  })

  test('leave out what the readers of another repository may not know', async () => {
    const played = await play(
      { 'pr-repository': 'acme/docs' },
      {
        facts: {
          ...facts,
          repository: 'acme/code',
          payload: { ...PUSH, repository: { default_branch: 'main', visibility: 'private' } },
        },
      },
    )
    const state = getState(played)
    expect(state?.rows).toMatchObject([
      { sources: [], job: '', action: '', startedBy: { text: 'a run in another repository' } },
    ])
    expect(JSON.stringify(getPull(played)?.comments)).not.toMatch(/acme\/code|ann|main/)
  })
})

describe('the prompt of a row', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)
  const FILE = 'LICENSE'
  const ofFile = { prompt: '', 'prompt-file': FILE }
  const push = { eventName: 'push', payload: PUSH }
  const listPrompts = (played: PlayedStep) => getState(played)?.rows.map(({ prompt, file }) => [prompt, file])

  test('is a hash of the input alone, without the change that is added to it', async () => {
    const played = await play(
      { prompt: 'Update.', 'change-context': 'files' },
      { repository: MERGED('Write'), facts: push },
    )
    expect(played.acceptedPrompts[0]?.[1]).toMatch(/^Update\.[^]+Write/)
    expect(listPrompts(played)).toEqual([[hash('Update.'), undefined]])
  })

  test('is a hash of the file, with its path', async () => {
    expect(listPrompts(await play(ofFile))).toEqual([[hash(readFileSync(FILE, 'utf8')), FILE]])
  })

  test('has no path where readers may not know names of the repository', async () => {
    const payload = { ...PUSH, repository: { default_branch: 'main', visibility: 'private' } }
    const facts = { ...push, repository: 'acme/code', payload }
    const played = await play({ ...ofFile, 'pr-repository': 'acme/docs' }, { facts })
    expect(listPrompts(played)).toEqual([[hash(readFileSync(FILE, 'utf8')), undefined]])
  })

  test('is missing in a fix round, and of a step that attaches', async () => {
    const fixed = await play({ 'wait-for-checks': 'true', 'fix-rounds': '1' }, withScenario('checks-fixed'))
    expect(listPrompts(fixed)).toEqual([
      [expect.stringMatching(/^[0-9a-f]{8}$/), undefined],
      [undefined, undefined],
    ])
    const inputs = agentInputs(
      {},
      { 'github-token': GITHUB_TOKEN, label: 'docs-agent', prompt: '', 'job-id': 'job_000001' },
    )
    const attached = await playStep({ inputs, after: await play(), facts: { runId: 43 } })
    expect(listPrompts(attached)?.at(-1)).toEqual([undefined, undefined])
  })
})

test('keeps the rows of both runs of one pull request', async () => {
  const first = await play(ROLLING)
  const before = getPull(first)?.headSha
  const second = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...ROLLING }),
    after: first,
    facts: { runId: 43 },
  })
  expect(second.outputs['pr-number']).toBe(first.outputs['pr-number'])
  const after = getPull(second)?.headSha
  expect(after).not.toBe(before)
  expect(getPull(second)?.comments).toHaveLength(1)
  expect(getState(second)).toMatchObject({
    followUps: 1,
    rows: [
      { run: 42, effect: 'created', head: { after: before } },
      { run: 43, effect: 'updated', head: { before, after } },
    ],
  })
})

test('says in the row of a cancelled follow-up how it ended, and that the agent may still be working', async () => {
  const first = await play(ROLLING)
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...ROLLING })
  const second = await playStep({ inputs, after: first, facts: { runId: 43 }, cancelAfterMs: 25_000 })
  expect(second.report.outcome).toBe('cancelled')
  const [, row] = getState(first)?.rows ?? []
  expect(row).toMatchObject({ run: 43, outcome: 'cancelled', result: 'cancelled' })
  expect(row?.end).toBeUndefined()
  expect(getPull(first)?.comments[0]?.body).toContain('the agent may still be working, do not merge yet')
})

test('does not replace a comment that somebody has edited meanwhile, and says so', async () => {
  const first = await play(ROLLING)
  const [comment] = getPull(first)?.comments ?? []
  const onRequest: PlayStepOptions['onRequest'] = (what) => {
    if (what === 'message job_000001' && comment !== undefined) comment.body = 'Mine now.'
  }
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...ROLLING })
  const second = await playStep({ inputs, after: first, facts: { runId: 43 }, onRequest })
  expect([second.isGreen, comment?.body]).toEqual([false, 'Mine now.'])
  expect(second.report.untracked?.message).toContain('can no longer be read, because somebody has edited or deleted it')
  expect(second.line).toContain('Delete what is left of the comment. To add the label and the comment')
})

test('is red if somebody deletes the history comment meanwhile', async () => {
  const first = await play(ROLLING)
  const onRequest: PlayStepOptions['onRequest'] = (what) => {
    if (what === 'message job_000001') getPull(first)?.comments.splice(0)
  }
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...ROLLING })
  const second = await playStep({ inputs, after: first, facts: { runId: 43 }, onRequest })
  expect([second.isGreen, second.report.untracked?.code]).toEqual([false, 'not-found'])
})

describe('if a rolling step finds its pull request in another repository than the one that the next run searches', () => {
  const withoutRepository = { facts: { repository: 'acme/code', eventName: 'push', payload: PUSH } }

  test.each([{ 'on-open-pr': 'follow-up' }, { 'on-open-pr': 'skip' }])('it is red with %j', async (given) => {
    const { isGreen, title, report, outputs, line, docs } = await play(given, withoutRepository)
    const number = Number(outputs['pr-number'])
    expect([isGreen, outputs['outcome'], docs.pulls[number]?.labels]).toEqual([false, 'pull-request', ['docs-agent']])
    expect(report.untracked?.hint).toBe('Set `pr-repository` to `acme/docs`.')
    expect(title).toBe('The next run would not find the pull request')
    expect(line).toContain(
      `Pull request #${number} is in \`acme/docs\`, but the next run looks for it in \`acme/code\``,
    )
    expect(line).toContain('Set `pr-repository` to `acme/docs`.')
  })

  test.each<[what: string, responses: Readonly<Record<string, Responder>>]>([
    ['could not be marked', { [ADD_LABEL]: respondWith(403) }],
    ['is private and could not be read', { 'pulls/get': respondWith(404) }],
    ['could not be read without a permission', { 'pulls/get': NO_ACCESS }],
  ])('it also names the token, if the pull request %s', async (_what, responses) => {
    const { report } = await play(ROLLING, { ...withoutRepository, responses })
    expect(report.untracked?.hint).toMatch(
      /^Set `pr-repository` to `acme\/docs`\. `github-token` needs write access .* To add the label and the comment, run the workflow of the recipe `attach\.yml` with `job-id: job_\d+`, and outside of `acme\/docs` also/,
    )
  })

  test('it keeps the error through a fix round', async () => {
    const given = { ...ROLLING, 'wait-for-checks': 'true', 'fix-rounds': '1' }
    const { report } = await play(given, { ...withoutRepository, github: combineScenarios(['checks-fixed']) })
    expect([report.rounds.length, report.untracked?.hint]).toEqual([1, 'Set `pr-repository` to `acme/docs`.'])
  })

  test.each<[string, Given, Partial<PlayStepOptions>]>([
    ['`on-open-pr` is `new`', {}, withoutRepository],
    ['only the case differs', { ...ROLLING, 'pr-repository': 'Acme/Docs' }, withoutRepository],
    ['`pr-repository` has its former name', { ...ROLLING, 'pr-repository': 'acme/old-docs' }, withoutRepository],
    ['the repository of the run has been renamed meanwhile', ROLLING, { facts: { repository: 'acme/old-docs' } }],
  ])('it is green if %s', async (_what, given, options) => {
    let isRenamed = false
    const onRequest: PlayStepOptions['onRequest'] = (_, { service }) => {
      if (!isRenamed)
        service.github.state.repositories['acme/old-docs'] = createRepositoryState({ movedTo: 'acme/docs' })
      isRenamed = true
    }
    const { isGreen, report } = await play(given, { ...options, onRequest })
    expect([isGreen, report.untracked]).toEqual([true, undefined])
  })
})
