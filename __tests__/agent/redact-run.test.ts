import { expect, test } from '@jest/globals'
import { createUnstartedRun, type Run } from '../../src/agent/record.ts'
import { redactRun } from '../../src/agent/redact-run.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { completed } from '../../testing/jobs.ts'
import { ATTACH, createReport, describeReport, endWith, turnIn } from '../../testing/report.ts'
import { flattenReport } from '../../testing/flatten-result.ts'

const KEY = 'docs_secret-key-123'
const redact = createRedactor([KEY])

test.each([
  ['where an output is cut', KEY],
  ['that only cleaning makes visible', Array.from(KEY).join('\u200b')],
])('redacts a complete key %s', (_name, key) => {
  const report = createReport({ state: endWith('created', { ...completed, model: `${'x'.repeat(290)}${key}` }) })
  expect(flattenReport(redactRun(report, redact))['job.model']).toBe(`${'x'.repeat(290)}***`)
})

const LINKED = { host: 'git.example.com', number: '7' }

test('redacts a key in a prompt or in the URL of a pull request, and keeps everything else', () => {
  const reportWith = (secret: string): Run => {
    const task = { kind: 'create', prompt: `Use ${secret}.\nStop.` } as const
    const prLink = { ...LINKED, href: `https://${LINKED.host}/${secret}/docs/pull/7`, repository: `${secret}/docs` }
    return createReport({
      task,
      state: endWith('created', { ...completed, prLink }),
      rounds: [turnIn(endWith('created', { ...completed, prLink }), { task })],
    })
  }
  expect(redactRun(reportWith(KEY), redact)).toEqual(reportWith('***'))
  const others = [createReport({ task: ATTACH }), createUnstartedRun(undefined, 0)]
  expect(others.map((report) => redactRun(report, redact))).toEqual(others)
})

test('does not redact the fields that decide the result', () => {
  const prLink = { ...LINKED, href: 'https://git.example.com/acme/docs/pull/7', repository: 'acme/docs' }
  const report = createReport({ state: endWith('created', { ...completed, prLink }) })
  const redacted = redactRun(report, createRedactor(['create', 'completed', 'job_1', '7', 'git.example']))
  expect(describeReport(redacted)).toMatchObject({
    task: { kind: 'create' },
    job: { id: 'job_1', status: 'completed', prLink: LINKED },
  })
})
