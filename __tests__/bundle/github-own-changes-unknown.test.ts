import { expect, test } from '@jest/globals'
import { PUSH_EVENT, runWithGitHub } from '../support/github-run.ts'

test('where it cannot be found out whose push it was, the agent is asked, with one notice', async () => {
  const run = await runWithGitHub({
    inputs: { label: '' },
    eventName: 'push',
    event: PUSH_EVENT,
    permissions: { contents: 'read' },
  })

  expect(run.outputs['outcome']).toBe('pull-request')
  expect(run.conclusion).toBe('success')
  expect(run.notices).toEqual([expect.stringContaining('was not skipped')])
})
