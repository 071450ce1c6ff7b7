import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { listLinkTargets, parseTable, root } from '../../testing/markdown-files.ts'

const guide = readFileSync(`${root}docs/choose.md`, 'utf8')
const recipes = readdirSync(`${root}docs/recipes`)
const situations = parseTable(guide, 'By situation')

test('every recipe belongs to a situation', () => {
  const targets = situations.flatMap(([, recipe = '']) => listLinkTargets(recipe))
  expect(recipes.filter((name) => !targets.includes(`recipes/${name}`))).toEqual([])
})

test('has at most twenty situations, and no two with the same words', () => {
  expect(situations.length).toBeLessThanOrEqual(20)
  expect(new Set(situations.map(([situation]) => situation)).size).toBe(situations.length)
})

test('can be read in five minutes, at 200 words a minute', () => {
  const [, ...words] = guide.replace(/\]\([^)]*\)|\|[ |-]+\|/g, ' ').match(/[\p{L}\d][\p{L}\d./'-]*/gu) ?? []
  expect(words.length).toBeLessThan(1_000)
})

test('a search for “mono” finds the row and the section about monorepos', () => {
  expect(situations.filter(([situation = '']) => situation.startsWith('**Mono'))).toHaveLength(1)
  expect(guide).toContain('\n## Mono')
})

test('adds only inputs that the action has', () => {
  const { inputs } = parse(readFileSync(`${root}action.yml`, 'utf8')) as { readonly inputs: object }
  const added = parseTable(guide, 'Add to any recipe').flatMap(([, cell = '']) =>
    Array.from(cell.matchAll(/`([a-z-]+)(?:: [^`]+)?`/g), ([, name]) => name),
  )
  const [others, names] = [['if', 'on', 'follow-up'], Object.keys(inputs)]
  expect(added.length).toBeGreaterThan(10)
  expect(added.filter((name = '') => ![...names, ...others].includes(name))).toEqual([])
})
