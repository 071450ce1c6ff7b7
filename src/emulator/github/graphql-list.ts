import { createError } from './graphql-errors.ts'

/** The arguments of every connection. */
export interface Paging {
  readonly first?: number | null
  readonly last?: number | null
  readonly after?: string | null
  readonly before?: string | null
}

const MAX_RECORDS = 100
const PREFIX = 'cursor:v2:'

const toCursor = (position: number): string => Buffer.from(`${PREFIX}${position}`).toString('base64')

/** Returns the position of a cursor in its list. Clients send an empty cursor for the first page. */
function readCursor(cursor: string | null | undefined, fallback: number): number {
  if (cursor === null || cursor === undefined || cursor === '') return fallback
  const text = Buffer.from(cursor, 'base64').toString()
  const position = Number(text.slice(PREFIX.length))
  if (text.startsWith(PREFIX) && Number.isInteger(position)) return position
  throw createError('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` does not appear to be a valid cursor.`)
}

/** Returns the range of the requested page. GitHub requires a page size of at most 100. */
function selectPage(name: string, { first, last, after, before }: Paging, length: number): readonly [number, number] {
  const [argument, size] = typeof first === 'number' ? ['first', first] : ['last', last]
  if (typeof size !== 'number')
    throw createError(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    )
  if (size > MAX_RECORDS)
    throw createError(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`${argument}\` limit of ${MAX_RECORDS} records.`,
    )
  const from = readCursor(after, -1) + 1
  const to = Math.min(readCursor(before, length), length)
  return argument === 'first' ? [from, Math.min(from + size, to)] : [Math.max(from, to - size), to]
}

/**
 * Creates a GraphQL connection. Computes only the selected fields.
 * @param name of the field, for error messages
 */
export function createConnection<T>(
  name: string,
  items: readonly T[],
  paging: Paging,
  show: (item: T) => object,
): object {
  return {
    totalCount: items.length,
    nodes: () => items.slice(...selectPage(name, paging, items.length)).map(show),
    edges: () => {
      const [from, to] = selectPage(name, paging, items.length)
      return items.slice(from, to).map((item, index) => ({ cursor: toCursor(from + index), node: show(item) }))
    },
    pageInfo: () => {
      const [from, to] = selectPage(name, paging, items.length)
      return {
        hasPreviousPage: from > 0,
        hasNextPage: to < items.length,
        startCursor: from < to ? toCursor(from) : null,
        endCursor: from < to ? toCursor(to - 1) : null,
      }
    },
  }
}

/** Creates a field that is a connection. */
export const createConnectionField =
  <T>(name: string, read: () => readonly T[], show: (item: T) => object) =>
  (paging: Paging): object =>
    createConnection(name, read(), paging, show)
