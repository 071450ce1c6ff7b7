import { expect, test } from '@jest/globals'
import { jsonResponse } from '../../src/emulator/http/exchange.ts'
import { listViolations } from '../support/github-violations.ts'

interface Exchange {
  readonly method?: string
  readonly path?: string
  readonly sent?: object
  readonly status?: number
  readonly body?: object
}

const LABEL = { id: 1, name: 'docs', description: '', color: 'ededed', default: false }

/** What GitHub's description says of an exchange about the labels of pull request 7. */
function judge({ method = 'POST', path = '/issues/7/labels', sent, status = 200, body = [LABEL] }: Exchange): string[] {
  const target = `/api/v3/repos/acme/docs${path}`
  const request = { method, target, headers: {}, body: sent === undefined ? '' : JSON.stringify(sent) }
  const response = jsonResponse(status, body)
  return listViolations({ operation: 'issues/add-labels', request, fault: 'none', response })
}

test('what is as GitHub describes it is fine, without the addresses that nobody follows', () => {
  expect(judge({ sent: { labels: ['docs'] } })).toEqual([])
  expect(judge({ status: 404, body: { message: 'Not Found' } })).toEqual([])
})

test.each<[string, Exchange, string]>([
  ['a query that is not described', { path: '/issues/7/labels?perpage=1' }, 'there is no perpage'],
  ['a path that is not described', { path: '/issues/seven/labels' }, 'must be integer'],
  ['an operation of another name', { path: '/issues/7/labels', method: 'PUT' }, 'is called issues/set-labels'],
  ['a body that is not described', { sent: { labels: [{ title: 'docs' }] } }, 'must match'],
  ['a field that GitHub does not know', { body: [{ ...LABEL, title: 'docs' }] }, 'has no []/title'],
  ['a value that GitHub would not give', { body: [{ ...LABEL, color: 7 }] }, 'color must be string'],
  ['a field that GitHub always gives', { body: [{ ...LABEL, default: undefined }] }, "required property 'default'"],
])('%s is noticed', (_name, exchange, text) => {
  expect(judge(exchange)).toEqual(expect.arrayContaining([expect.stringContaining(text)]))
})
