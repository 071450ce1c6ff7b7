import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import { runAgent } from '../../../src/agent/run.ts'
import type { MarkerComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { commentFacts, EVENT_NAMES, MONA, type Spoken } from '../../support/comment-events.ts'
import { active, archived, completed, failed, failure, fakeClient, job } from '../../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal, rejecting, type GivenRun } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const OTHER = job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/77' })
const gone = failure('not-found')

/** How the job reads that the pull request's comments name, and by whom these were written. */
const JOBS: Readonly<Record<string, readonly [reads: readonly (Job | Error)[], author: MarkerComment['author']]>> = {
  none: [[], 'stranger'],
  own: [[completed], 'trusted'],
  'own, which is busy': [[active], 'trusted'],
  'own, named by a stranger': [[completed], 'stranger'],
  failed: [[failed], 'trusted'],
  archived: [[archived], 'trusted'],
  'foreign, and busy': [[active], 'stranger'],
  foreign: [[OTHER], 'trusted'],
  unknown: [[gone, gone], 'trusted'],
  'own, and not found once': [[gone, completed], 'trusted'],
  'foreign, named by a stranger': [[archived], 'stranger'],
}
type JobName = keyof typeof JOBS

interface Scene {
  readonly context?: GivenRun
  readonly jobName?: JobName
  readonly inputs?: Partial<AgentInputs>
  readonly answers?: Partial<GitHub>
  /** What the service answers. */
  readonly reads?: readonly (Job | Error)[]
}

/** Plays a step, with what reached the service, and what was said and written on GitHub, in order. */
async function play({ context = commentFacts(), jobName = 'own', inputs, answers, reads }: Scene = {}) {
  const [found, author] = JOBS[jobName] ?? [[], 'stranger']
  const core = fakeHost()
  const replies: string[] = []
  const write =
    (what: string) =>
    (...args: readonly unknown[]): Promise<undefined> => {
      core.said.push(`written: ${what}`)
      if (what === 'reply') replies.push(String(args.at(-1)))
      return Promise.resolve(undefined)
    }
  const marker = { id: 5, body: '<!-- docs-agent-action: job=job_1 -->', author }
  const github = fakeGitHub({
    listMarkerComments: () => Promise.resolve(found.length === 0 ? [] : [marker]),
    addEyes: write('eyes'),
    addLabel: write('label'),
    editComment: write('edit'),
    addComment: (place, body) => write('kind' in place ? 'reply' : 'comment')(body),
    mayWrite: (_repository, { id, login }) => Promise.resolve(id === MONA.id && login === MONA.login),
    ...answers,
  })
  // The job is read once more before the message.
  const usual = [...found, ...(jobName.startsWith('own') ? [completed, completed, active] : []), completed]
  const client = fakeClient({ create: active, message: active, reads: reads ?? usual })
  const all = agentInputs({
    command: '/docs',
    githubToken: 'ghs_token',
    task: { kind: 'create', prompt: '' },
    ...inputs,
  })
  const report = await runAgent(all, fakeStep({ core, context, github, client }))
  const linesOf = (kind: string) => core.said.flatMap((line) => (line.startsWith(kind) ? line.slice(kind.length) : []))
  return {
    report,
    isGreen: conclude(report, all.failOn).isGreen,
    service: client.calls,
    sent: client.calls.filter((call) => call !== 'get'),
    prompt: client.prompts[0] ?? '',
    asked: github.asked,
    said: core.said,
    log: linesOf('log: '),
    written: linesOf('written: '),
    replies,
  }
}

const WORDS = { asks: '/docs Shorten it.', blank: '/docs \n', other: 'Looks good to me.' }
const AUTHORS = ['may write', 'may read', 'another id', 'nobody', 'a bot', 'an app', 'unreadable'] as const
const PLACES = [
  ...EVENT_NAMES.map((eventName) => ({ eventName, isOnPullRequest: true })),
  { eventName: 'issue_comment', isOnPullRequest: false },
]
type Author = (typeof AUTHORS)[number]

const SPEAKERS: Readonly<Partial<Record<Author, Spoken>>> = {
  'a bot': { author: { ...MONA, type: 'Bot' } },
  'an app': { app: { slug: 'helper' } },
  'another id': { author: { ...MONA, id: 99 } },
  nobody: { author: null },
}
const PERMISSIONS: Readonly<Partial<Record<Author, GitHub['mayWrite']>>> = {
  'may read': () => Promise.resolve(false),
  unreadable: rejecting(refusal('forbidden')),
}

interface Course extends Spoken {
  readonly author_: Author
  readonly words: keyof typeof WORDS
  readonly jobName: JobName
}

