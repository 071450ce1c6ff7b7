import { expect, test } from '@jest/globals'

import { MAX_BODY_BYTES, parsePromptBody } from '../../../src/emulator/http/prompt-body.ts'

const JSON_TYPE = 'application/json'

function parse(body: string, contentType: string | undefined = JSON_TYPE): ReturnType<typeof parsePromptBody> {
  return parsePromptBody({ headers: { 'content-type': contentType }, body })
}

test.each(['x', ' ', 'two\nlines', '🙂 ü'])('takes the prompt %j as it is', (prompt) => {
  expect(parse(JSON.stringify({ prompt, more: 1 }))).toEqual({ kind: 'prompt', prompt })
})

test('takes a content type with parameters, in any case', () => {
  expect(parse('{"prompt":"x"}', 'Application/JSON; charset=utf-8').kind).toBe('prompt')
})

test.each(['', 'prompt', '{"prompt":', '[]', 'null', '"x"', '{}', '{"prompt":""}', '{"prompt":1}', '{"prompt":["x"]}'])(
  'refuses the body %j',
  (body) => {
    expect(parse(body)).toMatchObject({ kind: 'refused', status: 400 })
  },
)

test.each(['text/plain', 'application/jsonp', ''])('refuses the content type %j', (contentType) => {
  expect(parse('{"prompt":"x"}', contentType)).toMatchObject({ status: 415 })
})

test('refuses a body without a content type', () => {
  expect(parsePromptBody({ headers: {}, body: '{"prompt":"x"}' })).toMatchObject({ status: 415 })
})

test('takes a body of the largest size, counted in bytes, and refuses one byte more', () => {
  const bytesAround = Buffer.byteLength('{"prompt":""}')
  const largest = `{"prompt":"ü${'x'.repeat(MAX_BODY_BYTES - bytesAround - 2)}"}`
  expect(Buffer.byteLength(largest)).toBe(MAX_BODY_BYTES)
  expect(parse(largest).kind).toBe('prompt')
  expect(parse(`${largest} `)).toMatchObject({ status: 413 })
})
