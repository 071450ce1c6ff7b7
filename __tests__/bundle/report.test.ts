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

const parse = ({ outputs }: RunResult): Result & { readonly rehearsal: boolean } =>
  JSON.parse(outputs['result'] ?? '{}') as Result & { readonly rehearsal: boolean }

test('a report is green, and counts the pull requests of the agent', async () => {
  const run = await runReport({})
  expect(run).toMatchObject({ conclusion: 'success', exitCode: 0 })
  expect(run.masks).toEqual(expect.arrayContaining(['ghs_real0123456789']))
  expect(run.rawOutput + run.summary + (run.outputs['result'] ?? '')).not.toContain(TOKEN)
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