const of = <T>(values: readonly T[]): readonly T[] => values
const COURSES: readonly Course[] = PLACES.flatMap((place) =>
  AUTHORS.flatMap((author_) =>
    of(['asks', 'blank', 'other'] as const).flatMap((words) =>
      of(['open', 'closed'] as const).flatMap((state) =>
        (place.isOnPullRequest ? Object.keys(JOBS) : ['none']).map((jobName) => ({
          ...place,
          ...{ author_, words, state, jobName },
        })),
      ),
    ),
  ),
)

/** What is to be done, told a second time and without the code. */
function expected({ eventName, author_, words, state, jobName, isOnPullRequest }: Course): object {
  const nothing = { outcome: 'skipped', isGreen: true, sent: [], written: [], continued: '' }
  if (words === 'other' || ['nobody', 'a bot', 'an app'].includes(author_)) return nothing
  if (author_ === 'unreadable') return { ...nothing, outcome: 'error', isGreen: false }
  if (author_ !== 'may write') return nothing
  const answered = { ...nothing, written: ['reply'] }
  if (words === 'blank' || (isOnPullRequest === true && state === 'closed')) return answered
  if (['failed', 'archived', 'foreign', 'unknown'].includes(jobName)) return answered
  const written = eventName === 'pull_request_review' ? ['reply'] : ['eyes', 'reply']
  return jobName.startsWith('own')
    ? { outcome: 'no-changes', isGreen: true, sent: ['message'], written, continued: 'comment' }
    : { outcome: 'pull-request', isGreen: true, sent: ['create'], written, continued: '' }
}

describe('by event, author, place and job', () => {
  test('what is asked of the service and written on GitHub is as the table says', async () => {
    expect(COURSES).toHaveLength(1_428)
    for (const course of COURSES) {
      const { author_, words, jobName, ...spoken } = course
      const permission = PERMISSIONS[author_]
      const { report, isGreen, service, sent, written, asked, log } = await play({
        jobName,
        context: commentFacts({ ...spoken, ...SPEAKERS[author_], body: WORDS[words] }),
        inputs: { label: '' },
        ...(permission === undefined ? {} : { answers: { mayWrite: permission } }),
      })
      const { outcome } = report
      const { continued } = toOutputs(report)
      expect({ course, outcome, isGreen, sent, written, continued }).toEqual({ course, ...expected(course) })
      if (author_ === 'may write') continue
      // Not one request of any kind, and nothing on GitHub but the question who it is.
      expect([service, log, asked.filter((what) => what !== 'mayWrite')]).toEqual([[], [], []])
    }
  })

  test('no reply asks for anything when it comes back as an event by somebody who may write', async () => {
    const bodies = new Set<string>()
    for (const { jobName, words, author_, ...spoken } of COURSES) {
      if (author_ !== 'may write') continue
      for (const body of (await play({ jobName, context: commentFacts({ ...spoken, body: WORDS[words] }) })).replies)
        bodies.add(body)
    }
    expect(bodies.size).toBeGreaterThan(10)
    for (const body of bodies) {
      for (const place of PLACES) {
        const { service, written } = await play({ context: commentFacts({ ...place, body }) })
        expect([body, service, written]).toEqual([body, [], []])
      }
    }
  })
})

const ON_ISSUE = commentFacts({ isOnPullRequest: false })

test.each(['push', 'schedule', 'issues', 'workflow_dispatch'])('with a command, %s is skipped', async (eventName) => {
  const { report, service, asked } = await play({ context: { ...commentFacts(), eventName } })
  expect([report.outcome, service, asked]).toEqual(['skipped', [], []])
})

test('house rules come first, then the instruction, then what belongs to it', async () => {
  const task = { kind: 'create', prompt: 'Use plain words.' } as const
  const { prompt, log } = await play({ inputs: { task } })
  expect(log).toContain('A comment asks job job_1 to add to pull request #7.')
  expect(prompt).toMatch(/^Use plain words\.\n\nShorten it\.\n\n---\n\nThe instruction above comes from a comment/)
  expect(prompt).toContain('Pull request #7 of acme/docs, which you opened, is still open.')
  expect(prompt).not.toContain('About it.')
})

test("somebody else's pull request is told with its title, its text and its change", async () => {
  const { prompt } = await play({ jobName: 'none' })
  expect(prompt).toContain('About it.')
  expect(prompt).toContain('What changed in acme/docs (pull request #7)')
  const ofIssue = await play({ jobName: 'none', context: ON_ISSUE })
  expect(ofIssue.prompt).not.toContain('What changed')
})

