// What a script written in a hurry does: it collects all rows, and writes them when it has them all.
import { writeFileSync } from 'node:fs'

/** @type {import('./paging-server.ts').SitePage['visitors'][number][]} */
const rows = []
const address = `${process.env['INPUT_BASE-URL'] ?? ''}/v1/analytics/docs/visitors`
for (let hasMore = true; hasMore;) {
  const answer = await fetch(`${address}?limit=250&offset=${rows.length}`)
  const page = /** @type {import('./paging-server.ts').SitePage} */ (await answer.json())
  rows.push(...page.visitors)
  hasMore = page.hasMore
}
const lines = rows.map(({ path, human, ai, total }) => [path, human, ai, total].join(','))
writeFileSync('visitors.csv', ['path,human,ai,total', ...lines, ''].join('\r\n'))
