import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../src/emulator/github/github-scenarios.ts'
import { createPushEvent } from '../src/emulator/github/webhook-events.ts'
import { agentInputs } from '../testing/agent-inputs.ts'
import { BASE_URL } from '../testing/in-process-github.ts'
import { playStep } from '../testing/play-step.ts'

/** Plays a step on the newest push. Returns its requests before the prompt, with the seconds after the first one. */
async function listRequests(plays: readonly GitHubScenarioName[], given: Readonly<Record<string, string>> = {}) {
  const github = combineScenarios(plays)
  const { payload } = createPushEvent(createDemoState(github, DEFAULT_START_MS), 'acme/docs', {
    baseUrl: BASE_URL,
    branch: 'main',
  })
  const requests: { readonly what: string; readonly atMs: number }[] = []
  const inputs = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'change-context': 'files', ...given }
  const { report } = await playStep({
    inputs: agentInputs({}, { 'on-open-pr': 'follow-up', ...inputs }),
    github,
    facts: { eventName: 'push', payload },
    onRequest: (what, { nowMs }) => requests.push({ what, atMs: nowMs }),
  })
  const end = requests.findIndex(({ what }) => what === 'create' || what.startsWith('message'))
  const [{ atMs: startMs } = { atMs: NaN }] = requests
  const before = end === -1 ? requests : requests.slice(0, end)
  return {
    outcome: report.outcome,
    requests: before.map(({ what, atMs }) => ({ what, at: Math.floor((atMs - startMs) / 1_000) })),
  }
}

const LOOK_UP = 'repos/list-pull-requests-associated-with-commit'

test('finds the job of the open pull request while a commit waits for its second look-up', async () => {
  const { requests } = await listRequests(['open-pull-request', 'web-edit'])
  expect(requests.filter(({ what }) => what === LOOK_UP).map(({ at }) => at)).toEqual([0, 3])
  for (const what of ['pulls/list', 'issues/list-comments', 'read job_finished'])
    expect(requests).toContainEqual({ what, at: 0 })
})

test('reads whether the label exists while a commit waits, and creates it only after the second look-up', async () => {
  const { requests } = await listRequests(['web-edit'])
  expect(requests).toContainEqual({ what: 'issues/get-label', at: 0 })
  expect(requests).toContainEqual({ what: 'issues/create-label', at: 3 })
})

test('compares only, if no file matches `paths`', async () => {
  const { outcome, requests } = await listRequests(['open-pull-request'], { paths: 'guides/**' })
  expect(outcome).toBe('skipped')
  expect(requests.map(({ what }) => what)).toEqual(['repos/compare-commits-with-basehead'])
})
