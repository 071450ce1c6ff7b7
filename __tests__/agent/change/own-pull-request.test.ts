import { expect, test } from '@jest/globals'
import { isOwnPullRequest } from '../../../src/agent/change/own-pull-request.ts'
import { fakeGitHub, PULL_REQUEST } from '../../support/fake-github.ts'

const ask = (label: string, labels: readonly string[], comment: string, given?: readonly string[]) =>
  isOwnPullRequest(
    PULL_REQUEST,
    label,
    fakeGitHub({
      readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, labels }),
      listTrustedComments: () => Promise.resolve([{ body: comment }]),
    }),
    given,
  )

test('the label tells, however it is written, or the comment that names a job', async () => {
  expect(await ask('docs-agent', ['Docs-Agent'], '')).toBe(true)
  expect(await ask('docs-agent', [], '<!-- docs-agent-action: job=job_1 -->')).toBe(true)
  expect(await ask('docs-agent', ['docs'], 'hello')).toBe(false)
})

test('with no label in use a label tells nothing, and labels that are known are not read again', async () => {
  expect(await ask('', [''], '')).toBe(false)
  expect(await ask('docs-agent', ['docs-agent'], '', [])).toBe(false)
})
