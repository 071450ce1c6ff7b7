import { expect, test } from '@jest/globals'

import { SCENARIOS, SCENARIO_NAMES, type ScenarioName, scenarioOf } from '../../../src/emulator/service/scenarios.ts'
import { acceptedJobSchema } from '../../../src/docs-service/schemas.ts'
import { ID_PATTERN } from '../../../src/runtime/id.ts'
import { bodyOf, driveService } from '../drive-service.ts'

test.each(SCENARIO_NAMES)('%s is described in one sentence, and fits in a project id', (name) => {
  expect(SCENARIOS[name].description).toMatch(/^[A-Z].*\.$/)
  expect(`docs--${name}`).toMatch(ID_PATTERN)
  expect(scenarioOf(`docs--${name}`, 'slow')).toBe(name)
})

test.each([
  ...['docs', 'docs--', 'docs--nothing', 'docs-failed', 'failed', '--', 'docs--toString'].map((id) => [id, 'slow']),
  ['my--docs--failed', 'failed'],
])('the project %s plays %s', (id, scenario) => {
  expect(scenarioOf(id, 'slow')).toBe(scenario)
})

const JOB = '/v2/agent/docs/job/job_000001'
const CREATE = '/v2/agent/docs/job'

/** What a job reads each second after its creation, without repetitions. */
function story(scenario: ScenarioName, seconds: number): string[] {
  const { post, get, advance } = driveService({ scenario })
  const { status } = post(CREATE, 'x')
  const seen = [`created ${status}`]
  for (let second = 0; second <= seconds; second += 1) {
    const response = get(JOB)
    const body = response.delivery === 'whole' && response.status === 200 ? response.body : ''
    const job = body.startsWith('{') ? bodyOf(response) : {}
    const reading = `${job.status ?? `${response.status} ${response.delivery}`}${job.prLink ? ' with link' : ''}`
    if (reading !== seen.at(-1)) seen.push(reading)
    advance(1)
  }
  return seen
}

const AS_USUAL: readonly ScenarioName[] = [
  ...(['pull-request', 'stale-follow-up', 'never-starts', 'idle-follow-up', 'lost-answer', 'bad-id'] as const),
  ...(['sparse', 'hostile', 'hostile-link'] as const),
]

test.each<[ScenarioName, string, seconds?: number]>([
  ...AS_USUAL.map((name): [ScenarioName, string] => [name, 'created 201, active, completed with link']),
  ['no-changes', 'created 201, active, completed'],
  ['failed', 'created 201, active, failed'],
  ['archived', 'created 201, active, archived'],
  ['slow', 'created 201, active'],
  ['late-link', 'created 201, active, completed, completed with link'],
  ['unlisted-status', 'created 201, active, paused, active, completed with link'],
  ['rate-limited', 'created 429, 429 whole, 404 whole'],
  ['unauthorized-later', 'created 201, active, 401 whole'],
  ['unavailable', 'created 503, 503 whole'],
  ['rate-limited-for-hours', 'created 429, 429 whole'],
  ['payment-required', 'created 402, 404 whole'],
  ['too-large', 'created 413, 404 whole'],
  ['rejected', 'created 400, 404 whole'],
  ['login-page', 'created 200, 200 whole'],
  ['redirecting', 'created 307, 307 whole'],
  ['flaky', 'created 201, 503 whole, active, 0 reset, 200 whole, active, 200 truncated, active', 6],
  ['stalled', 'created 201, active, 0 never, active, 0 never', 3],
  ['other-job', 'created 201, failed, active, failed, active', 3],
])('%s goes as told', (name, expected, seconds = 40) => {
  expect(story(name, seconds).join(', ')).toEqual(expected)
})

test.each([
  ['pull-request', ['active', 'completed']],
  ['stale-follow-up', ['completed', 'active', 'completed']],
  ['never-starts', ['completed']],
  ['fails-after-push', ['active', 'failed']],
] as const)('a message in %s reads %j, its own answer included', (scenario, expected) => {
  const { post, get, advance } = driveService({ scenario })
  const seen = [bodyOf(post('/v2/agent/docs/job/job_finished/message', 'more')).status]
  for (let second = 0; second < 60; second += 1) {
    const { status } = bodyOf(get('/v2/agent/docs/job/job_finished'))
    if (status !== seen.at(-1)) seen.push(status)
    advance(1)
  }
  expect(seen).toEqual(expected)
})

test('what is new is in no copy that is older', () => {
  const { post, get } = driveService({ scenario: 'lagging' })
  post(CREATE, 'x')
  expect([get(JOB).status, get(JOB).status]).toEqual([200, 404])
  post('/v2/agent/docs/job/job_finished/message', 'more')
  const read = () => bodyOf(get('/v2/agent/docs/job/job_finished')).status
  expect([read(), read()]).toEqual(['active', 'completed'])
})

test('a bad id is one that no client takes, and the job is there all the same', () => {
  const { post, get } = driveService({ scenario: 'bad-id' })
  const created = post(CREATE, 'x')
  expect(created.status).toBe(201)
  expect(acceptedJobSchema.safeParse(bodyOf(created)).success).toBe(false)
  expect(get(JOB).status).toBe(200)
})
