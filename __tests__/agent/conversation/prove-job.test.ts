import { describe, expect, test } from '@jest/globals'
import { findPullRequestJob, openSearch } from '../../../src/agent/conversation/choose-task.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { ActionError, ErrorCode } from '../../../src/runtime/errors.ts'
import { archived, completed, failed, failure, fakeClient, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, resolveInOrder, PULL_REQUEST, createGitHubError, RUN_FACTS } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { fakeStep } from '../../support/fake-step.ts'

const FACTS = { ...RUN_FACTS, serverUrl: new URL(LINK).origin }

let nextId = 1
const naming = (jobId: string, author: ListedComment['author'], followUps = 0): ListedComment => ({
  id: nextId++,
  author,
  body: `<!-- docs-agent-action: job=${jobId} -->\n<!-- docs-agent-action: follow-ups=${followUps} -->`,
})
const many = (count: number, author: ListedComment['author']): ListedComment[] =>
  Array.from({ length: count }, (_, index) => naming(`${author}-${index}`, author))
const OURS = naming('job_1', 'trusted')

/** The responses to the reads of each job, in order; the last one repeats. All other jobs have no pull request. */
type Jobs = Readonly<Record<string, readonly (Job | Error)[]>>

/**
 * Looks for the job of a pull request with these comments.
 * @param renamed GitHub's response for another name of the repository
 * @param latencyMs of each response of the service
 */
async function prove(
  comments: readonly ListedComment[],
  jobs: Jobs = {},
  renamed: PullRequest | ActionError = PULL_REQUEST,
  latencyMs = 0,
) {
  const clock = fakeClock()
  const read: string[] = []
  const getJob = (id: string, endsAt = Infinity): Promise<Job> => {
    const responses = jobs[id] ?? [{ ...withoutLink, id }]
    const response = responses[Math.min(read.filter((one) => one === id).length, responses.length - 1)]
    read.push(id)
    const isInTime = clock.now() + latencyMs <= endsAt + 1_000
    clock.advance(Math.min(latencyMs, endsAt + 1_000 - clock.now()))
    if (!isInTime) return Promise.reject(failure('unreachable'))
    return response instanceof Error ? Promise.reject(response) : Promise.resolve(response ?? withoutLink)
  }
  const github = fakeGitHub({
    readPullRequest: resolveInOrder<PullRequest>(PULL_REQUEST, renamed),
    listComments: resolveInOrder(comments),
  })
  const log: string[] = []
  const core = { ...fakeHost(), log: (line: string) => log.push(line) }
  const step = fakeStep({ clock, core, github, context: FACTS, client: { ...fakeClient({}), getJob } })
  const found = await step.planningBudget.spend(() => findPullRequestJob(PULL_REQUEST, openSearch(step)))
  const [rolling, refusalReasons] = 'jobId' in found ? [found, []] : [undefined, found.refusalReasons]
  return { rolling, jobId: rolling?.jobId, refusalReasons, read, calls: github.calls, log, passedMs: clock.passed() }
}

describe('rolling pull request', () => {
  const linked = (link: string): Job => job({ status: 'completed', prLink: link })

  test.each<[string, Job, string | undefined]>([
    ['links to it in another spelling', linked(`${FACTS.serverUrl}/Acme/Docs/pull/7/files`), undefined],
    ['links to another host', linked('https://elsewhere.example.com/acme/docs/pull/7'), 'has another pull request'],
    ['works on a prompt', { ...withoutLink, status: 'active' }, undefined],
    ['has no link', withoutLink, 'has no pull request'],
    ['is archived', { ...archived, prLink: completed.prLink }, 'is archived'],
    ['has failed', { ...failed, prLink: completed.prLink }, 'failed'],
  ])('is continued only if its job can accept a follow-up: the job %s', async (_what, read, refusalReason) => {
    const { jobId, refusalReasons, rolling } = await prove([OURS], { job_1: [read] })
    expect(jobId).toBe(refusalReason === undefined ? 'job_1' : undefined)
    expect(rolling?.isProven).toBe(refusalReason === undefined ? read.status === 'completed' : undefined)
    expect(refusalReasons).toEqual(refusalReason === undefined ? [] : [`job job_1 ${refusalReason}`])
  })

  const [trusted3, trusted5] = [naming('job_1', 'trusted', 3), naming('job_1', 'trusted', 5)]
  const [byApp, byUntrusted] = [naming('job_1', 'bot', 20), naming('job_1', 'untrusted', 20)]

  const logged = { ...trusted3, id: 1, body: `${trusted3.body}\n\n<!-- docs-agent-action: log -->` }

  test.each<[string, ListedComment[], number, ListedComment | undefined]>([
    ['the comment with the log, even if a trusted author added a newer comment', [logged, trusted5], 5, logged],
    ['the highest count of trusted authors, and their newest comment', [trusted5, trusted3, byUntrusted], 5, trusted3],
    ['the count of a trusted author instead of the count of an app', [byApp, trusted3], 3, trusted3],
    ['the count of an app if no trusted author names the job', [byApp, byUntrusted], 20, byApp],
    ['no count of untrusted authors', [byUntrusted], 0, undefined],
  ])('has %s', async (_what, comments, followUps, marker) => {
    const comment = marker === undefined ? { kind: 'untrusted' } : { kind: 'known', id: marker.id }
    expect((await prove(comments, { job_1: [completed] })).rolling).toMatchObject({ followUps, comment })
  })
})

