import { expect, test } from '@jest/globals'
import { readChanges } from '../../../src/agent/pull-request/read-at-end.ts'
import { writeLog } from '../../../src/agent/pull-request/job-comment.ts'
import type { LogPlace, TaskResult } from '../../../src/agent/report/report.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { ActionError, unlessFailed } from '../../../src/runtime/errors.ts'
import { job } from '../../support/fake-client.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { fakeGitHub, MARKER, PULL_REQUEST, refusal, rejecting } from '../../support/fake-github.ts'
import { agentInputs, fakeStep, type StepFields } from '../../support/fake-step.ts'
import { FOLLOW_UP } from '../../support/report.ts'

const PLACE: LogPlace = { pullRequest: { repository: 'acme/docs', number: 7 }, jobId: 'job_1', commentId: 'none' }

async function write(
  place: Partial<LogPlace> | undefined,
  answers: Partial<GitHub> = {},
  { label = 'docs-agent', ...fields }: StepFields & { readonly label?: string } = {},
) {
  const bodies: string[] = []
  const keep = (...args: readonly unknown[]): Promise<undefined> => {
    bodies.push(String(args.at(-1)))
    return Promise.resolve(undefined)
  }
  const github = fakeGitHub({ addComment: keep, editComment: keep, ...answers })
  const step = fakeStep({ github, inputs: agentInputs({ label }), ...fields })
  const result = { outcome: 'pull-request', operation: 'created' } as const
  step.journal.see({ at: new Date(0), result })
  step.journal.add({ log: place && { ...PLACE, ...place }, startedBy: { text: 'schedule' } })
  await writeLog(step)
  return { github, bodies, lost: step.journal.shortfalls.map(({ lost, error }) => `${lost}: ${error.message}`) }
}

test.each<[string, LogPlace['commentId'], Partial<GitHub>, string[]]>([
  ['in one request if there can be no comment', 'none', {}, ['addComment']],
  ['in the comment as it is now, if it is known', 1, {}, ['readComment', 'editComment']],
  ['in the one that is there', undefined, {}, ['listMarkerComments', 'editComment']],
  [
    'in a new one where there is none',
    undefined,
    { listMarkerComments: () => Promise.resolve([]) },
    ['listMarkerComments', 'addComment'],
  ],
])('the log is written %s', async (_where, commentId, answers, asked) => {
  const { github, bodies, lost } = await write({ commentId }, answers)
  expect(github.asked).toEqual(asked)
  expect(bodies).toEqual([expect.stringMatching(/^<!-- docs-agent-action: job=job_1 -->\n[^]*\| schedule \| .*opened/)])
  expect(lost).toEqual([])
})

test('what a person whom nobody trusts has written is no log of ours', async () => {
  const listMarkerComments = () =>
    Promise.resolve([
      { ...MARKER, id: 5, author: 'stranger' as const },
      { ...MARKER, id: 6, author: 'bot' as const },
      MARKER,
    ])
  const edited: number[] = []
  const editComment: GitHub['editComment'] = (_place, id) => Promise.resolve(void edited.push(id))
  await write({ commentId: undefined }, { listMarkerComments, editComment })
  expect(edited).toEqual([MARKER.id])
})

test('nothing is written without a place, or without a label', async () => {
  expect((await write(undefined)).github.asked).toEqual([])
  expect((await write({}, {}, { label: '' })).github.asked).toEqual([])
})

test.each<[string, Partial<GitHub>, string]>([
  ['the token may not', { editComment: rejecting(refusal('forbidden')) }, 'GitHub said forbidden.'],
  ['somebody has made another comment of it', { readComment: () => Promise.resolve('Mine.') }, 'was changed.'],
  ['it is full', { readComment: () => Promise.resolve(`${MARKER.body}${'x'.repeat(65_000)}`) }, 'The comment is full.'],
])('a log that cannot be written because %s costs nothing else', async (_why, answers, reason) => {
  const { bodies, lost } = await write({ commentId: 1 }, answers)
  expect(bodies).toEqual([])
  expect(lost).toEqual([expect.stringContaining('The log in the pull request may not have been written')])
  expect(lost[0]).toContain(reason)
})

test('the log of a cancelled run is written, within a second', async () => {
  const controller = new AbortController()
  controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
  const signals: (AbortSignal | undefined)[] = []
  const clock = fakeClock()
  const github = fakeGitHub()
  const until: GitHub['until'] = (at, signal) => {
    signals.push(signal)
    return { ...github.until(at, signal), until }
  }
  const { lost } = await write({}, {}, { signal: controller.signal, clock, github: { ...github, until } })
  expect(lost).toEqual([])
  expect(github.asked).toEqual(['addComment'])
  expect(github.deadlines.at(-1)).toBe(clock.now() + 1_000)
  expect(signals.at(-1)?.aborted).toBe(false)
})

test('the log ends 1.5 s after the deadline at the latest', async () => {
  const clock = fakeClock()
  const { github } = await write({}, {}, { clock, timeoutMs: 0 })
  expect(github.deadlines).toEqual([clock.now() + 1_500])
})

test('no secret gets into the log', async () => {
  const core = { ...fakeStep().core, redact: (text: string) => text.replaceAll('schedule', '***') }
  expect((await write({}, {}, { core })).bodies[0]).not.toContain('schedule')
})

const FILES = [{ path: 'docs/guide.md', additions: 1, deletions: 0 }]
const LINKED = job({ status: 'completed', prLink: 'https://github.com/acme/docs/pull/7' })
const CREATED: TaskResult = { outcome: 'pull-request', operation: 'created', job: LINKED }
const UNCHANGED: TaskResult = { outcome: 'no-changes', operation: 'unchanged', job: LINKED }
const updated = (since: string): TaskResult => ({
  ...{ outcome: 'pull-request', operation: 'updated', job: LINKED },
  added: { commits: 1, since },
})

async function read(results: readonly TaskResult[], answers: Partial<GitHub> = {}) {
  const bases: string[] = []
  const usual = fakeGitHub()
  const github = fakeGitHub({
    compare: (repository, base, head) => {
      bases.push(base)
      return usual.compare(repository, base, head)
    },
    ...answers,
  })
  const step = fakeStep({ github })
  const { journal } = step
  await journal.heads.read(PULL_REQUEST)
  for (const result of results) {
    journal.begin(FOLLOW_UP)
    journal.see({ result })
  }
  return { bases, changes: await unlessFailed(readChanges(step)), shortfalls: journal.shortfalls }
}

test.each<[string, readonly TaskResult[], string[]]>([
  ['a new pull request is compared with its base', [CREATED, updated('b1')], ['main']],
  ['one that was there, with its head before', [updated('b1'), updated('b2')], ['b1']],
  ['a round may be the first that adds something', [UNCHANGED, updated('b2')], ['b2']],
  ['nothing is asked where nothing was added', [UNCHANGED], []],
  ['nothing is asked where that is not known', [{ outcome: 'pull-request', job: LINKED }], []],
])('%s', async (_what, results, bases) => {
  const found = await read(results)
  expect(found.bases).toEqual(bases)
  expect(found.changes).toEqual(bases.length === 0 ? undefined : { files: FILES, isWhole: true })
})

test('a branch that was rewritten, and a GitHub that does not tell, cost nothing but the files', async () => {
  const { compare } = fakeGitHub()
  const diverged: GitHub['compare'] = async (...asked) => ({ ...(await compare(...asked)), relation: 'diverged' })
  for (const answer of [diverged, rejecting(refusal('forbidden'))])
    expect(await read([CREATED], { compare: answer })).toMatchObject({ changes: undefined, shortfalls: [] })
})
