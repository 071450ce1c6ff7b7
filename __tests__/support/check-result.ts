import { expect } from '@jest/globals'
import { resultSchema } from '../../src/agent/report/result.ts'

/** Holds the output `result` against its schema, its size and the other outputs; visitors and skipped rehearsals have none. */
export function checkResult(outputs: Readonly<Record<string, string>>): void {
  const { result } = outputs
  if (result === undefined) return
  expect(Buffer.byteLength(result)).toBeLessThanOrEqual(32 * 1024)
  const found: unknown = JSON.parse(result)
  const parsed = resultSchema.parse(found)
  expect(found).toEqual(parsed)
  const { outcome, changed, job, pull_request } = parsed
  expect({ outcome, changed: String(changed ?? ''), status: job?.status ?? '', link: pull_request?.url ?? '' }).toEqual(
    {
      ...{ outcome: outputs['outcome'], changed: outputs['changed'] },
      ...{ status: outputs['status'], link: outputs['pr-link'] },
    },
  )
}
