import { expect, test } from '@jest/globals'
import type { RunResult } from '../../scripts/small-runner/run-action.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { runPackaged } from '../support/bundle-run.ts'
import type { Result } from '../support/play-report.ts'

const TOKEN = 'ghs_emulator0123456789abcdef'

/** Runs the packaged report in a rehearsal about the agent's history. */
async function runReport(inputs: Readonly<Record<string, string>>): Promise<RunResult> {
  const scenario = combineScenarios(['agent-history'])
  const emulator = await startEmulator({ startMs: Date.now(), github: { scenario } })
  const { url, apiKey, github } = emulator
  const rehearsal = { service: url, api: github.apiUrl, server: url, key: apiKey, token: github.token }
  const env = {
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_SHA: github.state.repositories['acme/docs']?.branches['main'] ?? '',
    DOCS_AGENT_REHEARSAL: JSON.stringify(rehearsal),
  }
  try {
    return await runPackaged('report', { inputs: { 'github-token': 'ghs_real0123456789', ...inputs }, env })
  } finally {
    await emulator.close()
  }
}

const parse = ({ outputs }: RunResult): Result => JSON.parse(outputs['result'] ?? '{}') as Result

test('a report is green, and counts the pull requests of the agent', async () => {
  const run = await runReport({})
  expect(run).toMatchObject({ conclusion: 'success', exitCode: 0 })
  expect(run.masks).toEqual(expect.arrayContaining(['ghs_real0123456789']))
  expect(run.rawOutput + run.summary + (run.outputs['result'] ?? '')).not.toContain(TOKEN)
  expect(run.summary).toMatch(
    /^## ⚠️ Rehearsal · 24 opened, 19 merged, 2 need attention · Docs report · .*\n\nIn 30 days the agent opened 24 pull requests: 15 merged/,
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
  expect(parse(run)).toMatchObject({ complete: false, error: { code: 'invalid-input' } })
})
