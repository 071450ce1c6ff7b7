import { describe, expect, test } from '@jest/globals'
import { GITHUB_TOKEN, MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import type { GitHubScenario } from '../../src/emulator/github/github-scenarios.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { closeIssue, mergePull, pushCommit } from '../../src/emulator/github/repository-changes.ts'
import { playStep, type PlayedStep, type PlayStepOptions } from '../support/play-step.ts'
import { PUSH } from '../support/fake-github.ts'
import { agentInputs } from '../support/fake-step.ts'
import { deleteFork } from '../support/github-state.ts'

const FORK = 'docs-agent/docs'
const ACCESS = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
/** The agent works on the default branch of its fork, which has the name of the base branch. */
const ON_MAIN: Partial<GitHubScenario> = { ...combineScenarios(['from-fork']), agentBranch: 'main' }

const play = (given: Readonly<Record<string, string>>, options: Partial<PlayStepOptions> = {}): Promise<PlayedStep> =>
  playStep({ inputs: agentInputs({}, { ...ACCESS, ...given }), github: combineScenarios(['from-fork']), ...options })

const followUp = (after: PlayedStep, given: Readonly<Record<string, string>> = {}): Promise<PlayedStep> =>
  play({ prompt: 'And the index.', 'job-id': 'job_000001', ...given }, { after })

const lastPull = ({ docs, outputs }: PlayedStep) => {
  const pull = docs.pulls[Number(outputs['pr-number'])]
  if (pull === undefined) throw new Error('There is no pull request.')
  return pull
}

test('a pull request from a fork is marked, checked and continued like any other', async () => {
  const given = { 'on-open-pr': 'follow-up', 'wait-for-checks': 'true', 'allowed-paths': 'docs/**' }
  const opened = await play(given)
  expect([opened.isGreen, opened.notice]).toEqual([true, undefined])
  const good = { checks: 'success', 'in-scope': 'true', 'pull_request.repository': 'acme/docs' }
  expect(opened.outputs).toMatchObject({
    ...good,
    'pull_request.operation': 'created',
    'pull_request.branch': 'agent/job_000001',
  })
  expect(lastPull(opened)).toMatchObject({ fork: FORK, labels: ['docs-agent'], comments: [{ id: expect.any(Number) }] })
  expect(opened.docs.branches).toEqual({ main: expect.any(String) })

  const continued = await play({ prompt: 'And the index.', ...given }, { after: opened })
  expect(continued.acceptedPrompts).toEqual([['job_000001', expect.stringContaining('And the index.')]])
  expect(continued.outputs).toMatchObject({
    ...good,
    'pull_request.operation': 'updated',
    'pr-number': opened.outputs['pr-number'],
  })
})

describe('a pull request from a branch of a fork that has the name of the base branch', () => {
  const merged = async (turns: PlayStepOptions['turns']): Promise<PlayedStep> => {
    const played = await play({}, { github: ON_MAIN, ...(turns && { turns }) })
    const nowMs = played.baseClock.wallTime().getTime()
    mergePull(played.docs, Number(played.outputs['pr-number']), MAINTAINER, nowMs)
    return played
  }

  test('reports commits that come after the merge as left behind', async () => {
    const { isGreen, report } = await followUp(await merged(undefined))
    expect([isGreen, report.error?.code]).toEqual([false, 'left-behind'])
  })

  test('reports nothing as left behind if only the base branch moves after the merge', async () => {
    const played = await merged([{}, { ending: 'no-changes' }])
    const files = [{ filename: 'src/main.ts', patch: '@@ -1 +1 @@\n-1\n+2' }]
    const onRequest = (what: string, { docs, nowMs }: { docs: PlayedStep['docs']; nowMs: number }): void => {
      if (what === 'message job_000001')
        pushCommit(docs, 'main', { message: 'Count', author: MAINTAINER, files }, nowMs)
    }
    const inputs = agentInputs({}, { ...ACCESS, prompt: 'And the index.', 'job-id': 'job_000001' })
    const { isGreen, outputs } = await playStep({ inputs, after: played, onRequest })
    expect([isGreen, outputs['pr-state'], outputs['changed']]).toEqual([true, 'merged', 'false'])
  })
})

test('reports as unknown whether a follow-up changed the pull request of a deleted fork', async () => {
  const played = await play({})
  closeIssue(played.docs, lastPull(played), played.baseClock.wallTime().getTime())
  deleteFork(played.docs, FORK, played.baseClock.wallTime().getTime())
  const { notice, report, outputs } = await followUp(played)
  expect([report.outcome, outputs['pr-state'], outputs['changed']]).toEqual(['pull-request', 'closed', ''])
  expect(notice?.text).toContain('the fork with its branch was deleted')
})

const OWN = { 'skip-own-changes': 'true' }

test('does not treat a push to a branch of the same name in the base repository as the agent’s', async () => {
  const after = await play({})
  const payload = { ...PUSH, ref: 'refs/heads/agent/job_000001' }
  const pushed = await play({ ...OWN, prompt: 'Again.' }, { after, facts: { eventName: 'push', payload } })
  expect(pushed.acceptedPrompts).toEqual([['create', 'Again.']])
})

test.each([
  ['a push to its own pull request', 'synchronize', false],
  ['the merge of its own pull request', 'closed', true],
])('does not start the agent after %s', async (_what, action, merged) => {
  const after = await play({})
  const number = Number(after.outputs['pr-number'])
  if (merged) mergePull(after.docs, number, MAINTAINER, after.baseClock.wallTime().getTime())
  const ends = { base: { sha: after.docs.branches['main'] }, head: { sha: lastPull(after).headSha } }
  const payload = {
    action,
    pull_request: { number, ...ends, merged, head: { ...ends.head, repo: { full_name: FORK } } },
    repository: { full_name: 'acme/docs', default_branch: 'main' },
    sender: { login: 'docs-agent[bot]', type: 'Bot' },
  }
  const again = await play(
    { ...OWN, prompt: 'Again.' },
    { after, facts: { eventName: 'pull_request_target', payload } },
  )
  expect([again.acceptedPrompts, again.report.outcome]).toEqual([[], 'skipped'])
})
