import type { VisitorsPage } from '../../docs-service/schemas.ts'
import type { Visit } from './visits.ts'

export interface DateRange {
  /** The first millisecond that counts. */
  readonly fromMs: number
  /** The first millisecond that does not count any more. */
  readonly toMs: number
}

export type VisitorCounts = Omit<VisitorsPage, 'hasMore'>

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
