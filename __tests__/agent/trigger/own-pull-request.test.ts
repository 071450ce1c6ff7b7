import { expect, test } from '@jest/globals'
import { isOwnPullRequest } from '../../../src/agent/trigger/own-pull-request.ts'
import type { MarkerComment } from '../../../src/github/comments.ts'
import { findEventOrigin } from '../../../src/agent/trigger/event-origin.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { fakeGitHub, PULL_REQUEST, RUN_FACTS } from '../../support/fake-github.ts'

function ask(
  label: string,
  labels: readonly string[],
  body: string,
  { given = labels, author = 'trusted' }: { given?: readonly string[]; author?: MarkerComment['author'] } = {},
) {
  const github = fakeGitHub({
    readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, labels }),
    listMarkerComments: () => Promise.resolve([{ id: 1, body, author }]),
  })
  const step = fakeStep()
  const search = { github, step, origin: findEventOrigin(RUN_FACTS), inputs: agentInputs({ label }), endsAt: 0 }
  return isOwnPullRequest({ ...PULL_REQUEST, labels: given }, search)
}

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
