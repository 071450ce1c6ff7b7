import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { listResults } from '../../testing/log-rows.ts'
import { playFollowUp, playStep, type PlayedStep, type PlayStepOptions, respondWith } from '../../testing/play-step.ts'

type Given = Readonly<Record<string, string>>
type Options = Partial<PlayStepOptions>

const ACCESS = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
const TO_JOB = { ...ACCESS, 'job-id': 'job_finished' }
const ATTACH = { ...ACCESS, prompt: '', 'job-id': 'job_running' }
const play = (given: Given, options: Options = {}): Promise<PlayedStep> =>
  playStep({ inputs: agentInputs({}, given), ...options })
const withChecks = (name: GitHubScenarioName): Options => ({ github: combineScenarios([name]) })

test.each<[line: string, Given, Options?]>([
  ['New job: pull request opened', ACCESS],
  [
    'New job: pull request opened, its checks failed',
    { ...ACCESS, 'wait-for-checks': 'true' },
    withChecks('checks-fail'),
  ],
  ['New job: nothing to change', ACCESS, { scenario: 'no-changes' }],
  ['New job: failed', ACCESS, { scenario: 'failed' }],
  ['New job: the job is archived', ACCESS, { scenario: 'archived' }],
  ['New job: did not finish in time', { ...ACCESS, 'timeout-minutes': '1' }, { scenario: 'slow' }],
  ['New job: sent, without waiting for the result', { ...ACCESS, wait: 'false' }],
  ['New job: not sent, because this is a dry run', { ...ACCESS, 'dry-run': 'true' }],
  ['Follow-up to job_finished: 1 new commit', TO_JOB],
  ['Follow-up to job_finished: 3 new commits', TO_JOB, { scenario: 'pushes-in-turn' }],
  ['Follow-up to job_finished: nothing to change', TO_JOB, { scenario: 'idle-follow-up' }],
  ['Follow-up to job_finished: changes unknown', TO_JOB, { responses: { 'pulls/get': respondWith(404) } }],
  ['Follow-up to job_finished: failed after 1 new commit', TO_JOB, { scenario: 'fails-after-push' }],
  ['Follow-up to job_finished: sent, but not seen to start', TO_JOB, { scenario: 'never-starts' }],
  ['Attach to job_running: its changes are in the pull request', ATTACH],
])('logs after the group of a turn how it ended: “%s”', async (line, given, options = {}) => {
  const { hostCalls } = await play(given, options)
  const [group = ''] = line.split(': ')
  expect(hostCalls).toContain(`group: ${group}`)
  expect(hostCalls[hostCalls.indexOf('endgroup: ') + 1]).toBe(`log: ${line}.`)
})

const MESSAGE = 'message job_finished'
const RUNNING = '; ⏳ the agent may still be working, do not merge yet'
const during = (act: 'merge'): Options => {
  const { events, ...github } = combineScenarios(['open-pull-request'])
  return { github: { ...github, events: [...events, { after: 'follow-up', delayMs: 8_000, act }] } }
}

test.each<[row: string, Given, Options?]>([
  ['1 new commit', {}],
  [
    'failed after 1 new commit: The pull request was merged or closed too early',
    {},
    { ...during('merge'), turns: [{}, { pushesMs: [5_000] }] },
  ],
  ['failed: The request was rejected', {}, { responses: { [MESSAGE]: respondWith(400) } }],
  [
    `failed: The service may have accepted the prompt${RUNNING}`,
    {},
    { scenario: 'never-starts', responses: { [MESSAGE]: respondWith(503) } },
  ],
  [`did not finish in time${RUNNING}`, { 'timeout-minutes': '0.6' }, { scenario: 'slow' }],
  [`cancelled${RUNNING}`, {}, { cancelAfterMs: 10_000 }],
  ['1 new commit', { 'wait-for-checks': 'true' }, { cancelAfterMs: 40_000 }],
  [`sent, without waiting for the result${RUNNING}`, { wait: 'false' }],
])('the row of a follow-up says how its turn ended: “%s”', async (row, given, options = {}) => {
  expect(listResults(await playFollowUp(given, options))).toEqual([row])
})

test('names a round and its end in the log, the summary and `result`', async () => {
  const { hostCalls, outputs, summary } = await play({ ...ACCESS, 'fix-rounds': '2' }, withChecks('checks-fixed'))
  expect(hostCalls).toContain('group: Round 1 of 2: build, links')
  expect(hostCalls).toContain('log: Round 1 of 2: 1 new commit, all its checks have passed.')
  expect(summary).toContain('sent <code>build</code>, <code>links</code>; 1 new commit')
  expect(JSON.parse(outputs['result'] ?? '')).toMatchObject({
    rounds: [{ checks: ['build', 'links'], end: '1 new commit' }],
  })
})

test('sends a round without another wait if the job has named its pull request again since the turn ended', async () => {
  const options = { github: combineScenarios(['checks-fail', 'github-slow']), turns: [{ linkDelayMs: 18_000 }] }
  const { hostCalls } = await play({ ...TO_JOB, 'fix-rounds': '1' }, options)
  const ofRound = hostCalls.slice(hostCalls.indexOf('group: Round 1 of 1: build, links')).join('\n')
  expect(ofRound).toContain('log: The service accepted the prompt')
  expect(ofRound).not.toContain('The agent may have been working just now')
})
