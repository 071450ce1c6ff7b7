import { expect, test } from '@jest/globals'
import {
  acceptedJobSchema,
  STATUS_PHRASES,
  jobSchema,
  jobWithId,
  visitorsPageSchema,
} from '../../src/docs-service/schemas.ts'

const ADDRESS = 'https://git.example.com/acme/docs/pull/7'
/** What is read of a job as it is sent. */
const READ = {
  id: 'job_1',
  status: 'completed',
  model: 'writer-1',
  createdAt: '2026-01-01T00:00:00.000Z',
} as const
const SOURCE = { repository: 'acme/docs', ref: 'main' }
const JOB = { ...READ, source: SOURCE, prLink: ADDRESS, archivedAt: '2026-01-02T00:00:00.000Z' }

const UNKNOWN = ['unlistedStatus', 'repository', 'ref', 'model', 'prLink', 'createdAt']
const NOTHING_KNOWN = {
  id: 'job_1',
  status: 'active',
  ...Object.fromEntries(UNKNOWN.map((name) => [name, undefined])),
}

test('a job as documented is read whole, also where it answers a prompt', () => {
  const prLink = { href: ADDRESS, host: 'git.example.com', number: '7', repository: 'acme/docs' }
  const whole = { ...READ, ...SOURCE, unlistedStatus: undefined, prLink }
  for (const schema of [jobSchema, acceptedJobSchema, jobWithId('job_1')]) expect(schema.parse(JOB)).toEqual(whole)
})

test.each([
  ...Object.keys(STATUS_PHRASES).map((status) => [status, { status, unlistedStatus: undefined }] as const),
  ...['queued', 'Completed', 'completed ', 'constructor'].map(
    (word) => [word, { status: 'active', unlistedStatus: word }] as const,
  ),
])('the status %j, which counts as still running if it is not listed', (status, read) => {
  expect(jobSchema.parse({ ...JOB, status })).toMatchObject(read)
})

test.each([undefined, null, '', 7, {}, []])('a detail that is %j is absent and spoils nothing', (value) => {
  const details = { source: value, model: value, createdAt: value }
  for (const fields of [details, { source: { repository: value, ref: value } }])
    expect(jobSchema.parse({ id: 'job_1', status: 'active', ...fields })).toEqual(NOTHING_KNOWN)
})

test.each<[unknown, true | undefined]>([
  ...[undefined, null, ''].map((prLink): [unknown, undefined] => [prLink, undefined]),
  ...['javascript:alert(1)', ' '].map((prLink): [unknown, true] => [prLink, true]),
])(
  'the pull request link %j is none, and that there was one that cannot be shown is kept: %j',
  (prLink, hasUnsafeLink) => {
    const job = jobSchema.parse({ ...JOB, prLink })
    expect([job.prLink, job.hasUnsafeLink]).toEqual([undefined, hasUnsafeLink])
  },
)

test.each([undefined, null, '', 7, '..', 'a/b', 'a b', 'job\n1', 'ü', 'x'.repeat(129)])(
  'the id %j is refused',
  (id) => {
    expect(jobSchema.safeParse({ ...JOB, id }).success).toBe(false)
    expect(acceptedJobSchema.safeParse({ ...JOB, id }).success).toBe(false)
  },
)

test.each(['a', 'A-z_09', 'x'.repeat(128)])('the id %j is taken, and no other one where it is asked for', (id) => {
  expect(jobWithId(id).parse({ ...JOB, id }).id).toBe(id)
  expect(jobWithId(id).safeParse(JOB).success).toBe(false)
})

test.each([
  ...[undefined, null, '', 7].map((status) => ({ status })),
  // It cannot pass for "no changes".
  ...[7, {}, true].map((prLink) => ({ status: 'completed', prLink })),
])('a job of which %j is told makes no sense, and runs if a prompt was accepted', (fields) => {
  expect(jobSchema.safeParse({ id: 'job_1', ...fields }).success).toBe(false)
  expect(acceptedJobSchema.parse({ id: 'job_1', ...fields })).toEqual({ ...NOTHING_KNOWN, isAssumed: true })
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
  const counts = JSON.parse('{"human":-0,"ai":-0,"total":-0}') as object
  const { totals } = visitorsPageSchema.parse({ ...PAGE, totals: counts })
  expect(totals).toEqual({ human: 0, ai: 0, total: 0 })
})
