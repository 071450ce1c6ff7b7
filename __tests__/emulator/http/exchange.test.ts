import { expect, test } from '@jest/globals'

import { done, htmlResponse, jsonResponse, refuse } from '../../../src/emulator/http/exchange.ts'

test('a JSON response says so, and keeps the headers it is given', () => {
  expect(jsonResponse(201, { a: 'ü' }, { allow: 'GET' })).toEqual({
    status: 201,
    headers: { 'content-type': 'application/json; charset=utf-8', allow: 'GET' },
    body: '{"a":"ü"}',
    delivery: 'whole',
  })
})

test('an HTML response may run no script', () => {
  const { headers } = htmlResponse(200, '<p>')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('successes and refusals can be told apart', () => {
  expect(done(200, {}).kind).toBe('done')
  expect(refuse(404, ['No.'])).toEqual({ kind: 'refused', status: 404, problems: ['No.'], headers: {} })
})
