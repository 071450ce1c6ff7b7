import { expect, test } from '@jest/globals'
import { agentAction } from '../../src/agent/agent-action.ts'
import type { Outputs } from '../../src/agent/report/outputs.ts'
import { createService } from '../../src/emulator/embedded-service.ts'
import { EMULATOR_KEY, EXPIRED_KEY } from '../../src/emulator/http/access.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { playFeature } from '../support/play-feature.ts'
import { OUTPUT_NAMES } from '../support/report.ts'

const SERVICE_URL = 'http://127.0.0.1:4010'

/** One run against the embedded service, and all that came of it but the words, which the tests of each part hold. */
interface Row {
  readonly name: string
  /** What the service plays; by default `pull-request`. */
  readonly plays?: ScenarioName
  readonly given: Readonly<Record<string, string>>
  /** The colour, the outcome, and the code of the error if there is one. */
  readonly ends: string
  /** Where they differ from those of a step that has no job. */
  readonly outputs?: Partial<Outputs>
  /** Every request in order. */
  readonly asks: string
  /** Parts of what is said: what only this way through the step says. */
  readonly says?: readonly string[]
  /** A part of each warning. */
  readonly warns?: readonly string[]
}

const CREATE = { prompt: 'Fix the guide.' }
const followUp = (id: string) => ({ prompt: 'And the index.', 'job-id': id })
const attach = (id: string) => ({ 'job-id': id })

const jobOutputs = (id: string, status: string): Partial<Outputs> => ({ 'job-id': id, status, model: 'docs-writer-1' })

/** The first three pull requests of the embedded service belong to the jobs that it begins with. */
function pullRequest(id: string, number: number, more: Partial<Outputs> = {}): Partial<Outputs> {
  return {
    ...jobOutputs(id, 'completed'),
    'pr-link': `${SERVICE_URL}/acme/docs/pull/${number}`,
    'pr-number': String(number),
    'pr-repository': 'acme/docs',
    changed: 'true',
    ...more,
  }
}
const CREATED = pullRequest('job_000001', 4, { 'pr-operation': 'created' })
/** Nobody asks GitHub here, so what a follow-up has changed is not known. */
const FOLLOWED_UP = pullRequest('job_finished', 1, { changed: '' })

