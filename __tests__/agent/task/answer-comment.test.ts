import { expect, test } from '@jest/globals'
import { reportOf } from '../../../src/agent/report/turns.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { replyMarker } from '../../../src/agent/report/reply.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import { answerComment, keepTimeToReply } from '../../../src/agent/task/answer-comment.ts'
import type { CommentAddress, MarkerComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { commentFacts } from '../../support/comment-events.ts'
import { completed } from '../../support/fake-client.ts'
import { fakeGitHub, refusal, rejecting, type FakeGitHub } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const COMMENT: CommentAddress = {
  ...{ repository: 'acme/docs', number: 7, kind: 'comment' as const, id: 71, threadId: 71 },
  ...{ isOnPullRequest: true, writtenAt: '2026-01-01T00:00:00Z' },
}

const MARKER = replyMarker(COMMENT, commentFacts())
const OTHER_MARKER = replyMarker({ ...COMMENT, id: 70 }, commentFacts())

/** The comments that are there, from 88 on. */
const found =
  (...comments: readonly (readonly [author: MarkerComment['author'], marker: string])[]) =>
  (): Promise<readonly MarkerComment[]> =>
    Promise.resolve(comments.map(([author, marker], index) => ({ id: 88 + index, author, body: `${marker}\nDone.` })))

interface Answered {
  readonly report: Report
  readonly github: FakeGitHub
  readonly bodies: readonly string[]
  readonly deadlines: readonly number[]
}

async function answer(
  comment: CommentAddress | undefined,
  answers: Partial<GitHub> = {},
  timeoutMs = 0,
): Promise<Answered> {
  const bodies: string[] = []
  const keep = (...args: readonly unknown[]): Promise<undefined> => {
    bodies.push(String(args.at(-1)))
    return Promise.resolve(undefined)
  }
  const github = fakeGitHub({ listMarkerComments: found(), addComment: keep, editComment: keep, ...answers })
  const host = {
    ...fakeHost(),
    redact: (text: string) => text.replaceAll('writer-1', '***').replaceAll('pull/7', '***'),
  }
  const step = fakeStep({ github, core: host, context: commentFacts(), timeoutMs })
  const inputs = agentInputs()
  const journal = new Journal(inputs, step)
  journal.add({ comment })
  const turn = { task: inputs.task, result: { outcome: 'pull-request', job: completed } } as const
  const report = await answerComment(reportOf([turn], journal.recorded()), inputs, step, journal)
  return { report, github, bodies, deadlines: github.deadlines.map((at) => at - step.startedAt) }
}

test('nobody is answered who has not asked', async () => {
  const { github, bodies } = await answer(undefined)
  expect([github.asked, bodies]).toEqual([[], []])
})

test('looks for its reply before it writes one, also when the time of the step is over', async () => {
  const { github, bodies } = await answer(COMMENT)
  expect(github.asked).toEqual(['listMarkerComments', 'addComment'])
  expect(bodies).toHaveLength(1)
})

test('takes 20 seconds at most, and none that would make the step late', async () => {
  const endsAfterMs = async (timeoutMs: number): Promise<readonly number[]> =>
    (await answer(COMMENT, {}, timeoutMs)).deadlines
  expect(await endsAfterMs(0)).toEqual([1_000])
  expect(await endsAfterMs(5_000)).toEqual([6_000])
  expect(await endsAfterMs(3_600_000)).toEqual([20_000])
})

test('where a comment is answered, all that comes before leaves time for it', () => {
  const keptMs = (command: string, timeoutMs: number): number => {
    const step = fakeStep({ timeoutMs })
    return step.deadlineAt - keepTimeToReply(agentInputs({ command, timeoutMs }), step).deadlineAt
  }
  expect(keptMs('/docs', 3_600_000)).toBe(20_000)
  expect(keptMs('/docs', 15_000)).toBe(1_500)
  expect(keptMs('', 3_600_000)).toBe(0)
})

test('a reply that an earlier attempt has written is written anew', async () => {
  const edited: unknown[] = []
  const editComment: GitHub['editComment'] = (_place, id) => Promise.resolve(void edited.push(id))
  await answer(COMMENT, { listMarkerComments: found(['trusted', OTHER_MARKER], ['trusted', MARKER]), editComment })
  expect(edited).toEqual([89])
})

test.each(['bot', 'stranger'] as const)(
  'a reply that a %s has forged stays as it is, and keeps none away',
  async (author) => {
    const { github } = await answer(COMMENT, { listMarkerComments: found([author, MARKER]) })
    expect(github.asked).toEqual(['listMarkerComments', 'addComment'])
  },
)

test('one that may have been written is not written again, and the result stands', async () => {
  const { github, report } = await answer(COMMENT, { addComment: rejecting(refusal('unreachable')) })
  expect(github.asked).toEqual(['listMarkerComments', 'addComment'])
  expect(report).toMatchObject({ outcome: 'pull-request', shortfalls: [{ error: { code: 'unreachable' } }] })
})

test('where nobody can look, nothing is written', async () => {
  const { github, report } = await answer(COMMENT, { listMarkerComments: rejecting(refusal('forbidden')) })
  expect(github.asked).toEqual(['listMarkerComments'])
  expect(report.shortfalls).toHaveLength(1)
})

test('no secret is in a reply', async () => {
  expect((await answer(COMMENT)).bodies[0]).not.toContain('pull/7')
})
