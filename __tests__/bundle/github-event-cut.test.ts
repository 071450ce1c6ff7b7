import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { runWithGitHub } from '../support/github-run.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('an event that is cut costs its context and no more, with one notice', async () => {
  const event = join(temporaryFolder(), 'event.json')
  writeFileSync(event, '{"ref":')
  const run = await runWithGitHub({
    inputs: { 'change-context': 'diff' },
    eventName: 'push',
    env: () => ({ GITHUB_EVENT_PATH: event }),
  })

  expect(run.conclusion).toBe('success')
  expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-state': 'open' })
  expect(run.prompts).toEqual(['Fix the guide.'])
  expect(run.notices).toEqual([expect.stringContaining('taken for one without an event')])
})
