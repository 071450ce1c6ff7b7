import { describe, expect, test } from '@jest/globals'
import { lookAgain, prepare } from '../../../src/agent/job/before-sending.ts'
import { isRunning, isSameEnd, saysActive } from '../../../src/agent/job/job-state.ts'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import { commitsOfTurn } from '../../../src/agent/job/turn-commits.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { Course, type Preflight } from '../../../src/agent/report/turns.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import type { PullRequestCommit } from '../../../src/github/commits.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { ActionError } from '../../../src/runtime/errors.ts'
import { FOLLOW_UP, runScripted } from '../../support/agent-run.ts'
import {
  active,
  archived,
  completed,
  failed,
  failure,
  fakeClient,
  job,
  LINK,
  withoutLink,
} from '../../support/fake-client.ts'
import { fakeGitHub, inTurn, PULL_REQUEST, pullCommits } from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

describe('pull request head', () => {
  const turn = {
    task: FOLLOW_UP,
    reads: [completed, active, completed],
    facts: { serverUrl: 'https://git.example.com' },
  }

  test('a run that is cancelled while a head is read sends nothing', async () => {
    const github = fakeGitHub({
      readPullRequest: inTurn<PullRequest>(new ActionError('cancelled', 'The run was cancelled.')),
    })
    const { client } = await runScripted({ ...turn, github })

    expect(client.calls).toEqual(['get'])
  })

  test('a message that is refused has no head to compare', async () => {
    const github = fakeGitHub()
    const { report } = await runScripted({ ...turn, message: failure('rejected'), github })

    expect(report).toMatchObject({ outcome: 'error', error: { code: 'rejected' } })
    expect(github.asked).toEqual(['readPullRequest'])
  })

  test('a pull request on another host is not asked for', async () => {
    const github = fakeGitHub()
    const facts = { serverUrl: 'https://elsewhere.example.com' }
    await runScripted({ ...turn, facts, message: failure('rejected'), github })

    expect(github.asked).toEqual([])
  })
})

test('only an active job runs', () => {
  expect([active, completed, withoutLink, failed, archived].map(isRunning)).toEqual([true, false, false, false, false])
})

test.each([
  ['active', active, true],
  ['nothing but its id', { ...active, isAssumed: true as const }, false],
  ['a status that nobody lists', job({ unlistedStatus: 'paused' }), false],
  ['completed', completed, false],
])('a job that reads %s says in so many words that it is active, or not', (_name, read, expected) => {
  expect(saysActive(read)).toBe(expected)
})

test.each([
  ['the same', completed, completed, true],
  [
    'the same link in another spelling',
    completed,
    job({ status: 'completed', prLink: 'https://GIT.example.com/acme/docs/pull/7/files?w=1' }),
    true,
  ],
  [
    'another pull request',
    completed,
    job({ status: 'completed', prLink: 'https://git.example.com/acme/docs/pull/8' }),
    false,
  ],
  ['another status', completed, failed, false],
  ['a first link', withoutLink, completed, false],
  ['no link either time', withoutLink, withoutLink, true],
])('two readings show the same end or not: %s', (_name, a, b, expected) => {
  expect([isSameEnd(a, b), isSameEnd(b, a)]).toEqual([expected, expected])
})

const AGENT = PULL_REQUEST.author.login
type Given = Partial<PullRequestCommit> & { sha: string }

const ours = (sha: string, fields: Partial<PullRequestCommit> = {}): Given => ({ sha, ...fields })
const mona = (sha: string, fields: Partial<PullRequestCommit> = {}): Given => ({ sha, writtenBy: 'mona', ...fields })
const BEFORE = pullCommits(ours('a1'), ours('a2'))
const [FIRST, SECOND] = BEFORE.map(({ writtenAt }) => ({ writtenAt, committedBy: 'mona' }))

