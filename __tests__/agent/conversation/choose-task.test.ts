import { describe, expect, test } from '@jest/globals'
import type { JobBody } from '../../../src/emulator/service/job-body.ts'
import { pickCandidates } from '../../../src/agent/conversation/choose-task.ts'
import type { PullRequestInList } from '../../../src/github/labels.ts'
import { DEFAULT_START_MS } from '../../../src/emulator/embedded-service.ts'
import { STRANGER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { closeIssue } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { createMarkerComment, renderReplyMarker } from '../../../src/agent/marker.ts'
import { COMMENT } from '../../support/comment-events.ts'
import { changing, goOn, refusing, type World, type WorldOptions } from '../../support/embedded-world.ts'
import { PUSH, RUN_FACTS } from '../../support/fake-github.ts'
import { changedRepository, commit } from '../../support/github-state.ts'
import { BASE_URL } from '../../support/in-process-github.ts'

test('`skip` asks nothing of the service, and is green', async () => {
  const { report, taken, isGreen } = await goOn({ 'on-open-pr': 'skip' })
  expect([taken, report.outcome, isGreen]).toEqual([[], 'skipped', true])
  expect(report.skipReason).toBe('Pull request #1 of the agent is open, and `on-open-pr` is `skip`.')
})

test('`new` starts another job, and asks nobody', async () => {
  const { taken, asked, service } = await goOn({ 'on-open-pr': 'new' })
  expect(taken).toEqual([['create', 'Fix the guide.']])
  expect(asked).not.toContain('issues/list-for-repo')
  expect(service.requests[0]?.method).toBe('POST')
})

test.each([{ prompt: '' }, { prompt: 'And the index.' }])(
  'a step that names its job does not look for the pull request: %j',
  async (given) => {
    expect((await goOn({ ...given, 'job-id': 'job_finished' })).asked).not.toContain('issues/list-for-repo')
  },
)

test('what started the run may be what the agent did there: then it is not told to the agent', async () => {
  const facts = { eventName: 'push', payload: { ...PUSH, ref: 'refs/heads/agent/job_finished' } }
  expect(await goOn({}, { facts })).toMatchObject({ taken: [], report: { outcome: 'skipped' } })
})

test.each(['archived', 'failed'] as const)('a job that is %s gives way to a new one', async (ending) => {
  const after = await goOn({}, { turns: [{}, { ending }] })
  expect((await goOn({}, { after })).taken).toEqual([['create', 'Fix the guide.']])
})

test('a message whose fate is unknown is red, and never becomes a new job', async () => {
  const { report, taken, outputs } = await goOn({}, { answers: { 'message job_finished': refusing(503) } })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'unknown-fate' } })
  expect([taken, outputs['continued']]).toEqual([[], ''])
})

test.each(['issues/list-for-repo', 'pulls/get', 'issues/list-comments', 'issues/update-comment'])(
  'where GitHub does not answer to %s, nothing is sent and the step is red',
  async (silent) => {
    const { report, taken } = await goOn({}, { answers: { [silent]: refusing(503) } })
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'error', error: { code: 'not-sent' } })
    expect(report.error?.message).toMatch(/^Could not tell|not be counted/)
    expect(report.error?.hint).toContain('With `on-open-pr: new`')
  },
)

test.each([
  ['`skip` and a range since the last successful run', 'schedule', { 'on-open-pr': 'skip' }],
  ['a range that is never known', 'workflow_run', { 'change-range': 'since-last-success' }],
])('%s: refused before anybody is asked', async (_what, eventName, given) => {
  const { report, asked, service } = await goOn({ 'change-context': 'files', ...given }, { facts: { eventName } })
  expect(report).toMatchObject({ outcome: 'error', error: { code: 'invalid-input' } })
  expect([asked, service.requests]).toEqual([[], []])
})

test('`skip` and a schedule go together where no range is asked for', async () => {
  const { report } = await goOn({ 'on-open-pr': 'skip' }, { facts: { eventName: 'schedule' } })
  expect(report.outcome).toBe('skipped')
})

const REPLY = renderReplyMarker(COMMENT, { ...RUN_FACTS, inputsHash: '0123' })

