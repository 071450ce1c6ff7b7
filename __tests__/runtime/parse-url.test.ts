import { expect, test } from '@jest/globals'
import { parseUrl } from '../../src/runtime/parse-url.ts'

test('gives the address that a text is, by itself or below another one', () => {
  expect(parseUrl('https://docs.example.com/a')?.href).toBe('https://docs.example.com/a')
  expect(parseUrl('/b', 'https://docs.example.com/a')?.href).toBe('https://docs.example.com/b')
})

test.each(['', '/b', 'nonsense', 'https://', 'https://:x', 'http://[::1'])('%j is no address', (text) => {
  expect(parseUrl(text)).toBeUndefined()
})
