import { expect, test } from '@jest/globals'
import type { RunResult } from '../../scripts/small-runner/run-action.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { runReport } from '../../testing/bundle-report.ts'
import type { Result } from '../../testing/play-report.ts'

const parse = ({ outputs }: RunResult): Result => JSON.parse(outputs['result'] ?? '{}') as Result

test('a report is green, and counts the pull requests of the agent', async () => {
  const run = await runReport({})
  expect(run).toMatchObject({ conclusion: 'success', exitCode: 0 })
  expect(run.masks).toEqual(expect.arrayContaining(['ghs_real0123456789']))
  expect(run.rawOutput + run.summary + (run.outputs['result'] ?? '')).not.toContain(GITHUB_TOKEN)
  expect(run.summary).toMatch(
    /^## ⚠️ Rehearsal · 24 opened, 19 merged, 2 need attention · Docs report · .*\n\nIn 30 days the agent opened 24 pull requests: 15 merged without/,
  )
  const { rehearsal, prompts, ...numbers } = parse(run)
  expect(rehearsal).toBe(true)
  expect(numbers).toMatchObject({ opened: 24, merged_as_opened: 15, merged_after_edits: 4, closed: 3, open: 2 })
  // The new prompt is better.
  expect(prompts).toMatchObject([
    { comparable: true, opened: 12, merged_as_opened: 9, merged_after_edits: 1, file: '.github/docs-prompt.md' },
    { comparable: true, opened: 12, merged_as_opened: 6, merged_after_edits: 3, file: '.github/docs-prompt.md' },
  ])
})

test('all problems of the inputs are one error, and the result is written', async () => {
  const run = await runReport({ days: '0', 'pr-repository': 'docs' })
  expect(run.conclusion).toBe('failure')
  expect(run.annotations.at(-1)?.message).toMatch(/`days` must be .*\n.*`pr-repository` must be/)
  expect(parse(run)).toMatchObject({ complete: false, rehearsal: true, error: { code: 'invalid-input' } })
})