test.each([
  [
    'a marker on a pull request',
    'issue_comment',
    { issue: { number: 7, pull_request: {} } },
    createMarkerComment('job_1', []),
  ],
  ['an answer on an issue', 'issue_comment', { issue: { number: 8 } }, `${REPLY}\nDone.`],
  ['an answer at a line', 'pull_request_review_comment', { pull_request: { number: 7 } }, REPLY],
])('what this action wrote with a person’s token asks nothing: %s', async (_name, eventName, about, body) => {
  const sender = { login: 'mona', id: 11, type: 'User' }
  const saying = (body: string) => ({ facts: { eventName, payload: { ...about, sender, comment: { id: 1, body } } } })
  for (const given of [{ 'on-open-pr': 'new' }, {}, { 'job-id': 'job_finished' }]) {
    const { report, taken } = await goOn(given, saying(body))
    expect(taken).toEqual([])
    expect(report).toMatchObject({ outcome: 'skipped', skipReason: expect.stringContaining('wrote the comment') })
  }
  expect((await goOn({ 'on-open-pr': 'new' }, saying(`> ${body}`))).taken).toHaveLength(1)
})

test.each([
  ['a step with a prompt', {}, 0],
  ['one that attaches, which sends none', { prompt: '', 'job-id': 'job_finished' }, -1],
  ['one whose change gives no reason to send it', { paths: 'src/**' }, -1],
])('that it runs in another attempt is said first by %s, or not at all', async (_what, given, place) => {
  const facts = { runAttempt: 2, eventName: 'push', payload: PUSH }
  const repository = changedRepository({ files: [{ filename: 'docs/guide.md' }] })
  const { said } = await goOn({ 'on-open-pr': 'new', ...given }, { facts, repository })
  expect(said.findIndex((line) => line.startsWith('notice: This run was started again'))).toBe(place)
})

const MARKER = '<!-- docs-agent-action: job=job_finished -->'
const [FIRST, SECOND, NEW] = ['job_finished', 'job_000001', 'create']

const takers = ({ taken }: World): readonly string[] => taken.map(([to]) => to)

/** Opens so many pull requests with the label that name no job, the first of them #100. */
const openUnknown = ({ pulls }: RepositoryState, count: number, createdAtMs = DEFAULT_START_MS): void => {
  for (let number = 100; number < 100 + count; number++)
    pulls[number] = createPullState({ branch: `b${number}`, headSha: commit('a'), createdAtMs, labels: ['docs-agent'] })
}

const closeFirst = (docs: RepositoryState): void => {
  if (docs.pulls[1] !== undefined) closeIssue(docs, docs.pulls[1], 0)
}

/** A world in which another job has opened #4 besides. */
const withOther = (options?: Partial<WorldOptions>): Promise<World> => goOn({ 'on-open-pr': 'new' }, options)

/** A world in which the job of the first pull request works on a prompt, and so names no pull request. */
const busy = async (turn: Pick<WorldOptions, 'turns'> = {}, isAlone = true): Promise<World> =>
  goOn({ wait: 'false' }, isAlone ? turn : { after: await withOther(turn) })

test("a person's own pull request with the label and a forged marker is skipped and not touched", async () => {
  const furnish = (docs: RepositoryState): void => {
    closeFirst(docs)
    openUnknown(docs, 1)
    docs.pulls[100]?.comments.push({ id: 1, user: 'mona', body: MARKER, createdAtMs: 0, reactions: [] })
  }
  const world = await goOn({}, { furnish })
  expect(takers(world)).toEqual([NEW])
  expect(world.docs.pulls[100]?.comments).toMatchObject([{ body: MARKER }])
  expect(world.said.join('\n')).toContain('Skipped pull request #100: it has the label, but job job_finished')
})

/** What the list by label has, which may be late. */
const listing = (...numbers: number[]) => ({
  'issues/list-for-repo': changing((all: { number: number }[]) => all.filter(({ number }) => numbers.includes(number))),
})
const archived = changing(() => ({ status: 'archived' }))
const close: WorldOptions['onAsked'] = (what, { docs }) => {
  if (what === 'pulls/get') closeFirst(docs)
}

test.each<[string, Partial<WorldOptions>, string]>([
  ['the job of the oldest', {}, FIRST],
  ['the next one if a job is archived', { answers: { 'read job_finished': archived } }, SECOND],
  ['the one that the list by label has', { answers: listing(4) }, SECOND],
  ['the one that this list has not', { answers: listing() }, FIRST],
  ['the next one where the oldest ends while it is looked at', { onAsked: close }, SECOND],
  ['the next one that this list has not', { answers: listing(1), onAsked: close }, SECOND],
])('the prompt goes to %s', async (_what, options, goesTo) => {
  expect(takers(await goOn({}, { ...options, after: await withOther() }))).toEqual([goesTo])
})

test('the prompt goes to a job whose link is late', async () => {
  const after = await busy({ turns: [{}, { linkDelayMs: 5_000 }] })
  await after.world.passUntil(after.world.sleep(21_000))
  expect(takers(await goOn({}, { after }))).toEqual([FIRST])
})

