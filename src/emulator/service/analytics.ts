import type { VisitorsPage } from '../../docs-service/schemas.ts'
import { type VisitorCounts, countVisitors } from './visitor-counts.ts'
import type { VisitorsQuery } from './visitors-query.ts'
import { type Visit, type VisitsOptions, generateVisits } from './visits.ts'

export interface Analytics {
  /** One page of unique visitors (section 4.4). */
  page(query: VisitorsQuery): VisitorsPage
}

/** The visits of the site, which are the same for every project. Nothing is computed before it is asked for. */
export function createAnalytics(options: VisitsOptions): Analytics {
  const countsByRange = new Map<string, VisitorCounts>()
  let visits: readonly Visit[] | undefined

  function counts({ range }: VisitorsQuery): VisitorCounts {
    const key = `${range.fromMs} ${range.toMs}`
    const known = countsByRange.get(key)
    if (known !== undefined) return known
    visits ??= generateVisits(options)
    const counted = countVisitors(visits, range)
    countsByRange.set(key, counted)
    return counted
  }

  return {
    page(query) {
      const { totals, visitors } = counts(query)
      const end = query.offset + query.limit
      return { totals, visitors: visitors.slice(query.offset, end), hasMore: end < visitors.length }
    },
  }
}
