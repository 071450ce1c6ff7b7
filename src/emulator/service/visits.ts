import { createRandom } from './random.ts'

const DAY_MS = 86_400_000
/** How far back visits go, in days. */
export const VISITS_DAYS = 90

/** One visit of one page. The same visitor can be seen as a human once and as an AI another time. */
export interface Visit {
  readonly visitor: number
  readonly kind: 'human' | 'ai'
  readonly path: string
  readonly atMs: number
}

export interface VisitsOptions {
  readonly pages: number
  readonly visits: number
  /** Another seed gives other visits. Default: 1. */
  readonly seed?: number
  /** No visit is at or after this time. */
  readonly endMs: number
}

const SECTIONS = ['guides', 'reference', 'concepts', 'tutorials', 'integrations', 'support'] as const
const TOPICS = ['install', 'configure', 'deploy', 'search', 'themes', 'limits', 'errors', 'upgrade'] as const

/** The path of a site's page by its number. Distinct numbers have distinct paths. */
export function pagePath(index: number): string {
  if (index === 0) return '/'
  const section = SECTIONS[index % SECTIONS.length] ?? ''
  const nth = Math.floor(index / SECTIONS.length)
  const topic = TOPICS[nth % TOPICS.length] ?? ''
  const round = Math.floor(nth / TOPICS.length)
  return `/${section}/${topic}${round === 0 ? '' : `-${round + 1}`}`
}

/** Of ten visitors, six are human, three are AI, and one is seen as either. */
const AI_SHARE = [0, 0, 0, 0, 0, 0, 1, 1, 1, 0.5] as const

/**
 * Visits over the 90 days before `endMs`, in no order. Low page numbers are visited more. All follows from the options.
 */
export function generateVisits({ pages, visits, seed = 1, endMs }: VisitsOptions): readonly Visit[] {
  const random = createRandom(seed)
  const visitors = Math.max(1, Math.ceil(visits / 4))
  const paths = Array.from({ length: pages }, (_, index) => pagePath(index))
  return Array.from({ length: visits }, (): Visit => {
    const visitor = Math.floor(random() * visitors)
    const kind = random() < (AI_SHARE[visitor % AI_SHARE.length] ?? 0) ? 'ai' : 'human'
    const path = paths[Math.floor(random() ** 2 * pages)] ?? '/'
    return { visitor, kind, path, atMs: endMs - 1 - Math.floor(random() * VISITS_DAYS * DAY_MS) }
  })
}
