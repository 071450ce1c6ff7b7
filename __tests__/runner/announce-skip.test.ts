import { expect, test } from '@jest/globals'
import { announceSkip } from '../../src/runner/announce-skip.ts'
import { fakeHost } from '../support/fake-host.ts'

test('a run that gets no secrets is skipped with a notice', () => {
  const host = fakeHost()
  announceSkip(host, true)
  expect(host.said).toEqual([expect.stringMatching(/^notice: /)])
})

test('a run that may have secrets is warned of', () => {
  const host = fakeHost()
  announceSkip(host, false)
  expect(host.said).toEqual([expect.stringMatching(/^warn: .*Check the name of the secret/)])
})
