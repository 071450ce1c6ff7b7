import { describe, expect, test } from '@jest/globals'
import type { JobBody } from '../../../src/emulator/service/job-body.ts'
import { pickCandidates } from '../../../src/agent/conversation/choose-task.ts'
import type { PullRequestInList } from '../../../src/github/labels.ts'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { AGENT_USER, OUTSIDER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { createMarkerComment, renderReplyMarker } from '../../../src/agent/marker.ts'
import { COMMENT } from '../../support/comment-events.ts'
import {
  changeResponse,
  playFollowUp,
  respondWith,
  type PlayedStep,
  type PlayStepOptions,
} from '../../support/play-step.ts'
import { PUSH, RUN_FACTS } from '../../support/fake-github.ts'
import { changedRepository, commit } from '../../support/github-state.ts'
import { BASE_URL } from '../../support/in-process-github.ts'

test('`skip` sends no prompt and succeeds', async () => {
  const { report, acceptedPrompts, isGreen } = await playFollowUp({ 'on-open-pr': 'skip' })
  expect([acceptedPrompts, report.outcome, isGreen]).toEqual([[], 'skipped', true])
  expect(report.skipReason).toBe('Pull request #1 of the agent is open, and `on-open-pr` is `skip`.')
})

test('`new` starts another job without looking for open pull requests', async () => {
  const { acceptedPrompts, operations, service } = await playFollowUp({ 'on-open-pr': 'new' })
  expect(acceptedPrompts).toEqual([['create', 'Fix the guide.']])
  expect(operations).not.toContain('issues/list-for-repo')
  expect(service.requests[0]?.method).toBe('POST')
})

test.each([{ prompt: '' }, { prompt: 'And the index.' }])(
  'a step with `job-id` does not look for open pull requests: %j',
  async (given) => {
    expect((await playFollowUp({ ...given, 'job-id': 'job_finished' })).operations).not.toContain(
      'issues/list-for-repo',
    )
  },
)

test('skips a run that the agent itself started by a push to its branch', async () => {
  const facts = { eventName: 'push', payload: { ...PUSH, ref: 'refs/heads/agent/job_finished' } }
  expect(await playFollowUp({}, { facts })).toMatchObject({ acceptedPrompts: [], report: { outcome: 'skipped' } })
})

test.each(['archived', 'failed'] as const)('starts a new job if the job of the pull request is %s', async (ending) => {
  const after = await playFollowUp({}, { turns: [{}, { ending }] })
  expect((await playFollowUp({}, { after })).acceptedPrompts).toEqual([['create', 'Fix the guide.']])
})

test('fails instead of starting a new job if the delivery of a follow-up is unknown', async () => {
  const { report, acceptedPrompts, outputs } = await playFollowUp(
    {},
    { responses: { 'message job_finished': respondWith(503) } },
  )
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  expect([acceptedPrompts, outputs['continued']]).toEqual([[], ''])
})

test.each(['issues/list-for-repo', 'pulls/get', 'issues/list-comments', 'issues/update-comment'])(
  'sends nothing and fails if %s fails',
  async (operation) => {
    const { report, acceptedPrompts } = await playFollowUp({}, { responses: { [operation]: respondWith(503) } })
    expect(acceptedPrompts).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
    expect(report.error?.message).toMatch(/^Could not determine|not be counted/)
    expect(report.error?.hint).toContain('With `on-open-pr: new`')
  },
)

test.each([['`skip` and a range since the last successful run', 'schedule', { 'on-open-pr': 'skip' }]])(
  'rejects %s before any request',
  async (_what, eventName, given) => {
    const { report, operations, service } = await playFollowUp(
      { 'change-context': 'files', ...given },
      { facts: { eventName } },
    )
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'invalid-input' } })
    expect([operations, service.requests]).toEqual([[], []])
  },
)

test('allows `skip` on a schedule without a change range', async () => {
  const { report } = await playFollowUp({ 'on-open-pr': 'skip' }, { facts: { eventName: 'schedule' } })
  expect(report.outcome).toBe('skipped')
})