test.each<[string, Given[], number, Record<string, number>]>([
  ['a commit of the agent', [ours('a1'), ours('a2'), ours('a3')], 1, {}],
  ['none', [ours('a1'), ours('a2')], 0, {}],
  ['a person and the agent', [ours('a1'), ours('a2'), mona('m'), ours('a3')], 1, { mona: 1 }],
  ['people', [ours('a1'), ours('a2'), mona('m1'), mona('m2'), mona('x', { writtenBy: 'bot' })], 0, { mona: 2, bot: 1 }],
  ['somebody unknown', [ours('a1'), ours('a2'), mona('m', { writtenBy: '' })], 0, { 'somebody unknown': 1 }],
  [
    'a merge of another branch with earlier work of the agent',
    [ours('a1'), ours('a2'), ours('main', { parents: ['base'] }), mona('merge', { parents: ['a2', 'main'] })],
    0,
    { mona: 1 },
  ],
  [
    'a merge by a person of what the agent has pushed meanwhile',
    [
      ours('a1'),
      ours('a2'),
      mona('m', { parents: ['a2'] }),
      ours('a3', { parents: ['a2'] }),
      mona('merge', { parents: ['m', 'a3'] }),
    ],
    1,
    { mona: 2 },
  ],
  ['a rebase by a person', [ours('b1', FIRST), ours('b2', SECOND)], 0, { mona: 2 }],
  ['a rebase by a person, in other words', [ours('b1', { ...FIRST, message: 'Reworded' })], 0, { mona: 1 }],
  ['a rebase of the newest one', [ours('a1'), ours('b2', SECOND)], 0, { mona: 1 }],
  [
    'a rebase by a person, and a commit of the agent',
    [ours('b1', FIRST), ours('b2', SECOND), ours('a3')],
    1,
    { mona: 2 },
  ],
  ['an amended commit of the agent', [ours('a1'), ours('b2', { ...SECOND, committedBy: AGENT })], 1, {}],
  ['a forced push of the agent', [ours('b1')], 1, {}],
  ['a forced push of a person', [mona('m')], 0, { mona: 1 }],
  ['a branch that was put back', [ours('a1')], 0, {}],
])('%s', (_what, listed, agents, others) => {
  // The dates that their authors gave them decide on the order of the list.
  const found = commitsOfTurn(BEFORE, pullCommits(...listed).toReversed(), new Set([AGENT]))
  expect({ ...found, others: Object.fromEntries(found.others) }).toEqual({ agents, others })
})

const OTHER = job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })
const TASK = {
  kind: 'follow-up',
  jobId: 'job_1',
  prompt: 'And the index. It is open.',
  fallback: 'And the index.',
} as const

/** Before a follow-up to a job that reads like this, one reading after the other. */
function open(reads: readonly (Job | Error)[]) {
  const inputs = agentInputs()
  const client = fakeClient({ reads })
  const step = fakeStep({ client })
  const journal = new Journal(inputs, step)
  const watch = new JobWatch(inputs, step, journal, new Course(TASK))
  const [claimed, checked]: [Job[], Job[]] = [[], []]
  const preflight: Preflight = {
    claim: (before) => Promise.resolve((claimed.push(before), 'send')),
    check: (before) => Promise.resolve((checked.push(before), 'send')),
  }
  return {
    ...{ client, claimed, checked, preflight },
    prepare: (given?: Preflight) => prepare(TASK, inputs, step, watch, given),
    lookAgain: (before: Job) => lookAgain(before, preflight, step, watch),
  }
}

test.each<[string, readonly Job[], Job]>([
  ['that stands', [completed, completed], completed],
  ['that changes while it is looked at', [completed, OTHER], OTHER],
  ['that gets another prompt while it is looked at', [completed, active, OTHER], OTHER],
  ['that is archived while it is looked at', [completed, archived], archived],
])('a job %s is claimed once, and checked as it reads directly before the message', async (_what, reads, last) => {
  const { prepare, claimed, checked, preflight } = open(reads)
  expect(await prepare(preflight)).toMatchObject({ before: last })
  expect([claimed, checked]).toEqual([[completed], [last]])
})

test('a job that changes each time that it is looked at is sent nothing', async () => {
  const { prepare, checked, client, preflight } = open([completed, OTHER, completed, OTHER, completed])
  await expect(prepare(preflight)).rejects.toMatchObject({ code: 'not-sent' })
  expect([client.calls.length, checked.length]).toEqual([4, 0])
})

test('a job that was named by hand is not looked at', async () => {
  const { prepare, client } = open([completed])
  expect(await prepare()).toMatchObject({ before: completed })
  expect(client.calls).toEqual(['get'])
})

test.each(['claim', 'check'] as const)('what takes its place begins with the prompt alone: %s', async (refuses) => {
  const { prepare, preflight } = open([completed])
  const verdict = { reason: 'It was merged', passedOver: [7] }
  const refused = await prepare({ ...preflight, [refuses]: () => Promise.resolve(verdict) })
  expect(refused).toMatchObject({ outdated: { ...verdict, prompt: 'And the index.' } })
})

test.each([OTHER, active, archived])('a prompt that was put off is not sent to a job that changed: %j', async (now) => {
  const { lookAgain, checked } = open([now])
  await expect(lookAgain(completed)).rejects.toMatchObject({ code: 'not-sent' })
  expect(checked).toEqual([])
})

test('a prompt that was put off is sent to a job that stands, and not to one that cannot be read', async () => {
  const { lookAgain, checked } = open([completed])
  await lookAgain(completed)
  expect(checked).toEqual([completed])
  await expect(open([failure('not-found')]).lookAgain(completed)).rejects.toMatchObject({ code: 'not-found' })
})
