import { expect, test } from '@jest/globals'
import { parseComment } from '../../../src/agent/features/command.ts'
import { eventSection, renderCommentPrompt, renderSections } from '../../../src/agent/prompt.ts'
import { isSkip } from '../../../src/agent/skip.ts'
import { COMMENT, commentFacts } from '../../../testing/comment-events.ts'
import { readRun } from '../../../testing/given-run.ts'
import { stubGitHub } from '../../../testing/github-client.ts'

const HUNK = '@@ -9,3 +9,1 @@\n-a\n-b\n-c'
const read = (fields: object) =>
  readRun(commentFacts({ eventName: 'pull_request_review_comment', fields: { diff_hunk: HUNK, ...fields } }))

const PLACES = [
  [{ start_line: null, line: 11, side: 'LEFT' }, 'the removed line 11'],
  [{ start_line: 9, line: 11, start_side: 'LEFT', side: 'LEFT' }, 'the removed lines 9 to 11'],
  [{ start_line: 9, line: 12, start_side: 'LEFT', side: 'RIGHT' }, 'the removed line 9 to line 12'],
  [{ start_line: 9, line: 12, start_side: 'RIGHT', side: 'LEFT' }, 'line 9 to the removed line 12'],
  [{ start_line: 11, line: 11, start_side: 'LEFT', side: 'LEFT' }, 'the removed line 11'],
  [{ start_line: null, line: 11, side: 'RIGHT' }, 'line 11'],
  [{ start_line: 9, line: 11 }, 'lines 9 to 11'],
] as const

test.each(PLACES)('a comment with %j is on %s', (fields, lines) => {
  const { event, ...context } = read(fields)
  const comment = parseComment({ event, ...context }, '/docs')
  if (isSkip(comment)) throw new Error(comment.reason)
  const given = { rules: '', includesSubject: false, reviewComments: [], maxBytes: 5_000 }
  expect(renderCommentPrompt(comment, given)).toContain(`docs/guide.md, ${lines}\n\n${HUNK}`)
  const section = eventSection(event, 'acme/docs')
  expect(renderSections(section === undefined ? [] : [section], 5_000).text).toContain(
    `Line: ${lines.replace(/^lines? /, '')}\n`,
  )
})

test.each(PLACES)('a comment of a review with %j is on %s', async (fields, lines) => {
  const listed = { path: 'docs/a.md', diff_hunk: HUNK, body: 'Too long.', user: { id: 1 }, ...fields }
  const reviewComments = await stubGitHub(() => [listed]).listReviewComments({ ...COMMENT, kind: 'review', id: 70 })
  const comment = parseComment(readRun(commentFacts({ eventName: 'pull_request_review' })), '/docs')
  if (isSkip(comment)) throw new Error(comment.reason)
  const given = { rules: '', includesSubject: false, reviewComments, maxBytes: 5_000 }
  expect(renderCommentPrompt(comment, given)).toContain(`docs/a.md, ${lines}\n\n${HUNK}`)
})