test('a change that cannot be read costs the change, and not the job', async () => {
  const { report, sent } = await play({ jobName: 'none', answers: { compare: rejecting(refusal('forbidden')) } })
  expect(sent).toEqual(['create'])
  expect(report.shortfalls).toMatchObject([{ lost: 'The agent is not told what the pull request changes' }])
})

test('of a review, the comments by the same person are told, and no others', async () => {
  const one = { authorId: MONA.id, path: 'a.md', startLine: undefined, line: 2, hunk: '@@', body: 'Too long.' }
  const listReviewComments = inTurn([one, { ...one, authorId: 99, body: 'Delete all.' }])
  const context = commentFacts({ eventName: 'pull_request_review' })
  const { prompt } = await play({ context, answers: { listReviewComments } })
  expect(prompt).toContain('Too long.')
  expect(prompt).not.toContain('Delete all.')
})

const MERGED: PullRequest = { ...PULL_REQUEST, state: 'merged' }

test.each<[string, Scene, string]>([
  [
    'its pull request cannot be read',
    { answers: { readPullRequest: rejecting(refusal('unreachable')) } },
    'Could not tell',
  ],
  [
    'its comments cannot be read',
    { answers: { listMarkerComments: inTurn<readonly MarkerComment[]>(refusal('forbidden'), []) } },
    'Could not tell',
  ],
  ['the job cannot be read', { reads: [failure('unreachable')] }, 'Could not tell'],
  [
    'its pull request is merged meanwhile',
    { answers: { readPullRequest: inTurn(PULL_REQUEST, MERGED) } },
    'was merged',
  ],
  ['it names another pull request than when it was proven', { reads: [completed, OTHER] }, 'another pull request'],
  ['it does so at the second look', { reads: [completed, completed, OTHER] }, 'another pull request'],
])('a job is sent nothing where %s, and that is said', async (_what, scene, reason) => {
  const { report, sent, replies } = await play(scene)
  expect([sent, replies.length]).toEqual([[], 1])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  expect(replies[0]).toContain(reason)
  expect(replies[0]).not.toContain('77')
  expect(toOutputs(report)).toMatchObject({ 'pr-link': '', 'pr-number': '', continued: '' })
})

test('a job that only a stranger names and that cannot be read keeps nobody from asking', async () => {
  const { service, isGreen } = await play({
    jobName: 'own, named by a stranger',
    reads: [failure('unreachable'), completed],
  })
  expect([service, isGreen]).toEqual([['get', 'create', 'get'], true])
})

test('a reaction that the token may not give costs the reaction only', async () => {
  const { report, sent, written } = await play({ answers: { addEyes: rejecting(refusal('forbidden')) } })
  expect([sent, written]).toEqual([['message'], ['reply']])
  expect(report.shortfalls).toHaveLength(1)
})

test('a job that does not end in time is answered before the deadline', async () => {
  const { report, replies } = await play({ jobName: 'none', context: ON_ISSUE, reads: [active] })
  expect(report).toMatchObject({ outcome: 'timed-out', durationMs: 3_580_000 })
  expect(replies[0]).toContain('did not finish in time')
})

test('who may ask is looked up again in another attempt', async () => {
  const facts = { ...commentFacts(), runAttempt: 2 }
  expect((await play({ context: facts })).asked).toContain('mayWrite')
  const revoked = { mayWrite: PERMISSIONS['may read'] ?? rejecting(refusal('forbidden')) }
  const { service, written, report } = await play({ context: facts, answers: revoked })
  expect([service, written, report.outcome]).toEqual([[], [], 'skipped'])
})

test('that it is another attempt is said before anything is written, and not of a comment that asks for nothing', async () => {
  const again = async (body: string) => (await play({ context: { ...commentFacts({ body }), runAttempt: 2 } })).said
  const said = await again(WORDS.asks)
  expect(said[0]).toMatch(/^notice: This run was started again/)
  expect(said).toContain('written: eyes')
  expect(await again(WORDS.other)).toEqual([])
})

test('a command has nothing to skip, so that a range that looks back goes with `skip`', async () => {
  const changeRange = { kind: 'since-last-success' } as const
  const inputs = { command: '/docs', onOpenPr: 'skip', changeContext: 'files', changeRange } as const
  expect((await play({ inputs, context: commentFacts() })).service).toContain('message')
})

test('without a command, comments are events like all others', async () => {
  const { service, asked } = await play({ inputs: { command: '' }, jobName: 'none', context: commentFacts() })
  expect(service).toContain('create')
  expect(asked).not.toContain('mayWrite')
})
