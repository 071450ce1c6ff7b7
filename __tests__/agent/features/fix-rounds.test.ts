import { describe, expect, test } from '@jest/globals'
import { findRoundStop, listFailedByChange } from '../../../src/agent/features/fix-rounds.ts'
import { listWarnings } from '../../../src/agent/journal.ts'
import type { Check } from '../../../src/github/checks.ts'
import type { CheckPlan, CheckResult } from '../../../src/emulator/github/check-plan.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { type GitHubScenario } from '../../../src/emulator/github/github-scenarios.ts'
import { mergePull } from '../../../src/emulator/github/repository-changes.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { NO_RESPONSE } from '../../../src/emulator/http/faults.ts'
import { terminalJob } from '../../../testing/jobs.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import {
  changeResponse,
  playStep,
  type PlayStepOptions,
  type Responder,
  respondInOrder,
  respondWith,
  sendElse,
} from '../../../testing/play-step.ts'
import { endWith, turnIn } from '../../../testing/report.ts'
import { commit } from '../../../testing/github-state.ts'

const [LOG, ANNOTATIONS] = ['actions/download-job-logs-for-workflow-run', 'checks/list-annotations']
const [CHECKS, COMPARE, PULL] = ['checks/list-for-ref', 'repos/compare-commits-with-basehead', 'pulls/get']

const FAILURE: CheckResult = {
  conclusion: 'failure',
  log: '2026-01-01T00:00:00.1234567Z It is gone.\n',
  annotations: [
    { path: 'a.md', start_line: 3, end_line: 3, annotation_level: 'failure', title: '', message: 'It is missing.' },
  ],
}
const SOON = { afterMs: 0, takesMs: 1_000 }
const jobPlan = (name: string, result = FAILURE): CheckPlan => ({ kind: 'job', name, ...SOON, result })
const appPlan = (name: string, result: CheckResult): CheckPlan => ({ kind: 'app', name, ...SOON, result })
const [BUILD, LINKS] = [jobPlan('build'), jobPlan('links')]

interface Scene extends Omit<Partial<PlayStepOptions>, 'github'> {
  readonly failed?: readonly CheckPlan[]
  /** The checks of the merge base. */
  readonly before?: readonly CheckPlan[]
  readonly github?: Partial<GitHubScenario>
}

/** Runs a step whose pull request has failing checks, which one round may fix. */
async function play({ failed = [BUILD], before = [], github, ...options }: Scene = {}) {
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, 'fix-rounds': '1' }),
    github: { checks: [failed, []], checksBefore: before, ...github },
    turns: [{ durationMs: 0 }, {}],
    ...options,
  })
  const { allRequests: requests } = played
  const prompt = played.messages[0]
  const sent = requests.findIndex(({ what }) => what.startsWith('message '))
  return {
    ...played,
    prompt,
    checks: prompt?.match(/^Check: .*/gm)?.map((line) => line.slice(7)),
    /** The requests before the round. */
    requests: sent === -1 ? requests : requests.slice(0, sent),
    warnings: listWarnings(played.report.warnings),
  }
}

const count = ({ requests }: Awaited<ReturnType<typeof play>>, name: string): number =>
  requests.filter(({ what }) => what === name).length

test('does not send checks to the agent that only a person can fix', async () => {
  const dco = appPlan('DCO', { conclusion: 'action_required' })
  expect((await play({ failed: [dco, BUILD] })).checks).toEqual(['build'])
  expect((await play({ failed: [dco] })).report.stop).toBe('not-fixable')
})

