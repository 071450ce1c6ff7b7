import { preload } from '../scripts/small-runner/preload.ts'
import type { RunResult } from '../scripts/small-runner/run-action.ts'
import { combineScenarios } from '../src/emulator/github/github-scenarios.ts'
import { startEmulator } from '../src/emulator/server.ts'
import { runPackaged } from './bundle-run.ts'

/**
 * Runs the packaged report in a rehearsal about the agent's history.
 * @param code of an ES module that runs in the step's process before the action
 */
export async function runReport(inputs: Readonly<Record<string, string>>, code = ''): Promise<RunResult> {
  const scenario = combineScenarios(['agent-history'])
  const emulator = await startEmulator({ startMs: Date.now(), github: { scenario } })
  const { url, apiKey, github } = emulator
  const rehearsal = { service: url, api: github.apiUrl, server: url, key: apiKey, token: github.token }
  const env = {
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_SHA: github.state.repositories['acme/docs']?.branches['main'] ?? '',
    DOCS_AGENT_REHEARSAL: JSON.stringify(rehearsal),
    ...preload(code),
  }
  try {
    return await runPackaged('report', { inputs: { 'github-token': 'ghs_real0123456789', ...inputs }, env })
  } finally {
    await emulator.close()
  }
}
