import { expect, test } from '@jest/globals'
import { orAbort } from '../../../src/agent/task/send-nothing.ts'
import { refusal, rejecting } from '../../support/fake-github.ts'
import { errorOf } from '../../support/github-client.ts'

test('what is known is given', async () => {
  expect(await orAbort('It is not known', () => Promise.resolve(7))).toBe(7)
})

test('an error says what is not known, why, and what to do', async () => {
  const of = (error: ReturnType<typeof refusal>): Promise<unknown> =>
    errorOf(orAbort('It is not known', rejecting(error)))
  expect(await of(refusal('forbidden', 'Grant it.'))).toMatchObject({
    code: 'not-sent',
    message: 'It is not known: GitHub said forbidden.',
    hint: 'Grant it.',
  })
  expect(await of(refusal('unreachable'))).toMatchObject({ hint: expect.stringContaining('again') as unknown })
})

test('a cancelled run stays a cancelled run', async () => {
  expect(await errorOf(orAbort('x', rejecting(refusal('cancelled'))))).toMatchObject({ code: 'cancelled' })
})
