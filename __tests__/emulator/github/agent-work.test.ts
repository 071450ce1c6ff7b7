import { expect, test } from '@jest/globals'
import type { GitHubScenarioName } from '../../../src/emulator/github/github-scenarios.ts'
import { pullState } from '../../../src/emulator/github/pull-state.ts'
import { commit } from '../../support/github-state.ts'
import { driveGitHub, type GitHubDriver } from './drive-github.ts'

const JOB = '/v2/agent/docs-demo/job'

/** A job whose pull request is number 4, opened after 20 s. */
function job(...scenarios: GitHubScenarioName[]): GitHubDriver {
  const driver = driveGitHub({ scenarios })
  driver.post(JOB, 'Document the flag.')
  return driver
}

const messages = ({ read }: GitHubDriver): string[] =>
  read('/pulls/4/commits').map((found: { commit: { message: string } }) => found.commit.message)

/** The job is told more when it has opened its pull request. */
function followUp(driver: GitHubDriver, project = 'docs-demo'): void {
  driver.advance(30)
  driver.post(`/v2/agent/${project}/job/job_000001/message`, 'More.')
  driver.advance(30)
}

test('a turn ends in a commit on the job’s branch and an open pull request, not before', () => {
  const driver = job()
  driver.advance(19.9)
  expect(driver.ask('GET', '/pulls/4').status).toBe(404)
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
] as const)('with %j a follow-up leaves the commits %j', (scenarios, expected, status) => {
  const driver = job(...scenarios)
  driver.advance(30)
  const before = driver.read('/pulls/4').head.sha
  followUp(driver)
  expect(messages(driver)).toEqual(expected)
  expect(driver.read(`/compare/${before}...agent%2Fjob_000001`).status).toBe(status)
})

test('a bot may bring the branch up to date, and others may comment', () => {
  const after = { after: 'opened', delayMs: 5_000 } as const
  const comment = { ...after, act: 'stranger-comments', body: 'Me too' } as const
  const driver = driveGitHub({ scenario: { events: [{ ...after, act: 'bot-merges-base' }, comment] } })
  driver.post(JOB, 'Document the flag.')
  driver.advance(30)
  expect(messages(driver)).toEqual(['Document the flag.', "Merge branch 'main' into agent/job_000001"])
  expect(driver.read('/compare/main...agent%2Fjob_000001').status).toBe('ahead')
  expect(driver.read('/issues/4/comments')).toMatchObject([{ body: 'Me too', user: { login: 'dora' } }])
})

test.each([
  ['merged-meanwhile', { state: 'closed', merged: true, merged_by: { login: 'mona' } }],
  ['closed-meanwhile', { state: 'closed', merged: false, merged_by: null }],
  ['draft', { state: 'open', draft: true }],
  ['out-of-scope', { changed_files: 3 }],
] as const)('with %s the pull request is %j', (scenario, pull) => {
  const driver = job(scenario)
  driver.advance(60)
  expect(driver.read('/pulls/4')).toMatchObject(pull)
})

test('what is pushed after the merge is in no pull request', () => {
  const driver = job('merged-meanwhile')
  driver.advance(30)
  const { sha } = driver.read('/pulls/4').head
  followUp(driver)
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
] as const)('with %s a marked pull request of the finished job is there from the start', (scenario, users) => {
  const { read } = driveGitHub({ scenarios: [scenario] })
  expect(read('/issues?labels=docs-agent')).toMatchObject([{ number: 1 }])
  const comments = read('/issues/1/comments') as { user: { login: string }; body: string }[]
  expect(comments.map(({ user }) => user.login)).toEqual(users)
  expect(comments[0]?.body).toMatch(/^<!-- docs-agent-action: job=job_finished -->\n/)
})

test('a pull request that is there already under the job’s number is left alone', () => {
  const pulls = { 4: pullState({ branch: 'mine', headSha: commit('c') }) }
  const driver = driveGitHub({ docs: { pulls } })
  driver.post(JOB, 'Document the flag.')
  driver.advance(30)
  expect(driver.read('/pulls/4').head).toMatchObject({ ref: 'mine', sha: commit('c') })
})

test.each([
  ['pushes-in-turn', 6],
  ['fails-after-push', 2],
] as const)('a turn may push several times, and one that fails may have pushed before: %s', (scenario, pushes) => {
  const driver = driveGitHub()
  driver.post(`/v2/agent/docs--${scenario}/job`, 'Document the flag.')
  followUp(driver, `docs--${scenario}`)
  expect(messages(driver)).toHaveLength(pushes)
})
