import { expect, test } from '@jest/globals'
import { readOptions } from '../../../scripts/start/options.ts'
import { openSurroundings } from '../../../scripts/start/surroundings.ts'

async function eventOf(scenario: string): Promise<{ eventName: string; event: unknown; defaults: object }> {
  const run = readOptions(['--scenario', scenario], {})
  if (run.kind !== 'run') throw new Error('It is not run.')
  const { eventName, event, close } = await openSurroundings(run.service, {}, Date.UTC(2026, 0, 1))
  await close()
  return { eventName, event, defaults: run.defaults }
}

test.each([
  ['comment-of-maintainer', 'mona', 'User'],
  ['comment-of-stranger', 'dora', 'User'],
  ['comment-of-bot', 'link-checker[bot]', 'Bot'],
])('%s runs on the comment, which alone is the instruction', async (scenario, login, type) => {
  const { eventName, event, defaults } = await eventOf(scenario)
  const comment = { body: expect.stringMatching(/^\/docs /) as unknown, user: { login, type } }
  expect(eventName).toBe('issue_comment')
  expect(event).toMatchObject({ action: 'created', issue: { number: 1, state: 'open' }, comment })
  expect(defaults).toMatchObject({ command: '/docs', prompt: '' })
})

test('all others run on the push of the newest change', async () => {
  expect(await eventOf('open-pull-request')).toMatchObject({ eventName: 'push', event: { ref: 'refs/heads/main' } })
})
