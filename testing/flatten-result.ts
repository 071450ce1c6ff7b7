import { conclude } from '../src/agent/conclude.ts'
import { renderResult, toOutputs } from '../src/agent/output/outputs.ts'
import type { Run } from '../src/agent/record.ts'

type Texts = Readonly<Record<string, string>>

/** Fields of `result` whose values tests compare like outputs. */
export const RESULT_FIELDS = [
  'continued',
  'fix_rounds',
  'duration_seconds',
  'job.model',
  ...['repository', 'branch', 'mergeable', 'operation'].map((name) => `pull_request.${name}`),
]

type Json = Readonly<Record<string, unknown>> | null

/** Adds fields of `result` to the outputs, by their paths. As in an output, an empty text means that there is no value. */
export function flattenResult(outputs: Texts): Texts {
  if (outputs['result'] === undefined) return outputs
  const result = JSON.parse(outputs['result']) as Json
  const fields = RESULT_FIELDS.map((name) => {
    const value = name.split('.').reduce<unknown>((part, key) => (part as Json | undefined)?.[key], result)
    return [name, typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)]
  })
  return { ...outputs, ...(Object.fromEntries(fields) as Texts) }
}

/** Returns what a report sets, without redaction. */
export function flattenReport(report: Run): Texts {
  const conclusion = conclude(report)
  const result = renderResult(report, conclusion, (text) => text)
  return flattenResult({ ...toOutputs(report, conclusion), result })
}
