// A quick script: it collects all rows in memory before it writes them.
import { writeFileSync } from 'node:fs'

/** @typedef {{ path: string, human: number, ai: number, total: number }} Row */
/** @type {Row[]} */
const rows = []
const url = `${process.env['INPUT_BASE-URL'] ?? ''}/v1/analytics/docs/visitors`
for (let hasMore = true; hasMore;) {
  const response = await fetch(`${url}?limit=250&offset=${rows.length}`)
  const page = /** @type {{ visitors: Row[], hasMore: boolean }} */ (await response.json())
  rows.push(...page.visitors)
  hasMore = page.hasMore
}
const lines = rows.map(({ path, human, ai, total }) => [path, human, ai, total].join(','))
writeFileSync('visitors.csv', ['path,human,ai,total', ...lines, ''].join('\r\n'))