test('the whole list is not asked for where the list by label has it', async () => {
  const { asked } = await goOn()
  expect(asked.slice(0, 3)).toEqual(['issues/list-for-repo', 'pulls/get', 'issues/list-comments'])
  expect(asked).not.toContain('pulls/list')
})

test('the others are named, and of very many ten', async () => {
  const alone = await goOn()
  expect(alone.said.join('\n')).not.toContain('More than one')
  const after = await withOther({ after: alone })
  expect((await goOn({}, { after })).said.join('\n')).toMatch(/notice: .*#1 .*: #4\. Merge/)
  openUnknown(after.docs, 11)
  expect((await goOn({}, { after })).said.join('\n')).toMatch(/notice: .*: (#\d+, ){9}#\d+ and 2 more\. Merge/)
})

test.each([
  [29, [FIRST], undefined],
  [30, [], 'not-sent'],
])('behind %i pull requests with the label that are not the agent’s, it is found: %j', async (count, found, code) => {
  const furnish = (docs: RepositoryState): void => {
    openUnknown(docs, count, 0)
  }
  const world = await goOn({}, { furnish })
  expect([takers(world), world.report.error?.code]).toEqual([found, code])
})

const UNSEARCHED = 'only the 1000 newest were searched for a marker comment'
const NO_ISSUES = { 'issues/list-for-repo': refusing(403) }
const unlabel = (docs: RepositoryState): void => {
  docs.pulls[1]?.labels.splice(0)
}

/** @param change changes the pull request of the agent, #1 */
test.each<[string, (docs: RepositoryState) => void, WorldOptions['answers'] & {}, string[], string?]>([
  ['continues the one that the list of the label has', () => undefined, {}, [FIRST]],
  ['continues a new one that this list has not yet', () => undefined, listing(), [FIRST]],
  ['continues a new one whose marker names the label', unlabel, {}, [FIRST]],
  ['starts a job if there is none', closeFirst, {}, [NEW], UNSEARCHED],
  ['sends nothing if the token cannot read the list of the label', closeFirst, NO_ISSUES, [], 'Grant `issues: read`'],
])('with more than 3,000 open pull requests, it %s', async (_what, change, answers, found, says = '') => {
  const furnish = (docs: RepositoryState): void => {
    change(docs)
    for (let number = 100; number < 3_101; number++)
      docs.pulls[number] = createPullState({ branch: `b${number}`, headSha: commit('a') })
  }
  const world = await goOn({}, { furnish, answers })
  expect([takers(world), world.report.error?.code]).toEqual([found, found.length === 0 ? 'not-sent' : undefined])
  expect(`${world.log.join('\n')}\n${world.line}`).toContain(says)
  if (says !== UNSEARCHED) expect(world.log.join('\n')).not.toContain(UNSEARCHED)
})

test.each([
  [true, 999, [FIRST]],
  [false, 1_000, [NEW]],
])(
  'that one without the label is found is %j if %i newer ones are open, and if not, the log says what was searched',
  async (isFound, newer, goesTo) => {
    const furnish = (docs: RepositoryState): void => {
      unlabel(docs)
      for (let number = 100; number < 100 + newer; number++)
        docs.pulls[number] = createPullState({
          branch: `b${number}`,
          headSha: commit('a'),
          createdAtMs: DEFAULT_START_MS,
        })
    }
    const world = await goOn({}, { furnish })
    expect(takers(world)).toEqual(goesTo)
    expect(world.log.join('\n').includes(UNSEARCHED)).toBe(!isFound)
  },
)

const list = (...pulls: [number: number, login: string, type?: string][]): PullRequestInList[] =>
  pulls.map(([number, login, type = 'Bot']) => ({
    ...{ repository: 'acme/docs', number, labels: [], author: { login, type } },
  }))

test.each<[string, PullRequestInList[], string[], number[]]>([
  ['of the agent’s accounts', list([1, 'agent', 'User'], [2, 'mona', 'User'], [3, 'bot[bot]']), ['agent'], [1]],
  ['of bots if no account is known', list([1, 'agent', 'User'], [2, 'a[bot]'], [3, 'b[bot]']), [], [3, 2]],
  ['of no bot that is known for other work', list([1, 'dependabot[bot]'], [2, 'renovate[bot]']), [], []],
  ['of a bot that is known for other work if it is the agent', list([1, 'renovate[bot]']), ['renovate[bot]'], [1]],
  [
    'no more than the ten newest',
    list(...Array.from({ length: 12 }, (_, index): [number, string] => [index + 1, 'agent'])),
    ['agent'],
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  ],
])('without the label, the open pull requests %s are candidates', (_whose, open, agents, numbers) => {
  const accounts = agents.map((login) => ({ login, type: 'User' }))
  expect(pickCandidates(open, accounts).map(({ number }) => number)).toEqual(numbers)
})

describe('a pull request without the label', () => {
  const removeLabel = (docs: RepositoryState): void => {
    docs.pulls[1]?.labels.splice(0)
  }
  const furnishWith = (body: string, user = TOKEN_USER) => ({
    furnish: (docs: RepositoryState): void => {
      removeLabel(docs)
      docs.pulls[1]?.comments.splice(0, 1, { id: 1, user, body, createdAtMs: 0, reactions: [] })
    },
  })
  const labels = (label: string): string => `${MARKER}\n<!-- docs-agent-action: labels=${label} -->`

  test.each<[string, Partial<WorldOptions>, string]>([
    ['is continued if its marker comment names the label', { furnish: removeLabel }, FIRST],
    [
      'is continued if one of the labels of its marker comment is the label',
      furnishWith(labels('x,Docs-Agent')),
      FIRST,
    ],
    ['is another conversation’s if its marker comment names another label', furnishWith(labels('docs')), NEW],
    ['is another conversation’s if its marker comment names no label', furnishWith(MARKER), NEW],
    ['is not continued because of a stranger’s comment', furnishWith(labels('docs-agent'), STRANGER), NEW],
  ])('%s', async (_what, options, goesTo) => {
    expect(takers(await goOn({}, options))).toEqual([goesTo])
  })

  test('stops the step if `on-open-pr` is `skip`', async () => {
    const { report, taken } = await goOn({ 'on-open-pr': 'skip' }, { furnish: removeLabel })
    expect([taken, report.outcome]).toEqual([[], 'skipped'])
  })

  test('gets the label, and is found by it from then on', async () => {
    const { docs, asked } = await goOn({}, { after: await goOn({}, { furnish: removeLabel }) })
    expect(docs.pulls[1]?.labels).toEqual(['docs-agent'])
    expect(asked).not.toContain('pulls/list')
  })

  test.each(['pulls/list', 'issues/list-comments'])(
    'is not overlooked where GitHub does not respond to %s: nothing is sent',
    async (silent) => {
      const { report, taken } = await goOn({}, { furnish: removeLabel, answers: { [silent]: refusing(503) } })
      expect([taken, report.error?.code]).toEqual([[], 'not-sent'])
    },
  )
})

describe('a job that is busy, and so names no pull request', () => {
  test.each(['true', 'false'])('gets the prompt when its turn has ended (`wait`: %s)', async (wait) => {
    const isEnded: boolean[] = []
    const onAsked: WorldOptions['onAsked'] = (what, { service, nowMs }) => {
      if (what !== 'message job_finished') return
      for (const { id, turns } of service.listJobs())
        if (id === FIRST) isEnded.push((turns[1]?.endsAtMs ?? NaN) <= nowMs)
    }
    expect(takers(await goOn({ wait }, { after: await busy(), onAsked }))).toEqual([FIRST])
    expect(isEnded).toEqual([true])
  })

  const elsewhere = changing(({ prLink }: JobBody) => ({ prLink: prLink && `${BASE_URL}/acme/docs/pull/9` }))

  test.each([
    ['has another pull request', { answers: { 'read job_finished': elsewhere } }, {}],
    ['is archived', {}, { turns: [{}, { ending: 'archived' }] }],
  ] as const)(
    'gets nothing if it %s when its turn has ended: another pull request does, or without one a new job begins',
    async (objection, options, turn) => {
      for (const [isAlone, taker, end] of [
        [true, NEW, ', so a new job begins.'],
        [false, SECOND, '.'],
      ] as const) {
        const world = await goOn({}, { ...options, after: await busy(turn, isAlone) })
        expect(takers(world)).toEqual([taker])
        expect(world.said.join('\n')).toContain(`${objection}${end}`)
        expect(world.report.job?.id).toBe('job_000001')
      }
    },
  )

  test('is counted by what its comment says when the turn has ended', async () => {
    const { docs } = await goOn(
      {},
      {
        after: await busy(),
        onAsked: (what, { docs }) => {
          const [comment] = docs.pulls[1]?.comments ?? []
          if (what === 'read job_finished' && comment !== undefined)
            comment.body = comment.body.replace('follow-ups=1 ', 'follow-ups=19 ')
        },
      },
    )
    expect(docs.pulls[1]?.comments[0]?.body).toContain('follow-ups=20 ')
  })

  test('is waited for if its link comes later than the end that was read', async () => {
    const after = await busy({ turns: [{}, { linkDelayMs: 5_000 }] })
    expect(takers(await goOn({}, { after }))).toEqual([FIRST])
  })
})
