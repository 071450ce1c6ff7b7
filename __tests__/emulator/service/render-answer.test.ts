import { expect, test } from '@jest/globals'

import { done, refuse } from '../../../src/emulator/http/exchange.ts'
import { HOSTILE_TEXT } from '../../../src/emulator/service/hostile-text.ts'
import { renderAnswer } from '../../../src/emulator/service/render-answer.ts'

const refusal = refuse(400, ['One.', 'Two.'], { allow: 'GET' })

test('a success is its body', () => {
  const response = renderAnswer(done(201, { id: 'job_1' }), 'create-job', 'plain')
  expect([response.status, response.body]).toEqual([201, '{"id":"job_1"}'])
})

test('a refusal is one text, and keeps its headers', () => {
  const response = renderAnswer(refusal, 'create-job', 'plain')
  expect([response.status, response.body]).toEqual([400, '{"error":"One. Two."}'])
  expect(response.headers['allow']).toBe('GET')
})

test('the analytics operation adds each problem by itself', () => {
  expect(JSON.parse(renderAnswer(refusal, 'get-visitors', 'plain').body)).toEqual({
    error: 'One. Two.',
    details: [{ message: 'One.' }, { message: 'Two.' }],
  })
})

test('hostile refusals carry hostile text', () => {
  expect(JSON.parse(renderAnswer(refuse(404, ['No.']), undefined, 'hostile').body)).toEqual({
    error: `No.${HOSTILE_TEXT}`,
  })
})
