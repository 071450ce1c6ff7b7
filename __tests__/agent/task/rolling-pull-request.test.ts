import { expect, test } from '@jest/globals'
import { rollingPullRequestOf, jobsNamedIn, objectionTo } from '../../../src/agent/task/rolling-pull-request.ts'
import type { MarkerComment } from '../../../src/github/comments.ts'
import { completed, job } from '../../support/fake-client.ts'
import { PULL_REQUEST } from '../../support/fake-github.ts'

const SERVER = 'https://git.example.com'

const comment = (id: number, jobId: string, author: MarkerComment['author'], followUps = 0) => ({
  id,
  body: `<!-- docs-agent-action: job=${jobId} -->\n<!-- docs-agent-action: follow-ups=${followUps} -->`,
  author,
})

const many = (author: MarkerComment['author'], first: number) =>
  Array.from({ length: 20 }, (_, index) => comment(first + index, `${author}-${index}`, author))

test('jobs are named once, those of trusted authors apart from all others, and no more than ten of each', () => {
  const trusted = [comment(90, 'job_1', 'trusted'), comment(91, 'job_1', 'trusted')]
  const { ours, others } = jobsNamedIn([...many('stranger', 0), ...many('bot', 20), ...trusted])
  expect(ours).toEqual(['job_1'])
  expect([others.length, others[0], others[9]]).toEqual([10, 'bot-19', 'bot-10'])
  expect(jobsNamedIn([...many('trusted', 0), ...trusted]).ours).toHaveLength(10)
})

test('what apps name counts if nobody who is trusted has named a job, and strangers do not push it out', () => {
  const { ours, others } = jobsNamedIn([comment(90, 'job_1', 'bot'), ...many('stranger', 0)])
  expect([ours, others.length, others[0]]).toEqual([['job_1'], 10, 'stranger-19'])
})

test('only a job that says that the pull request is its own, and that can go on, is one to go on with', () => {
  const objection = (fields: Parameters<typeof job>[0]): string | undefined =>
    objectionTo(job(fields), PULL_REQUEST, SERVER)
  expect(objectionTo(completed, PULL_REQUEST, SERVER)).toBeUndefined()
  expect(objection({ prLink: `${SERVER}/Acme/Docs/pull/7/files` })).toBeUndefined()
  expect(objection({ prLink: `${SERVER}/acme/docs/pull/8` })).toBe('has another pull request')
  expect(objection({ prLink: 'https://elsewhere.example.com/acme/docs/pull/7' })).toBe('has another pull request')
  expect(objection({})).toBe('has no pull request')
  expect(objectionTo({ ...completed, status: 'archived' }, PULL_REQUEST, SERVER)).toBe('is archived')
  expect(objectionTo({ ...completed, status: 'failed' }, PULL_REQUEST, SERVER)).toBe('failed')
})

test('the highest count of trusted authors holds', () => {
  const comments = [
    comment(1, 'job_1', 'trusted', 3),
    comment(2, 'job_1', 'trusted', 5),
    comment(3, 'job_1', 'stranger', 20),
  ]
  expect(rollingPullRequestOf(PULL_REQUEST, 'job_1', comments, true)).toMatchObject({ followUps: 5, marker: { id: 1 } })
  expect(rollingPullRequestOf(PULL_REQUEST, 'job_1', [comment(3, 'job_1', 'stranger')], true).marker).toBeUndefined()
})

test('an app counts only if nobody who is trusted has named the job', () => {
  const [byApp, ours] = [comment(1, 'job_1', 'bot', 20), comment(2, 'job_1', 'trusted', 3)]
  expect(rollingPullRequestOf(PULL_REQUEST, 'job_1', [byApp, ours], true)).toMatchObject({
    followUps: 3,
    marker: { id: 2 },
  })
  expect(rollingPullRequestOf(PULL_REQUEST, 'job_1', [byApp], true)).toMatchObject({ followUps: 20, marker: { id: 1 } })
})
