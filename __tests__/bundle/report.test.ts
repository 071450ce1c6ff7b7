import { expect, test } from '@jest/globals'
import type { RunResult } from '../../scripts/small-runner/run-action.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { runReport } from '../support/bundle-report.ts'
import type { Result } from '../support/play-report.ts'

const parse = ({ outputs }: RunResult): Result & { readonly rehearsal: boolean } =>
  JSON.parse(outputs['result'] ?? '{}') as Result & { readonly rehearsal: boolean }

test('a report is green, and says what happened to each change', async () => {
  const run = await runReport({ 'skip-labels': 'no-docs' })
  expect(run).toMatchObject({ conclusion: 'success', exitCode: 0 })
  expect(run.masks).toEqual(expect.arrayContaining(['ghs_real0123456789']))
  expect(run.rawOutput + run.summary + (run.outputs['result'] ?? '')).not.toContain(GITHUB_TOKEN)
  expect(run.summary).toMatch(/^## ⚠️ Rehearsal · 4 of 9 changes need attention · Docs report · /)
  const { rehearsal, counts, pull_requests: numbers } = parse(run)
  expect(rehearsal).toBe(true)
  expect(counts).toEqual({
    documented_merged: 3,
    documented_open: 1,
    exempt: 1,
    working: 0,
    documented_closed: 1,
    examined_unchanged: 1,
    examined_unknown: 0,
    examined_failed: 1,
    own: 2,
    no_trace: 1,
    not_readable: 0,
  })
  expect(numbers).toMatchObject({ opened: 4, merged_unedited: 1, merged_edited: 1, closed: 1, waiting: 1 })
})

test('a gate is red with one error that names the change, and the result is written', async () => {
  const run = await runReport({ 'skip-labels': 'no-docs', 'fail-on': 'no-trace' })
  expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1 })
  const errors = run.annotations.filter(({ level }) => level === 'error')
  expect(errors).toMatchObject([{ title: '1 of 9 changes is not accounted for' }])
  expect(errors[0]?.message).toMatch(/^Not documented, exempt or examined: `[0-9a-f]{7}`\. /)
  expect(parse(run)).toMatchObject({ green: false, left_out: { changes: 0 } })
})

test('all problems of the inputs are one error, and the result is written', async () => {
  const run = await runReport({ days: '0', range: 'main' })
  expect(run.conclusion).toBe('failure')
  expect(run.annotations.at(-1)?.message).toMatch(/`range` must be .*\n.*`days` must be/)
  expect(parse(run)).toMatchObject({ green: false, error: { code: 'invalid-input' } })
})
