import { describe, expect, test } from '@jest/globals'
import { jobSchema } from '../../../src/docs-service/schemas.ts'
import { done, refuse } from '../../../src/emulator/http/exchange.ts'
import { editsFor, titleOf } from '../../../src/emulator/service/agent-edits.ts'
import { createAnalytics } from '../../../src/emulator/service/analytics.ts'
import { HOSTILE_TEXT } from '../../../src/emulator/service/hostile-text.ts'
import { toJobBody } from '../../../src/emulator/service/job-body.ts'
import {
  type JobRecord,
  planTurn,
  pushedTurns,
  sendMessage,
  stateAt,
  type TurnPlan,
} from '../../../src/emulator/service/job-machine.ts'
import { createJobStore } from '../../../src/emulator/service/job-store.ts'
import {
  OPERATION_RULES,
  type OperationCall,
  perform,
  refuseTooMany,
} from '../../../src/emulator/service/operations.ts'
import { createRandom } from '../../../src/emulator/service/random.ts'
import { renderAnswer } from '../../../src/emulator/service/render-answer.ts'
import { matchRoute } from '../../../src/emulator/service/routes.ts'
import { SCENARIOS, USUAL_TURN } from '../../../src/emulator/service/scenarios.ts'

function take(count: number, seed: number): number[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => random())
}

test('the same seed gives the same numbers, another seed gives others', () => {
  expect(take(20, 7)).toEqual(take(20, 7))
  expect(take(20, 7)).not.toEqual(take(20, 8))
})

test('the numbers fill the range from 0 to 1 evenly', () => {
  for (const seed of [0, 1, -5, 2 ** 31]) {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (const number of take(10_000, seed)) {
      const tenth = Math.floor(number * 10)
      tenths[tenth] = (tenths[tenth] ?? NaN) + 1
    }
    expect(tenths).toHaveLength(10)
    expect(Math.min(...tenths)).toBeGreaterThan(850)
    expect(Math.max(...tenths)).toBeLessThan(1_150)
  }
})

test('the title is the first line that says something', () => {
  expect(titleOf('\n\n  Fix the guide. \r\nThen more.')).toBe('Fix the guide.')
  expect(titleOf(' \n ')).toBe('Update the docs')
})

test('a long title is cut between characters', () => {
  const title = titleOf('🙂'.repeat(100))
  expect(Array.from(title)).toHaveLength(72)
  expect(title).toMatch(/^(🙂)+…$/u)
})

test('the edits follow from the prompt', () => {
  const paths = (prompt: string): string[] => editsFor(prompt).map(({ path }) => path)
  expect(paths('Document the `--dry-run` flag of the deploy command.')).toEqual([
    'docs/dry-run-flag-deploy-command.md',
    'docs/index.md',
  ])
  expect(paths('Café guide')).toEqual(['docs/cafe-guide.md', 'docs/index.md'])
  expect(paths('文档')).toEqual(['docs/notes.md', 'docs/index.md'])
  expect(editsFor('a page')).toEqual(editsFor('a page'))
})

test('paths hold nothing but plain characters, whatever the prompt', () => {
  for (const prompt of ['../../etc/passwd', '<script>', 'a/b\\c', '\u202eevil', 'x'.repeat(500)]) {
    for (const { path } of editsFor(prompt)) expect(path).toMatch(/^docs\/[a-z0-9-]{1,500}\.md$/)
  }
})

const refusal = refuse(400, ['One.', 'Two.'], { allow: 'GET' })

test('a success is its body', () => {
  const response = renderAnswer(done(201, { id: 'job_1' }), 'create-job', 'plain')
  expect([response.status, response.body]).toEqual([201, '{"id":"job_1"}'])
})

test('a refusal is one text, and keeps its headers', () => {
  const response = renderAnswer(refusal, 'create-job', 'plain')
  expect([response.status, response.body]).toEqual([400, '{"error":"One. Two."}'])
  expect(response.headers['allow']).toBe('GET')
})

test('the analytics operation adds each problem by itself', () => {
  expect(JSON.parse(renderAnswer(refusal, 'get-visitors', 'plain').body)).toEqual({
    error: 'One. Two.',
    details: [{ message: 'One.' }, { message: 'Two.' }],
  })
})

test('hostile refusals carry hostile text', () => {
  expect(JSON.parse(renderAnswer(refuse(404, ['No.']), undefined, 'hostile').body)).toEqual({
    error: `No.${HOSTILE_TEXT}`,
  })
})

