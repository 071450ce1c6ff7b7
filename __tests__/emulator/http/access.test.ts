import { expect, test } from '@jest/globals'

import { EMULATOR_KEY, EXPIRED_KEY, READ_ONLY_KEY, authorize } from '../../../src/emulator/http/access.ts'

test.each([`Bearer ${EMULATOR_KEY}`, `bearer  ${EMULATOR_KEY}`])('%s may read and write', (header) => {
  expect([authorize(header, 'read'), authorize(header, 'write')]).toEqual(['granted', 'granted'])
})

test('a read-only key may read, and is forbidden to write', () => {
  expect(authorize(`Bearer ${READ_ONLY_KEY}`, 'read')).toBe('granted')
  expect(authorize(`Bearer ${READ_ONLY_KEY}`, 'write')).toMatchObject({ status: 403 })
})

test.each([
  ['no header', undefined, 'missing'],
  ['an empty header', '', 'must read'],
  ['another scheme', `Basic ${EMULATOR_KEY}`, 'must read'],
  ['no token', 'Bearer ', 'must read'],
  ['two tokens', `Bearer ${EMULATOR_KEY} more`, 'must read'],
  ['a key without the prefix', 'Bearer emulator_0123456789abcdef', 'begins with docs_'],
  ['a wrong key', 'Bearer docs_emulator_0000000000000000', 'not valid'],
  ['the beginning of the key', `Bearer ${EMULATOR_KEY.slice(0, -1)}`, 'not valid'],
  ['an expired key', `Bearer ${EXPIRED_KEY}`, 'expired'],
])('%s is unauthorized, and told why', (_, header, reason) => {
  expect(authorize(header, 'read')).toMatchObject({
    status: 401,
    problems: [expect.stringContaining(reason)],
    headers: { 'www-authenticate': 'Bearer' },
  })
})
