import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from '@jest/globals'
import { CENTRAL_RECIPE, CENTRAL_WORKFLOW } from '../support/workflow-files.ts'
import { listLinkTargets, root, parseTable } from '../support/markdown-files.ts'

const guide = readFileSync(`${root}docs/choose.md`, 'utf8')
const recipes = readdirSync(`${root}docs/recipes`).filter((name) => name.endsWith('.yml'))
const getText = (name: string): string => readFileSync(`${root}docs/recipes/${name}`, 'utf8')

/** The triggers of the recipes of each section. */
const STARTS: Readonly<Record<string, RegExp>> = {
  'The code was pushed or merged': /^ {2}(?:push|pull_request|repository_dispatch):/m,
  'The docs were pushed or merged': /^ {2}push:/m,
  'A release was published': /^ {2}release:/m,
  'A schedule, such as each night': /^ {2}schedule:/m,
  'Many repositories': /^ {2}schedule:/m,
}
const rows = Object.entries(STARTS).flatMap(([section, starts]) =>
  parseTable(guide, section).map(([about = '', pulls = '', then = '', link = '']) => {
    const name = /^\[(.+)\]\(recipes\/\1\)$/.exec(link)?.[1] ?? ''
    return { name, starts, about, pulls, then, text: getText(name) }
  }),
)

/** The introduction also names recipes, so it is left out. */
const sections = guide.slice(guide.indexOf('\n## '))

test('every recipe is in one section', () => {
  const targets = listLinkTargets(sections).filter((target) => target.startsWith('recipes/'))
  const reached = targets.map((target) => target.replace('recipes/', ''))
  expect(reached.sort()).toEqual(recipes.sort())
})

test('each row of the tables has different answers', () => {
  const answers = rows.map(({ starts, about, pulls, then }) => [starts.source, about, pulls, then].join(' | '))
  expect(new Set(answers).size).toBe(rows.length)
})

test.each(rows)('the row of $name matches the recipe', ({ text, starts, about, pulls, then }) => {
  expect(text).toMatch(starts)
  expect(text.includes('create-github-app-token')).toBe(about.includes('another repository'))
  expect(/^ +on-open-pr: skip$/m.test(text)).toBe(pulls === 'no new one while one waits')
  const called = text.includes(CENTRAL_WORKFLOW) ? getText(basename(CENTRAL_RECIPE)) : text
  expect(/^ +on-open-pr: follow-up$/m.test(called)).toBe(/kept open|for every/.test(pulls))
  expect(/^ +label: .*\$\{\{/m.test(text)).toBe(pulls.includes('for every'))
  const merges = text.includes('gh pr merge')
  const goesBack = /^ +fix-rounds: [1-5]$/m.test(text)
  expect(then).toBe(
    merges
      ? /^ {2}release:/m.test(text)
        ? 'merged at the release'
        : 'merged if its checks pass'
      : goesBack
        ? 'failing checks go back first'
        : 'people review it',
  )
})
