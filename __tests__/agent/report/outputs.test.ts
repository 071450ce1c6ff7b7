import { expect, test } from '@jest/globals'
import { OUTPUT_NAMES, toOutputs } from '../../../src/agent/report/outputs.ts'
import { CREATE, FOLLOW_UP } from '../../support/agent-run.ts'
import { active, completed, job, LINK } from '../../support/fake-client.ts'
import { reportOf } from '../../support/report.ts'

test('tells the next steps all about a pull request', () => {
  expect(toOutputs(reportOf())).toEqual({
    status: 'completed',
    'pr-link': LINK,
    'job-id': 'job_1',
    outcome: 'pull-request',
    changed: 'true',
    'pr-number': '7',
    'pr-repository': 'acme/docs',
    model: 'writer-1',
    'duration-seconds': '65.4',
    'pr-state': '',
    'pr-branch': '',
    'pr-head-sha': '',
    checks: '',
    'in-scope': '',
  })
})

test('sets every output, empty where there is nothing to tell', () => {
  const outputs = toOutputs(reportOf({ outcome: 'skipped', task: undefined, job: undefined, durationMs: 0 }))
  expect(Object.keys(outputs)).toEqual(OUTPUT_NAMES)
  expect(outputs).toMatchObject({
    status: '',
    'pr-link': '',
    'job-id': '',
    changed: 'false',
    'pr-number': '',
    'pr-repository': '',
    model: '',
  })
})

test('names the job of a follow-up even where it could never be read', () => {
  expect(toOutputs(reportOf({ outcome: 'error', task: FOLLOW_UP, job: undefined }))['job-id']).toBe('job_1')
  expect(toOutputs(reportOf({ outcome: 'error', task: CREATE, job: undefined }))['job-id']).toBe('')
})

test('has no link where there is none', () => {
  expect(toOutputs(reportOf({ outcome: 'timed-out', job: active }))).toMatchObject({
    'pr-link': '',
    changed: 'false',
    status: 'active',
  })
})

test('does not hand on a link that is not safe, but still says that something changed', () => {
  const hostile = job({ status: 'completed', prLink: 'https://git.example.com/a/b/pull/1\nstatus=failed' })
  expect(toOutputs(reportOf({ job: hostile }))).toMatchObject({ 'pr-link': '', 'pr-number': '', changed: 'true' })
})

test('reports an unlisted status as active, since only four values are promised', () => {
  expect(toOutputs(reportOf({ job: job({ unlistedStatus: 'paused' }) })).status).toBe('active')
})

test("makes one clean line of the model's name", () => {
  const model = `writer\n::set-output name=x::y\u001b[31m${'z'.repeat(500)}`
  const cleaned = toOutputs(reportOf({ job: { ...completed, model } })).model
  expect(cleaned).toMatch(/^writer ::set-output name=x::yz+…$/)
  expect(cleaned).toHaveLength(200)
})

test('tells what GitHub knows of the pull request', () => {
  const scope = { fileCount: 2, outside: [] }
  const handOff = { state: 'draft', branch: 'agent/a', headSha: 'c'.repeat(40), checks: 'none', scope } as const
  expect(toOutputs(reportOf({ handOff }))).toMatchObject({
    'pr-state': 'draft',
    'pr-branch': 'agent/a',
    'pr-head-sha': 'c'.repeat(40),
    checks: 'none',
    'in-scope': 'true',
  })
  const outOfScope = { ...handOff, scope: { fileCount: 2, outside: ['src/a.ts'] } }
  expect(toOutputs(reportOf({ handOff: outOfScope }))['in-scope']).toBe('false')
})
