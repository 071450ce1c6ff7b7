import { expect, test } from '@jest/globals'
import { readRehearsal, rehearseInputs } from '../../src/action/rehearsal.ts'

const SERVER = 'http://127.0.0.1:4010'
const REHEARSAL = {
  service: SERVER,
  api: `${SERVER}/api/v3`,
  server: SERVER,
  key: 'docs_embedded',
  token: 'ghs_embedded',
}

const read = (text: string): unknown => readRehearsal({ DOCS_AGENT_REHEARSAL: text })

test('reads a rehearsal on this machine', () => {
  expect(read(JSON.stringify(REHEARSAL))).toEqual(REHEARSAL)
})

test.each([
  ['that is not JSON', '{'],
  ['that is no object', '7'],
  ['with a service on another machine', JSON.stringify({ ...REHEARSAL, service: 'http://docs.example.com' })],
  ['with an API on another machine', JSON.stringify({ ...REHEARSAL, api: 'http://127.0.0.1.example.com/api/v3' })],
  ['with pages on another machine', JSON.stringify({ ...REHEARSAL, server: 'https://github.com' })],
  ['with credentials in a URL', JSON.stringify({ ...REHEARSAL, service: 'http://me:secret@127.0.0.1:4010' })],
  ['without a key', JSON.stringify({ ...REHEARSAL, key: '' })],
  ['without a token', JSON.stringify({ ...REHEARSAL, token: undefined })],
])('ignores a rehearsal %s', (_what, text) => {
  expect(read(text)).toBeUndefined()
})

test('replaces only the inputs that the action has', () => {
  const given = { 'project-id': 'p', 'api-key': 'docs_real' }
  expect(rehearseInputs(given, REHEARSAL)).toEqual({ 'project-id': 'p', 'api-key': REHEARSAL.key })
})
