import { expect, test } from '@jest/globals'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { playInWorld } from '../support/embedded-world.ts'
import { agentInputs } from '../support/fake-step.ts'

const FOLLOW_UP = { 'job-id': 'job_finished' }
const ATTACH = { prompt: '', 'job-id': 'job_running' }
const SOON = { 'poll-interval-seconds': '3' }
const AGAIN = '6 GET job/job_finished, POST job/job_finished/message'

/** `POST job, 2 GET job/job_000001`: what is asked several times in a row is said once. */
function tellInOrder(requests: readonly string[]): string {
  const runs: { request: string; times: number }[] = []
  for (const request of requests) {
    const last = runs.at(-1)
    if (last?.request === request) last.times++
    else runs.push({ request, times: 1 })
  }
  return runs.map(({ request, times }) => (times === 1 ? request : `${times} ${request}`)).join(', ')
}

test.each<[name: string, plays: ScenarioName, given: Record<string, string>, ends: string, asks: string]>([
  // 503, active, reset, HTML, active, half an answer, completed.
  ['reads that fail are tried again', 'flaky', SOON, 'pull-request', 'POST job, 7 GET job/job_000001'],
  [
    'a prompt that was not processed is sent again',
    'rate-limited',
    SOON,
    'pull-request',
    '2 POST job, 6 GET job/job_000001',
  ],
  ['a prompt that may have been taken is not', 'unavailable', {}, 'error unknown-fate', 'POST job'],
  ['an answer without a valid id proves no job', 'bad-id', {}, 'error unknown-fate', 'POST job'],
  ['a redirect is not followed', 'redirecting', {}, 'error unknown-fate', 'POST job'],
  ['an answer about another job is not believed', 'other-job', {}, 'pull-request', 'POST job, 4 GET job/job_000001'],
  ['a status that nobody lists is running', 'unlisted-status', SOON, 'pull-request', 'POST job, 12 GET job/job_000001'],
  [
    'a key may be revoked meanwhile',
    'unauthorized-later',
    SOON,
    'error unauthorized',
    'POST job, 3 GET job/job_000001',
  ],
  ['a lost answer is looked up', 'lost-answer', FOLLOW_UP, 'pull-request', `${AGAIN}, 8 GET job/job_finished`],
  [
    'the end of the turn before is not its own',
    'stale-follow-up',
    FOLLOW_UP,
    'pull-request',
    `${AGAIN}, 11 GET job/job_finished`,
  ],
  ['a link may come a moment after the end', 'late-link', ATTACH, 'pull-request', '6 GET job/job_running'],
  [
    'a read without an answer ends in time',
    'stalled',
    { ...ATTACH, 'timeout-minutes': '0.25' },
    'timed-out',
    '2 GET job/job_running',
  ],
])('%s', async (_name, scenario, given, ends, asks) => {
  const { service, report, warnings } = await playInWorld({ inputs: agentInputs({}, given), scenario })
  const requests = service.requests.map(({ method, path }) => `${method} ${path.replace('/v2/agent/docs-demo/', '')}`)
  expect(tellInOrder(requests)).toBe(asks)
  expect([report.outcome, report.error?.code].join(' ').trim()).toBe(ends)
  expect(warnings).toHaveLength(scenario === 'unlisted-status' ? 1 : 0)
})
