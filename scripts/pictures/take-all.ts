/**
 * Takes the pictures of the documents, in light and dark, from the runs whose texts a test compares. With arguments, takes only
 * the pictures whose names contain one of them: npm run docs:pictures -- conversation
 *
 * Needs the development dependencies, and Chromium on the PATH or in CHROMIUM.
 */
import { join } from 'node:path'
import { root } from '../../testing/markdown-files.ts'
import { conversationPage, screenPage, summaryPage } from './page.ts'
import { runFlags } from './run-flags.ts'
import { SHOTS } from './shots.ts'
import { makeSmall, takePicture } from './take-picture.ts'

const words = process.argv.slice(2)
const shots = SHOTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

/** Sharp on most screens, and still small files. The documents show the pages smaller than they are. */
const SIZES = {
  summary: { width: 840, scale: 1.25 },
  page: { width: 1120, scale: 1 },
  screen: { width: 880, scale: 1.25 },
}
const PAGES = { summary: summaryPage, page: conversationPage, screen: screenPage }

for (const { name, flags, of, until } of shots) {
  const [text = '', rest] = (await runFlags(flags))[of].split(`\n${until}`)
  if (rest === undefined) throw new Error(`The picture cannot end before «${until}», which is not there.`)
  for (const theme of ['light', 'dark'] as const) {
    const file = join(root, `docs/assets/${name}-${theme}.png`)
    takePicture(PAGES[of](text, theme), file, SIZES[of])
    console.log(`${file}, ${makeSmall(file)} bytes`)
  }
}
if (shots.length === 0) throw new Error(`There are only: ${SHOTS.map(({ name }) => name).join(', ')}.`)
