import { expect, test } from '@jest/globals'
import { findEventSubject } from '../../../src/agent/trigger/event-subject.ts'
import { parseEvent } from '../../../src/github/event.ts'

const find = (payload: unknown, eventName = '') => findEventSubject(parseEvent(eventName, payload, ''))
const ISSUE = { number: 3, title: 'It is wrong', html_url: 'https://github.com/a/b/issues/3', body: 'See line 3.' }

test('an event without a subject has none, and neither has one that cannot be read', () => {
  for (const payload of [undefined, {}, { issue: 7 }, { ref: 'main' }]) expect(find(payload)).toBeUndefined()
})

test('an issue brings its number, title, address and text', () => {
  expect(find({ issue: ISSUE })).toEqual({
    lines: ['Issue #3: It is wrong', 'Address: https://github.com/a/b/issues/3'],
    texts: [{ name: 'Text', text: 'See line 3.' }],
  })
})

test('a comment on a pull request brings its own text, and of the pull request what names it', () => {
  const found = find({ issue: { ...ISSUE, pull_request: {} }, comment: { id: 1, body: 'Mend it.' } }, 'issue_comment')
  expect(found?.lines[0]).toBe('Pull request #3: It is wrong')
  expect(found?.texts).toEqual([{ name: 'Comment', text: 'Mend it.' }])
})

test('a review brings its text', () => {
  const found = find(
    { pull_request: { number: 7, title: 'T' }, review: { id: 1, body: 'Shorter, please.' } },
    'pull_request_review',
  )
  expect(found?.texts).toEqual([{ name: 'Review', text: 'Shorter, please.' }])
})

test('a review comment brings its file, line and part of the diff', () => {
  const comment = { id: 1, body: 'Typo', path: 'docs/a.md', line: 4, diff_hunk: '@@ -1 +1 @@' }
  const found = find({ pull_request: { number: 7, title: 'T' }, comment }, 'pull_request_review_comment')
  expect(found?.lines).toEqual(['Pull request #7: T', 'File: docs/a.md', 'Line: 4'])
  expect(found?.texts.map(({ text }) => text)).toEqual(['Typo', '@@ -1 +1 @@'])
})

test('a release brings its name and notes, and a run its name and how it ended', () => {
  const release = find({ release: { tag_name: 'v1', name: 'First', body: 'All is new' } })
  expect(release).toEqual({ lines: ['Release v1: First'], texts: [{ name: 'Notes', text: 'All is new' }] })
  const run = find(
    { workflow_run: { name: 'CI', conclusion: 'success', pull_requests: [{ number: 7 }] } },
    'workflow_run',
  )
  expect(run?.lines).toEqual(['Workflow run: CI', 'It ended as: success', 'Pull request #7'])
})