describe('jobs in untrusted comments', () => {
  test('are read once, newest first and at most ten, without waiting for links', async () => {
    const { jobId, read, refusalReasons, passedMs } = await prove(many(1_000, 'untrusted'))
    expect([jobId, refusalReasons, passedMs]).toEqual([undefined, [], 0])
    expect(read).toEqual(Array.from({ length: 10 }, (_, index) => `untrusted-${999 - index}`))
  })

  test.each<ErrorCode>(['unreachable', 'service-error', 'bad-answer', 'rate-limited', 'not-found', 'forbidden'])(
    'are skipped if the service responds with %s',
    async (code) => {
      const jobs = { 'untrusted-1': [failure(code, 3_600_000)], 'untrusted-0': [completed] }
      const { jobId, read, refusalReasons } = await prove(many(2, 'untrusted'), jobs)
      expect([jobId, read, refusalReasons]).toEqual(['untrusted-0', ['untrusted-1', 'untrusted-0'], []])
    },
  )

  test('are read for at most 5 seconds in total', async () => {
    const { read, passedMs } = await prove(many(10, 'untrusted'), {}, undefined, 1_500)
    expect([read.length, passedMs]).toEqual([3, 4_500])
    expect((await prove(many(10, 'untrusted'), {}, undefined, 60_000)).passedMs).toBe(5_000)
  })

  test('are read after the jobs in trusted comments and do not displace them', async () => {
    const { jobId, read } = await prove([...many(30, 'untrusted'), OURS, OURS], { job_1: [completed] })
    expect([jobId, read]).toEqual(['job_1', ['job_1']])
  })
})

describe('jobs in trusted comments', () => {
  test('are the jobs that apps name if no trusted author names a job', async () => {
    const comments = [naming('job_1', 'bot'), ...many(20, 'untrusted')]
    expect((await prove(comments, { job_1: [archived] })).refusalReasons).toEqual(['job job_1 is archived'])
    const withTrusted = await prove([naming('job_2', 'trusted'), ...comments], { job_2: [archived] })
    expect(withTrusted.refusalReasons).toEqual(['job job_2 is archived'])
  })

  test('are read until the service responds', async () => {
    const { jobId, read } = await prove([OURS], { job_1: [failure('unreachable'), completed] })
    expect([jobId, read.length]).toEqual(['job_1', 2])
    await expect(prove([OURS], { job_1: [failure('unreachable')] })).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('are read after a rate limit, which is logged immediately and every minute', async () => {
    const { jobId, log, passedMs } = await prove([OURS], { job_1: [failure('rate-limited', 300_000), completed] })
    expect(jobId).toBe('job_1')
    expect(passedMs).toBeGreaterThanOrEqual(300_000)
    expect(log[0]).toBe('It is rate-limited. Waiting until 2026-01-01 00:05:01 UTC.')
    expect(log.slice(1)).toHaveLength(4)
    expect(log[1]).toBe('Still waiting until 2026-01-01 00:05:01 UTC, for another 4 min 1 s.')
  })

  test('are not awaited past the deadline of the step', async () => {
    const proving = prove([OURS], { job_1: [failure('rate-limited', 3_600_000 + 1), completed] })
    await expect(proving).rejects.toMatchObject({
      message: expect.stringContaining("after this step's deadline") as unknown,
    })
  })

  test('are only treated as missing after two 404 responses with a pause between them', async () => {
    const gone = failure('not-found')
    expect((await prove([OURS], { job_1: [gone, completed] })).jobId).toBe('job_1')
    const twice = await prove([OURS], { job_1: [gone, gone] })
    expect([twice.refusalReasons, twice.read.length]).toEqual([['job job_1 is not known'], 2])
    expect(twice.passedMs).toBeGreaterThanOrEqual(2_000)
  })

  test('stop the search if their link is unusable, unlike jobs in untrusted comments', async () => {
    const jobs = { job_1: [{ ...withoutLink, hasUnsafeLink: true } as const] }
    await expect(prove([OURS], jobs)).rejects.toMatchObject({ code: 'rejected' })
    expect((await prove([naming('job_1', 'untrusted')], jobs)).refusalReasons).toEqual([])
  })

  test('share one wait if the links of ten jobs are late', async () => {
    const { refusalReasons, passedMs } = await prove(many(12, 'trusted'))
    expect(refusalReasons).toHaveLength(10)
    expect(passedMs).toBeLessThan(20_000)
  })
})

describe('a link to another repository name', () => {
  const at = (path: string): Jobs => ({ job_1: [job({ status: 'completed', prLink: `${FACTS.serverUrl}/${path}` })] })

  const elsewhere = { ...PULL_REQUEST, repository: 'eve/docs' }

  test.each<[string, string, PullRequest | ActionError, boolean, number]>([
    ['treats it as the same pull request if GitHub finds it there', 'acme/manual/pull/7', PULL_REQUEST, true, 2],
    ['treats it as another pull request if GitHub finds another one there', 'eve/docs/pull/7', elsewhere, false, 2],
    [
      'treats it as another pull request if GitHub finds nothing there',
      'eve/docs/pull/7',
      createGitHubError('not-found'),
      false,
      2,
    ],
    [
      'treats it as another pull request if the token has no access there',
      'eve/docs/pull/7',
      createGitHubError('forbidden'),
      false,
      2,
    ],
    ['treats it as another pull request if the number differs', 'acme/manual/pull/8', PULL_REQUEST, false, 1],
  ])('%s', async (_why, path, renamed, isOwn, reads) => {
    const { jobId, refusalReasons, calls } = await prove([OURS], at(path), renamed)
    expect(jobId).toBe(isOwn ? 'job_1' : undefined)
    expect(refusalReasons).toEqual(isOwn ? [] : ['job job_1 has another pull request'])
    expect(calls.filter((name) => name === 'readPullRequest')).toHaveLength(reads)
  })

  test('fails if GitHub does not respond', async () => {
    const down = createGitHubError('unreachable')
    await expect(prove([OURS], at('acme/manual/pull/7'), down)).rejects.toBe(down)
  })
})