const START_MS = 1_000_000_000
const FAILING = { ...USUAL_TURN, ending: 'failed' } as const

test('every project starts with a finished, a running and an archived job', () => {
  const jobs = createJobStore(START_MS)
  const read = (id: string, nowMs: number): object | undefined => {
    const job = jobs.find('docs', id, FAILING)
    return job && stateAt(job, nowMs)
  }
  expect(read('job_finished', START_MS)).toMatchObject({ status: 'completed', pullRequest: 'linked' })
  expect(read('job_running', START_MS)).toMatchObject({ status: 'active' })
  expect(read('job_running', START_MS + USUAL_TURN.durationMs)).toMatchObject({ status: 'failed' })
  expect(read('job_archived', START_MS)).toMatchObject({ status: 'archived', pullRequest: 'none' })
})

test('created jobs are counted over all projects, and belong to one', () => {
  const jobs = createJobStore(START_MS)
  const ids = ['a', 'b', 'a'].map((projectId) => jobs.create(projectId, 'x', USUAL_TURN, START_MS).id)
  expect(ids).toEqual(['job_000001', 'job_000002', 'job_000003'])
  expect(jobs.find('a', 'job_000003', USUAL_TURN)?.projectId).toBe('a')
  expect(jobs.find('a', 'job_000002', USUAL_TURN)).toBeUndefined()
})

test('no two jobs share a pull request, whatever their projects', () => {
  const jobs = createJobStore(START_MS)
  const all = ['a', 'b'].flatMap((projectId) => [
    jobs.create(projectId, 'x', USUAL_TURN, START_MS),
    ...['job_finished', 'job_running', 'job_archived'].map((id) => jobs.find(projectId, id, USUAL_TURN)),
  ])
  const numbers = all.map((job) => job?.pullNumber)
  expect(new Set(numbers).size).toBe(8)
  expect(numbers.map((number) => jobs.findByPullNumber(number ?? 0))).toEqual(all)
})

test('a replaced job is found under its id and under its pull request', () => {
  const jobs = createJobStore(START_MS)
  const job = jobs.create('a', 'x', USUAL_TURN, START_MS)
  const changed: JobRecord = { ...job, createdAtMs: 5 }
  jobs.replace(changed)
  expect(jobs.find('a', job.id, USUAL_TURN)).toBe(changed)
  expect(jobs.findByPullNumber(job.pullNumber)).toBe(changed)
})

test.each([
  ['POST', '/v2/agent/docs/job', { operation: 'create-job', projectId: 'docs' }],
  ['POST', '/v2/agent/docs/job/job_1/message', { operation: 'send-message', projectId: 'docs', jobId: 'job_1' }],
  ['GET', '/v2/agent/docs/job/job_1', { operation: 'get-job', projectId: 'docs', jobId: 'job_1' }],
  ['HEAD', '/v2/agent/docs/job/job_1', { operation: 'get-job', projectId: 'docs', jobId: 'job_1' }],
  ['GET', '/v1/analytics/docs/visitors', { operation: 'get-visitors', projectId: 'docs' }],
  ['GET', '/acme/docs/pull/7', { operation: 'view-pull-request', pullNumber: 7 }],
])('%s %s is an operation', (method, path, route) => {
  expect(matchRoute(method, path)).toEqual({ kind: 'found', route })
})

test.each([
  '/',
  '/v1/agent/docs/job',
  '/v2/agent/docs/job/',
  '/x/v2/agent/docs/job',
  '/v2/agent/docs/job/job_1/x',
  '/x/v2/agent/docs/job/job_1/message',
  '/x/v1/analytics/docs/visitors',
  '/v1/analytics/docs/visitors/x',
  '/x/acme/docs/pull/7',
  '/acme/docs/pull/7/x',
  '/v2/agent//job',
  '/v2/agent/../job',
  '/v2/agent/%2e%2e/job',
  `/v2/agent/${'a'.repeat(129)}/job`,
  '/v2/agent/docs/job/a b',
  '/acme/docs/pull/0',
  '/acme/docs/pull/x',
])('%s leads nowhere', (path) => {
  expect(matchRoute('POST', path)).toMatchObject({ kind: 'nowhere', refusal: { status: 404 } })
})

test('an id of 128 characters is an id', () => {
  expect(matchRoute('POST', `/v2/agent/${'a'.repeat(128)}/job`).kind).toBe('found')
})

