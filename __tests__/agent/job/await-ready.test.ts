import { expect, test } from '@jest/globals'
import { awaitReady } from '../../../src/agent/job/await-ready.ts'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { Course } from '../../../src/agent/report/turns.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { FOLLOW_UP, runScripted, type AgentRun, type AgentRunOptions } from '../../support/agent-run.ts'
import { active, archived, completed, fakeClient, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits, RUN_FACTS } from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'

/** Follows up on a busy job. GitHub shows one head after the other, and the agent has made all of them. */
function followUpBusy(heads: string, more: Partial<AgentRunOptions> = {}): Promise<AgentRun> {
  const shown = Array.from(heads, (digit): PullRequest => ({ ...PULL_REQUEST, headSha: commit(digit) }))
  const github = fakeGitHub({
    readPullRequest: inTurn(...shown),
    listPullRequestCommits: inTurn(pullCommits(...Array.from('abcd', (digit) => ({ sha: commit(digit) })))),
  })
  const reads = [active, completed, completed, active, completed]
  const facts = { serverUrl: 'https://git.example.com' }
  return runScripted({ task: FOLLOW_UP, message: active, reads, facts, inputs: { label: '' }, github, ...more })
}

test('what the turn before has pushed late is not taken for the work of this one', async () => {
  // The last push of the turn before can be read 10 s after its end, and this turn adds nothing.
  const { report } = await followUpBusy('aabbbbbbbb')
  expect(toOutputs(report)).toMatchObject({ outcome: 'no-changes', changed: 'false', 'pr-operation': 'unchanged' })
})

test.each([
  ['a head that stands', 'aaaab', 15_000],
  ['a head that moves once', 'abbbbc', 20_000],
  ['a head with old copies in between', 'abaaabc', 25_000],
])('%s is waited for until it has stood for 15 s of reads', async (_name, heads, waitedMs) => {
  const { report, client, clock } = await followUpBusy(heads)
  const [untilEnd = 0, ...others] = clock.sleeps
  expect(untilEnd).toBe(10_000)
  const standing = others.slice(0, waitedMs / 5_000)
  expect(standing).toEqual(Array(waitedMs / 5_000).fill(5_000))
  expect(client.calls.slice(0, 4)).toEqual(['get', 'get', 'get', 'message'])
  expect(report.operation).toBe('updated')
})

test('a head that cannot stand before the deadline is not known', async () => {
  const inputs = { timeoutMs: 24_000, label: '' }
  const { report, client } = await followUpBusy('ab', { inputs, reads: [active, completed, active] })
  expect(client.calls).toContain('message')
  expect(report.operation).toBeUndefined()
})

test('a job that gets another prompt while the head has to stand is waited for again', async () => {
  const reads = [active, completed, active, completed, completed, active, completed]
  const { report, client } = await followUpBusy('aaaabbbbc', { reads })
  expect(client.calls.indexOf('message')).toBe(5)
  expect(report.operation).toBe('updated')
})

test('a job that is archived meanwhile is sent nothing', async () => {
  const { report, client } = await followUpBusy('a', { reads: [active, completed, archived] })
  expect(report).toMatchObject({ outcome: 'archived', error: { code: 'not-sent' } })
  expect(client.calls).not.toContain('message')
})

test('another end that came meanwhile has a head of its own, which has to stand as well', async () => {
  const failedThere = job({ status: 'failed', prLink: LINK })
  const reads = [active, completed, failedThere, failedThere, active, completed]
  const { clock, client } = await followUpBusy('aaaabbbb', { reads })
  expect(clock.sleeps.slice(1, 7)).toEqual(Array(6).fill(5_000))
  expect(client.calls.indexOf('message')).toBe(4)
})

test('a turn whose link has only come has only ended', async () => {
  const inputs = agentInputs({ githubToken: 'ghs_token' })
  const clock = fakeClock()
  const step = fakeStep({
    clock,
    client: fakeClient({ reads: [completed] }),
    github: fakeGitHub(),
    context: { ...RUN_FACTS, serverUrl: 'https://git.example.com' },
  })
  const watch = new JobWatch(inputs, step, new Journal(inputs, step), new Course(inputs.task))
  const { before, head } = await awaitReady(withoutLink, true, inputs, step, watch)
  expect([before, head?.pullRequest]).toEqual([completed, PULL_REQUEST])
  expect(clock.passed()).toBeGreaterThanOrEqual(15_000)
})
