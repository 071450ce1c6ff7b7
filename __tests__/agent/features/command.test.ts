import { expect, test } from '@jest/globals'
import { parseHistory } from '../../../src/agent/history/state.ts'
import { AGENT_USER, GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../../../src/emulator/github/github-scenarios.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { jsonResponse } from '../../../src/emulator/http/exchange.ts'
import { closeIssue } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { commentFacts, EVENT_NAMES, type CommentEventFields } from '../../../testing/comment-events.ts'
import {
  changeResponse,
  respondInOrder,
  playStep,
  respondWith,
  type PlayStepOptions,
} from '../../../testing/play-step.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { commit, madeCommit, repositoryWithPull } from '../../../testing/github-state.ts'
import { BASE_URL } from '../../../testing/in-process-github.ts'

const MONA = { login: 'mona', id: 11, type: 'User' }
const READ = 'read job_finished'
const MAY_WRITE = 'repos/get-collaborator-permission-level'

type Responder = NonNullable<PlayStepOptions['responses']>[string]

const respondNormally: Responder = ({ respond }) => respond()
const busy = changeResponse(() => ({ status: 'active', prLink: null }))
const foreign = changeResponse(() => ({ prLink: `${BASE_URL}/acme/docs/pull/77` }))
const [failed, archived] = [
  changeResponse(() => ({ status: 'failed' })),
  changeResponse(() => ({ status: 'archived' })),
]
const gone = respondWith(404)

/** Who names a job in the pull request, and the responses to the reads of that job. */
const JOBS: Readonly<Record<string, readonly [names: GitHubScenarioName, ...reads: Responder[]]>> = {
  none: ['marker-by-outsider'],
  own: ['open-pull-request'],
  'own, which is busy': ['open-pull-request', busy, respondNormally],
  'own, named by an outsider': ['marker-by-outsider'],
  'own, and not found once': ['open-pull-request', gone, respondNormally],
  failed: ['open-pull-request', failed],
  archived: ['open-pull-request', archived],
  foreign: ['open-pull-request', foreign],
  unknown: ['open-pull-request', gone],
  'foreign, and busy': ['marker-by-outsider', busy],
  'foreign, named by an outsider': ['marker-by-outsider', archived],
}

type JobName = keyof typeof JOBS

interface Scene extends Partial<PlayStepOptions> {
  readonly jobName?: JobName
  readonly comment?: CommentEventFields
  readonly given?: Readonly<Record<string, string>>
  /** Replaces the responses that `jobName` gives to reads of the job. */
  readonly reads?: readonly Responder[]
}

/** Adds the comments to pull request 1 and issue 8, and the commits of the payloads. */
const prepare =
  (jobName: JobName) =>
  ({ pulls, issues, commits }: RepositoryState): void => {
    commits.push(madeCommit({ sha: commit('a') }), madeCommit({ sha: commit('b'), parents: [commit('a')] }))
    if (jobName === 'none') pulls[1]?.comments.pop()
    const comment = { id: 71, user: 'mona', body: '', createdAtMs: 0, reactions: [] }
    const review = { ...comment, path: 'docs/guide.md', line: 5, diffHunk: '@@ -1 +1 @@' }
    pulls[1]?.comments.push(comment)
    pulls[1]?.reviewComments.push(review)
    pulls[1]?.reviewComments.push({ ...review, id: 72, reviewId: 71, body: 'Too long.' })
    pulls[1]?.reviewComments.push({ ...review, id: 73, reviewId: 71, body: 'Delete all.', user: 'dora' })
    issues[8] = createIssueState({ comments: [comment] })
  }

const WRITES: Readonly<Record<string, string>> = {
  'issues/create-comment': 'reply',
  'pulls/create-reply-for-review-comment': 'reply',
  'reactions/create-for-issue-comment': 'eyes',
  'reactions/create-for-pull-request-review-comment': 'eyes',
}

/** Runs a step, and returns the prompts to the service and the writes to GitHub, in order. */
async function play({ jobName = 'own', comment = {}, given = {}, reads, ...options }: Scene = {}) {
  const [names, ...jobReads] = JOBS[jobName] ?? ['marker-by-outsider']
  const onPull = (comment.eventName ?? 'issue_comment') !== 'issue_comment' || comment.isOnPullRequest !== false
  const context = commentFacts({ author: MONA, number: onPull ? 1 : 8, ...comment })
  const played = await playStep({
    inputs: agentInputs({}, { command: '/docs', 'github-token': GITHUB_TOKEN, label: '', prompt: '', ...given }),
    github: combineScenarios([names]),
    prepare: prepare(jobName),
    ...options,
    facts: { ...context, ...options.facts },
    responses: { [READ]: respondInOrder(...(reads ?? jobReads)), ...options.responses },
  })
  const { docs, acceptedPrompts, operations, outputs, report } = played
  const comments = [docs.pulls[1], docs.issues[8]].flatMap((issue) => issue?.comments ?? [])
  const threads = docs.pulls[1]?.reviewComments ?? []
  return {
    ...played,
    outcome: report.outcome,
    continued: outputs['continued'],
    sent: acceptedPrompts.map(([to]) => (to === 'create' ? to : 'message')),
    prompt: acceptedPrompts[0]?.[1] ?? '',
    written: operations.flatMap((operation) => WRITES[operation] ?? []),
    replies: [...comments, ...threads]
      .filter(({ id }) => id > 1_000)
      .flatMap(({ body }) => (body.includes('reply run=') ? body : [])),
  }
}

const WORDS = { asks: '/docs Shorten it.', blank: '/docs \n', other: 'Looks good to me.' }
const PLACES: readonly CommentEventFields[] = [
  ...EVENT_NAMES.map((eventName) => ({ eventName, isOnPullRequest: true })),
  { eventName: 'issue_comment', isOnPullRequest: false },
]
const AUTHORS: Readonly<Record<string, CommentEventFields>> = {
  'may write': {},
  'may read': { author: { login: 'dora', id: 12, type: 'User' } },
  'another id': { author: { ...MONA, id: 99 } },
  nobody: { author: null },
  'a bot': { author: { ...MONA, type: 'Bot' } },
  'an app': { app: { slug: 'helper' } },
  unreadable: {},
}

interface Scenario extends CommentEventFields {
  readonly who: keyof typeof AUTHORS
  readonly words: keyof typeof WORDS
  readonly jobName: JobName
}

const listJobs = ({ isOnPullRequest }: CommentEventFields, isAccepted: boolean): readonly JobName[] =>
  isOnPullRequest === false ? ['none'] : isAccepted ? Object.keys(JOBS) : ['own']

/** All jobs and states for prompts of authors with write access, and one job for all other comments. */
const SCENARIOS: readonly Scenario[] = PLACES.flatMap((place) =>
  Object.keys(AUTHORS).flatMap((who) =>
    (['asks', 'blank', 'other'] as const).flatMap((words) =>
      (who === 'may write' ? (['open', 'closed'] as const) : (['open'] as const)).flatMap((state) =>
        listJobs(place, who === 'may write' && words === 'asks').map((jobName) => ({
          ...place,
          who,
          words,
          state,
          jobName,
        })),
      ),
    ),
  ),
)

/** The expected result, stated independently of the code. */
function expected({ eventName, who, words, state, jobName, isOnPullRequest }: Scenario): object {
  const nothing = { outcome: 'skipped', isGreen: true, sent: [], written: [], continued: '' }
  if (words === 'other' || ['nobody', 'a bot', 'an app'].includes(who)) return nothing
  if (who === 'unreadable') return { ...nothing, outcome: 'error', isGreen: false }
  if (who !== 'may write') return nothing
  const replied = { ...nothing, written: ['reply'] }
  if (words === 'blank' || (isOnPullRequest === true && state === 'closed')) return replied
  if (['failed', 'archived', 'foreign', 'unknown'].includes(jobName)) return replied
  const done = {
    outcome: 'pull-request',
    isGreen: true,
    written: eventName === 'pull_request_review' ? ['reply'] : ['eyes', 'reply'],
  }
  return jobName.startsWith('own')
    ? { ...done, sent: ['message'], continued: 'comment' }
    : { ...done, sent: ['create'], continued: '' }
}

test('follows the table for each event, author, place and job, and ignores its own replies', async () => {
  const bodies = new Set<string>()
  for (const scenario of SCENARIOS) {
    const { who, words, jobName, ...comment } = scenario
    const { outcome, isGreen, sent, written, continued, ...done } = await play({
      jobName,
      comment: { ...comment, ...AUTHORS[who], body: WORDS[words] },
      responses: who === 'unreadable' ? { [MAY_WRITE]: respondWith(403) } : {},
    })
    expect({ scenario, outcome, isGreen, sent, written, continued }).toEqual({ scenario, ...expected(scenario) })
    for (const body of done.replies) bodies.add(body)
    if (who === 'may write') continue
    // The only request is the lookup of the author's permission.
    expect([done.service.requests, done.log, done.operations.filter((what) => what !== MAY_WRITE)]).toEqual([
      [],
      [],
      [],
    ])
  }
  expect(bodies.size).toBeGreaterThan(10)
  for (const body of bodies)
    for (const place of PLACES) {
      const { service, written } = await play({ comment: { ...place, body } })
      expect([body, service.requests, written]).toEqual([body, [], []])
    }
})

const ON_ISSUE: CommentEventFields = { isOnPullRequest: false }

test.each(['push', 'schedule', 'issues', 'workflow_dispatch'])('with a command, skips %s events', async (eventName) => {
  const { outcome, service, operations } = await play({ facts: { eventName } })
  expect([outcome, service.requests, operations]).toEqual(['skipped', [], []])
})

const UNREADABLE_CHANGE: Scene = {
  given: { 'change-context': 'files', paths: 'src/**' },
  responses: { 'repos/compare-commits-with-basehead': respondWith(404), 'pulls/get': respondWith(503) },
}

test.each<[string, CommentEventFields, readonly string[]]>([
  ['a comment without a command', { body: WORDS.other }, []],
  ["an outsider's command", AUTHORS['may read'] ?? {}, [MAY_WRITE]],
])('reads nothing about the change for %s, so that it is never red', async (_what, comment, expected) => {
  for (const eventName of EVENT_NAMES) {
    const { outcome, isGreen, operations } = await play({ ...UNREADABLE_CHANGE, comment: { ...comment, eventName } })
    expect([outcome, isGreen, operations]).toEqual(['skipped', true, expected])
  }
})

test('replies to a command whose change cannot be read', async () => {
  const { report, sent, written, replies } = await play(UNREADABLE_CHANGE)
  expect([report.error?.code, sent, written]).toEqual(['not-sent', [], ['reply']])
  expect(replies).toEqual([expect.stringContaining('Could not determine what changed')])
})

test('replies to a command on a pull request without a file that matches `paths`', async () => {
  const { outcome, isGreen, sent, written, replies } = await play({ given: { paths: 'src/**' } })
  expect([outcome, isGreen, sent, written]).toEqual(['skipped', true, [], ['reply']])
  expect(replies).toEqual([expect.stringContaining('No changed file matches `paths`.')])
})

test('replies to a command with the mistake in `paths`', async () => {
  const { isGreen, sent, replies } = await play({ given: { paths: 'docs' } })
  expect([isGreen, sent]).toEqual([false, []])
  expect(replies).toEqual([
    expect.stringMatching(/\*\*The inputs are invalid\.\*\* `paths` has `docs`, .+\n\nNothing was sent\. Correct/),
  ])
})

test('puts the `prompt` input first, then the instruction, then its context', async () => {
  const { prompt, log } = await play({ given: { prompt: 'Use plain words.' } })
  expect(log).toContain('The comment is a follow-up to job job_finished, which opened pull request #1.')
  expect(prompt).toMatch(/^Use plain words\.\n\nShorten it\.\n\n---\n\nThe instruction above comes from a comment/)
  expect(prompt).toContain('Pull request #1 of acme/docs, which you opened, is still open.')
  expect(prompt).not.toContain('About it.')
})

test('sends the comment and the title from the event even if they were edited since', async () => {
  const { prompt, operations } = await play({
    jobName: 'none',
    prepare: (docs) => {
      prepare('none')(docs)
      const pull = docs.pulls[1]
      if (pull === undefined) throw new Error('There is no pull request.')
      Object.assign(pull, { title: 'Edited', body: 'Edited.' })
      for (const comment of pull.comments) comment.body = '/docs Delete all.'
    },
  })
  expect(prompt).toMatch(/^Shorten it\.\n/)
  expect(prompt).toContain('About it.')
  expect(prompt).not.toMatch(/Edited|Delete all/)
  expect(operations).not.toContain('issues/get-comment')
})

test("sends the title, the text and the changes of somebody else's pull request", async () => {
  const { prompt } = await play({ jobName: 'none' })
  expect(prompt).toContain('About it.')
  expect(prompt).toContain('What changed in acme/docs (pull request #1)')
  expect((await play({ jobName: 'none', comment: ON_ISSUE })).prompt).not.toContain('What changed')
})

test.each([
  ['sends', {}],
  ['also sends', { 'change-range': 'v1.0.0...main' }],
])("with `change-context` a comment %s its own pull request's change", async (how, given) => {
  const { prompt } = await play({ jobName: 'none', given: { 'change-context': 'files', ...given } })
  const [ofPull, ofRange] = ['(pull request #1)', '(the pull request, from', '(the range of'].map((part) =>
    prompt.includes(part),
  ) as [boolean, boolean]
  const isOther = how === 'also sends'
  expect([ofPull, ofRange, prompt.includes('(the range of')]).toEqual([isOther, !isOther, isOther])
})

test.each<[what: string, comment: CommentEventFields]>([
  ['a comment on an issue', ON_ISSUE],
  ["a comment on somebody else's pull request", {}],
])('with `change-context`, the prompt quotes %s and what it is about only once', async (_what, comment) => {
  const { prompt } = await play({ jobName: 'none', comment, given: { 'change-context': 'files' } })
  for (const text of ['Shorten it.', 'Guide', 'About it.']) expect(prompt.split(text)).toHaveLength(2)
})

test.each([
  ['of another pull request', 'pull/9', ['(pull request #1)', '(pull request #9, from']],
  ['of another repository', 'acme/code/pull/1', ['(pull request #1)', '(pull request acme/code#1, from']],
  ['of the same pull request', 'Acme/docs/pull/1', ['(pull request #1, from']],
])(
  'sends the changes of the comment’s pull request once in addition to the range %s',
  async (_what, range, expected) => {
    const { prompt } = await play({
      jobName: 'none',
      given: { 'change-context': 'files', 'change-range': range },
      onRequest: (_operation, { docs, service }) => {
        const [{ 'acme/code': code }, own] = [service.github.state.repositories, docs.pulls[1]]
        if (own === undefined || code === undefined) return
        docs.pulls[9] = { ...own }
        Object.assign(code.branches, { other: code.tags['v1.0.0'] })
        code.pulls[1] = createPullState({ branch: 'main', base: 'other', headSha: code.branches['main'] ?? '' })
      },
    })
    expect(prompt.match(/\((?:the )?pull request (?:acme\/code)?#\d+(?:\)|, from)/g)?.toSorted()).toEqual(expected)
  },
)

test('sends only the files that match `paths`, and says that the list of commits is complete', async () => {
  const files = ['docs/a.md', 'infra/main.tf'].map((filename) => ({ filename, patch: `+of ${filename}` }))
  const playWith = async (given: Readonly<Record<string, string>>) => {
    const repository = repositoryWithPull({ user: 'mona' }, { files, collaborators: { mona: 'admin' } })
    const { prompt } = await play({ repository, given, comment: { number: 7 } })
    return [
      'M docs/a.md',
      '+of docs/a.md',
      'infra/main.tf',
      'Begin (Ann)',
      '1 commit, 1 file',
      'of the whole change',
    ].map((part) => prompt.includes(part))
  }
  expect(await playWith({ paths: 'docs/**' })).toEqual([true, true, false, true, true, true])
  expect(await playWith({})).toEqual([true, true, true, true, false, false])
})

const COMPARE = 'repos/compare-commits-with-basehead'

test('sends nothing if the changes of the pull request cannot be read, and says why in the reply', async () => {
  const { outcome, isGreen, sent, replies } = await play({
    jobName: 'none',
    responses: { [COMPARE]: respondWith(403) },
  })
  expect([outcome, isGreen, sent]).toEqual(['error', false, []])
  expect(replies).toEqual([
    expect.stringMatching(/Nothing was sent[^]*The changes of pull request #1 could not be read: .*403/),
  ])
})

test('reads the changes of the pull request again if GitHub fails for a moment', async () => {
  const compare = respondInOrder(respondWith(502), respondWith(502), respondNormally)
  const { sent, prompt } = await play({ jobName: 'none', responses: { [COMPARE]: compare } })
  expect(sent).toEqual(['create'])
  expect(prompt).toContain('What changed in acme/docs (pull request #1)')
})

test.each<[paths: string, sent: readonly string[]]>([
  ['', ['create']],
  ['docs/**', []],
])('with `paths: %s`, sends the commits of a pull request that GitHub cannot compare: %j', async (paths, expected) => {
  const tooLong = () => jsonResponse(422, { message: 'Sorry, this diff is taking too long to generate.' })
  const { sent, prompt, replies } = await play({
    jobName: 'none',
    given: { paths },
    responses: { [COMPARE]: tooLong },
  })
  expect(sent).toEqual(expected)
  if (sent.length > 0) expect(prompt).toContain('the files that they changed are not known')
  else expect(replies.join()).toContain('this diff is taking too long to generate')
})

test('sends only those comments of a review that its author wrote', async () => {
  const { prompt } = await play({ comment: { eventName: 'pull_request_review' } })
  expect(prompt).toContain('Too long.')
  expect(prompt).not.toContain('Delete all.')
})

const close: PlayStepOptions['onRequest'] = (what, { docs: { pulls, ...docs } }) => {
  if (what === READ && pulls[1] !== undefined) closeIssue({ ...docs, pulls }, pulls[1], 0)
}

test.each<[string, Scene, string]>([
  ['its pull request cannot be read', { responses: { 'pulls/get': respondWith(503) } }, 'Could not determine'],
  [
    'its comments cannot be read',
    { responses: { 'issues/list-comments': respondInOrder(respondWith(403), respondNormally) } },
    'Could not determine',
  ],
  ['the job cannot be read', { reads: [respondWith(503)] }, 'Could not determine'],
  ['its pull request is closed in the meantime', { onRequest: close }, 'was closed'],
])('sends a job nothing if %s, and gives the reason in the reply', async (_what, scene, reason) => {
  const { report, outputs, sent, replies } = await play(scene)
  expect([sent, replies.length]).toEqual([[], 1])
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
  expect(replies[0]).toContain(reason)
  expect(replies[0]).not.toContain('77')
  expect(outputs).toMatchObject({ 'pr-link': '', 'pr-number': '', continued: '' })
})

test('recommends another comment if the pull request cannot be read before the follow-up', async () => {
  let isProven = false
  const responses: NonNullable<PlayStepOptions['responses']> = {
    'pulls/get': ({ respond }) => (isProven ? respondWith(503)() : respond()),
  }
  const onRequest: PlayStepOptions['onRequest'] = (what) => {
    isProven ||= what === READ
  }
  const { report, sent } = await play({ responses, onRequest })
  expect([sent, report.error?.message]).toEqual([[], expect.stringContaining('Could not determine whether')])
  expect(report.error?.hint).toContain('post the comment again')
  expect(report.error?.hint).not.toContain('on-open-pr')
})

test.each<[string, Scene]>([
  ["the author's permission", { responses: { [MAY_WRITE]: respondWith(503) } }],
  ['the pull request', { responses: { 'pulls/get': respondWith(503) } }],
  [
    'the comments of the review',
    {
      comment: { eventName: 'pull_request_review' },
      responses: { 'pulls/list-comments-for-review': respondWith(503) },
    },
  ],
])('sends nothing and recommends another comment if %s cannot be read', async (_what, scene) => {
  const { report, sent } = await play(scene)
  expect([sent, report.error?.code]).toEqual([[], 'not-sent'])
  expect(report.error?.hint).toContain('post the comment again')
})

test('starts a new job if a job that only an untrusted comment names cannot be read', async () => {
  const { sent, service, isGreen } = await play({
    jobName: 'own, named by an outsider',
    reads: [respondWith(503), respondNormally],
  })
  expect([sent, service.requests[0]?.method, isGreen]).toEqual([['create'], 'POST', true])
})

test('names all permissions if one is missing before the prompt', async () => {
  const { line, sent } = await play({ github: combineScenarios(['open-pull-request', 'no-permission']) })
  expect(sent).toEqual([])
  expect(line).toContain('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
})

test('only warns if the token may not add a reaction', async () => {
  const { report, sent, replies } = await play({
    responses: { 'reactions/create-for-issue-comment': respondWith(403) },
  })
  expect([sent, replies.length, report.warnings.length]).toEqual([['message'], 1, 1])
})

test('replies after the deadline if the job does not end in time', async () => {
  const { report, replies } = await play({ jobName: 'none', comment: ON_ISSUE, turns: [{ durationMs: 7_200_000 }] })
  expect(report).toMatchObject({ outcome: 'timed-out', durationMs: 3_600_000 })
  expect(replies[0]).toContain('did not finish in time')
})

test('checks the permission again on a re-run, and warns about the re-run before any write', async () => {
  const again = (comment: CommentEventFields) => play({ comment, facts: { runAttempt: 2 } })
  const { operations, hostCalls, written } = await again({})
  expect(operations[0]).toBe(MAY_WRITE)
  expect(hostCalls[0]).toMatch(/^notice: This run is a re-run/)
  expect(written).toEqual(['eyes', 'reply'])
  expect(await again(AUTHORS['may read'] ?? {})).toMatchObject({ sent: [], written: [], outcome: 'skipped' })
  expect((await again({ body: WORDS.other })).hostCalls.filter((line) => line.startsWith('notice'))).toEqual([])
})

test('treats comments like any other event without a command', async () => {
  const { sent, operations } = await play({ given: { command: '', prompt: 'Fix the guide.' }, jobName: 'none' })
  expect(sent).toEqual(['create'])
  expect(operations).not.toContain(MAY_WRITE)
})

test.each<[string, Partial<Scene>]>([
  ['a follow-up whose job is not found', { responses: { 'message job_finished': gone } }],
  ['a follow-up that is rejected', { responses: { 'message job_finished': respondWith(400) } }],
  ['a follow-up that cannot be processed', { responses: { 'message job_finished': respondWith(422) } }],
  ['a job that disappears during its turn', { reads: [...Array<Responder>(5).fill(respondNormally), gone] }],
])('the reply about %s names no inputs, but says where to find what to do', async (_what, scene) => {
  const { docs, outcome } = await play(scene)
  const reply = docs.pulls[1]?.comments.find(({ body }) => body.includes('reply run='))?.body
  expect(outcome).toBe('error')
  expect(reply).toContain('The page of the run says what to do.')
  expect(reply).not.toMatch(/`(?:job-id|project-id|base-url)`/)
})

test('the prompts of all commands count as one in the history, which then says how to ask for more', async () => {
  for (const given of [{}, { prompt: 'Use British spelling.' }]) {
    const { docs } = await play({ comment: ON_ISSUE, given: { label: 'docs-agent', ...given } })
    const bodies = Object.values(docs.pulls).flatMap(({ comments }) => comments.map(({ body }) => body))
    const [body = ''] = bodies.filter((text) => parseHistory(text)?.rows.length === 1)
    expect(parseHistory(body)?.rows).toMatchObject([{ prompt: 'command' }])
    expect(body).toContain('**To ask the agent for a change,** begin a comment with `/docs`')
  }
})

test('names a deleted history comment, unless a person opened the pull request', async () => {
  const playWithout = async (user: string) => {
    const { sent, hostCalls } = await play({
      given: { label: 'docs-agent' },
      prepare: (docs) => {
        prepare('none')(docs)
        Object.assign(docs.pulls[1] ?? {}, { user })
      },
    })
    return [sent, hostCalls.filter((line) => line.startsWith('notice: The history comment is missing'))]
  }
  expect(await playWithout(AGENT_USER)).toEqual([['create'], [expect.stringContaining('#1 has the label')]])
  expect(await playWithout('mona')).toEqual([['create'], []])
})
