import { expect, test } from '@jest/globals'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { jsonResponse } from '../../src/emulator/http/exchange.ts'
import { changeResponse, playStep } from '../../testing/play-step.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'

const FOLLOW_UP = { 'job-id': 'job_finished' }
const ATTACH = { prompt: '', 'job-id': 'job_running' }
const SOON = { 'poll-interval-seconds': '3' }
/** Without a token, the job is watched for 15 s, and read once more directly before the prompt. */
const AGAIN = '7 GET job/job_finished, POST job/job_finished/message'

test('quotes after a timeout why the service could not return the job', async () => {
  const inputs = agentInputs({}, { 'timeout-minutes': '1' })
  const reason = () => jsonResponse(503, { error: 'Maintenance until 12:00' })
  const { line, summary, outputs } = await playStep({ inputs, responses: { 'read job_000001': reason } })
  expect(outputs['outcome']).toBe('timed-out')
  expect(line).toContain('The last attempt to read the job failed: The service failed (503).')
  expect(line).toContain('The service says: “Maintenance until 12:00”')
  expect(summary).toContain('The service says: <code>Maintenance until 12')
})

/** Lists the requests in order, with a count for repeated requests: `POST job, 2 GET job/job_000001`. */
function summarizeRequests(requests: readonly string[]): string {
  const runs: { request: string; times: number }[] = []
  for (const request of requests) {
    const last = runs.at(-1)
    if (last?.request === request) last.times++
    else runs.push({ request, times: 1 })
  }
  return runs.map(({ request, times }) => (times === 1 ? request : `${times} ${request}`)).join(', ')
}

test.each<[name: string, plays: ScenarioName, given: Record<string, string>, ends: string, expected: string]>([
  // 503, active, reset, HTML, active, half a response, completed.
  ['retries failed reads', 'flaky', SOON, 'pull-request', 'POST job, 7 GET job/job_000001'],
  ['resends a prompt that was not processed', 'rate-limited', SOON, 'pull-request', '2 POST job, 6 GET job/job_000001'],
  ['does not resend a prompt that may have been accepted', 'unavailable', {}, 'error maybe-sent', 'POST job'],
  ['rejects a response without a valid job id', 'bad-id', {}, 'error maybe-sent', 'POST job'],
  ['does not follow redirects', 'redirecting', {}, 'error maybe-sent', 'POST job'],
  ['ignores a response about another job', 'other-job', {}, 'pull-request', 'POST job, 4 GET job/job_000001'],
  ['treats an unknown status as running', 'unlisted-status', SOON, 'pull-request', 'POST job, 12 GET job/job_000001'],
  [
    'fails if the key is revoked while the job runs',
    'unauthorized-later',
    SOON,
    'error unauthorized',
    'POST job, 10 GET job/job_000001',
  ],
  [
    'reads at the usual pace if the key is revoked before the follow-up',
    'unauthorized-later',
    FOLLOW_UP,
    'error unauthorized',
    '8 GET job/job_finished',
  ],
  [
    'looks for the turn of a follow-up whose response was lost',
    'lost-answer',
    FOLLOW_UP,
    'pull-request',
    `${AGAIN}, 4 GET job/job_finished`,
  ],
  [
    'does not treat the end of the previous turn as its own',
    'stale-follow-up',
    FOLLOW_UP,
    'pull-request',
    `${AGAIN}, 11 GET job/job_finished`,
  ],
  ['waits for a link that appears shortly after the end', 'late-link', ATTACH, 'pull-request', '6 GET job/job_running'],
  [
    'times out during a read without a response',
    'stalled',
    { ...ATTACH, 'timeout-minutes': '0.25' },
    'timed-out',
    '2 GET job/job_running',
  ],
])('%s', async (_name, scenario, given, ends, expected) => {
  const { service, report, warnings } = await playStep({ inputs: agentInputs({}, given), scenario })
  const requests = service.requests.map(({ method, path }) => `${method} ${path.replace('/v2/agent/docs-demo/', '')}`)
  expect(summarizeRequests(requests)).toBe(expected)
  expect([report.outcome, report.error?.code].join(' ').trim()).toBe(ends)
  expect(warnings).toHaveLength(scenario === 'unlisted-status' ? 1 : 0)
})

test('an unsafe link is an invalid response: the prompt is sent once, and the step is red', async () => {
  const unsafe = changeResponse(() => ({ status: 'completed', prLink: 'https://x/1\n::error::injected' }))
  const { outputs, acceptedPrompts, isGreen, report, hostCalls } = await playStep({
    inputs: agentInputs({}, { 'timeout-minutes': '1' }),
    responses: { create: unsafe, 'read job_000001': unsafe },
  })
  expect([isGreen, report.outcome, acceptedPrompts.length]).toEqual([false, 'timed-out', 1])
  expect(outputs).toMatchObject({ 'job-id': 'job_000001', 'pr-link': '', changed: '' })
  const shown = hostCalls.join('\n')
  expect(shown).toContain('The service returned an invalid response (200): `prLink` is missing or invalid.')
  expect(shown).not.toContain('injected')
})
