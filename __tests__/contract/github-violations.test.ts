import { expect, test } from '@jest/globals'
import { jsonResponse } from '../../src/emulator/http/exchange.ts'
import { violationsOf } from '../support/github-violations.ts'

interface Said {
  readonly method?: string
  readonly path?: string
  readonly sent?: object
  readonly status?: number
  readonly answer?: object
}

/** What GitHub's description says of an exchange about pull request 7. */
function judge(
  { method = 'GET', path = '/pulls/7', sent, status = 200, answer = {} }: Said,
  operation = 'pulls/get',
): string[] {
  const target = `/api/v3/repos/acme/docs${path}`
  const request = { method, target, headers: {}, body: sent === undefined ? '' : JSON.stringify(sent) }
  return violationsOf({ operation, request, fault: 'none', response: jsonResponse(status, answer) })
}

const noticed = (text: string): unknown => [expect.stringContaining(text)]

test('what is as GitHub describes it is fine, although an answer holds but a part', () => {
  expect(judge({ answer: { number: 7, state: 'open', head: { ref: 'guide' } } })).toEqual([])
  expect(judge({ status: 404, answer: { message: 'Not Found' } })).toEqual([])
})

test.each<[string, Said, string]>([
  ['a query that is not described', { path: '/pulls/7?perpage=1' }, 'there is no perpage'],
  ['a path that is not described', { path: '/pulls/seven' }, 'must be integer'],
  ['an operation of another name', { path: '/pulls/7/files', answer: [] }, 'is called pulls/list-files'],
  ['a field that GitHub does not know', { answer: { head: { branch: 'guide' } } }, 'has no /head/branch'],
  ['a value that GitHub would not give', { answer: { state: 'ajar' } }, 'must be equal to one of'],
])('%s is noticed', (_name, said, text) => {
  expect(judge(said)).toEqual(noticed(text))
})

test('a body that is not described is noticed', () => {
  const said = { method: 'POST', path: '/issues/7/comments', sent: { text: 'hello' }, status: 201 }
  expect(judge(said, 'issues/create-comment')).toEqual(noticed("required property 'body'"))
})
