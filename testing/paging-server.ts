import type { LoopbackServer } from '../scripts/small-runner/listen-on-loopback.ts'
import { serve, type CannedResponse } from '../scripts/bench/serve.ts'

/** Returns the visitors of a page of an invented site. Pages with lower indexes have more visitors. */
export function createSiteRow(index: number): { path: string; human: number; ai: number; total: number } {
  const human = 1 + Math.floor(20_000 / (index + 1))
  const ai = 1 + (index % 7)
  return { path: `/guides/section-${index % 12}/page-${index}`, human, ai, total: human + ai }
}

/** More visitors than any page has. Some of them count as both kinds. */
export const SITE_TOTALS = { human: 30_000, ai: 9_000, total: 35_000 }

interface SitePage {
  readonly totals: typeof SITE_TOTALS
  readonly visitors: readonly ReturnType<typeof createSiteRow>[]
  readonly hasMore: boolean
}

/** Returns one page of the rows of an invented site (section 4.4 of the service's interface). */
export function createSitePage(rows: number, { offset, limit }: Pick<PageRequest, 'offset' | 'limit'>): SitePage {
  const length = Math.max(0, Math.min(limit, rows - offset))
  return {
    totals: SITE_TOTALS,
    visitors: Array.from({ length }, (_, index) => createSiteRow(offset + index)),
    hasMore: offset + limit < rows,
  }
}

export type PageResult = CannedResponse

export interface PageRequest {
  /** The number of the request, from 1. */
  readonly nth: number
  readonly offset: number
  readonly limit: number
  readonly dateFrom: string | null
  readonly dateTo: string | null
}

/** Parses the URL of a request. */
export function readPageRequest(target: string, nth: number): PageRequest {
  const query = new URL(target, 'http://localhost').searchParams
  return {
    nth,
    offset: Number(query.get('offset')),
    limit: Number(query.get('limit')),
    dateFrom: query.get('dateFrom'),
    dateTo: query.get('dateTo'),
  }
}

/** Serves pages of visitors on loopback, and records all requests in order. */
export async function servePages(
  respond: (request: PageRequest) => PageResult | Promise<PageResult>,
): Promise<LoopbackServer & { readonly requests: readonly PageRequest[] }> {
  const requests: PageRequest[] = []
  const server = await serve(({ url = '' }) => {
    const request = readPageRequest(url, requests.length + 1)
    requests.push(request)
    return respond(request)
  })
  return { ...server, requests }
}
