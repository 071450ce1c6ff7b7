import { expect, test } from '@jest/globals'
import { namesInputs } from '../../../src/agent/inputs.ts'
import { replyToComment, renderReplyMarker } from '../../../src/agent/features/command.ts'
import type { ListedComment } from '../../../src/github/comments.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { COMMENT, commentFacts } from '../../../testing/comment-events.ts'
import { ATTACH, createReport, endWith } from '../../../testing/report.ts'
import { fakeGitHub, createGitHubError, rejectWith } from '../../../testing/fake-github.ts'
import { fakeRunner } from '../../../testing/fake-runner.ts'
import { agentInputs, fakeStep } from '../../../testing/fake-step.ts'

const PLACE = { ...commentFacts(), inputsHash: await agentInputs().hash() }
const MARKER = renderReplyMarker(COMMENT, PLACE)
const OTHER_MARKER = renderReplyMarker({ ...COMMENT, id: 70 }, PLACE)
const OTHER_STEP = renderReplyMarker(COMMENT, { ...PLACE, runnerStepId: '__acme_docs-agent' })
const OTHER_LEG = renderReplyMarker(COMMENT, {
  ...PLACE,
  inputsHash: await agentInputs({}, { prompt: 'Fix the API pages.' }).hash(),
})

/** A fake list of comments, whose ids start at 88. */
const listing = (...comments: readonly (readonly [author: ListedComment['author'], marker: string])[]) => ({
  listComments: (): Promise<readonly ListedComment[]> =>
    Promise.resolve(comments.map(([author, marker], index) => ({ id: 88 + index, author, body: `${marker}\nDone.` }))),
})

async function reply(responses: Partial<GitHub> = {}, runAttempt = 2) {
  const written: unknown[] = []
  const record = (...args: readonly unknown[]): Promise<undefined> => {
    written.push(args.at(-2), args.at(-1))
    return Promise.resolve(undefined)
  }
  const github = fakeGitHub({ ...listing(), addComment: record, editComment: record, ...responses })
  const runner = { ...fakeRunner(), redact: (text: string) => text.replaceAll('pull/7', '***') }
  const step = fakeStep({ github, runner, context: { ...commentFacts(), runAttempt }, timeoutMs: 0 })
  await replyToComment(createReport({ task: ATTACH, state: endWith('unknown'), comment: COMMENT }), step, namesInputs)
  return {
    warnings: step.journal.warnings,
    calls: github.calls,
    written,
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
  const { calls, written, warnings } = await reply(responses)
  expect([calls, written[0], warnings]).toEqual([requests, place, []])
  expect(written[1]).toContain(MARKER)
  expect(written[1]).not.toContain('pull/7')
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
])('%s, and warns', async (_what, responses, requests) => {
  const { warnings, calls } = await reply(responses)
  expect(calls).toEqual(requests)
  expect(warnings).toMatchObject([{ error: { code: 'unreachable' } }])
})

test('adds the reply without a list of comments in the first attempt', async () => {
  expect((await reply({}, 1)).calls).toEqual(['addComment'])
})
