import { deepStrictEqual, ok } from 'node:assert/strict'
import { resultSchema } from '../../src/agent/report/result-schema.ts'

/**
 * Holds the output `result` against its schema, its size and the other outputs; visitors and skipped rehearsals have none.
 * It needs no test around it, since the page of summaries is written without one.
 */
export function checkResult(outputs: Readonly<Record<string, string>>): void {
  const { result } = outputs
  if (result === undefined) return
  ok(Buffer.byteLength(result) <= 32 * 1024)
  const found: unknown = JSON.parse(result)
  const parsed = resultSchema.parse(found)
  deepStrictEqual(found, parsed)
  const { outcome, changed, job, pull_request } = parsed
  const told = [outcome, String(changed ?? ''), job?.status ?? '', pull_request?.url ?? '']
  deepStrictEqual(
    told,
    ['outcome', 'changed', 'status', 'pr-link'].map((name) => outputs[name]),
  )
}