const REPLY = renderReplyMarker(COMMENT, { ...RUN_FACTS, inputsHash: '0123' })

test.each([
  [
    'a marker comment on a pull request',
    'issue_comment',
    { issue: { number: 7, pull_request: {} } },
    createMarkerComment('job_1', []).body,
  ],
  ['a reply on an issue', 'issue_comment', { issue: { number: 8 } }, `${REPLY}\nDone.`],
  ['a reply on a line', 'pull_request_review_comment', { pull_request: { number: 7 } }, REPLY],
])(
  'skips events about comments that this action wrote with a personal token: %s',
  async (_name, eventName, about, body) => {
    const sender = { login: 'mona', id: 11, type: 'User' }
    const saying = (body: string) => ({ facts: { eventName, payload: { ...about, sender, comment: { id: 1, body } } } })
    for (const given of [{ 'on-open-pr': 'new' }, {}, { 'job-id': 'job_finished' }]) {
      const { report, acceptedPrompts } = await playFollowUp(given, saying(body))
      expect(acceptedPrompts).toEqual([])
      expect(report).toMatchObject({ outcome: 'skipped', skipReason: expect.stringContaining('wrote the comment') })
    }
    expect((await playFollowUp({ 'on-open-pr': 'new' }, saying(`> ${body}`))).acceptedPrompts).toHaveLength(1)
  },
)

test.each([
  ['warns first in a step with a prompt', {}, 0],
  ['does not warn in a step that attaches to a job', { prompt: '', 'job-id': 'job_finished' }, -1],
  ['does not warn in a step that skips the prompt because of `paths`', { paths: 'src/**' }, -1],
])('on a re-run, %s', async (_what, given, place) => {
  const facts = { runAttempt: 2, eventName: 'push', payload: PUSH }
  const repository = changedRepository({ files: [{ filename: 'docs/guide.md' }] })
  const { hostCalls } = await playFollowUp({ 'on-open-pr': 'new', ...given }, { facts, repository })
  expect(hostCalls.findIndex((line) => line.startsWith('notice: This run is a re-run'))).toBe(place)
})

const MARKER = '<!-- docs-agent-action: job=job_finished -->'
const [FIRST, SECOND, NEW] = ['job_finished', 'job_000001', 'create']

const listPromptTargets = ({ acceptedPrompts }: PlayedStep): readonly string[] => acceptedPrompts.map(([to]) => to)

/** Opens `count` pull requests with the label and without a marker, starting at #100. */
const openUnknown = ({ pulls }: RepositoryState, count: number, createdAtMs = DEFAULT_START_MS): void => {
  for (let number = 100; number < 100 + count; number++)
    pulls[number] = createPullState({ branch: `b${number}`, headSha: commit('a'), createdAtMs, labels: ['docs-agent'] })
}

const closeFirst = (docs: RepositoryState): void => {
  if (docs.pulls[1] !== undefined) closeIssue(docs, docs.pulls[1], 0)
}

/** Plays a step after which another job has also opened #4. */
const withOther = (options?: Partial<PlayStepOptions>): Promise<PlayedStep> =>
  playFollowUp({ 'on-open-pr': 'new' }, options)

/** Plays a step after which the job of the first pull request is working on a prompt, so the job has no link. */
const busy = async (turn: Pick<PlayStepOptions, 'turns'> = {}, isAlone = true): Promise<PlayedStep> =>
  playFollowUp({ wait: 'false' }, isAlone ? turn : { after: await withOther(turn) })

test("skips a person's pull request with the label and a forged marker, and does not change it", async () => {
  const prepare = (docs: RepositoryState): void => {
    closeFirst(docs)
    openUnknown(docs, 1)
    docs.pulls[100]?.comments.push({ id: 1, user: 'mona', body: MARKER, createdAtMs: 0, reactions: [] })
  }
  const played = await playFollowUp({}, { prepare })
  expect(listPromptTargets(played)).toEqual([NEW])
  expect(played.docs.pulls[100]?.comments).toMatchObject([{ body: MARKER }])
  expect(played.hostCalls.join('\n')).toContain('Skipped pull request #100: it has the label, but job job_finished')
})

