import { expect, test } from '@jest/globals'
import { isSkip } from '../../../src/agent/skip.ts'
import { parseComment } from '../../../src/agent/features/command.ts'
import { readRun } from '../../../testing/given-run.ts'
import { COMMENT, commentFacts, EVENT_NAMES, MONA, type CommentEventFields } from '../../../testing/comment-events.ts'

const parse = (spoken: CommentEventFields, facts: object = {}) =>
  parseComment(readRun({ ...commentFacts(spoken), ...facts }), '/docs')
const isIgnored = (spoken: CommentEventFields, facts?: object): boolean => isSkip(parse(spoken, facts))

test.each([
  ['/docs Shorten it.', 'Shorten it.'],
  ['/docs  two blanks stay ', ' two blanks stay '],
  ['/docs\tand a tab', 'and a tab'],
  ['/docs\r\nOn the next line.\r\n\r\n- `x`\t\r\n', 'On the next line.\r\n\r\n- `x`\t\r\n'],
  ['/docs\n\n/docs again, \u202eas it is', '\n/docs again, \u202eas it is'],
  ['/docs --force', '--force'],
  ['/docs', ''],
  ['/docs \r\n', '\r\n'],
  // As phones and people write it.
  ['/Docs Do it', 'Do it'],
  ['/docs: Do it', 'Do it'],
  ['/DOCS, Do it', 'Do it'],
  [' \n/docs Do it', 'Do it'],
])('keeps the instruction of %j unchanged', (body, instruction) => {
  expect(parse({ body })).toMatchObject({ instruction })
})

test.each([
  ...['/docsx do it', '/docs-agent do it', '/docs. do it', 'Please\n/docs do it'],
  ...['> /docs do it', '<!-- x -->\n/docs do it', '', null],
])('ignores %j, which does not begin with the command as a word', (body) => {
  expect(isIgnored({ body })).toBe(true)
})

test.each(EVENT_NAMES)('accepts only new %s events by people', (eventName) => {
  expect(isIgnored({ eventName })).toBe(false)
  for (const action of ['edited', 'deleted', 'dismissed']) expect(isIgnored({ eventName, action })).toBe(true)
  for (const author of [{ ...MONA, type: 'Bot' }, { ...MONA, type: 'Organization' }, null])
    expect(isIgnored({ eventName, author })).toBe(true)
  expect(isIgnored({ eventName, app: { slug: 'helper' } })).toBe(true)
})

test.each([
  ['another event', { eventName: 'push' }],
  ['no payload', { payload: {} }],
  ['an event without its comment', { payload: { action: 'created', issue: { number: 7, title: 'x', state: 'open' } } }],
])('ignores %s', (_name, facts) => {
  expect(isIgnored({}, facts)).toBe(true)
})

const LINE = 'pull_request_review_comment'
const LINE_71 = { kind: 'review-comment', threadId: 71, isOnPullRequest: true }
const PLACE = { path: 'docs/guide.md', startLine: 3, line: 5, hunk: '@@ -1 +1 @@\n-a\n+b' }
const ON_ISSUE = {
  address: { ...COMMENT, isOnPullRequest: false },
  author: { login: 'mona', id: 1 },
  place: undefined,
  subject: { kind: 'issue', number: 7, title: 'Guide', text: 'About it.', url: undefined, isOpen: true },
}

const ENDS = { baseSha: 'a'.repeat(40), headSha: 'b'.repeat(40) }

test.each<[what: string, spoken: CommentEventFields, details: object]>([
  ['a comment on an issue', { isOnPullRequest: false }, ON_ISSUE],
  ['a comment on a line', { eventName: LINE }, { address: LINE_71, place: PLACE }],
  [
    'a reply to a comment on a line',
    { eventName: LINE, fields: { in_reply_to_id: 60 } },
    { address: { id: 71, threadId: 60 } },
  ],
  ['a comment on a file', { eventName: LINE, fields: { line: null } }, { place: { ...PLACE, line: undefined } }],
  [
    'a review',
    { eventName: 'pull_request_review', state: 'closed' },
    { address: { kind: 'review' }, place: undefined, subject: { kind: 'pull-request', ends: ENDS, isOpen: false } },
  ],
])('reads the details of %s', (_what, spoken, details) => {
  expect(parse(spoken)).toMatchObject(details)
})
