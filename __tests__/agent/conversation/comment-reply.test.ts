import { expect, test } from '@jest/globals'
import { replyToComment, reserveReplyTime } from '../../../src/agent/conversation/comment-command.ts'
import { renderReplyMarker } from '../../../src/agent/marker.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { COMMENT, commentFacts } from '../../support/comment-events.ts'
import { describeReport, endWith } from '../../support/report.ts'
import { fakeGitHub, createGitHubError, rejectWith } from '../../support/fake-github.ts'
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

/** A fake list of comments, whose ids start at 88. */
const listing = (...comments: readonly (readonly [author: ListedComment['author'], marker: string])[]) => ({
  listComments: (): Promise<readonly ListedComment[]> =>
    Promise.resolve(comments.map(([author, marker], index) => ({ id: 88 + index, author, body: `${marker}\nDone.` }))),
})

async function reply(responses: Partial<GitHub> = {}, timeoutMs = 0) {
  const written: unknown[] = []
  const record = (...args: readonly unknown[]): Promise<undefined> => {
    written.push(args.at(-2), args.at(-1))
    return Promise.resolve(undefined)
  }
  const github = fakeGitHub({ ...listing(), addComment: record, editComment: record, ...responses })
  const core = { ...fakeHost(), redact: (text: string) => text.replaceAll('pull/7', '***') }
  const step = fakeStep({ github, core, context: commentFacts(), timeoutMs })
  step.journal.recordComment(COMMENT)
  step.journal.updateTurn(endWith('unknown'))
  await replyToComment(step)
  return {
    report: describeReport(step.journal.report()),
    calls: github.calls,
    written,
    endsAfterMs: github.deadlines.map((at) => at - step.startedAt),
  }
}

const WRITES = ['listComments', 'addComment']

test.each<[string, Partial<GitHub>, readonly string[], unknown]>([
  ['adds a reply if none exists, even after the deadline', {}, WRITES, COMMENT],
  [
    'replaces the reply of an earlier attempt',
    listing(['trusted', OTHER_MARKER], ['trusted', MARKER]),
    ['listComments', 'editComment'],
    89,
  ],
  [
    'does not edit the replies of other steps and matrix jobs of the same run',
    listing(['trusted', OTHER_STEP], ['trusted', OTHER_LEG]),
    WRITES,
    COMMENT,
  ],
  ['does not edit a reply forged by a bot', listing(['bot', MARKER]), WRITES, COMMENT],
  ['does not edit a reply forged by an author without write access', listing(['untrusted', MARKER]), WRITES, COMMENT],
])('%s, and redacts secrets', async (_what, responses, requests, place) => {
  const { calls, written, report } = await reply(responses)
  expect([calls, written[0], report.warnings]).toEqual([requests, place, []])
  expect(written[1]).toContain(MARKER)
  expect(written[1]).not.toContain('pull/7')
})

test.each([
  [0, 1_000],
  [5_000, 6_000],
  [3_600_000, 20_000],
])('limits the reply with %i ms left until the deadline to %i ms', async (leftMs, endsAfterMs) => {
  expect((await reply({}, leftMs)).endsAfterMs).toEqual([endsAfterMs])
})

test.each([
  ['/docs', 3_600_000, 20_000],
  ['/docs', 15_000, 1_500],
  ['', 3_600_000, 0],
])('with the command “%s” and a timeout of %i ms, reserves %i ms for the reply', (command, timeoutMs, reservedMs) => {
  const step = fakeStep({ timeoutMs })
  expect(step.deadlineAt - reserveReplyTime(step, agentInputs({ command, timeoutMs })).deadlineAt).toBe(reservedMs)
})

test.each<[string, Partial<GitHub>, readonly string[]]>([
  [
    'does not resend a reply whose delivery is unknown',
    { addComment: rejectWith(createGitHubError('unreachable')) },
    WRITES,
  ],
  [
    'adds no reply if the comments cannot be listed',
    { listComments: rejectWith(createGitHubError('unreachable')) },
    ['listComments'],
  ],
])('%s, and keeps the outcome', async (_what, responses, requests) => {
  const { report, calls } = await reply(responses)
  expect(calls).toEqual(requests)
  expect(report).toMatchObject({ outcome: 'pull-request', warnings: [{ error: { code: 'unreachable' } }] })
})