/** Limits the list by label to these pull requests, as if it lagged. */
const listing = (...numbers: number[]) => ({
  'issues/list-for-repo': changeResponse((all: { number: number }[]) =>
    all.filter(({ number }) => numbers.includes(number)),
  ),
})
const archived = changeResponse(() => ({ status: 'archived' }))
const close: PlayStepOptions['onRequest'] = (what, { docs }) => {
  if (what === 'pulls/get') closeFirst(docs)
}

test.each<[string, Partial<PlayStepOptions>, string]>([
  ['the job of the oldest pull request', {}, FIRST],
  ['the next job if the first job is archived', { responses: { 'read job_finished': archived } }, SECOND],
  ['the job of the only pull request in the list by label', { responses: listing(4) }, SECOND],
  ['the job of a pull request that is missing from the list by label', { responses: listing() }, FIRST],
  ['the next job if the oldest pull request is closed during the search', { onRequest: close }, SECOND],
  [
    'the next job if its pull request is missing from the list by label',
    { responses: listing(1), onRequest: close },
    SECOND,
  ],
])('sends the prompt to %s', async (_what, options, goesTo) => {
  expect(listPromptTargets(await playFollowUp({}, { ...options, after: await withOther() }))).toEqual([goesTo])
})

test('sends the prompt to a job whose pull request link appears late', async () => {
  const after = await busy({ turns: [{}, { linkDelayMs: 5_000 }] })
  await after.baseClock.passUntil(after.baseClock.sleep(21_000))
  expect(listPromptTargets(await playFollowUp({}, { after }))).toEqual([FIRST])
})

test('does not list all pull requests if the list by label has the pull request', async () => {
  const { operations } = await playFollowUp()
  expect(operations.slice(0, 3)).toEqual(['issues/list-for-repo', 'pulls/get', 'issues/list-comments'])
  expect(operations).not.toContain('pulls/list')
})

