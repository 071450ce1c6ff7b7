import type { VisitorsPage } from '../../docs-service/interface.ts'
import type { TimeRange, ParsedVisitorsQuery } from './visitors-query.ts'
import { createRandom } from './random.ts'

const DAY_MS = 86_400_000
/** Two years. */
export const VISIT_HISTORY_DAYS = 730

/** One visit to one page. A visitor can be classified as human in one visit and as AI in another. */
export interface Visit {
  readonly visitor: number
  readonly kind: 'human' | 'ai'
  readonly path: string
  readonly atMs: number
}

export interface VisitsOptions {
  readonly pages: number
  readonly visits: number
  /** No visit is at or after this time. */
  readonly endMs: number
}

const SECTIONS = ['guides', 'reference', 'concepts', 'tutorials', 'integrations', 'support'] as const
const TOPICS = ['install', 'configure', 'deploy', 'search', 'themes', 'limits', 'errors', 'upgrade'] as const

/** Returns the path of a page by its index. Each index has a different path. */
export function getPagePath(index: number): string {
  if (index === 0) return '/'
  const section = SECTIONS[index % SECTIONS.length] ?? ''
  const nth = Math.floor(index / SECTIONS.length)
  const topic = TOPICS[nth % TOPICS.length] ?? ''
  const round = Math.floor(nth / TOPICS.length)
  return `/${section}/${topic}${round === 0 ? '' : `-${round + 1}`}`
}

/** Of ten visitors, six are human, three are AI, and one is classified as either one at random. */
const AI_SHARE = [0, 0, 0, 0, 0, 0, 1, 1, 1, 0.5] as const

/**
 * Generates unsorted visits over the two years before `endMs`. Low page numbers get more visits, and AI visits grow from
 * almost none, so that a comparison shows growth. The result depends on the options only.
 */
export function generateVisits({ pages, visits, endMs }: VisitsOptions): readonly Visit[] {
  const random = createRandom(1)
  const visitors = Math.max(1, Math.ceil(visits / 4))
  const paths = Array.from({ length: pages }, (_, index) => getPagePath(index))
  return Array.from({ length: visits }, (): Visit => {
    const visitor = Math.floor(random() * visitors)
    const kind = random() < (AI_SHARE[visitor % AI_SHARE.length] ?? 0) ? 'ai' : 'human'
    const path = paths[Math.floor(random() ** 2 * pages)] ?? '/'
    const age = kind === 'ai' ? Math.min(random(), random()) : random()
    return { visitor, kind, path, atMs: endMs - 1 - Math.floor(age * VISIT_HISTORY_DAYS * DAY_MS) }
  })
}

type VisitorCounts = Omit<VisitorsPage, 'hasMore'>

interface VisitorSets {
  readonly human: Set<number>
  readonly ai: Set<number>
}

function createVisitorSets(): VisitorSets {
  return { human: new Set(), ai: new Set() }
}

/** A visitor who was classified as both counts once in the total (section 4.4, rule 1). */
function countUnique({ human, ai }: VisitorSets): VisitorsPage['totals'] {
  return { human: human.size, ai: ai.size, total: new Set([...human, ...ai]).size }
}

/** Counts the unique visitors of the site and of each page in a range: most visitors first, then by path. */
export function countVisitors(visits: readonly Visit[], { fromMs, toMs }: TimeRange): VisitorCounts {
  const site = createVisitorSets()
  const pages = new Map<string, VisitorSets>()
  for (const { visitor, kind, path, atMs } of visits) {
    if (atMs < fromMs || atMs >= toMs) continue
    const page = pages.get(path) ?? createVisitorSets()
    pages.set(path, page)
    page[kind].add(visitor)
    site[kind].add(visitor)
  }
  const visitors = [...pages].map(([path, sets]) => ({ path, ...countUnique(sets) }))
  visitors.sort((a, b) => b.total - a.total || (a.path < b.path ? -1 : 1))
  return { totals: countUnique(site), visitors }
}

/** Returns one page of unique visitors (section 4.4). */
export type Analytics = (query: ParsedVisitorsQuery) => VisitorsPage

/** Every project has the same visits. The first request generates them. */
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
