import { CHECK_OPERATIONS } from './check-operations.ts'
import { COMMENT_OPERATIONS } from './comment-operations.ts'
import { ISSUE_OPERATIONS } from './issue-operations.ts'
import type { Operation, Operations } from './operation.ts'
import { PULL_OPERATIONS } from './pull-operations.ts'
import { REPOSITORY_OPERATIONS } from './repository-operations.ts'
import { WORKFLOW_OPERATIONS } from './workflow-operations.ts'

/** All that this GitHub can do in a repository. */
export const OPERATIONS: Operations = {
  ...REPOSITORY_OPERATIONS,
  ...PULL_OPERATIONS,
  ...ISSUE_OPERATIONS,
  ...COMMENT_OPERATIONS,
  ...CHECK_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
}

export interface GitHubRoute {
  readonly name: string
  readonly operation: Operation
  /** The values in the path, without those of the repository. */
  readonly params: Readonly<Record<string, string>>
}

const VALUE = /\{(\w+)\}/g

/** Names of branches and tags may hold a slash. */
function formOf(value: string): string {
  if (['basehead', 'ref', 'tag'].includes(value)) return '.+'
  return /_number$|_id$/.test(value) && value !== 'workflow_id' ? '\\d+' : '[^/]+'
}

/** Those with the most words first: `/commits/main/status` is a status, and not the commit of a branch `main/status`. */
const ROUTES = Object.entries(OPERATIONS)
  .map(([name, operation]) => ({
    name,
    operation,
    words: operation.path.replaceAll(VALUE, '').length,
    path: new RegExp(`^${operation.path.replaceAll(VALUE, (_, value: string) => `(?<${value}>${formOf(value)})`)}$`),
  }))
  .sort((a, b) => b.words - a.words)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds what a path below `/repos/{owner}/{repo}` is for. */
export function findRoute(method: string, path: string): GitHubRoute | undefined {
  for (const { name, operation, path: pattern } of ROUTES) {
    const match = operation.method === method ? pattern.exec(path) : null
    if (match === null) continue
    const params = Object.entries(match.groups ?? {}).map(([value, text]) => [value, decoded(text)])
    return { name, operation, params: Object.fromEntries(params) as Record<string, string> }
  }
  return undefined
}