const ROWS: readonly Row[] = [
  {
    name: 'attaching to a job that the service does not know ends red at once',
    given: attach('job_of_nobody'),
    ends: 'red, error: not-found',
    outputs: { 'job-id': 'job_of_nobody', changed: '' },
    asks: 'GET job/job_of_nobody',
    says: ['(404)', 'There is no such job in this project.', 'Check `project-id`, `job-id` and `base-url`.'],
  },
  {
    name: 'an answer without a valid id does not prove a job, and its id gets nowhere',
    plays: 'bad-id',
    given: CREATE,
    ends: 'red, error: unknown-fate',
    outputs: { changed: '' },
    asks: 'POST job',
    says: ['the job may exist', 'answered 201 without a valid job id'],
  },
  {
    name: 'what the step itself could not do stays red where no outcome is to fail it',
    given: { ...CREATE, 'api-key': EXPIRED_KEY, 'fail-on': 'none' },
    ends: 'red, error: unauthorized',
    asks: 'POST job',
    says: ['(401)', 'This API key has expired.', 'a current admin API key'],
  },
  {
    name: 'reads that fail are tried again until one tells the end',
    plays: 'flaky',
    given: { ...CREATE, 'poll-interval-seconds': '3' },
    ends: 'green, pull-request',
    outputs: CREATED,
    // 503, active, reset, HTML, active, half an answer, completed.
    asks: 'POST job, 7 GET job/job_000001',
  },
  {
    name: 'a follow-up to an archived job sends nothing and ends red',
    given: followUp('job_archived'),
    ends: 'red, archived: not-sent',
    outputs: jobOutputs('job_archived', 'archived'),
    asks: 'GET job/job_archived',
    says: ['The prompt was not sent', 'run the same step without `job-id`'],
  },
  {
    name: 'a follow-up whose answer is lost is looked up and not sent again',
    plays: 'lost-answer',
    given: followUp('job_finished'),
    ends: 'green, pull-request',
    outputs: FOLLOWED_UP,
    asks: 'GET job/job_finished, POST job/job_finished/message, 8 GET job/job_finished',
  },
  {
    name: 'a follow-up does not take the end of the turn before for its own',
    plays: 'stale-follow-up',
    given: followUp('job_finished'),
    ends: 'green, pull-request',
    outputs: FOLLOWED_UP,
    asks: 'GET job/job_finished, POST job/job_finished/message, 11 GET job/job_finished',
    says: ['The agent has begun this follow-up.'],
  },
  {
    name: 'a pull request that shows a moment after the end is found',
    plays: 'late-link',
    given: attach('job_running'),
    ends: 'green, pull-request',
    outputs: pullRequest('job_running', 2),
    asks: '6 GET job/job_running',
  },
  {
    name: 'without waiting, attaching to a job that runs reads it once',
    given: { ...attach('job_running'), wait: 'false' },
    ends: 'green, submitted',
    outputs: { ...jobOutputs('job_running', 'active'), changed: '' },
    asks: 'GET job/job_running',
    says: ['This step does not wait for the job.'],
  },
  {
    name: 'without waiting, a follow-up reads the job once and is sent',
    given: { ...followUp('job_finished'), wait: 'false' },
    ends: 'green, submitted',
    outputs: { ...jobOutputs('job_finished', 'active'), changed: '' },
    asks: 'GET job/job_finished, POST job/job_finished/message',
    says: ['This step does not wait for the result.', 'run the same step with `job-id: job_finished`'],
  },
  {
    name: 'an answer about another job is not believed',
    plays: 'other-job',
    given: CREATE,
    ends: 'green, pull-request',
    outputs: CREATED,
    asks: 'POST job, 4 GET job/job_000001',
  },
  {
    name: 'a rate limit makes the step slower, and a prompt that was not processed is sent again',
    plays: 'rate-limited',
    given: { ...CREATE, 'poll-interval-seconds': '3' },
    ends: 'green, pull-request',
    outputs: CREATED,
    // The first POST and the first GET are answered 429.
    asks: '2 POST job, 2 GET job/job_000001',
  },
  {
    name: 'a redirect is not followed: no prompt and no key go to another address',
    plays: 'redirecting',
    given: CREATE,
    ends: 'red, error: unknown-fate',
    outputs: { changed: '' },
    asks: 'POST job',
    says: ['the job may exist', 'redirects to another address, which is not followed (307)', 'Check `base-url`'],
  },
  {
    name: 'a read that is never answered does not hold the step past its deadline',
    plays: 'stalled',
    given: { ...attach('job_running'), 'timeout-minutes': '0.25' },
    ends: 'red, timed-out',
    outputs: { ...jobOutputs('job_running', 'active'), 'duration-seconds': '16.0', changed: '' },
    asks: '2 GET job/job_running',
    says: ['The last look at it failed: The service did not answer in time.', '`job-id: job_running`'],
  },
  {
    name: 'a key that is revoked while the step waits ends it red and says that the job goes on',
    plays: 'unauthorized-later',
    given: { ...CREATE, 'poll-interval-seconds': '5' },
    ends: 'red, error: unauthorized',
    outputs: { ...jobOutputs('job_000001', 'active'), changed: '' },
    asks: 'POST job, 3 GET job/job_000001',
    says: ['(401)', 'The job itself goes on.', 'Check that the secret holds a current admin API key'],
  },
  {
    name: 'a prompt that is answered 503 is not sent again, since a gateway may have passed it on',
    plays: 'unavailable',
    given: CREATE,
    ends: 'red, error: unknown-fate',
    outputs: { changed: '' },
    asks: 'POST job',
    says: ['the job may exist', '(503)', 'The service is unavailable.'],
  },
  {
    name: 'a status that nobody lists counts as still running, with one warning',
    plays: 'unlisted-status',
    given: { ...CREATE, 'poll-interval-seconds': '3' },
    ends: 'green, pull-request',
    outputs: CREATED,
    warns: ['“paused”'],
    asks: 'POST job, 12 GET job/job_000001',
  },
]

const NO_JOB = {
  ...Object.fromEntries(OUTPUT_NAMES.map((name) => [name, ''])),
  changed: 'false',
  'duration-seconds': expect.stringMatching(/^\d+\.\d$/),
  result: expect.any(String),
}

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

test.each(ROWS)('$name', async ({ plays = 'pull-request', given, ends, outputs, ...row }) => {
  const service = createService({ baseUrl: SERVICE_URL, scenario: plays })
  const access = { 'project-id': 'docs-demo', 'api-key': EMULATOR_KEY, 'base-url': SERVICE_URL }
  const played = await playFeature(agentAction, {
    given: { ...access, ...given },
    respond: (request, nowMs) => service.handle(request, nowMs),
    facts: { serverUrl: SERVICE_URL },
  })

  const requests = service.requests.map(({ method, path }) => `${method} ${path.replace('/v2/agent/docs-demo/', '')}`)
  expect(tellInOrder(requests)).toBe(row.asks)
  const { outcome, error } = played.report
  const colour = played.conclusion.isGreen ? 'green' : 'red'
  expect(`${colour}, ${outcome}${error === undefined ? '' : `: ${error.code}`}`).toBe(ends)
  expect(played.outputs).toEqual({ ...NO_JOB, outcome, ...outputs })
  const text = [...played.said, played.text].join('\n')
  for (const part of row.says ?? []) expect(text).toContain(part)
  const warnings = played.said.filter((line) => line.startsWith('warn: '))
  expect(warnings).toEqual((row.warns ?? []).map((part): unknown => expect.stringContaining(part)))
  for (const { prompt } of service.requests) if (prompt !== undefined) expect(prompt).toBe(given['prompt'])
})
