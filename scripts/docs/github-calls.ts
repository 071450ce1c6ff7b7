import { ACCOUNT_OPERATIONS } from '../../src/emulator/github/account-operations.ts'
import { formatAcceptedPermissions } from '../../src/emulator/github/operation.ts'
import type { SupportedParameters } from '../../src/emulator/github/parameters.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { OPERATIONS } from '../../src/emulator/github/routes.ts'
import { renderTable, replaceBetweenMarkers } from './markdown-tables.ts'

const formatList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

interface Row {
  readonly method: string
  readonly path: string
  readonly permissions: string
  readonly parameters: SupportedParameters
}

const inRepository = { repository: createRepositoryState(), params: {} }

const ROWS: readonly Row[] = [
  ...Object.values(OPERATIONS).map((operation) => ({
    ...operation,
    path: `/repos/{owner}/{repo}${operation.path}`,
    permissions: formatAcceptedPermissions(operation, inRepository),
  })),
  ...Object.values(ACCOUNT_OPERATIONS).map((operation) => ({ ...operation, method: 'GET', permissions: '' })),
]

/** Renders the table of REST API calls that the embedded GitHub supports. */
export function renderCalls(): string {
  const rows = ROWS.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)).map(
    ({ method, path, permissions, parameters }) => [
      `\`${method} ${path}\``,
      permissions === '' ? '' : `\`${permissions}\``,
      formatList(parameters.unsupported ?? []),
    ],
  )
  return renderTable([['Call', 'Permission', 'Not implemented (501)'], ...rows])
}

/** @returns the document with the current table */
export function writeCalls(text: string): string {
  return replaceBetweenMarkers(text, 'github-calls', renderCalls())
}