test.each([
  ['GET', '/v2/agent/docs/job', 'POST'],
  ['POST', '/v2/agent/docs/job/job_1', 'GET, HEAD'],
  ['OPTIONS', '/v1/analytics/docs/visitors', 'GET, HEAD'],
])('%s %s is refused, with the methods that are taken', (method, path, allow) => {
  expect(matchRoute(method, path)).toMatchObject({ kind: 'nowhere', refusal: { status: 405, headers: { allow } } })
})

describe('job body', () => {
  const BASE_URL = 'http://127.0.0.1:4010'
  const START_MS = Date.UTC(2026, 0, 1)

  function job(ending: typeof USUAL_TURN.ending = 'pull-request'): JobRecord {
    const turns = [planTurn('first', { ...USUAL_TURN, ending }, START_MS)] as const
    return { id: 'job_1', projectId: 'docs', createdAtMs: START_MS, pullNumber: 7, turns }
  }

  const AFTER_MS = START_MS + USUAL_TURN.durationMs

  test('an active job has every field of section 2.1, and no link', () => {
    expect(toJobBody(job(), START_MS, BASE_URL, 'plain')).toEqual({
      id: 'job_1',
      status: 'active',
      source: { repository: 'acme/docs', ref: 'main' },
      model: 'docs-writer-1',
      prLink: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      archivedAt: null,
    })
  })

  test('a completed job links to its pull request', () => {
    expect(toJobBody(job(), AFTER_MS, BASE_URL, 'plain')).toMatchObject({
      status: 'completed',
      prLink: 'http://127.0.0.1:4010/acme/docs/pull/7',
    })
  })

  test('an archived job tells when', () => {
    expect(toJobBody(job('archived'), AFTER_MS + 5_000, BASE_URL, 'plain')).toMatchObject({
      status: 'archived',
      archivedAt: '2026-01-01T00:00:20.000Z',
    })
  })

  test('a sparse job holds only what is there', () => {
    expect(toJobBody(job(), START_MS, BASE_URL, 'sparse')).toEqual({ id: 'job_1', status: 'active' })
    expect(Object.keys(toJobBody(job(), AFTER_MS, BASE_URL, 'sparse'))).toEqual(['id', 'status', 'prLink'])
  })

  test('a hostile job has commands in every text but its id and status', () => {
    const body = jobSchema.parse(toJobBody(job(), AFTER_MS, BASE_URL, 'hostile'))
    expect(body).toMatchObject({ id: 'job_1', status: 'completed', prLink: undefined, hasUnsafeLink: true })
    for (const text of [body.repository, body.ref, body.model]) expect(text).toContain('\n::error')
  })

  test('a hostile job has no link where there is no pull request', () => {
    expect(toJobBody(job(), START_MS, BASE_URL, 'hostile')).toMatchObject({ prLink: null })
    expect(toJobBody(job(), START_MS, BASE_URL, 'hostile-link')).toMatchObject({ prLink: null })
  })

  test('a hostile link is a usable address all the same', () => {
    const { prLink } = toJobBody(job(), AFTER_MS, BASE_URL, 'hostile-link') as { prLink: string }
    expect(prLink).toContain('##[error]')
    expect(prLink).not.toMatch(/[\u0000-\u0020]/)
    expect(new URL(prLink).pathname).toBe('/acme/docs/pull/7')
  })
})

