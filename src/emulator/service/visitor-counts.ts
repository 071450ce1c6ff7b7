import type { VisitorsPage } from '../../docs-service/schemas.ts'
import type { DateRange, VisitorsQuery } from './visitors-query.ts'
import { type Visit, type VisitsOptions, generateVisits } from './visits.ts'

type VisitorCounts = Omit<VisitorsPage, 'hasMore'>

interface Seen {
  readonly human: Set<number>
  readonly ai: Set<number>
}

function nobody(): Seen {
  return { human: new Set(), ai: new Set() }
}

/** Section 4.4, rule 1: who was seen as both is one visitor in the total. */
function count({ human, ai }: Seen): VisitorsPage['totals'] {
  let both = 0
  for (const visitor of ai) if (human.has(visitor)) both += 1
  return { human: human.size, ai: ai.size, total: human.size + ai.size - both }
}

/** Unique visitors in a range, of the site and of each visited page: most visitors first, then by path. */
export function countVisitors(visits: readonly Visit[], { fromMs, toMs }: DateRange): VisitorCounts {
  const site = nobody()
  const pages = new Map<string, Seen>()
  for (const { visitor, kind, path, atMs } of visits) {
    if (atMs < fromMs || atMs >= toMs) continue
    const page = pages.get(path) ?? nobody()
    pages.set(path, page)
    page[kind].add(visitor)
    site[kind].add(visitor)
  }
  const visitors = [...pages].map(([path, seen]) => ({ path, ...count(seen) }))
  visitors.sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
  return { totals: count(site), visitors }
}

/** One page of unique visitors (section 4.4). */
export type Analytics = (query: VisitorsQuery) => VisitorsPage

/** The visits of the site, which are the same for every project. Nothing is computed before it is asked for. */
export function createAnalytics(options: VisitsOptions): Analytics {
  const countsByRange = new Map<string, VisitorCounts>()
  let visits: readonly Visit[] | undefined
  return ({ range, offset, limit }) => {
    const key = `${range.fromMs} ${range.toMs}`
    const { totals, visitors } = countsByRange.get(key) ?? countVisitors((visits ??= generateVisits(options)), range)
    countsByRange.set(key, { totals, visitors })
    const end = offset + limit
    return { totals, visitors: visitors.slice(offset, end), hasMore: end < visitors.length }
  }
}
