import type { VisitorsPage } from '../../docs-service/schemas.ts'
import type { VisitorsQuery } from './visitors-query.ts'

/** What the list of visited pages is like: as it should be, or in one of the ways in which none should be. */
export type Listing = 'whole' | 'moving' | 'stuck' | 'long-path' | 'endless'

type ReadPart = (query: VisitorsQuery) => VisitorsPage

/** The rows in a part of a list that moves: so few that a small site has several parts, too. */
const MOVING_ROWS = 10

const LISTINGS: Readonly<Record<Listing, (query: VisitorsQuery, read: ReadPart) => VisitorsPage>> = {
  whole: (query, read) => read(query),
  // After the first part a page came in before it, so that the last row of that part is the first one of the next.
  moving: (query, read) =>
    read({ ...query, limit: Math.min(query.limit, MOVING_ROWS), offset: Math.max(query.offset - 1, 0) }),
  stuck: (query, read) => ({ ...read({ ...query, offset: 0 }), hasMore: true }),
  'long-path': (query, read) =>
    changePaths(read(query), (path, index) => (index === 0 ? `/${'long/'.repeat(2_000)}` : path)),
  endless: ({ range, limit, offset }, read) => {
    const { totals } = read({ range, limit: 1, offset: 0 })
    const row = { ...totals, path: '' }
    const part = { totals, visitors: Array.from({ length: limit }, () => row), hasMore: true }
    return changePaths(part, (_, index) => `/${offset + index}/${'x'.repeat(8_000)}`)
  },
}

/** The same part with other paths. */
export function changePaths(part: VisitorsPage, change: (path: string, index: number) => string): VisitorsPage {
  return { ...part, visitors: part.visitors.map((row, index) => ({ ...row, path: change(row.path, index) })) }
}

/** The part of the list that is asked for, or what comes in its place. */
export function listPages(listing: Listing, query: VisitorsQuery, read: ReadPart): VisitorsPage {
  return LISTINGS[listing](query, read)
}