describe('operations', () => {
  const START_MS = Date.UTC(2026, 0, 1)

  function call(over: Partial<OperationCall> = {}): OperationCall {
    const headers = { 'content-type': 'application/json' }
    return {
      request: { method: 'POST', target: '', headers, body: '{"prompt":"x"}' },
      query: '',
      scenario: SCENARIOS['pull-request'],
      nowMs: START_MS,
      baseUrl: 'http://127.0.0.1:4010',
      jobs: createJobStore(START_MS),
      analytics: createAnalytics({ pages: 12, visits: 500, seed: 1, endMs: START_MS }),
      ...over,
    }
  }

  const badRequest = { method: 'POST', target: '', headers: {}, body: '' }
  const message = (jobId: string) => ({ operation: 'send-message', projectId: 'docs', jobId }) as const

  test('a created job is active, answered with 201, and can be read', () => {
    const context = call()
    const created = perform({ operation: 'create-job', projectId: 'docs' }, context)
    expect(created).toMatchObject({ kind: 'done', status: 201, body: { id: 'job_000001', status: 'active' } })
    const read = perform({ operation: 'get-job', projectId: 'docs', jobId: 'job_000001' }, context)
    expect(read).toEqual({ ...created, status: 200 })
  })

  test('a message is answered with 200, and the job works again', () => {
    expect(perform(message('job_finished'), call())).toMatchObject({
      status: 200,
      body: { id: 'job_finished', status: 'active', prLink: null },
    })
  })

  test('a message to an archived job is a conflict', () => {
    expect(perform(message('job_archived'), call())).toMatchObject({ kind: 'refused', status: 409 })
  })

  test('a job that is not there, or is in another project, is not found', () => {
    const context = call()
    perform({ operation: 'create-job', projectId: 'other' }, context)
    expect(perform(message('job_000001'), context)).toMatchObject({ status: 404 })
    expect(perform({ operation: 'get-job', projectId: 'docs', jobId: 'job_x' }, context)).toMatchObject({ status: 404 })
  })

  test('a body that holds no prompt creates nothing and sends nothing', () => {
    const context = call()
    const bad = { ...context, request: badRequest }
    expect(perform({ operation: 'create-job', projectId: 'docs' }, bad)).toMatchObject({ status: 415 })
    expect(perform(message('job_finished'), bad)).toMatchObject({ status: 415 })
    expect(context.jobs.find('docs', 'job_000001', SCENARIOS['pull-request'].turns[0])).toBeUndefined()
    expect(context.jobs.find('docs', 'job_finished', SCENARIOS['pull-request'].turns[0])?.turns).toHaveLength(1)
  })

  test('visitors are answered by page, and a wrong query with all its problems', () => {
    const visitors = { operation: 'get-visitors', projectId: 'docs' } as const
    expect(perform(visitors, call({ query: 'limit=5' }))).toMatchObject({ status: 200, body: { hasMore: true } })
    expect(perform(visitors, call({ query: 'limit=0&offset=x' }))).toMatchObject({
      status: 400,
      problems: [expect.stringContaining('limit'), expect.stringContaining('offset')],
    })
  })

  test('in a hostile world page paths are hostile, and the same on whatever page they come', () => {
    const visitors = { operation: 'get-visitors', projectId: 'docs' } as const
    const paths = (query: string): string[] => {
      const answer = perform(visitors, call({ query, scenario: SCENARIOS.hostile }))
      return answer.kind === 'done'
        ? (answer.body as { visitors: { path: string }[] }).visitors.map(({ path }) => path)
        : []
    }
    const all = paths('limit=12')
    expect(all[0]).toBe('=1+1/')
    expect([...paths('limit=5'), ...paths('limit=5&offset=5'), ...paths('limit=5&offset=10')]).toEqual(all)
  })

  test('prompts are limited by project and kind, analytics over all projects, and reads of a job not at all', () => {
    const bucket = (operation: keyof typeof OPERATION_RULES, projectId: string): string | undefined =>
      OPERATION_RULES[operation].rateBucket({ operation, projectId, jobId: 'job_1' })
    expect(bucket('create-job', 'a')).not.toBe(bucket('create-job', 'b'))
    expect(bucket('create-job', 'a')).not.toBe(bucket('send-message', 'a'))
    expect(bucket('get-visitors', 'a')).toBe(bucket('get-visitors', 'b'))
    expect(bucket('get-job', 'a')).toBeUndefined()
  })

  test('one request too many is told how long to wait, in whole seconds and not too short', () => {
    expect(refuseTooMany(1_001)).toMatchObject({ status: 429, headers: { 'retry-after': '2' } })
  })
})

/** A job that was created at 0 and whose first turn ends at 20 s. */
function job(plan: Partial<TurnPlan> = {}): JobRecord {
  const turns = [planTurn('first', { ...USUAL_TURN, ...plan }, 0)] as const
  return { id: 'job_1', projectId: 'docs', createdAtMs: 0, pullNumber: 7, turns }
}

function messaged(before: JobRecord, nowMs: number, plan: Partial<TurnPlan> = {}): JobRecord {
  const after = sendMessage(before, 'more', { ...USUAL_TURN, ...plan }, nowMs)
  if (after === 'archived') throw new Error('The job is archived.')
  return after
}

