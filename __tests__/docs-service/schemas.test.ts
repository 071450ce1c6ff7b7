import { expect, test } from '@jest/globals'
import { acceptedJobSchema, JOB_STATUSES, jobSchema, visitorsPageSchema } from '../../src/docs-service/schemas.ts'

const JOB = {
  id: 'job_1',
  status: 'completed',
  source: { repository: 'acme/docs', ref: 'main' },
  model: 'writer-1',
  prLink: 'https://git.example.com/acme/docs/pull/7',
  createdAt: '2026-01-01T00:00:00.000Z',
  archivedAt: '2026-01-02T00:00:00.000Z',
}

const NOTHING_KNOWN = {
  id: 'job_1',
  status: 'active',
  unlistedStatus: undefined,
  repository: undefined,
  ref: undefined,
  model: undefined,
  prLink: undefined,
  createdAt: undefined,
  archivedAt: undefined,
}

test('a job as documented is read whole', () => {
  expect(jobSchema.parse(JOB)).toEqual({
    id: 'job_1',
    status: 'completed',
    unlistedStatus: undefined,
    repository: 'acme/docs',
    ref: 'main',
    model: 'writer-1',
    prLink: {
      href: 'https://git.example.com/acme/docs/pull/7',
      host: 'git.example.com',
      number: '7',
      repository: 'acme/docs',
    },
    createdAt: '2026-01-01T00:00:00.000Z',
    archivedAt: '2026-01-02T00:00:00.000Z',
  })
})

test.each(JOB_STATUSES)('the status %s is listed', (status) => {
  expect(jobSchema.parse({ ...JOB, status })).toMatchObject({ status, unlistedStatus: undefined })
})

test.each(['queued', 'Completed', 'completed '])(
  'the status %j is not listed, and counts as still running',
  (status) => {
    expect(jobSchema.parse({ id: 'job_1', status })).toMatchObject({ status: 'active', unlistedStatus: status })
  },
)

test('only id and status are needed', () => {
  expect(jobSchema.parse({ id: 'job_1', status: 'active' })).toEqual(NOTHING_KNOWN)
})

test.each([null, '', 7, {}, []])('a detail that is %j is absent and spoils nothing', (value) => {
  const details = { source: value, model: value, createdAt: value, archivedAt: value }

  expect(jobSchema.parse({ id: 'job_1', status: 'active', ...details })).toEqual(NOTHING_KNOWN)
  expect(jobSchema.parse({ id: 'job_1', status: 'active', source: { repository: value, ref: value } })).toEqual(
    NOTHING_KNOWN,
  )
})

test.each([undefined, null, ''])('a pull request link that is %j is absent', (prLink) => {
  expect(jobSchema.parse({ ...JOB, prLink })).toMatchObject({ prLink: undefined })
  expect(jobSchema.parse({ ...JOB, prLink })).not.toHaveProperty('hasUnsafeLink')
})

test.each(['javascript:alert(1)', ' ', 'https://user@git.example.com/acme/docs/pull/7'])(
  'a pull request link that cannot be shown is none, and that there was one is kept: %j',
  (prLink) => {
    expect(jobSchema.parse({ ...JOB, prLink })).toMatchObject({ prLink: undefined, hasUnsafeLink: true })
  },
)

test.each([7, {}, true])(
  'a pull request link that is %j makes no sense, so that it cannot pass for "no changes"',
  (prLink) => {
    expect(jobSchema.safeParse({ ...JOB, prLink }).success).toBe(false)
  },
)

test.each([undefined, null, '', 7, '..', 'a/b', 'a b', 'job\n1', 'ü', 'x'.repeat(129)])(
  'the id %j is refused',
  (id) => {
    expect(jobSchema.safeParse({ ...JOB, id }).success).toBe(false)
    expect(acceptedJobSchema.safeParse({ ...JOB, id }).success).toBe(false)
  },
)

test.each(['a', 'A-z_09', 'x'.repeat(128)])('the id %j is taken', (id) => {
  expect(jobSchema.parse({ ...JOB, id }).id).toBe(id)
})

test.each([undefined, null, '', 7])('a read whose status is %j makes no sense', (status) => {
  expect(jobSchema.safeParse({ id: 'job_1', status }).success).toBe(false)
})

test.each([undefined, null, '', 7])('an accepted job whose status is %j counts as running', (status) => {
  expect(acceptedJobSchema.parse({ id: 'job_1', status })).toEqual({ ...NOTHING_KNOWN, isAssumed: true })
})

test('an accepted job whose link cannot be read counts as running too, and not as finished without changes', () => {
  expect(acceptedJobSchema.parse({ id: 'job_1', status: 'completed', prLink: 7 })).toEqual({
    ...NOTHING_KNOWN,
    isAssumed: true,
  })
})

test('an accepted job that makes sense is taken at its word', () => {
  expect(acceptedJobSchema.parse(JOB)).toEqual(jobSchema.parse(JOB))
})

const COUNTS = { human: 3, ai: 2, total: 4 }
const PAGE = { totals: COUNTS, visitors: [{ path: '/a', ...COUNTS }], hasMore: false }

test('a page of visitors is read as it is, without fields that are not documented', () => {
  expect(visitorsPageSchema.parse({ ...PAGE, extra: 1 })).toEqual(PAGE)
})

test.each([
  { ...PAGE, totals: undefined },
  { ...PAGE, totals: { human: 3, ai: 2 } },
  { ...PAGE, visitors: undefined },
  { ...PAGE, visitors: [{ ...COUNTS }] },
  { ...PAGE, visitors: [{ path: '/a', ...COUNTS, total: -1 }] },
  { ...PAGE, visitors: [{ path: '/a', ...COUNTS, ai: 1.5 }] },
  { ...PAGE, visitors: [{ path: '/a', ...COUNTS, human: '3' }] },
  { ...PAGE, hasMore: undefined },
  { ...PAGE, hasMore: 'false' },
])('a page in which a required field is missing or wrong makes no sense: %j', (page) => {
  expect(visitorsPageSchema.safeParse(page).success).toBe(false)
})

test('a count of -0 is 0', () => {
  const counts = '"human":-0,"ai":-0,"total":-0'
  const page = visitorsPageSchema.parse(
    JSON.parse(`{"totals":{${counts}},"visitors":[{"path":"/",${counts}}],"hasMore":false}`),
  )
  expect(page).toEqual({
    totals: { human: 0, ai: 0, total: 0 },
    visitors: [{ path: '/', human: 0, ai: 0, total: 0 }],
    hasMore: false,
  })
})
