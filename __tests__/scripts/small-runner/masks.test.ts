import { expect, test } from '@jest/globals'
import { maskSecrets, masksOf } from '../../../scripts/small-runner/masks.ts'

test('every occurrence of every value becomes three asterisks', () => {
  expect(maskSecrets('key abc, again abc, other xyz.', ['abc', 'xyz'])).toBe('key ***, again ***, other ***.')
})

test('values that overlap or touch become one mask', () => {
  expect(maskSecrets('-abcdef-', ['abcd', 'cdef'])).toBe('-***-')
  expect(maskSecrets('-aaaa-', ['aa'])).toBe('-***-')
  expect(maskSecrets('abcdef', ['abc', 'def'])).toBe('***')
})

test('a value inside another one leaves nothing of the longer one', () => {
  expect(maskSecrets('abcdef!', ['abcdef', 'b'])).toBe('***!')
})

test('an empty value masks nothing', () => {
  expect(maskSecrets('text', [''])).toBe('text')
})

test('each line of a value is masked too', () => {
  expect(masksOf('first\r\n  second \n\n')).toEqual(['first\r\n  second \n\n', 'first', 'second'])
})
