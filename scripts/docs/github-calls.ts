import { formatAcceptedPermissions } from '../../src/emulator/github/operation.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { OPERATIONS } from '../../src/emulator/github/routes.ts'
import { renderTable, replaceBetweenMarkers } from './markdown-tables.ts'

const formatList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

const inRepository = { repository: createRepositoryState(), params: {} }

const ROWS = Object.values(OPERATIONS).map((operation) => ({
  ...operation,
  path: `/repos/{owner}/{repo}${operation.path}`,
  permissions: formatAcceptedPermissions(operation, inRepository),
}))

/** Renders the table of REST API calls that the embedded GitHub supports. */
export function renderCalls(): string {
  const rows = ROWS.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)).map(
    ({ method, path, permissions, parameters }) => [
      `\`${method} ${path}\``,
      `\`${permissions}\``,
      formatList(parameters.unsupported ?? []),
    ],
  )
  return renderTable([['Call', 'Permission', 'Not implemented (501)'], ...rows])
}

/** @returns the document with the current table */
export function writeCalls(text: string): string {
  return replaceBetweenMarkers(text, 'github-calls', renderCalls())
}
