import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { SHOTS } from '../scripts/pictures/shots.ts'
import { playFlags } from '../scripts/summaries/play-flags.ts'
import { renderPage } from '../scripts/summaries/render-page.ts'
import { SCENES } from '../scripts/summaries/scenes.ts'
import { OUTCOMES } from '../src/agent/report/report.ts'
import { readMarkdownFiles, root } from './support/markdown-files.ts'

const page = readFileSync(join(root, 'docs/internals/summaries.md'), 'utf8')
const parts = page.split('\n---\n').slice(1)

test('the page shows the current summaries of the scenarios of npm start; if not, run: npm run docs', async () => {
  expect(await renderPage()).toBe(page)
})

test('the page has every icon of a result', () => {
  const icons = new Set(parts.map((part) => /^## (\S+) /m.exec(part)?.[1]))
  expect(icons).toEqual(new Set(['✅', '❌', '⏰', '❓', '🚀', '🛑', '⏭️']))
  expect(parts).toHaveLength(SCENES.length)
  expect(SCENES.length).toBeGreaterThan(OUTCOMES.length)
})

test('only titles of scenes with checks mention checks', () => {
  const withoutChecks = SCENES.filter((_scene, index) => !(parts[index] ?? '').includes('<th>Check</th>'))
  expect(withoutChecks.filter(({ shows }) => /\bchecks\b/i.test(shows))).toEqual([])
})

test('each summary advises one thing at most, and contains each sentence of its result once', () => {
  for (const part of parts) {
    expect(part.match(/What to do/g)?.length ?? 0).toBeLessThan(2)
    const result = /^## .+\n\n(?:### .+\n\n)?(.+)$/m.exec(part)?.[1] ?? ''
    expect(result).not.toBe('')
    for (const sentence of result.split(/(?<=\.) /)) expect(part.split(sentence)).toHaveLength(2)
  }
})

test('every picture shows a text of a scenario, is used in the docs, and exists in both colour schemes', async () => {
  const files = SHOTS.flatMap(({ name }) => [`${name}-dark.png`, `${name}-light.png`])
  const shown = readMarkdownFiles().flatMap(({ text }) => text.match(/(?<=assets\/)[\w-]+\.png/g) ?? [])
  expect([...new Set(shown)].toSorted()).toEqual(files.toSorted())
  expect(readdirSync(join(root, 'docs/assets')).toSorted()).toEqual(files.toSorted())
  for (const file of files) expect(statSync(join(root, 'docs/assets', file)).size).toBeLessThan(45_000)

  for (const { flags, of = 'summary', until = '' } of SHOTS)
    expect((await playFlags(flags))[of]).toContain(`\n${until}`)
})

test('three pushes and a comment update one pull request, whose log names each of them and its source pull request', async () => {
  const { page } = await playFlags('--scenario rolling')
  const cells = [...page.matchAll(/<tr><td>[^<]*<\/td><td>(.*)<\/td><td>(.*)<\/td><\/tr>/g)]
  const push = 'push to main by mona: 1 commit'
  expect(cells.map((row) => row.slice(1).map((cell) => cell.replaceAll(/<[^>]*>/g, '').replace('&#47;', '/')))).toEqual(
    [
      [`${push}, for acme/docs#101`, 'opened: 2 files'],
      [`${push}, for acme/docs#102`, '1 new commit'],
      ['checks failed: build, links', '1 new commit'],
      ['/docs by mona', '1 new commit'],
      [push, '1 new commit'],
    ],
  )
  expect(page.match(/Follow-up \d/g)).toHaveLength(4)
})

test('sends the change of a reviewed pull request by its number', async () => {
  const { summary, page } = await playFlags('--scenario reviewed-change --input change-range=pull/101')
  expect(summary).toContain('pull request #101, from')
  expect(page).toContain('for acme/docs#101')
})
