import { expect, test } from '@jest/globals'
import { openReport } from '../../../src/agent/report/open-report.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import { answerComment } from '../../../src/agent/task/answer-comment.ts'
import type { CommentAddress } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/connect-github.ts'
import { commentFacts } from '../../support/comment-events.ts'
import { completed } from '../../support/fake-client.ts'
import { fakeGitHub, refusal, rejecting, type FakeGitHub } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const COMMENT: CommentAddress = {
  ...{ repository: 'acme/docs', number: 7, kind: 'comment' as const, id: 71, threadId: 71 },
  ...{ isOnPullRequest: true, writtenAt: '2026-01-01T00:00:00Z' },
}

interface Answered {
  readonly report: Report
  readonly github: FakeGitHub
  readonly bodies: readonly string[]
  readonly deadlines: readonly number[]
}

async function answer(comment: CommentAddress | undefined, answers: Partial<GitHub> = {}): Promise<Answered> {
  const bodies: string[] = []
  const keep = (...args: readonly unknown[]): Promise<void> => {
    bodies.push(String(args.at(-1)))
    return Promise.resolve()
  }
  const github = fakeGitHub({ addReply: keep, editReply: keep, ...answers })
  const host = {
    ...fakeHost(),
    redact: (text: string) => text.replaceAll('writer-1', '***').replaceAll('pull/7', '***'),
  }
  const step = fakeStep({ github, host, facts: commentFacts(), timeoutMs: 0 })
  const inputs = agentInputs()
  const known = openReport(inputs, step)
  known.add({ comment, job: completed })
  known.addResult({ outcome: 'pull-request', job: completed })
  const report = await answerComment(known.ended(), inputs, step, known)
  return { report, github, bodies, deadlines: github.deadlines.map((at) => at - step.startedAt) }
}

test('nobody is answered who has not asked', async () => {
  const { github, bodies } = await answer(undefined)
  expect([github.asked, bodies]).toEqual([[], []])
})

test('looks for its reply before it writes one, also when the time of the step is over', async () => {
  const { github, bodies, deadlines } = await answer(COMMENT)
  expect(github.asked).toEqual(['findReply', 'addReply'])
  expect(bodies).toHaveLength(1)
  expect(deadlines).toEqual([20_000])
})

test('a reply that an earlier attempt has written is written anew', async () => {
  const { github } = await answer(COMMENT, { findReply: () => Promise.resolve(88) })
  expect(github.asked).toEqual(['findReply', 'editReply'])
})

test('one that may have been written is not written again, and the result stands', async () => {
  const { github, report } = await answer(COMMENT, { addReply: rejecting(refusal('unreachable')) })
  expect(github.asked).toEqual(['findReply', 'addReply'])
  expect(report).toMatchObject({ outcome: 'pull-request', shortfalls: [{ error: { code: 'unreachable' } }] })
})

test('where nobody can look, nothing is written', async () => {
  const { github, report } = await answer(COMMENT, { findReply: rejecting(refusal('forbidden')) })
  expect(github.asked).toEqual(['findReply'])
  expect(report.shortfalls).toHaveLength(1)
})

test('no secret is in a reply', async () => {
  expect((await answer(COMMENT)).bodies[0]).not.toContain('pull/7')
})
