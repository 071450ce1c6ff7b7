import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import * as z from 'zod/mini'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { renderResult, resultSchema } from '../../../src/agent/report/result.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { createRedactor } from '../../../src/text/redact.ts'
import { FOLLOW_UP } from '../../support/agent-run.ts'
import { completed, LINK } from '../../support/fake-client.ts'
import { root } from '../../support/markdown-files.ts'
import { reportOf, type Fields } from '../../support/report.ts'

const KEY = 'dk_"secret"key'

function resultOf(fields: Fields = {}) {
  const report = reportOf(fields)
  const text = renderResult(report, conclude(report, new Set()), createRedactor([KEY]))
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024)
  const found: unknown = JSON.parse(text)
  expect(resultSchema.parse(found)).toEqual(found)
  return { text, result: resultSchema.parse(found) }
}

test('tells all that the step knows', () => {
  const { result } = resultOf({
    ...{ operation: 'created', startedBy: { text: 'schedule' }, change: '1 commit.' },
    pullRequest: {
      ...{
        title: 'Explain it',
        state: 'open',
        branch: 'agent/guide',
        headSha: 'c',
        mergeable: true,
        checks: 'failure',
      },
      checkList: [{ name: 'links', state: 'failure', tookMs: 1_500, detailsUrl: 'javascript:alert(1)' }],
      scope: { fileCount: 1, outside: ['src/a.ts'] },
    },
    changes: { files: [{ path: 'docs/a.md', additions: 2, deletions: 1 }], isWhole: true },
    rounds: [{ task: FOLLOW_UP, failing: [{ name: 'links', state: 'failure' }], result: { outcome: 'no-changes' } }],
    shortfalls: [{ lost: 'The label was not put on', error: new ActionError('forbidden', 'No.') }],
  })
  expect(result).toMatchObject({
    ...{ version: 1, outcome: 'pull-request', green: true, changed: true, change: '1 commit.', error: null },
    triggered_by: { text: 'schedule', url: null },
    job: { id: 'job_1', status: 'completed', model: 'writer-1' },
    pull_request: {
      ...{ url: LINK, number: 7, repository: 'acme/docs', title: 'Explain it', state: 'open', branch: 'agent/guide' },
      ...{ head_sha: 'c', mergeable: true, operation: 'created', checks: 'failure', in_scope: false },
    },
    files: [{ path: 'docs/a.md', additions: 2, deletions: 1 }],
    checks: [{ name: 'links', result: 'failure', seconds: 1.5, url: null }],
    outside: ['src/a.ts'],
    rounds: [{ checks: ['links'], end: 'nothing to change' }],
    not_done: ['The label was not put on: No.'],
    duration_seconds: 65.4,
    left_out: { files: 0, checks: 0, outside: 0, rounds: 0, not_done: 0 },
  })
})

test('what is not known is null', () => {
  const error = new ActionError('proxy', 'No.')
  const { result } = resultOf({ outcome: 'error', task: undefined, job: undefined, error })
  const unknown = { job: null, pull_request: null, triggered_by: null }
  expect(result).toMatchObject({ ...unknown, error: { code: 'proxy', hint: null } })
})

const LONG = '\u0001"é🎉'.repeat(5_000)

test.each([1, 10, 1_000])(
  'with %i long items a list, what does not fit is taken from their ends, and counted',
  (count) => {
    const all = <T>(item: T): T[] => Array<T>(count).fill(item)
    const { result } = resultOf({
      ...{ change: LONG, job: { ...completed, model: LONG, repository: LONG, ref: LONG } },
      error: new ActionError('rejected', LONG, { hint: LONG }),
      pullRequest: {
        ...{ title: LONG, branch: LONG, scope: { fileCount: 1, outside: all(LONG) } },
        checkList: all({ name: LONG, state: 'failure' as const }),
      },
      changes: { files: all({ path: LONG, additions: 1, deletions: 1 }), isWhole: true },
      rounds: all({
        task: FOLLOW_UP,
        failing: all({ name: LONG, state: 'failure' as const }),
        result: { outcome: 'failed' as const },
      }).slice(0, 5),
    })
    for (const list of ['files', 'checks', 'outside'] as const)
      expect(result[list].length + result.left_out[list]).toBe(count)
  },
)

test('holds no secret, and stays JSON if one was taken out', () => {
  const { text, result } = resultOf({ change: `It is "${KEY}"` })
  expect(result.change).toBe('It is "***"')
  expect(text).not.toContain('secret')
})

test('the schema in the docs is that of the output', () => {
  const written: unknown = JSON.parse(readFileSync(join(root, 'docs/result.schema.json'), 'utf8'))
  expect(written).toEqual(JSON.parse(JSON.stringify(z.toJSONSchema(resultSchema))))
})
