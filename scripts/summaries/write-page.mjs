/** Writes docs/internals/summaries.md. A test says if it is not what the scenarios give today. */
import { writeFileSync } from 'node:fs'
import { locate } from '../pictures/places.mjs'
import { renderPage } from './render-page.ts'

writeFileSync(locate('docs/internals/summaries.md'), await renderPage())
