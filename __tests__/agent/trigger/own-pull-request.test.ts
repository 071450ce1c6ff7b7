import { expect, test } from '@jest/globals'
import { isOwnPullRequest } from '../../../src/agent/trigger/own-pull-request.ts'
import type { MarkerComment } from '../../../src/github/comments.ts'
import { fakeGitHub, PULL_REQUEST } from '../../support/fake-github.ts'

const ask = (
  label: string,
  labels: readonly string[],
  body: string,
  { given, author = 'trusted' }: { given?: readonly string[]; author?: MarkerComment['author'] } = {},
) =>
  isOwnPullRequest(
    PULL_REQUEST,
    label,
    fakeGitHub({
      readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, labels }),
      listMarkerComments: () => Promise.resolve([{ id: 1, body, author }]),
    }),
    given,
  )

test('the label tells, however it is written, or the comment that names a job', async () => {
  expect(await ask('docs-agent', ['Docs-Agent'], '')).toBe(true)
  expect(await ask('docs-agent', [], '<!-- docs-agent-action: job=job_1 -->')).toBe(true)
  expect(await ask('docs-agent', ['docs'], 'hello')).toBe(false)
})

test.each(['bot', 'stranger'] as const)('what a %s writes proves nothing', async (author) => {
  expect(await ask('', [], '<!-- docs-agent-action: job=job_1 -->', { author })).toBe(false)
})

test('with no label in use a label tells nothing, and labels that are known are not read again', async () => {
  expect(await ask('', [''], '')).toBe(false)
  expect(await ask('docs-agent', ['docs-agent'], '', { given: [] })).toBe(false)
})
