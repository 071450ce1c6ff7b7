/**
 * Takes the pictures of the documents: job summaries of real runs against the embedded service, as GitHub shows them, light
 * and dark. With words, only the pictures whose names contain one of them: npm run docs:pictures -- visitors
 *
 * Needs `npm run build` before, the development dependencies, and Chromium on the PATH or in CHROMIUM. No test needs the
 * pictures fresh.
 */
import { findMermaid } from './find-mermaid.mjs'
import { hasChart, summaryPage } from './page.mjs'
import { locate } from './places.mjs'
import { runShot } from './run-shot.mjs'
import { SHOTS } from './shots.mjs'
import { makeSmall, takePicture } from './take-picture.mjs'

const words = process.argv.slice(2)
const shots = SHOTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

for (const shot of shots) {
  const markdown = await runShot(shot)
  const mermaid = hasChart(markdown) ? findMermaid() : undefined
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const file = locate(`docs/assets/${shot.name}-${theme}.png`)
    takePicture(summaryPage({ markdown, job: 'docs', theme, until: shot.until, mermaid }), file)
    console.log(`${file}, ${makeSmall(file)} bytes`)
  }
}
if (shots.length === 0) throw new Error(`There are only: ${SHOTS.map(({ name }) => name).join(', ')}.`)
