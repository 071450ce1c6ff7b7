import { expect, test } from '@jest/globals'
import type { AskingComment } from '../../../src/agent/prompt/comment.ts'
import { parseComment } from '../../../src/agent/trigger/parse-comment.ts'
import { readRun, RUN_FACTS } from '../../support/fake-github.ts'
import { commentFacts, EVENT_NAMES, MONA, type Spoken } from '../../support/comment-events.ts'

function asked(spoken: Spoken): AskingComment {
  const parsed = parseComment(commentFacts(spoken), '/docs')
  if (parsed.kind === 'ignored') throw new Error(parsed.reason)
  return parsed.comment
}

const isIgnored = (spoken: Spoken): boolean => parseComment(commentFacts(spoken), '/docs').kind === 'ignored'

test.each([
  ['/docs Shorten it.', 'Shorten it.'],
  ['/docs  two blanks stay ', ' two blanks stay '],
  ['/docs\tand a tab', 'and a tab'],
  ['/docs\r\nOn the next line.\r\n\r\n- `x`\t\r\n', 'On the next line.\r\n\r\n- `x`\t\r\n'],
  ['/docs\n\n/docs again, \u202eas it is', '\n/docs again, \u202eas it is'],
  ['/docs --force', '--force'],
  ['/docs', ''],
  ['/docs \r\n', '\r\n'],
])('of %j the instruction is kept byte for byte', (body, instruction) => {
  expect(asked({ body }).instruction).toBe(instruction)
})

test.each([
  '/docsx do it',
  '/docs-agent do it',
  '/docs: do it',
  '/Docs do it',
  ' /docs do it',
  'Please\n/docs do it',
  '> /docs do it',
  '\ufeff/docs do it',
  '',
  null,
])('%j does not begin with the command as a word', (body) => {
  expect(isIgnored({ body })).toBe(true)
})

test.each([
  ['issue_comment', 'edited'],
  ['issue_comment', 'deleted'],
  ['pull_request_review_comment', 'edited'],
  ['pull_request_review', 'edited'],
  ['pull_request_review', 'dismissed'],
])('%s that was %s asks for nothing', (eventName, action) => {
  expect(isIgnored({ eventName, action })).toBe(true)
})

test.each(EVENT_NAMES)('what no person has written in %s asks for nothing', (eventName) => {
  expect(isIgnored({ eventName })).toBe(false)
  expect(isIgnored({ eventName, author: { ...MONA, type: 'Bot' } })).toBe(true)
  expect(isIgnored({ eventName, author: { ...MONA, type: 'Organization' } })).toBe(true)
  expect(isIgnored({ eventName, author: null })).toBe(true)
  expect(isIgnored({ eventName, app: { slug: 'helper' } })).toBe(true)
})

test.each([
  ['another event', { eventName: 'push' }],
  ['no payload', { payload: {} }],
  ['an event without its comment', { payload: { action: 'created', issue: { number: 7, title: 'x', state: 'open' } } }],
])('%s is passed over', (_name, facts) => {
  expect(parseComment(readRun({ ...commentFacts(), ...facts }), '/docs').kind).toBe('ignored')
})

test('a comment on an issue tells the issue', () => {
  expect(asked({ isOnPullRequest: false })).toEqual({
    ...{ repository: RUN_FACTS.repository, number: 7, kind: 'comment', id: 71, threadId: 71, isOnPullRequest: false },
    ...{ author: { login: 'mona', id: 1 }, instruction: 'Shorten it.', writtenAt: '2026-01-01T00:00:00Z' },
    subject: { kind: 'issue', number: 7, title: 'Guide', text: 'About it.', url: undefined, isOpen: true },
    place: undefined,
  })
})

test('a review comment tells its place and where its thread begins', () => {
  const eventName = 'pull_request_review_comment'
  expect(asked({ eventName })).toMatchObject({ kind: 'review-comment', threadId: 71, isOnPullRequest: true })
  expect(asked({ eventName, fields: { in_reply_to_id: 60 } })).toMatchObject({ id: 71, threadId: 60 })
  expect(asked({ eventName }).place).toEqual({
    path: 'docs/guide.md',
    startLine: 3,
    line: 5,
    hunk: '@@ -1 +1 @@\n-a\n+b',
  })
  expect(asked({ eventName, fields: { start_line: null, line: null } }).place).toMatchObject({ line: undefined })
})

test('a review tells the change that it is about', () => {
  const { kind, subject, place } = asked({ eventName: 'pull_request_review', state: 'closed' })
  expect([kind, place]).toEqual(['review', undefined])
  const ends = { baseSha: 'a'.repeat(40), headSha: 'b'.repeat(40) }
  expect(subject).toMatchObject({ kind: 'pull-request', ends, isOpen: false })
})
