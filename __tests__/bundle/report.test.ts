import { expect, test } from '@jest/globals'
import type { RunResult } from '../../scripts/small-runner/run-action.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { runReport } from '../support/bundle-report.ts'
import type { Result } from '../support/play-report.ts'

const parse = ({ outputs }: RunResult): Result & { readonly rehearsal: boolean } =>
  JSON.parse(outputs['result'] ?? '{}') as Result & { readonly rehearsal: boolean }

test('a report is green, and counts the pull requests of the agent', async () => {
  const run = await runReport({})
  expect(run).toMatchObject({ conclusion: 'success', exitCode: 0 })
  expect(run.masks).toEqual(expect.arrayContaining(['ghs_real0123456789']))
  expect(run.rawOutput + run.summary + (run.outputs['result'] ?? '')).not.toContain(GITHUB_TOKEN)
  expect(run.summary).toMatch(/^## ⚠️ Rehearsal · 1 pull request needs attention · Docs report · /)
  const { rehearsal, pull_requests: numbers } = parse(run)
  expect(rehearsal).toBe(true)
  expect(numbers).toMatchObject({ opened: 4, merged_unedited: 1, merged_edited: 1, closed: 1, waiting: 1 })
})

test('all problems of the inputs are one error, and the result is written', async () => {
  const run = await runReport({ days: '0', 'pr-repository': 'docs' })
  expect(run.conclusion).toBe('failure')
  expect(run.annotations.at(-1)?.message).toMatch(/`days` must be .*\n.*`pr-repository` must be/)
  expect(parse(run)).toMatchObject({ green: false, error: { code: 'invalid-input' } })
})
