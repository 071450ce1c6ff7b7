import { expect, test } from '@jest/globals'
import { jsonResponse } from '../../src/emulator/http/exchange.ts'
import { listViolations } from '../../testing/github-violations.ts'

interface Exchange {
  readonly method?: string
  readonly path?: string
  readonly sent?: object
  readonly status?: number
  readonly body?: object
}

const LABEL = { id: 1, name: 'docs', description: '', color: 'ededed', default: false }

/** Returns the violations in an exchange about the labels of pull request 7. */
function listProblems({
  method = 'POST',
  path = '/issues/7/labels',
  sent,
  status = 200,
  body = [LABEL],
}: Exchange): string[] {
  const target = `/api/v3/repos/acme/docs${path}`
  const request = { method, target, headers: {}, body: sent === undefined ? '' : JSON.stringify(sent) }
  const response = jsonResponse(status, body)
  return listViolations({ operation: 'issues/add-labels', request, fault: 'none', response })
}

test('accepts exchanges that match the description, even without the URLs of resources', () => {
  expect(listProblems({ sent: { labels: ['docs'] } })).toEqual([])
  expect(listProblems({ status: 404, body: { message: 'Not Found' } })).toEqual([])
})

test.each<[string, Exchange, string]>([
  ['a query that is not described', { path: '/issues/7/labels?perpage=1' }, 'there is no perpage'],
  ['a path that is not described', { path: '/issues/seven/labels' }, 'must be integer'],
  ['an operation of another name', { path: '/issues/7/labels', method: 'PUT' }, 'is called issues/set-labels'],
  ['a body that is not described', { sent: { labels: [{ title: 'docs' }] } }, 'must match'],
  ['an undescribed field', { body: [{ ...LABEL, title: 'docs' }] }, 'has no []/title'],
  ['a value of another type', { body: [{ ...LABEL, color: 7 }] }, 'color must be string'],
  ['a missing required field', { body: [{ ...LABEL, default: undefined }] }, "required property 'default'"],
])('reports %s', (_name, exchange, text) => {
  expect(listProblems(exchange)).toEqual(expect.arrayContaining([expect.stringContaining(text)]))
})
