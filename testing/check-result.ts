import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { root } from './markdown-files.ts'

interface Result extends Readonly<Record<'files' | 'checks' | 'outside', readonly unknown[]>> {
  readonly outcome: string
  readonly changed: boolean | null
  readonly fix_rounds: number | null
  readonly job: { readonly status: string } | null
  readonly pull_request: { readonly url: string } | null
  readonly left_out: Readonly<Record<'files' | 'checks' | 'outside', number>>
}

// `__tests__/agent/output/outputs.test.ts` and `__tests__/report/report.test.ts` validate the schemas themselves.
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, validateSchema: false, code: { optimize: false } })

/** Creates a function that parses the output `result`, and checks it against its schema and its maximum size. */
function createParser(file: string): (result: string) => unknown {
  const fits = ajv.compile(JSON.parse(readFileSync(join(root, file), 'utf8')) as object)
  return (result) => {
    ok(Buffer.byteLength(result) <= 32 * 1024)
    const found: unknown = JSON.parse(result)
    ok(fits(found), ajv.errorsText(fits.errors))
    return found
  }
}

export const parseResult = createParser('docs/result.schema.json') as (result: string) => Result
const parseReport = createParser('docs/report.schema.json')

/**
 * Checks the output `result` against its schema, its maximum size and the other outputs. Exports of visitors and
 * skipped rehearsals have no such output. Uses `node:assert`, because the pictures are taken outside of a
 * test.
 */
export function checkResult(outputs: Readonly<Record<string, string>>): void {
  const { result } = outputs
  if (result === undefined) return
  // A report has no other output.
  if (outputs['outcome'] === undefined) {
    parseReport(result)
    return
  }
  const { outcome, changed, job, pull_request } = parseResult(result)
  const values = [outcome, String(changed ?? ''), job?.status ?? '', pull_request?.url ?? '']
  deepStrictEqual(
    values,
    ['outcome', 'changed', 'status', 'pr-link'].map((name) => outputs[name]),
  )
}
