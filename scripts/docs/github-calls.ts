import { formatAcceptedPermissions } from '../../src/emulator/github/operation.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { OPERATIONS } from '../../src/emulator/github/routes.ts'
import { replaceBetweenMarkers } from './markdown-tables.ts'

const inRepository = { repository: createRepositoryState(), params: {} }

const ROWS = Object.values(OPERATIONS).map((operation) => ({
  ...operation,
  path: `/repos/{owner}/{repo}${operation.path}`,
  permissions: formatAcceptedPermissions(operation, inRepository),
}))

/** Lists the REST API calls that the embedded GitHub supports, with the permissions that each needs. */
export function renderCalls(): string {
  const sorted = ROWS.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  return sorted.map(({ method, path, permissions }) => `- \`${method} ${path}\`: \`${permissions}\``).join('\n')
}

/** @returns the document with the current list */
export function writeCalls(text: string): string {
  return replaceBetweenMarkers(text, 'github-calls', renderCalls())
}
