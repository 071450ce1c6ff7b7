import { expect, test } from '@jest/globals'
import { acceptedJobSchema, jobSchema, createJobSchema, findInvalidField } from '../../src/docs-service/schemas.ts'
import { STATUS_PHRASES, visitorsPage } from '../../src/docs-service/interface.ts'

const ADDRESS = 'https://git.example.com/acme/docs/pull/7'
/** The fields of a job that are read unchanged. */
const READ = {
  id: 'job_1',
  status: 'completed',
  model: 'writer-1',
  createdAt: '2026-01-01T00:00:00.000Z',
} as const
const SOURCE = { repository: 'acme/docs', ref: 'main' }
const JOB = { ...READ, source: SOURCE, prLink: ADDRESS, archivedAt: '2026-01-02T00:00:00.000Z' }

const UNDEFINED_FIELDS = ['unlistedStatus', 'repository', 'ref', 'model', 'prLink', 'createdAt']
const ONLY_ID = {
  id: 'job_1',
  status: 'active',
  ...Object.fromEntries(UNDEFINED_FIELDS.map((name) => [name, undefined])),
}

test('reads all fields of a documented job, including in the response to a prompt', () => {
  const prLink = { href: ADDRESS, host: 'git.example.com', number: '7', repository: 'acme/docs' }
  const whole = { ...READ, ...SOURCE, unlistedStatus: undefined, prLink }
  for (const schema of [jobSchema, acceptedJobSchema, createJobSchema('job_1')])
    expect(schema.parse(JOB)).toEqual(whole)
})

test.each([
  ...Object.keys(STATUS_PHRASES).map((status) => [status, { status, unlistedStatus: undefined }] as const),
  ...['queued', 'Completed', 'completed ', 'constructor'].map(
    (word) => [word, { status: 'active', unlistedStatus: word }] as const,
  ),
])('reads the status %j, and an unlisted one as running', (status, read) => {
  expect(jobSchema.parse({ ...JOB, status })).toMatchObject(read)
})

test.each([undefined, null, '', 7, {}, []])('ignores a detail that is %j', (value) => {
  const details = { source: value, model: value, createdAt: value }
  for (const fields of [details, { source: { repository: value, ref: value } }])
    expect(jobSchema.parse({ id: 'job_1', status: 'active', ...fields })).toEqual(ONLY_ID)
})

test.each([undefined, null, ''])('a job whose link is %j has no pull request', (prLink) => {
  expect(jobSchema.parse({ ...JOB, prLink }).prLink).toBeUndefined()
})

test.each([undefined, null, '', 7, '..', 'a/b', 'a b', 'job\n1', 'ü', 'x'.repeat(129)])('rejects the id %j', (id) => {
  expect(jobSchema.safeParse({ ...JOB, id }).success).toBe(false)
  expect(acceptedJobSchema.safeParse({ ...JOB, id }).success).toBe(false)
})

test.each(['a', 'A-z_09', 'x'.repeat(128)])('accepts the id %j, and rejects a job with another id', (id) => {
  expect(createJobSchema(id).parse({ ...JOB, id }).id).toBe(id)
  expect(createJobSchema(id).safeParse(JOB).success).toBe(false)
})

test.each([
  ...[undefined, null, '', 7].map((status) => ({ status })),
  // Must not be treated as “no changes”.
  ...[7, {}, true, ' ', 'javascript:alert(1)', `${ADDRESS}\n::error::x`].map((prLink) => ({
    status: 'completed',
    prLink,
  })),
])('a job with %j is invalid, and counts as running if a prompt was accepted', (fields) => {
  expect(jobSchema.safeParse({ id: 'job_1', ...fields }).success).toBe(false)
  expect(acceptedJobSchema.parse({ id: 'job_1', ...fields })).toEqual(ONLY_ID)
})

const COUNTS = { human: 3, ai: 2, total: 4 }
const PAGE = { totals: COUNTS, visitors: [{ path: '/a', ...COUNTS }], hasMore: false }

test('reads a page of visitors without undocumented fields', () => {
  expect(visitorsPage.parse({ ...PAGE, extra: 1 })).toEqual(PAGE)
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
])('rejects a page in which a required field is missing or malformed: %j', (page) => {
  expect(visitorsPage.safeParse(page).success).toBe(false)
})

test('reads a count of -0 as 0', () => {
  const counts = JSON.parse('{"human":-0,"ai":-0,"total":-0}') as object
  const { totals } = visitorsPage.parse({ ...PAGE, totals: counts })
  expect(totals).toEqual({ human: 0, ai: 0, total: 0 })
})

test.each([
  ['totals', { ...PAGE, totals: undefined }],
  ['totals.total', { ...PAGE, totals: { human: 3, ai: 2 } }],
  ['visitors[1].path', { ...PAGE, visitors: [...PAGE.visitors, COUNTS] }],
  ['hasMore', { ...PAGE, hasMore: 'false' }],
  [undefined, [PAGE]],
  [undefined, PAGE],
])('names the first invalid field of a page: %s', (field, page) => {
  expect(findInvalidField(visitorsPage, JSON.stringify(page))).toBe(field)
})

test('names no field of a body that is not JSON', () => {
  expect(findInvalidField(visitorsPage, '<html></html>')).toBeUndefined()
})
