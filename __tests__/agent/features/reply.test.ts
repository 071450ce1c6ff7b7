import { expect, test } from '@jest/globals'
import { BOT, GITHUB_TOKEN, OUTSIDER, TOKEN_USER } from '../../../src/emulator/github/demo-state.ts'
import { createIssueState } from '../../../src/emulator/github/issue-state.ts'
import { EMULATOR_KEY } from '../../../src/emulator/http/access.ts'
import { NO_RESPONSE } from '../../../src/emulator/http/faults.ts'
import { commentFacts } from '../../../testing/comment-events.ts'
import type { GivenRun } from '../../../testing/given-run.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { changeResponse, type PlayedStep, playStep, type PlayStepOptions } from '../../../testing/play-step.ts'

const ISSUE = 8
const MONA = { login: 'mona', id: 11, type: 'User' }

interface Attempt extends Partial<PlayStepOptions> {
  readonly runAttempt?: number
  readonly prompt?: string
  readonly commentId?: number
  readonly run?: Partial<GivenRun>
}

/** Runs a step for a command in an issue, by default as the second attempt of its run. Returns the requests about comments, too. */
async function attempt({ runAttempt = 2, prompt = '', commentId = 71, run, ...options }: Attempt = {}) {
  const comment = { user: MONA.login, body: '', createdAtMs: 0, reactions: [] }
  const facts = commentFacts({ author: MONA, number: ISSUE, isOnPullRequest: false, fields: { id: commentId } })
  const played = await playStep({
    inputs: agentInputs({}, { command: '/docs', 'github-token': GITHUB_TOKEN, prompt }),
    prepare: ({ issues }) => {
      issues[ISSUE] = createIssueState({ comments: [70, 71].map((id) => ({ ...comment, id })) })
    },
    facts: { ...facts, runAttempt, ...run },
    ...options,
  })
  const requests = played.allRequests.map(({ what }) => what)
  return { ...played, requests: requests.filter((what) => /^issues\/.*comment/.test(what)) }
}

const isReply = ({ body }: { readonly body: string }): boolean => body !== ''

const listReplies = ({ docs }: PlayedStep): readonly string[] =>
  (docs.issues[ISSUE]?.comments ?? []).filter(isReply).map(({ body }) => body)

/** Makes somebody else the author of the replies. */
function forgeReplies({ docs: { issues } }: PlayedStep, user: string): void {
  const comments = issues[ISSUE]?.comments ?? []
  comments.splice(0, Infinity, ...comments.map((comment) => (isReply(comment) ? { ...comment, user } : comment)))
}

test('replaces the reply of an earlier attempt', async () => {
  const first = await attempt({ runAttempt: 1 })
  const [old] = listReplies(first)
  const second = await attempt({ after: first })
  expect(second.requests).toEqual(['issues/list-comments', 'issues/update-comment'])
  const replies = listReplies(second)
  expect(replies).toHaveLength(1)
  expect(replies).not.toEqual([old])
})

test.each<[string, Attempt, author?: string]>([
  ['to another comment', { commentId: 70 }],
  ['of another step of the run', { run: { runnerStepId: '__acme_docs-agent' } }],
  ['of another matrix job of the run', { prompt: 'Fix the API pages.' }],
  ['forged by a bot', {}, BOT],
  ['forged by an author without write access', {}, OUTSIDER],
])('does not edit a reply %s', async (_what, options, author = TOKEN_USER) => {
  const first = await attempt({ runAttempt: 1, ...options })
  const [old] = listReplies(first)
  forgeReplies(first, author)
  const second = await attempt({ after: first })
  expect(second.requests).toEqual(['issues/list-comments', 'issues/create-comment'])
  expect(listReplies(second)).toEqual([old, expect.stringContaining('pull/5')])
})

test.each<[string, string, readonly string[]]>([
  [
    'does not resend a reply whose delivery is unknown',
    'issues/create-comment',
    ['issues/list-comments', 'issues/create-comment'],
  ],
  ['adds no reply if the comments cannot be listed', 'issues/list-comments', ['issues/list-comments']],
])('%s, and warns', async (_what, operation, requests) => {
  const played = await attempt({ responses: { [operation]: () => NO_RESPONSE } })
  expect([...new Set(played.requests)]).toEqual(requests)
  expect(played.requests.filter((one) => one === 'issues/create-comment').length).toBeLessThan(2)
  expect(played.report.warnings).toMatchObject([{ error: { code: 'unreachable' } }])
})

test('adds the reply without a list of comments in the first attempt, and redacts secrets', async () => {
  const read = changeResponse(({ prLink }: { prLink: string | null }) => ({
    prLink: prLink && `${prLink}?key=${EMULATOR_KEY}`,
  }))
  const played = await attempt({ runAttempt: 1, responses: { 'read job_000001': read } })
  expect(played.requests).toEqual(['issues/create-comment'])
  expect(listReplies(played)).toEqual([expect.stringMatching(/\?key=\*\*\*\)/)])
})
