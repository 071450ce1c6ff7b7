import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { renderPage } from '../scripts/summaries/render-page.ts'
import { SCENES } from '../scripts/summaries/scenes.ts'
import { OUTCOMES } from '../src/agent/report/report.ts'
import { root } from './support/markdown-files.ts'

const page = readFileSync(join(root, 'docs/internals/summaries.md'), 'utf8')
const parts = page.split('\n---\n').slice(1)

test('the page shows what the scenarios of npm start give today; if not, run: npm run docs', async () => {
  expect(await renderPage()).toBe(page)
})

test('the page has each way in which a step can end', () => {
  const icons = new Set(parts.map((part) => /^## (\S+) /m.exec(part)?.[1]))
  expect(icons).toEqual(new Set(['✅', '❌', '⏰', '❓', '🚀', '🛑', '⏭️']))
  expect(parts).toHaveLength(SCENES.length)
  expect(SCENES.length).toBeGreaterThan(OUTCOMES.length)
})

test('no summary has more than one thing to do, and it says the sentences of its verdict once', () => {
  for (const part of parts) {
    expect(part.match(/What to do/g)?.length ?? 0).toBeLessThan(2)
    const verdict = /^## .+\n\n(?:### .+\n\n)?(.+)$/m.exec(part)?.[1] ?? ''
    expect(verdict).not.toBe('')
    for (const sentence of verdict.split(/(?<=\.) /)) expect(part.split(sentence)).toHaveLength(2)
  }
})
