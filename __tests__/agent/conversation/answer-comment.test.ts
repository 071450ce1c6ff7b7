import { expect, test } from '@jest/globals'
import { answerComment, keepTimeToReply } from '../../../src/agent/conversation/answer-comment.ts'
import { renderReplyMarker } from '../../../src/agent/marker.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { COMMENT, commentFacts } from '../../support/comment-events.ts'
import { describeReport, endWith } from '../../support/report.ts'
import { fakeGitHub, refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const PLACE = { ...commentFacts(), inputsHash: agentInputs().hash }
const MARKER = renderReplyMarker(COMMENT, PLACE)
const OTHER_MARKER = renderReplyMarker({ ...COMMENT, id: 70 }, PLACE)
const OTHER_STEP = renderReplyMarker(COMMENT, { ...PLACE, runnerStepId: '__acme_docs-agent' })
const OTHER_LEG = renderReplyMarker(COMMENT, {
  ...PLACE,
  inputsHash: agentInputs({}, { prompt: 'Fix the API pages.' }).hash,
})

/** The comments that are there, from 88 on. */
const found = (...comments: readonly (readonly [author: ListedComment['author'], marker: string])[]) => ({
  listComments: (): Promise<readonly ListedComment[]> =>
    Promise.resolve(comments.map(([author, marker], index) => ({ id: 88 + index, author, body: `${marker}\nDone.` }))),
})

async function answer(answers: Partial<GitHub> = {}, timeoutMs = 0) {
  const written: unknown[] = []
  const keep = (...args: readonly unknown[]): Promise<undefined> => {
    written.push(args.at(-2), args.at(-1))
    return Promise.resolve(undefined)
  }
  const github = fakeGitHub({ ...found(), addComment: keep, editComment: keep, ...answers })
  const core = { ...fakeHost(), redact: (text: string) => text.replaceAll('pull/7', '***') }
  const step = fakeStep({ github, core, context: commentFacts(), timeoutMs })
  step.journal.recordComment(COMMENT)
  step.journal.updateTurn(endWith('unknown'))
  await answerComment(step)
  return {
    report: describeReport(step.journal.report()),
    asked: github.asked,
    written,
    endsAfterMs: github.deadlines.map((at) => at - step.startedAt),
  }
}

const WRITES = ['listComments', 'addComment']

test.each<[string, Partial<GitHub>, readonly string[], unknown]>([
  ['looks for a reply first, also when its time is over', {}, WRITES, COMMENT],
  [
    'writes anew what an earlier attempt has written',
    found(['trusted', OTHER_MARKER], ['trusted', MARKER]),
    ['listComments', 'editComment'],
    89,
  ],
  [
    'leaves the replies of other steps and legs of its run as they are',
    found(['trusted', OTHER_STEP], ['trusted', OTHER_LEG]),
    WRITES,
    COMMENT,
  ],
  ['leaves what a bot has forged as it is', found(['bot', MARKER]), WRITES, COMMENT],
  ['leaves what a stranger has forged as it is', found(['stranger', MARKER]), WRITES, COMMENT],
])('a step %s, and no secret is in the reply', async (_what, answers, asked, place) => {
  const reply = await answer(answers)
  expect([reply.asked, reply.written[0], reply.report.warnings]).toEqual([asked, place, []])
  expect(reply.written[1]).toContain(MARKER)
  expect(reply.written[1]).not.toContain('pull/7')
})

test.each([
  [0, 1_000],
  [5_000, 6_000],
  [3_600_000, 20_000],
])('with %i ms left, the reply ends after %i', async (leftMs, endsAfterMs) => {
  expect((await answer({}, leftMs)).endsAfterMs).toEqual([endsAfterMs])
})

test.each([
  ['/docs', 3_600_000, 20_000],
  ['/docs', 15_000, 1_500],
  ['', 3_600_000, 0],
])('with the command “%s” and %i ms, all that comes before the reply leaves %i', (command, timeoutMs, keptMs) => {
  const step = fakeStep({ timeoutMs })
  expect(step.deadlineAt - keepTimeToReply(step, agentInputs({ command, timeoutMs })).deadlineAt).toBe(keptMs)
})

test.each<[string, Partial<GitHub>, readonly string[]]>([
  ['one that may have been written is not written again', { addComment: rejecting(refusal('unreachable')) }, WRITES],
  ['where nobody can look, nothing is written', { listComments: rejecting(refusal('unreachable')) }, ['listComments']],
])('%s, and the result stands', async (_what, answers, asked) => {
  const { report, ...reply } = await answer(answers)
  expect(reply.asked).toEqual(asked)
  expect(report).toMatchObject({ outcome: 'pull-request', warnings: [{ error: { code: 'unreachable' } }] })
})
