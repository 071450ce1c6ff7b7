import { expect, test } from '@jest/globals'
import { ActionError, rethrowFatal, unlessNotFound } from '../../src/runtime/errors.ts'

const error = (code: ActionError['code']): ActionError => new ActionError(code, 'It failed.')

test('a step goes on from what failed, and not from a defect or a cancelled run', () => {
  const [refused, cancelled, defect] = [error('forbidden'), error('cancelled'), new TypeError('A defect.')]
  expect(rethrowFatal(refused)).toBe(refused)
  for (const fatal of [cancelled, defect])
    expect(() => {
      rethrowFatal(fatal)
    }).toThrow(fatal)
})

test('only what is not there is undefined', async () => {
  expect(await unlessNotFound(Promise.resolve('here'))).toBe('here')
  expect(await unlessNotFound<string>(Promise.reject(error('not-found')))).toBeUndefined()
  await expect(unlessNotFound<string>(Promise.reject(error('forbidden')))).rejects.toThrow('It failed.')
})
