import { expect, test } from '@jest/globals'
import { readInputs } from '../../src/action/read-inputs.ts'
import { fakeHost } from '../support/fake-host.ts'

const NAMES = ['prompt', 'api-key', 'base-url'] as const

test('masks the key, as given and trimmed, before it reads anything else', () => {
  const host = fakeHost({ 'api-key': ' docs_key\n', prompt: 'Fix it.' })
  readInputs(NAMES, host, {})
  expect(host.said.slice(0, 3)).toEqual(['input: api-key', 'mask:  docs_key\n', 'mask: docs_key'])
})

test('takes inputs as they are', () => {
  const host = fakeHost({ prompt: ' Fix it.\n', 'api-key': 'docs_key', 'base-url': 'https://docs.example.com' })
  expect(readInputs(NAMES, host, { DOCS_AGENT_BASE_URL: 'https://other.example.com' })).toEqual({
    prompt: ' Fix it.\n',
    'api-key': 'docs_key',
    'base-url': 'https://docs.example.com',
  })
})

test.each(['', '  '])('takes the address from the environment where the input is %j', (given) => {
  const inputs = readInputs(NAMES, fakeHost({ 'base-url': given }), { DOCS_AGENT_BASE_URL: 'https://env.example.com' })
  expect(inputs['base-url']).toBe('https://env.example.com')
})

test('leaves the address empty where nobody gives one', () => {
  expect(readInputs(NAMES, fakeHost(), {})['base-url']).toBe('')
})
