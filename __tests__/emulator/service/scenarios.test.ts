import { expect, test } from '@jest/globals'

import {
  SCENARIOS,
  SCENARIO_NAMES,
  type ScenarioName,
  chooseScenario,
} from '../../../src/emulator/service/scenarios.ts'
import { acceptedJobSchema } from '../../../src/docs-service/schemas.ts'
import { UNLISTED_STATUS } from '../../../src/emulator/service/job-machine.ts'
import { ID_PATTERN } from '../../../src/runtime/url.ts'
import { toBody, driveService } from '../drive-service.ts'

test.each(SCENARIO_NAMES)('%s has a description of one sentence, and fits in a project id', (name) => {
  expect(SCENARIOS[name].description).toMatch(/^[A-Z].*\.$/)
  expect(`docs--${name}`).toMatch(ID_PATTERN)
  expect(chooseScenario(`docs--${name}`, 'slow')).toBe(name)
})

test.each([
  ...['docs', 'docs--', 'docs--nothing', 'docs-failed', 'failed', 'docs--toString'].map((id) => [id, 'slow']),
  ['my--docs--failed', 'failed'],
])('the project %s has the scenario %s', (id, scenario) => {
  expect(chooseScenario(id, 'slow')).toBe(scenario)
})

const CREATE = '/v2/agent/docs/job'
const FINISHED = `${CREATE}/job_finished`

/** Describes the response to a prompt, and each change of the job's state with the second of the read. */
function describeTimeline(scenario: ScenarioName, jobId: string, prompted: string, seconds: number): string {
  const { post, get, advance } = driveService({ scenario })
  const read = (response: ReturnType<typeof get>): string => {
    const { status: code, delivery, headers } = response
    const isJob = delivery === 'complete' && code <= 201 && response.body.startsWith('{')
    const { status, prLink } = isJob ? toBody(response) : {}
    const wait = headers['retry-after'] === undefined ? '' : ` after ${headers['retry-after']}`
    return status === undefined ? `${code} ${delivery}${wait}` : `${status}${prLink ? ' with link' : ''}`
  }
  const entries = [read(post(prompted, 'x'))]
  let last = ''
  for (let second = 0; second <= seconds; second += 1) {
    const reading = read(get(`${CREATE}/${jobId}`))
    if (reading !== last) entries.push(`${second}: ${reading}`)
    last = reading
    advance(1)
  }
  return entries.join(', ')
}

const LIKE_PULL_REQUEST = [
  'pull-request',
  'stale-follow-up',
  'never-starts',
  'idle-follow-up',
  'sparse',
  'hostile',
  'bad-id',
] as const

test.each<[ScenarioName, string, seconds?: number]>([
  ...LIKE_PULL_REQUEST.map((name): [ScenarioName, string] => [name, 'active, 0: active, 20: completed with link']),
  ['lost-answer', '201 reset, 0: active, 20: completed with link'],
  ['no-changes', 'active, 0: active, 20: completed'],
  ['failed', 'active, 0: active, 20: failed'],
  ['archived', 'active, 0: active, 12: archived'],
  // A replica that lags does not have the new job yet.
  ['lagging', 'active, 0: active, 1: 404 complete, 3: active', 3],
  ['slow', 'active, 0: active, 7200: completed with link', 7_200],
  ['late-link', 'active, 0: active, 20: completed, 23: completed with link'],
  ['unlisted-status', `active, 0: active, 5: ${UNLISTED_STATUS}, 30: active, 35: completed with link`],
  ['rate-limited', '429 complete after 5, 0: 429 complete after 5, 1: 404 complete'],
  ['unauthorized-later', 'active, 0: active, 2: 401 complete'],
  ['unavailable', '503 complete, 0: 503 complete'],
  ['rate-limited-for-hours', '429 complete after 7200, 0: 429 complete after 7200'],
  ['payment-required', '402 complete, 0: 404 complete'],
  ['too-large', '413 complete, 0: 404 complete'],
  ['rejected', '400 complete, 0: 404 complete'],
  ['login-page', '200 complete, 0: 200 complete'],
  ['redirecting', '307 complete, 0: 307 complete'],
  [
    'flaky',
    'active, 0: 503 complete, 1: active, 2: 0 reset, 3: 200 complete, 4: active, 5: 200 truncated, 6: active',
    6,
  ],
  ['stalled', 'active, 0: active, 1: 0 never, 2: active, 3: 0 never', 3],
  ['other-job', 'active, 0: failed, 1: active, 2: failed, 3: active', 3],
])('the scenario %s runs as: %s', (name, expected, seconds = 40) => {
  expect(describeTimeline(name, 'job_000001', CREATE, seconds)).toEqual(expected)
})

const DONE = 'completed with link'

test.each<[ScenarioName, string, seconds?: number]>([
  ['pull-request', `active, 0: active, 20: ${DONE}`],
  ['stale-follow-up', `${DONE}, 0: ${DONE}, 8: active, 28: ${DONE}`],
  ['never-starts', `${DONE}, 0: ${DONE}`],
  ['idle-follow-up', `active, 0: active, 20: ${DONE}`],
  ['fails-after-push', 'active, 0: active, 20: failed with link'],
  ['lagging', `active, 0: active, 1: ${DONE}, 3: active, 4: ${DONE}, 5: active, 7: ${DONE}, 8: active`, 8],
])('a follow-up in the scenario %s runs as: %s', (name, expected, seconds = 60) => {
  expect(describeTimeline(name, 'job_finished', `${FINISHED}/message`, seconds)).toEqual(expected)
})

test('the client rejects the response of the scenario bad-id', () => {
  const { post } = driveService({ scenario: 'bad-id' })
  expect(acceptedJobSchema.safeParse(toBody(post(CREATE, 'x'))).success).toBe(false)
})