describe('check details', () => {
  const refuse =
    (status: number, message: string): Responder =>
    () =>
      jsonResponse(status, { message })

  test.each<[string, Responder, string]>([
    ['are not found', refuse(404, 'Not Found'), '404'],
    ['are gone', refuse(410, 'Gone'), '410'],
    ['may not be read', refuse(403, 'Resource not accessible by integration'), '403'],
    ['are refused', refuse(422, 'Unprocessable'), '422'],
    ['are behind a broken connection', () => NO_RESPONSE, 'could not be reached'],
  ])('sends what else can be read if some logs %s, and warns once', async (_how, fail, reason) => {
    // A failed request may be repeated, so its job decides, not its order.
    const logs: Responder = (observed) => {
      const { docs, request, respond } = observed
      const run = docs.checkRuns.find(({ id }) => request.target.includes(`/jobs/${id}/`))
      return run?.name === 'spelling' ? respond() : fail(observed)
    }
    const { prompt, warnings } = await play({
      failed: [BUILD, LINKS, jobPlan('spelling')],
      responses: { [LOG]: logs },
    })
    expect(prompt?.match(/It is gone\.|a\.md:3: failure: It is missing\./g)).toHaveLength(4)
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^Some logs of failing checks were not sent to the agent: .*${reason}`)),
    ])
  })

  test('reads the logs of all checks at the same time', async () => {
    const { requests } = await play({ failed: [BUILD, LINKS], latencyMs: 1_000 })
    const times = requests.filter(({ what }) => what === LOG).map(({ atMs }) => atMs)
    expect([times.length, new Set(times).size]).toEqual([2, 1])
  })

  const MANY = Array.from({ length: 12 }, (_, index) => jobPlan(`check ${index}`))
  const STATUS: CheckPlan = { kind: 'status', name: 'preview', ...SOON, conclusion: 'failure' }

  test.each([
    ['reads logs only for GitHub Actions jobs', [appPlan('links', FAILURE)], 0, 1],
    ['reads no details of commit statuses', [STATUS], 0, 0],
    [
      'reads no annotations of a check without annotations',
      [jobPlan('build', { ...FAILURE, annotations: [] }), LINKS],
      2,
      1,
    ],
    ['reads details of at most ten checks', MANY, 10, 10],
  ])('%s, and names all failed checks', async (_what, failed, logs, annotations) => {
    const played = await play({ failed })
    expect([count(played, LOG), count(played, ANNOTATIONS)]).toEqual([logs, annotations])
    expect(played.checks).toHaveLength(failed.length)
  })
})

const merge: PlayStepOptions['onRequest'] = (what, { docs, nowMs }) => {
  if (what === ANNOTATIONS) mergePull(docs, 4, 'mona', nowMs)
}

/** Changes the reads of the job after its own turn. */
const rereads = (fields: object): Scene => ({ responses: { 'read job_000001': changeResponse(() => fields) } })

test.each<[string, string, Scene]>([
  ['not-open', 'a merge', { onRequest: merge }],
  [
    'failed',
    'a failed read of the pull request',
    { responses: { [PULL]: respondInOrder(...Array<Responder>(2).fill((it) => it.respond()), respondWith(404)) } },
  ],
  ['failed', 'a job without a pull request', rereads({ prLink: null })],
  ['failed', 'a job with another pull request', rereads({ prLink: 'https://git.example.com/acme/docs/pull/8' })],
])('does not send the round (%s) after a change in the meantime: %s', async (stop, _what, scene) => {
  const { report, prompt, docs } = await play(scene)
  expect([report.stop, report.rounds, prompt]).toEqual([stop, [], undefined])
  expect(report.pullRequest.state).toBe(stop === 'not-open' ? 'merged' : 'open')
  // The checks stay those of the examined commit.
  expect(report.pullRequest).toMatchObject({ checks: 'failure', headSha: docs.pulls[4]?.headSha })
})

test('sends the round 15 s later if the turn of another client has ended while the checks ran', async () => {
  let isSent = false
  const { allRequests } = await play({
    failed: [{ kind: 'job', name: 'build', afterMs: 0, takesMs: 60_000, result: FAILURE }],
    turns: [{ durationMs: 0 }, { durationMs: 5_000, ending: 'failed' }, {}],
    onRequest: (what, request) => {
      if (what !== CHECKS || isSent) return
      isSent = true
      sendElse(request, 'job_000001')
    },
  })
  const timesOf = (name: string) => allRequests.filter(({ what }) => what === name).map(({ atMs }) => atMs)
  const sentAtMs = timesOf('message job_000001')
  const [noticedAtMs = NaN] = timesOf('read job_000001')
  expect(sentAtMs).toEqual([noticedAtMs + 15_000])
})

const SLOW = { latencyMs: 1_000 }

/** Returns when the step sends its first request of a kind. */
async function findTime(name: string, scene: Scene = SLOW): Promise<number> {
  const { requests } = await play(scene)
  return requests.find(({ what }) => what === name)?.atMs ?? NaN
}

test('does not send the round if less than ten minutes are left after the details have been read', async () => {
  const timeoutMs = (await findTime(LOG)) + 600_000
  const { report, messages, requests } = await play({
    ...SLOW,
    inputs: agentInputs({ timeoutMs }, { 'github-token': GITHUB_TOKEN, 'fix-rounds': '1' }),
  })
  expect([report.stop, messages]).toEqual(['no-time', []])
  expect(requests.map(({ what }) => what)).toContain(LOG)
})

test.each([COMPARE, CHECKS, LOG, ANNOTATIONS])('stops on cancellation during %s', async (name) => {
  const { report, messages } = await play({ ...SLOW, cancelAfterMs: (await findTime(name)) + 500 })
  expect([report.outcome, messages]).toEqual(['cancelled', []])
})

test('excludes failures that also occur on the merge base', async () => {
  expect((await play({ failed: [BUILD, LINKS], before: [BUILD] })).checks).toEqual(['links'])
})

/** Lists no check runs of the head, whose failure only its suite shows. */
const listNoRunsOfHead: Responder = (request) =>
  request.request.target.includes(request.docs.pulls[4]?.headSha ?? '')
    ? changeResponse(() => ({ total_count: 0, check_runs: [] }))(request)
    : request.respond()

const PASSES = jobPlan('build', { conclusion: 'success' })

test.each<[string, Scene, number]>([
  ['not if nothing fails there that failed', { before: [PASSES, jobPlan('other')] }, 0],
  ['if a check fails there that failed', { failed: [BUILD, LINKS], before: [BUILD] }, 1],
  ['if a failed check is a suite', { responses: { [CHECKS]: listNoRunsOfHead } }, 1],
])('reads the suites of the merge base: %s', async (_when, scene, reads) => {
  const { requests } = await play(scene)
  const compared = requests.findLastIndex(({ what }) => what === COMPARE)
  const suites = requests.slice(compared).filter(({ what }) => what === 'checks/list-suites-for-ref')
  expect(suites).toHaveLength(reads)
})

test.each([CHECKS, COMPARE])(
  'sends all failed checks with a warning if the checks of the merge base cannot be read: %s fails',
  async (name) => {
    const refuseBase: Responder = ({ request, docs, respond }) =>
      name === CHECKS && request.target.includes(docs.pulls[4]?.headSha ?? '')
        ? respond()
        : jsonResponse(403, { message: 'Resource not accessible by integration' })
    const { checks, warnings } = await play({ before: [BUILD], responses: { [name]: refuseBase } })
    expect(checks).toEqual(['build'])
    expect(warnings).toContainEqual(
      expect.stringMatching(/^Could not determine which checks also fail without these changes: .*403/),
    )
  },
)

const check = (name: string, state: Check['state']): Check => ({ name, state })

test('excludes checks that also failed on the merge base, but not checks that passed or were pending there', () => {
  const failed = ['old', 'passed', 'waited', 'new'].map((name) => check(name, 'failure'))
  const before = [check('old', 'failure'), check('passed', 'success'), check('waited', 'pending')]
  expect(listFailedByChange(failed, before)).toEqual(failed.slice(1))
})

/** A check that requires a person's sign-off. */
const DCO: Check = { ...check('DCO', 'failure'), needsPerson: true }

describe('fix rounds', () => {
  const [C, D] = [commit('c'), commit('d')]
  const STATE = {
    found: { state: 'open', checks: 'failure', headSha: D },
    ...({ before: C, status: 'completed', maxRounds: 2, leftMs: 600_000 } as const),
  } as const

  test.each([
    [undefined, {}],
    [undefined, { found: { ...STATE.found, state: 'draft' } }],
    ['nothing-failed', { found: { ...STATE.found, checks: 'success' } }],
    ['nothing-failed', { found: { ...STATE.found, checks: 'none' } }],
    ['nothing-failed', { found: { ...STATE.found, checks: 'pending' } }],
    ['nothing-failed', { found: {} }],
    ['not-open', { found: { ...STATE.found, state: 'merged' } }],
    ['not-fixable', { found: { ...STATE.found, checkList: [DCO, check('links', 'success')] } }],
    [undefined, { found: { ...STATE.found, checkList: [DCO, check('links', 'failure')] } }],
    ['not-open', { found: { ...STATE.found, state: 'closed' } }],
    ['failed', { before: D }],
    ['used-up', { maxRounds: 1 }],
    ['no-time', { leftMs: 599_999 }],
    ['failed', { status: 'failed' }],
    ['failed', { status: 'archived' }],
  ] as const)('finds the reason not to send another round: %s, %j', (stop, change) => {
    const { found, before, status, maxRounds, leftMs } = { ...STATE, ...change }
    const own = turnIn({ ...endWith('unknown'), pullRequest: { headSha: before } })
    const round = turnIn(endWith('unknown', terminalJob(status)))
    expect(findRoundStop(found, [own, round], maxRounds, leftMs)).toBe(stop)
  })
})
