import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { DEFAULT_MAX_FOLLOW_UPS } from '../src/agent/features/rolling.ts'
import { listCodeBlocks, root } from '../testing/markdown-files.ts'

const page = readFileSync(`${root}docs/costs.md`, 'utf8')

test('adds up the prompts of the example in a month', () => {
  const [example = ''] = listCodeBlocks(page, 'yaml')
  const { with: inputs } = parse(example) as { with: Readonly<Record<string, unknown>> }
  const rounds = Number(inputs['fix-rounds'])
  expect(example).toContain("- cron: '17 3 * * *'")
  expect(page).toContain(`31 × (1 + ${rounds}) = ${31 * (1 + rounds)} prompts`)
})

test('adds up the prompts of a rolling pull request that nobody merges', () => {
  expect(page).toContain(
    `at most ${1 + DEFAULT_MAX_FOLLOW_UPS} prompts (the first and ${DEFAULT_MAX_FOLLOW_UPS} follow-ups)`,
  )
})
