import { expect, test } from '@jest/globals'
import type { GitHubScenarioName } from '../../../src/emulator/github/github-scenarios.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { commit } from '../../../testing/github-state.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

const JOB = '/v2/agent/docs-demo/job'

/** Creates a job whose pull request 4 is opened after 20 s. */
function createJob(...scenarios: GitHubScenarioName[]): GitHubDriver {
  const driver = driveGitHub({ scenarios })
  driver.post(JOB, 'Document the flag.')
  return driver
}

const listMessages = ({ read }: GitHubDriver): string[] =>
  read('/pulls/4/commits').map((found: { commit: { message: string } }) => found.commit.message)

/** Sends a follow-up after the pull request was opened. */
function sendFollowUp(driver: GitHubDriver, project = 'docs-demo'): void {
  driver.advance(30)
  driver.post(`/v2/agent/${project}/job/job_000001/message`, 'More.')
  driver.advance(30)
}

test('pushes a commit and opens a pull request at the end of a turn', () => {
  const driver = createJob()
  driver.advance(19.9)
  expect(driver.request('GET', '/pulls/4').status).toBe(404)
  driver.advance(0.1)
  expect(driver.read('/pulls/4')).toMatchObject({
    state: 'open',
    title: 'Document the flag.',
    created_at: '2026-01-01T00:00:20Z',
    changed_files: 2,
    user: { login: 'docs-agent[bot]', type: 'Bot' },
    head: { ref: 'agent/job_000001', sha: driver.docs.branches['agent/job_000001'] },
  })
})

test.each([
  [[], ['Document the flag.', 'More.'], 'ahead'],
  [['person-commits'], ['Document the flag.', 'Correct the title', 'Correct the title', 'More.'], 'ahead'],
  [['commit-lost'], ['More.'], 'diverged'],
] as const)('with %j, a pull request has the commits %j after a follow-up', (scenarios, expected, status) => {
  const driver = createJob(...scenarios)
  driver.advance(30)
  const before = driver.read('/pulls/4').head.sha
  sendFollowUp(driver)
  expect(listMessages(driver)).toEqual(expected)
  expect(driver.read(`/compare/${before}...agent%2Fjob_000001`).status).toBe(status)
})

test('plays a bot that updates the branch, and an outsider who comments', () => {
  const after = { after: 'opened', delayMs: 5_000 } as const
  const comment = { ...after, act: 'outsider-comments', body: 'Me too' } as const
  const driver = driveGitHub({ scenario: { events: [{ ...after, act: 'bot-merges-base' }, comment] } })
  driver.post(JOB, 'Document the flag.')
  driver.advance(30)
  expect(listMessages(driver)).toEqual(['Document the flag.', "Merge branch 'main' into agent/job_000001"])
  expect(driver.read('/compare/main...agent%2Fjob_000001').status).toBe('ahead')
  expect(driver.read('/issues/4/comments')).toMatchObject([{ body: 'Me too', user: { login: 'dora' } }])
})

test.each([
  ['merged-meanwhile', { state: 'closed', merged: true, merged_by: { login: 'mona' } }],
  ['closed-meanwhile', { state: 'closed', merged: false, merged_by: null }],
  ['draft', { state: 'open', draft: true }],
  ['out-of-scope', { changed_files: 3 }],
] as const)('the scenario %s results in the pull request %j', (scenario, pull) => {
  const driver = createJob(scenario)
  driver.advance(60)
  expect(driver.read('/pulls/4')).toMatchObject(pull)
})

test('does not add commits to a pull request after its merge', () => {
  const driver = createJob('merged-meanwhile')
  driver.advance(30)
  const { sha } = driver.read('/pulls/4').head
  sendFollowUp(driver)
  expect(driver.read('/pulls/4').head.sha).toBe(sha)
  expect(driver.docs.branches['agent/job_000001']).not.toBe(sha)
})

test.each([
  ['open-pull-request', ['github-actions[bot]']],
  ['follow-ups-used-up', ['github-actions[bot]']],
  ['marker-by-outsider', ['dora']],
  ['comment-by-maintainer', ['github-actions[bot]', 'mona']],
  ['comment-by-outsider', ['github-actions[bot]', 'dora']],
  ['comment-by-bot', ['github-actions[bot]', 'link-checker[bot]']],
] as const)('the scenario %s begins with a marked pull request of the finished job', (scenario, users) => {
  const { read } = driveGitHub({ scenarios: [scenario] })
  expect(read('/issues?labels=docs-agent')).toMatchObject([{ number: 1 }])
  const comments = read('/issues/1/comments') as { user: { login: string }; body: string }[]
  expect(comments.map(({ user }) => user.login)).toEqual(users)
  expect(comments[0]?.body).toMatch(/^<!-- docs-agent-action: \{"v":1,"job":"job_finished",/)
})

test('does not change an existing pull request with the job’s number', () => {
  const pulls = { 4: createPullState({ branch: 'mine', headSha: commit('c') }) }
  const driver = driveGitHub({ docs: { pulls } })
  driver.post(JOB, 'Document the flag.')
  driver.advance(30)
  expect(driver.read('/pulls/4').head).toMatchObject({ ref: 'mine', sha: commit('c') })
})

test.each([
  ['pushes-in-turn', 6],
  ['fails-after-push', 2],
] as const)('pushes during a turn in the scenario %s', (scenario, pushes) => {
  const driver = driveGitHub()
  driver.post(`/v2/agent/docs--${scenario}/job`, 'Document the flag.')
  sendFollowUp(driver, `docs--${scenario}`)
  expect(listMessages(driver)).toHaveLength(pushes)
})
