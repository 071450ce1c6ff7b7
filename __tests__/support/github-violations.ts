import type { GitHubExchange } from '../../src/emulator/github/github.ts'
import { findOperation } from './github-schema.ts'
import { checkAnswer, checkRequest } from './github-validation.ts'

const parsed = (text: string): unknown => (text === '' ? undefined : (JSON.parse(text) as unknown))

/** What in a request and its answer GitHub's published description does not allow. Faults are what they are. */
export function violationsOf({ operation: name, request, fault, response }: GitHubExchange): string[] {
  const { pathname, searchParams: query } = new URL(request.target, 'http://localhost')
  // Where a repository has moved, GitHub sends on to its id, of which its description says nothing.
  const path = pathname.replace(/^\/api\/v3(?=\/)/, '').replace(/^\/repositories\/\d+(?=\/)/, '/repos/acme/docs')
  const found = findOperation(request.method, path)
  // GitHub's description is of its REST interface.
  if (name === 'graphql') return []
  if (found === undefined || name === undefined) return [`There is no ${request.method} ${pathname} here.`]
  const { operation, params } = found
  const wrongName = operation.operationId === name ? [] : [`${name} is called ${operation.operationId}.`]
  const problems = checkRequest({ operation, params, query, body: parsed(request.body) })
  return fault === 'none'
    ? [...wrongName, ...problems, ...checkAnswer(operation, response.status, parsed(response.body))]
    : [...wrongName, ...problems]
}
