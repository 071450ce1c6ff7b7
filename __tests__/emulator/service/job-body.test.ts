import { expect, test } from '@jest/globals'

import { toJobBody } from '../../../src/emulator/service/job-body.ts'
import { type JobRecord, planTurn } from '../../../src/emulator/service/job-machine.ts'
import { USUAL_TURN } from '../../../src/emulator/service/scenarios.ts'
import { jobSchema } from '../../../src/docs-service/schemas.ts'

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