test('names at most ten other pull requests with the label', async () => {
  const alone = await playFollowUp()
  expect(alone.hostCalls.join('\n')).not.toContain('More than one')
  const after = await withOther({ after: alone })
  expect((await playFollowUp({}, { after })).hostCalls.join('\n')).toMatch(/notice: .*#1 .*: #4\. Merge/)
  openUnknown(after.docs, 11)
  expect((await playFollowUp({}, { after })).hostCalls.join('\n')).toMatch(
    /notice: .*: (#\d+, ){9}#\d+ and 2 more\. Merge/,
  )
})

test.each([
  [29, [FIRST], undefined],
  [30, [], 'not-sent'],
])('searches %i unrelated pull requests with the label before the agent’s one: %j', async (count, found, code) => {
  const prepare = (docs: RepositoryState): void => {
    openUnknown(docs, count, 0)
  }
  const played = await playFollowUp({}, { prepare })
  expect([listPromptTargets(played), played.report.error?.code]).toEqual([found, code])
})

const UNSEARCHED = 'only the 1000 newest were searched for a marker comment'
const NO_ISSUES = { 'issues/list-for-repo': respondWith(403) }
const unlabel = (docs: RepositoryState): void => {
  docs.pulls[1]?.labels.splice(0)
}

/** @param change changes the pull request of the agent, #1 */
test.each<[string, (docs: RepositoryState) => void, PlayStepOptions['responses'] & {}, string[], string?]>([
  ['continues the pull request in the list by label', () => undefined, {}, [FIRST]],
  ['continues a new pull request that the list by label lacks', () => undefined, listing(), [FIRST]],
  ['continues a new pull request whose marker names the label', unlabel, {}, [FIRST]],
  ['starts a job if no open pull request is the agent’s', closeFirst, {}, [NEW], UNSEARCHED],
  ['sends nothing if the token cannot list by label', closeFirst, NO_ISSUES, [], 'Grant `issues: read`'],
])('with more than 3,000 open pull requests, %s', async (_what, change, responses, targets, logged = '') => {
  const prepare = (docs: RepositoryState): void => {
    change(docs)
    for (let number = 100; number < 3_101; number++)
      docs.pulls[number] = createPullState({ branch: `b${number}`, headSha: commit('a') })
  }
  const played = await playFollowUp({}, { prepare, responses })
  expect([listPromptTargets(played), played.report.error?.code]).toEqual([
    targets,
    targets.length === 0 ? 'not-sent' : undefined,
  ])
  expect(`${played.log.join('\n')}\n${played.line}`).toContain(logged)
  if (logged !== UNSEARCHED) expect(played.log.join('\n')).not.toContain(UNSEARCHED)
})

test.each([
  [true, 999, [FIRST]],
  [false, 1_000, [NEW]],
])(
  'finds a pull request without the label or logs an incomplete search: %j if there are %i newer pull requests',
  async (isFound, newer, goesTo) => {
    const prepare = (docs: RepositoryState): void => {
      unlabel(docs)
      for (let number = 100; number < 100 + newer; number++)
        docs.pulls[number] = createPullState({
          branch: `b${number}`,
          headSha: commit('a'),
          createdAtMs: DEFAULT_START_MS,
        })
    }
    const played = await playFollowUp({}, { prepare })
    expect(listPromptTargets(played)).toEqual(goesTo)
    expect(played.log.join('\n').includes(UNSEARCHED)).toBe(!isFound)
  },
)

const list = (...pulls: [number: number, login: string, type?: string][]): PullRequestInList[] =>
  pulls.map(([number, login, type = 'Bot']) => ({
    repository: 'acme/docs',
    number,
    labels: [],
    author: { login, type },
  }))

test.each<[string, PullRequestInList[], string[], number[]]>([
  [
    'pull requests of the agent’s accounts',
    list([1, 'agent', 'User'], [2, 'mona', 'User'], [3, 'bot[bot]']),
    ['agent'],
    [1],
  ],
  [
    'pull requests of bots if no account is known',
    list([1, 'agent', 'User'], [2, 'a[bot]'], [3, 'b[bot]']),
    [],
    [3, 2],
  ],
  ['no pull requests of bots known for other work', list([1, 'dependabot[bot]'], [2, 'renovate[bot]']), [], []],
  ['pull requests of such a bot if it is the agent', list([1, 'renovate[bot]']), ['renovate[bot]'], [1]],
  [
    'only the ten newest pull requests',
    list(...Array.from({ length: 12 }, (_, index): [number, string] => [index + 1, 'agent'])),
    ['agent'],
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  ],
])('among open pull requests without the label, considers %s', (_whose, open, agents, numbers) => {
  const accounts = agents.map((login) => ({ login, type: 'User' }))
  expect(pickCandidates(open, accounts).map(({ number }) => number)).toEqual(numbers)
})

describe('a pull request without the label', () => {
  const removeLabel = (docs: RepositoryState): void => {
    docs.pulls[1]?.labels.splice(0)
  }
  const prepareWith = (body: string, user = TOKEN_USER) => ({
    prepare: (docs: RepositoryState): void => {
      removeLabel(docs)
      docs.pulls[1]?.comments.splice(0, 1, { id: 1, user, body, createdAtMs: 0, reactions: [] })
    },
  })
  const labels = (label: string): string => `${MARKER}\n<!-- docs-agent-action: labels=${label} -->`

  test.each<[string, Partial<PlayStepOptions>, string]>([
    ['is continued if its marker comment names the label', { prepare: removeLabel }, FIRST],
    [
      'is continued if one of the labels of its marker comment is the label',
      prepareWith(labels('x,Docs-Agent')),
      FIRST,
    ],
    ['is not continued if its marker comment names another label', prepareWith(labels('docs')), NEW],
    ['is not continued if its marker comment names no label', prepareWith(MARKER), NEW],
    ['is not continued if an untrusted comment names the label', prepareWith(labels('docs-agent'), OUTSIDER), NEW],
  ])('%s', async (_what, options, goesTo) => {
    expect(listPromptTargets(await playFollowUp({}, options))).toEqual([goesTo])
  })

  test('is not continued if its marker comment names the job of another pull request, and the log says so', async () => {
    const prepare = (docs: RepositoryState): void => {
      removeLabel(docs)
      openUnknown(docs, 1)
      const pull = docs.pulls[100]
      if (pull !== undefined) docs.pulls[100] = { ...pull, user: AGENT_USER, labels: [] }
      docs.pulls[100]?.comments.push({
        id: 1,
        user: TOKEN_USER,
        body: labels('docs-agent'),
        createdAtMs: 0,
        reactions: [],
      })
      closeFirst(docs)
    }
    const { hostCalls } = await playFollowUp({}, { prepare })
    expect(hostCalls.join('\n')).toContain('Skipped pull request #100: it has a comment that names the label, but job')
  })

  test('skips the step if `on-open-pr` is `skip`', async () => {
    const { report, acceptedPrompts } = await playFollowUp({ 'on-open-pr': 'skip' }, { prepare: removeLabel })
    expect([acceptedPrompts, report.outcome]).toEqual([[], 'skipped'])
  })

  test('gets the label, so that the next step finds it by label', async () => {
    const { docs, operations } = await playFollowUp({}, { after: await playFollowUp({}, { prepare: removeLabel }) })
    expect(docs.pulls[1]?.labels).toEqual(['docs-agent'])
    expect(operations).not.toContain('pulls/list')
  })

  test.each(['pulls/list', 'issues/list-comments'])(
    'is not overlooked if %s fails: nothing is sent',
    async (operation) => {
      const { report, acceptedPrompts } = await playFollowUp(
        {},
        { prepare: removeLabel, responses: { [operation]: respondWith(503) } },
      )
      expect([acceptedPrompts, report.error?.code]).toEqual([[], 'not-sent'])
    },
  )
})

describe('a busy job, which has no pull request link', () => {
  test.each(['true', 'false'])('gets the prompt after its turn has ended (`wait`: %s)', async (wait) => {
    const isEnded: boolean[] = []
    const onRequest: PlayStepOptions['onRequest'] = (what, { service, nowMs }) => {
      if (what !== 'message job_finished') return
      for (const { id, turns } of service.listJobs())
        if (id === FIRST) isEnded.push((turns[1]?.endsAtMs ?? NaN) <= nowMs)
    }
    expect(listPromptTargets(await playFollowUp({ wait }, { after: await busy(), onRequest }))).toEqual([FIRST])
    expect(isEnded).toEqual([true])
  })

  const elsewhere = changeResponse(({ prLink }: JobBody) => ({ prLink: prLink && `${BASE_URL}/acme/docs/pull/9` }))

  test.each([
    ['has another pull request', { responses: { 'read job_finished': elsewhere } }, {}],
    ['is archived', {}, { turns: [{}, { ending: 'archived' }] }],
  ] as const)(
    'gets no prompt if it %s after its turn: another pull request or a new job gets it',
    async (objection, options, turn) => {
      for (const [isAlone, taker, end] of [
        [true, NEW, ', so the step starts a new job.'],
        [false, SECOND, '.'],
      ] as const) {
        const played = await playFollowUp({}, { ...options, after: await busy(turn, isAlone) })
        expect(listPromptTargets(played)).toEqual([taker])
        expect(played.hostCalls.join('\n')).toContain(`${objection}${end}`)
        expect(played.report.job?.id).toBe('job_000001')
      }
    },
  )

  test('is counted from the count in its comment after the turn', async () => {
    const { docs } = await playFollowUp(
      {},
      {
        after: await busy(),
        onRequest: (what, { docs }) => {
          const [comment] = docs.pulls[1]?.comments ?? []
          if (what === 'read job_finished' && comment !== undefined)
            comment.body = comment.body.replace('follow-ups=1 ', 'follow-ups=19 ')
        },
      },
    )
    expect(docs.pulls[1]?.comments[0]?.body).toContain('follow-ups=20 ')
  })

  test('is awaited if its link appears after its end', async () => {
    const after = await busy({ turns: [{}, { linkDelayMs: 5_000 }] })
    expect(listPromptTargets(await playFollowUp({}, { after }))).toEqual([FIRST])
  })
})
