import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * @typedef {{ path: string, human: number, ai: number, total: number }} Row
 *
 * @typedef {object} PageRequest
 * @property {number} nth from 1, of all requests for pages
 * @property {number} offset
 * @property {number} limit
 * @property {string | null} dateFrom
 * @property {string | null} dateTo
 *
 * @typedef {object} PageAnswer
 * @property {number} [status] by default 200
 * @property {Record<string, string>} [headers]
 * @property {unknown} body sent as JSON
 *
 * @typedef {object} PagingServer
 * @property {string} url
 * @property {readonly PageRequest[]} requests every request so far, oldest first
 * @property {() => Promise<void>} close
 */

/**
 * The row of a made-up site's page, most visited first.
 *
 * @param {number} index from 0
 * @returns {Row}
 */
export function siteRow(index) {
  const human = 1 + Math.floor(20_000 / (index + 1))
  const ai = 1 + (index % 7)
  return { path: `/guides/section-${index % 12}/page-${index}`, human, ai, total: human + ai }
}

/** More visitors than any page has, some of them seen as both. */
export const SITE_TOTALS = { human: 30_000, ai: 9_000, total: 35_000 }

/**
 * One page of a made-up site, as section 4.4 of the service's interface says.
 *
 * @param {number} rows how many the site has
 * @param {{ offset: number, limit: number }} request
 */
export function sitePage(rows, { offset, limit }) {
  const count = Math.max(0, Math.min(limit, rows - offset))
  return {
    totals: SITE_TOTALS,
    visitors: Array.from({ length: count }, (_, index) => siteRow(offset + index)),
    hasMore: offset + limit < rows,
  }
}

/**
 * Serves pages of visitors on loopback: all that is asked for, it asks `answer` for.
 *
 * @param {(request: PageRequest) => PageAnswer | Promise<PageAnswer>} answer
 * @returns {Promise<PagingServer>}
 */
export async function servePages(answer) {
  /** @type {PageRequest[]} */
  const requests = []
  const server = createServer((incoming, outgoing) => {
    const query = new URL(incoming.url ?? '', 'http://localhost').searchParams
    const request = {
      nth: requests.length + 1,
      offset: Number(query.get('offset') ?? 0),
      limit: Number(query.get('limit') ?? 50),
      dateFrom: query.get('dateFrom'),
      dateTo: query.get('dateTo'),
    }
    requests.push(request)
    void Promise.resolve(answer(request)).then(({ status = 200, headers = {}, body }) => {
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close').catch(() => undefined)
    },
  }
}
