import { expect, test } from '@jest/globals'
import { openGitHub } from '../../src/action/open-github.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeGitHub } from '../support/fake-github.ts'
import { fakeStep } from '../support/fake-step.ts'
import { errorOf } from '../support/github-client.ts'

test.each([
  { timeMs: 10, graceMs: 0, endsAfter: 10 },
  { timeMs: 200, graceMs: 0, endsAfter: 100 },
  { timeMs: 200, graceMs: 50, endsAfter: 150 },
])(
  'questions of $timeMs ms end after $endsAfter of a step of 100, if it may last $graceMs longer',
  async ({ timeMs, graceMs, endsAfter }) => {
    const [github, clock] = [fakeGitHub(), fakeClock()]
    await openGitHub(fakeStep({ github, clock, timeoutMs: 100 }), timeMs, graceMs)
    expect(github.deadlines).toEqual([clock.now() + endsAfter])
  },
)

test('without a token nobody is asked', async () => {
  expect(await errorOf(openGitHub(fakeStep(), 1))).toMatchObject({ code: 'unauthorized' })
})