/** What the job reads at these seconds, such as `active` or `completed+link`. */
function readings(of: JobRecord, seconds: readonly number[]): string[] {
  return seconds.map((second) => {
    const { status, pullRequest } = stateAt(of, second * 1_000)
    return pullRequest === 'linked' ? `${status}+link` : status
  })
}

test.each([
  ['pull-request', 'completed+link'],
  ['no-changes', 'completed'],
  ['failed', 'failed'],
  ['archived', 'archived'],
] as const)('a turn that ends as %s is active until its end, and then reads %s', (ending, after) => {
  expect(readings(job({ ending }), [0, 19.999, 20, 10_000])).toEqual(['active', 'active', after, after])
})

test('an archived job tells when it was archived, and no other job does', () => {
  expect(stateAt(job({ ending: 'archived' }), 60_000).archivedAtMs).toBe(20_000)
  expect(stateAt(job({ ending: 'archived' }), 19_999).archivedAtMs).toBeUndefined()
  expect(stateAt(job({ ending: 'failed' }), 60_000).archivedAtMs).toBeUndefined()
})

test('a late link comes after the end of the turn', () => {
  const late = job({ linkDelayMs: 3_000 })
  expect(readings(late, [20, 22.999, 23])).toEqual(['completed', 'completed', 'completed+link'])
})

test('a pause lies inside the turn', () => {
  const paused = job({ pause: { fromMs: 5_000, toMs: 12_000 } })
  expect(readings(paused, [4.999, 5, 11.999, 12, 20])).toEqual([
    'active',
    'paused',
    'paused',
    'active',
    'completed+link',
  ])
})

test('a message to a finished job starts its turn at once, and hides the link while the agent works', () => {
  const again = messaged(job(), 60_000)
  expect(readings(again, [59, 60, 79.999, 80])).toEqual(['completed+link', 'active', 'active', 'completed+link'])
})

test('a message to an active job waits behind its present turn, without a gap between the two', () => {
  const queued = messaged(job({ ending: 'no-changes' }), 5_000)
  expect(readings(queued, [5, 19.999, 20, 39.999, 40])).toEqual([
    'active',
    'active',
    'active',
    'active',
    'completed+link',
  ])
})

test('a turn that starts late leaves the job reading as before until then', () => {
  const stale = messaged(job(), 60_000, { startDelayMs: 8_000 })
  expect(readings(stale, [60, 67.999, 68, 88])).toEqual([
    'completed+link',
    'completed+link',
    'active',
    'completed+link',
  ])
})

test('a turn that never starts is never seen, and neither is one behind it', () => {
  const never = messaged(job(), 60_000, { startDelayMs: Infinity })
  expect(readings(messaged(never, 61_000), [61, 1_000_000])).toEqual(['completed+link', 'completed+link'])
})

test('a later turn without changes, or one that fails, leaves the pull request open', () => {
  expect(readings(messaged(job(), 60_000, { ending: 'no-changes' }), [80])).toEqual(['completed+link'])
  expect(readings(messaged(job(), 60_000, { ending: 'failed' }), [80])).toEqual(['failed+link'])
})

test('an archived job takes no message', () => {
  expect(sendMessage(job({ ending: 'archived' }), 'more', USUAL_TURN, 20_000)).toBe('archived')
})

test('what waits behind a turn is never done when that turn ends with the job archived', () => {
  const queued = messaged(job({ ending: 'archived' }), 5_000)
  expect(readings(queued, [20, 30, 1_000])).toEqual(['archived', 'archived', 'archived'])
  expect(stateAt(queued, 1_000_000).archivedAtMs).toBe(20_000)
  expect(pushedTurns(queued, 1_000_000)).toEqual([])
})

test('a failed job can be told to go on', () => {
  expect(readings(messaged(job({ ending: 'failed' }), 30_000), [30, 50])).toEqual(['active', 'completed+link'])
})

test('the pull request holds the turns that ended with changes, in their order', () => {
  const twice = messaged(messaged(job(), 30_000, { ending: 'no-changes' }), 60_000)
  const pushed = (second: number): number[] =>
    pushedTurns(twice, second * 1_000).map(({ endsAtMs }) => endsAtMs / 1_000)
  expect([pushed(19), pushed(20), pushed(79), pushed(80)]).toEqual([[], [20], [20], [20, 80]])
})

test('sending a message leaves the record it was given alone', () => {
  const before = job()
  messaged(before, 60_000)
  expect(before.turns).toHaveLength(1)
})
