import { expect, test } from '@jest/globals'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { redactReport } from '../../../src/agent/report/redact-report.ts'
import { createRedactor } from '../../../src/text/redact.ts'
import { CREATE } from '../../support/agent-run.ts'
import { completed, job } from '../../support/fake-client.ts'
import { reportOf } from '../../support/report.ts'

const KEY = 'docs_secret-key-123'
const redact = createRedactor([KEY])

test('a key at the place where an output is cut is taken out as a whole', () => {
  const report = reportOf({ job: { ...completed, model: `${'x'.repeat(190)}${KEY}` } })
  expect(toOutputs(redactReport(report, redact)).model).toBe(`${'x'.repeat(190)}***`)
})

test('a key that only cleaning puts together is taken out as well', () => {
  const model = `${'x'.repeat(190)}${Array.from(KEY).join('\u200b')}`
  expect(redactReport(reportOf({ job: { ...completed, model } }), redact).job?.model).toBe(`${'x'.repeat(190)}***`)
})

test('a key in the address of the pull request is taken out', () => {
  const prLink = `https://git.example.com/${KEY}/docs/pull/7`
  expect(redactReport(reportOf({ job: job({ prLink }) }), redact).job?.prLink).toEqual({
    href: 'https://git.example.com/***/docs/pull/7',
    host: 'git.example.com',
    number: '7',
    repository: '***/docs',
  })
})

test('the prompt is redacted too, and everything else stays', () => {
  const task = { kind: 'create', prompt: `Use ${KEY}.\nThen stop.` } as const
  expect(redactReport(reportOf({ task }), redact)).toEqual(
    reportOf({ task: { kind: 'create', prompt: 'Use ***.\nThen stop.' } }),
  )
  expect(redactReport(reportOf({ task: CREATE }), redact)).toEqual(reportOf({ task: CREATE }))
})

test('a report without a task and a job stays as it is', () => {
  const report = reportOf({ task: undefined, job: undefined })
  expect(redactReport(report, redact)).toEqual(report)
})
