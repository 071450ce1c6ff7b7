import { describe, expect, test } from '@jest/globals'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import { toOutputs } from '../../../src/agent/report/outputs.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import { runAgent } from '../../../src/agent/run.ts'
import type { MarkerComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { commentFacts, EVENT_NAMES, MONA, type Spoken } from '../../support/comment-events.ts'
import { active, archived, completed, failed, failure, fakeClient, job } from '../../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, refusal, rejecting, type GivenRun } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

/** The job that the pull request's comments name, and by whom they were written. */
const JOBS: Readonly<
  Record<string, { readonly reads?: readonly (Job | Error)[]; readonly author?: MarkerComment['author'] }>
> = {
  none: {},
  own: { reads: [completed], author: 'trusted' },
  'own, which is busy': { reads: [active], author: 'trusted' },
  'own, named by a stranger': { reads: [completed], author: 'stranger' },
  failed: { reads: [failed], author: 'trusted' },
  archived: { reads: [archived], author: 'trusted' },
  'foreign, and busy': { reads: [active], author: 'stranger' },
  foreign: {
    reads: [job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/8' })],
    author: 'trusted',
  },
  unknown: { reads: [failure('not-found'), failure('not-found')], author: 'trusted' },
  'own, and not found once': { reads: [failure('not-found'), completed], author: 'trusted' },
  'foreign, named by a stranger': { reads: [archived], author: 'stranger' },
}
type JobName = keyof typeof JOBS

interface Played {
  readonly report: Report
  readonly isGreen: boolean
  /** What reached the service: `create`, `message` or `get`. */
  readonly service: readonly string[]
  readonly prompts: readonly string[]
  /** What was written on GitHub, in order. */
  readonly written: readonly string[]
  readonly replies: readonly string[]
  readonly asked: readonly string[]
  readonly log: readonly string[]
  /** What was said, and between it what was written on GitHub. */
  readonly said: readonly string[]
}

interface Scene {
  readonly context?: GivenRun
  readonly jobName?: JobName
  readonly inputs?: Partial<AgentInputs>
  readonly answers?: Partial<GitHub>
  /** What the service answers. */
  readonly reads?: readonly (Job | Error)[]
}

async function play({
  context = commentFacts(),
  jobName = 'own',
  inputs,
  answers,
  reads,
}: Scene = {}): Promise<Played> {
  const { reads: found = [], author = 'stranger' } = JOBS[jobName] ?? {}
  const host = fakeHost()
  const written: string[] = []
  const replies: string[] = []
  const write =
    (what: string) =>
    (...args: readonly unknown[]): Promise<undefined> => {
      written.push(what)
      host.said.push(`written: ${what}`)
      if (what === 'reply') replies.push(String(args.at(-1)))
      return Promise.resolve(undefined)
    }
  const github = fakeGitHub({
    listMarkerComments: () =>
      Promise.resolve(found.length === 0 ? [] : [{ id: 5, body: '<!-- docs-agent-action: job=job_1 -->', author }]),
    ...{ addEyes: write('eyes'), addLabel: write('label'), editComment: write('edit') },
    addComment: (place, body) => write('kind' in place ? 'reply' : 'comment')(body),
    mayWrite: (_repository, { id, login }) => Promise.resolve(id === MONA.id && login === MONA.login),
    ...answers,
  })
  const isOwn = jobName.startsWith('own')
  // The job is read once more before the message.
  const usual = [...found, ...(isOwn ? [completed, completed, active] : []), completed]
  const client = fakeClient({ create: active, message: active, reads: reads ?? usual })
  const all = agentInputs({
    command: '/docs',
    githubToken: 'ghs_token',
    task: { kind: 'create', prompt: '' },
    ...inputs,
  })
  const report = await runAgent(all, fakeStep({ core: host, context: context, github, client }))
  const { isGreen } = conclude(report, all.failOn)
  const log = host.said.filter((line) => line.startsWith('log: '))
  const { calls: service, prompts } = client
  return { report, isGreen, service, prompts, written, replies, asked: github.asked, log, said: host.said }
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
      const { report, isGreen, service, written, asked, log } = await play({
        jobName,
        context: commentFacts({ ...spoken, ...SPEAKERS[author_], body: WORDS[words] }),
        inputs: { label: '' },
        ...(permission === undefined ? {} : { answers: { mayWrite: permission } }),
      })
      const sent = service.filter((call) => call !== 'get')
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

test.each(['push', 'schedule', 'issues', 'workflow_dispatch'])('with a command, %s is skipped', async (eventName) => {
  const { report, service, asked } = await play({ context: { ...commentFacts(), eventName } })
  expect([report.outcome, service, asked]).toEqual(['skipped', [], []])
})

test('house rules come first, then the instruction, then what belongs to it', async () => {
  const task = { kind: 'create', prompt: 'Use plain words.' } as const
  const { prompts } = await play({ inputs: { task } })
  expect(prompts[0]).toMatch(/^Use plain words\.\n\nShorten it\.\n\n---\n\nThe instruction above comes from a comment/)
  expect(prompts[0]).toContain('Pull request #7 of acme/docs, which you opened, is still open.')
  expect(prompts[0]).not.toContain('About it.')
})

test("somebody else's pull request is told with its title, its text and its change", async () => {
  const { prompts } = await play({ jobName: 'none' })
  expect(prompts[0]).toContain('About it.')
  expect(prompts[0]).toContain('What changed in acme/docs (pull request #7)')
  expect((await play({ jobName: 'none', context: commentFacts({ isOnPullRequest: false }) })).prompts[0]).not.toContain(
    'What changed',
  )
})

test('a change that cannot be read costs the change, and not the job', async () => {
  const { report, prompts } = await play({ jobName: 'none', answers: { compare: rejecting(refusal('forbidden')) } })
  expect(prompts).toHaveLength(1)
  expect(report.shortfalls).toMatchObject([{ lost: 'The change of the pull request was not told' }])
})

test('of a review, the comments by the same person are told, and no others', async () => {
  const one = { authorId: MONA.id, path: 'a.md', startLine: undefined, line: 2, hunk: '@@', body: 'Too long.' }
  const answers: Partial<GitHub> = {
    listReviewComments: () => Promise.resolve([one, { ...one, authorId: 99, body: 'Delete all.' }]),
  }
  const { prompts } = await play({ context: commentFacts({ eventName: 'pull_request_review' }), answers })
  expect(prompts[0]).toContain('Too long.')
  expect(prompts[0]).not.toContain('Delete all.')
})

test.each<[string, Scene]>([
  ['the pull request', { answers: { readPullRequest: rejecting(refusal('unreachable')) } }],
  ['its comments', { answers: { listMarkerComments: inTurn<readonly MarkerComment[]>(refusal('forbidden'), []) } }],
  ['its job', { reads: [failure('unreachable')] }],
])('where %s cannot be read nothing is sent, and that is said', async (_name, scene) => {
  const { service, written, report } = await play(scene)
  expect(service.filter((call) => call !== 'get')).toEqual([])
  expect(written).toEqual(['reply'])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
})

test('a pull request that is merged while its job is busy takes nothing more', async () => {
  let reads = 0
  const { report, service, replies } = await play({
    answers: {
      readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, state: reads++ === 0 ? 'open' : 'merged' }),
    },
  })
  expect(service).not.toContain('message')
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  expect(replies[0]).toContain('was merged meanwhile.')
})

const OTHER = job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/77' })

test.each<[string, readonly Job[]]>([
  ['when it was proven', [completed, OTHER]],
  ['when it was looked at a second time', [completed, completed, OTHER]],
])('a job that names another pull request than %s is sent nothing, and the outputs name none', async (_when, reads) => {
  const { report, service, replies } = await play({ reads })
  expect(service).not.toContain('message')
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  expect(toOutputs(report)).toMatchObject({ 'pr-link': '', 'pr-number': '', continued: '' })
  expect(replies[0]).not.toContain('77')
})

test('a job that only a stranger names and that cannot be read keeps nobody from asking', async () => {
  const { service, isGreen } = await play({
    jobName: 'own, named by a stranger',
    reads: [failure('unreachable'), completed],
  })
  expect([service, isGreen]).toEqual([['get', 'create', 'get'], true])
})

test('a reaction that the token may not give costs the reaction only', async () => {
  const { report, service, written } = await play({ answers: { addEyes: rejecting(refusal('forbidden')) } })
  expect(service).toContain('message')
  expect(written).toEqual(['reply'])
  expect(report.shortfalls).toHaveLength(1)
})

test('a job that does not end in time is answered before the deadline', async () => {
  const facts = commentFacts({ isOnPullRequest: false })
  const { report, replies } = await play({ jobName: 'none', context: facts, reads: [active] })
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
