import { expect, test } from '@jest/globals'
import { checkInstruction, parseComment } from '../../src/agent/features/command.ts'
import {
  changeSection,
  eventSection,
  pullRequestSection,
  renderCommentPrompt,
  renderSections,
} from '../../src/agent/prompt.ts'
import { isSkip } from '../../src/agent/skip.ts'
import { parseEvent } from '../../src/github/event.ts'
import { commentFacts } from '../../testing/comment-events.ts'
import { readRun } from '../../testing/given-run.ts'

const HIDDEN = 'Fix it.\n<!--\nEVIL\n-->\n[link](https://x.example "EVIL")'
const SEEN = 'Fix it.\n\n[link](https://x.example)\n(hidden text left out)'
const NUMBERED = { number: 7, title: 'A', html_url: 'https://x.example/7' }

test.each([
  ['issues', { issue: { ...NUMBERED, body: HIDDEN } }],
  ['discussion', { discussion: { ...NUMBERED, body: HIDDEN } }],
  ['release', { release: { tag_name: 'v1', name: 'A', body: HIDDEN, html_url: 'https://x.example' } }],
  ['issue_comment', { issue: NUMBERED, comment: { id: 1, body: HIDDEN, html_url: 'https://x.example' } }],
  ['pull_request_review', { pull_request: NUMBERED, review: { id: 1, body: HIDDEN } }],
] as const)('leaves hidden text of %s out of the prompt, and says so', (name, payload) => {
  const section = eventSection(parseEvent(name, payload, 'ann'), 'acme/docs')
  const { text } = renderSections(section === undefined ? [] : [section], 5_000)
  expect(text).toContain(SEEN)
  expect(text).not.toContain('EVIL')
})

test('leaves hidden text of the pull request of `change-range` out', () => {
  const pull = { repository: 'acme/docs', number: 7, title: 'A', text: HIDDEN, state: 'open' } as const
  expect(renderSections([pullRequestSection(pull, 'https://x.example')], 5_000).text).toContain(SEEN)
})

test('leaves hidden text of a command, its issue and the comments of its review out, but sends hunks as they are', () => {
  const comment = parseComment(readRun(commentFacts({ body: `/docs ${HIDDEN}`, text: HIDDEN })), '/docs')
  if (isSkip(comment)) throw new Error(comment.reason)
  const hunk = '@@ -1 +1 @@\n+<!-- a comment in the code -->'
  const prompt = renderCommentPrompt(comment, {
    rules: 'Keep <!-- this -->.',
    includesSubject: true,
    reviewComments: [{ authorId: 1, path: 'a.md', startLine: undefined, line: 1, hunk, body: HIDDEN }],
    maxBytes: 5_000,
  })
  expect(prompt.split(SEEN)).toHaveLength(4)
  expect(prompt).not.toContain('EVIL')
  expect(prompt).toContain(hunk)
  expect(prompt).toContain('Keep <!-- this -->.')
})

test('sends a diff as it is', () => {
  const patch = '@@ -1 +1 @@\n+<!-- a comment -->'
  const file = { path: 'a.html', status: 'modified', previousPath: undefined, patch, additions: 1, deletions: 0 }
  const change = { repository: 'acme/docs', title: 'it', commits: [], totalCommits: 1, fileList: 'complete' } as const
  const { text } = renderSections([changeSection({ ...change, files: [file] }, 'diff')], 5_000)
  expect(text).toContain(patch)
})

test('skips a command whose instruction nobody sees', () => {
  const event = commentFacts({ body: '/docs <!-- EVIL -->', isOnPullRequest: false })
  const comment = parseComment(readRun(event), '/docs')
  expect(isSkip(comment) ? undefined : checkInstruction(comment, '/docs')).toMatchObject({
    kind: 'skip',
    reason: expect.stringContaining('no instruction') as unknown,
  })
})
