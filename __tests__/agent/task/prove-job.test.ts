import { describe, expect, test } from '@jest/globals'
import { openSearch, proveJob } from '../../../src/agent/task/prove-job.ts'
import type { MarkerComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { completed, failure, fakeClient, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, PULL_REQUEST, refusal, rejecting, RUN_FACTS } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const FACTS = { ...RUN_FACTS, serverUrl: new URL(LINK).origin }

const naming = (jobId: string, author: MarkerComment['author']): MarkerComment => ({
  ...{ id: 1, author, body: `<!-- docs-agent-action: job=${jobId} -->` },
})
const strangers = (count: number): MarkerComment[] =>
  Array.from({ length: count }, (_, index) => naming(`x${index}`, 'stranger'))

interface Scene {
  readonly comments: readonly MarkerComment[]
  /** What reading a job gives, in turn; the last one stays. Those that are not here have no pull request. */
  readonly jobs?: Readonly<Record<string, readonly (Job | Error)[]>>
  /** How long the service takes to answer, in milliseconds. */
  readonly answerMs?: number
  readonly answers?: Partial<GitHub>
}

async function prove({ comments, jobs = {}, answerMs = 0, answers }: Scene) {
  const clock = fakeClock()
  const read: string[] = []
  const getJob = (id: string, endsAt = Infinity): Promise<Job> => {
    const found = jobs[id] ?? [{ ...withoutLink, id }]
    const answer = found[Math.min(read.filter((one) => one === id).length, found.length - 1)]
    read.push(id)
    const isInTime = clock.now() + answerMs <= endsAt + 1_000
    clock.advance(Math.min(answerMs, endsAt + 1_000 - clock.now()))
    if (!isInTime) return Promise.reject(failure('unreachable'))
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? withoutLink)
  }
  const github = fakeGitHub(answers)
  const step = fakeStep({ clock, github, context: FACTS, client: { ...fakeClient({}), getJob } })
  const search = await openSearch(agentInputs({ githubToken: 'ghs_token' }), step)
  const proof = await proveJob(PULL_REQUEST, comments, search)
  return { ...proof, jobId: proof.rolling?.jobId, read, github, passedMs: clock.passed() }
}

describe('what strangers name', () => {
  test('is read once, and its links are not waited for', async () => {
    const { jobId, read, objections, passedMs } = await prove({ comments: strangers(1_000) })
    expect([jobId, read.length, new Set(read).size, objections, passedMs]).toEqual([undefined, 10, 10, [], 0])
  })

  test.each(['unreachable', 'service-error', 'bad-answer', 'rate-limited', 'not-found', 'forbidden'] as const)(
    'is no answer if the service answers %s, and the next is read',
    async (code) => {
      const jobs = { x9: [failure(code, 3_600_000)], x8: [completed] }
      const { jobId, read, objections } = await prove({ comments: strangers(10), jobs })
      expect([jobId, read, objections]).toEqual(['x8', ['x9', 'x8'], []])
    },
  )

  test('takes 5 seconds together at most', async () => {
    const { read, passedMs } = await prove({ comments: strangers(10), answerMs: 1_500 })
    expect([read.length, passedMs]).toEqual([3, 4_500])
    expect((await prove({ comments: strangers(10), answerMs: 60_000 })).passedMs).toBe(5_000)
  })

  test('comes after what those name who count, and cannot keep it from being believed', async () => {
    const comments = [...strangers(30), naming('job_1', 'trusted')]
    const { jobId, read } = await prove({ comments, jobs: { job_1: [completed] } })
    expect([jobId, read]).toEqual(['job_1', ['job_1']])
  })
})

describe('what those name who count', () => {
  const comments = [naming('job_1', 'trusted')]

  test('is asked for until the service answers', async () => {
    const { jobId, read } = await prove({ comments, jobs: { job_1: [failure('unreachable'), completed] } })
    expect([jobId, read.length]).toEqual(['job_1', 2])
    await expect(prove({ comments, jobs: { job_1: [failure('unreachable')] } })).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  test('is gone only by two answers, with time between them', async () => {
    const gone = failure('not-found')
    expect((await prove({ comments, jobs: { job_1: [gone, completed] } })).jobId).toBe('job_1')
    const twice = await prove({ comments, jobs: { job_1: [gone, gone] } })
    expect([twice.objections, twice.read.length]).toEqual([['job job_1 is not known'], 2])
    expect(twice.passedMs).toBeGreaterThanOrEqual(2_000)
  })

  test('is not known if the link of the job cannot be used, which stops nobody if a stranger named it', async () => {
    const jobs = { job_1: [{ ...withoutLink, hasUnsafeLink: true } as const] }
    await expect(prove({ comments, jobs })).rejects.toMatchObject({ code: 'rejected' })
    expect((await prove({ comments: [naming('job_1', 'stranger')], jobs })).objections).toEqual([])
  })

  test('may be ten jobs whose links are late, which are waited for all at once', async () => {
    const many = Array.from({ length: 12 }, (_, index) => naming(`job_${index}`, 'trusted'))
    const { objections, passedMs } = await prove({ comments: many })
    expect(objections).toHaveLength(10)
    expect(passedMs).toBeLessThan(15_000)
  })
})

describe('a link with another name of the repository', () => {
  const comments = [naming('job_1', 'trusted')]
  const jobs = (path: string) => ({ job_1: [job({ status: 'completed', prLink: `${FACTS.serverUrl}/${path}` })] })

  test('is that of this pull request if GitHub finds it there', async () => {
    const { jobId, github } = await prove({ comments, jobs: jobs('acme/manual/pull/7') })
    expect([jobId, github.asked]).toEqual(['job_1', ['readPullRequest']])
  })

  test.each<[string, string, Partial<GitHub>, number]>([
    ['GitHub finds another one there', 'eve/docs/pull/7', {}, 1],
    ['GitHub finds nothing there', 'eve/docs/pull/7', { readPullRequest: rejecting(refusal('not-found')) }, 1],
    ['the token may not look there', 'eve/docs/pull/7', { readPullRequest: rejecting(refusal('forbidden')) }, 1],
    ['the number is another one', 'acme/manual/pull/8', {}, 0],
  ])('is another one if %s', async (_why, path, answers, questions) => {
    const other = { readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, repository: 'eve/docs' }) }
    const { objections, github } = await prove({ comments, jobs: jobs(path), answers: { ...other, ...answers } })
    expect(objections).toEqual(['job job_1 has another pull request'])
    expect(github.asked).toHaveLength(questions)
  })

  test('is not known if GitHub does not answer', async () => {
    const answers = { readPullRequest: rejecting(refusal('unreachable')) }
    await expect(prove({ comments, jobs: jobs('acme/manual/pull/7'), answers })).rejects.toMatchObject({
      code: 'unreachable',
    })
  })
})
