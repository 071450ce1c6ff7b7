/**
 * Takes the pictures of the documents: of the runs whose texts a test compares, as GitHub shows them, light and dark. With
 * words, only the pictures whose names contain one of them: npm run docs:pictures -- visitors
 *
 * Needs the development dependencies, and Chromium on the PATH or in CHROMIUM.
 */
import { playFlags } from '../summaries/play-flags.ts'
import { findMermaid } from './find-mermaid.mjs'
import { conversationPage, cutBefore, hasChart, summaryPage } from './page.mjs'
import { locate } from './places.mjs'
import { SHOTS } from './shots.mjs'
import { makeSmall, takePicture } from './take-picture.mjs'

const words = process.argv.slice(2)
const shots = SHOTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

for (const { name, flags, of = 'summary', until } of shots) {
  const text = cutBefore((await playFlags(flags))[of], until)
  const mermaid = of === 'summary' && hasChart(text) ? findMermaid() : undefined
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    const file = locate(`docs/assets/${name}-${theme}.png`)
    const isCut = until !== undefined
    const page =
      of === 'page' ? conversationPage(text, theme) : summaryPage({ text, job: 'docs', theme, isCut, mermaid })
    takePicture(page, file)
    console.log(`${file}, ${makeSmall(file)} bytes`)
  }
}
if (shots.length === 0) throw new Error(`There are only: ${SHOTS.map(({ name }) => name).join(', ')}.`)
