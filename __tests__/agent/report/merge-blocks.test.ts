import { expect, test } from '@jest/globals'
import { conclude } from '../../../src/agent/report/conclusion.ts'
import type { HandOff } from '../../../src/agent/pull-request/examine-pull-request.ts'
import type { FailOn } from '../../../src/agent/inputs/inputs.ts'
import { adviseOnBlock, BLOCK_TITLES, findBlocks, tellHandOff } from '../../../src/agent/report/merge-blocks.ts'
import { reportOf } from '../../support/report.ts'

const inside = { fileCount: 1, outside: [] }
const outside = { fileCount: 1, outside: ['src/a.ts'] }
const ALL = new Set<FailOn>(['checks', 'out-of-scope'])
const blocksOf = (handOff?: HandOff, failOn: ReadonlySet<FailOn> = ALL) =>
  findBlocks(reportOf(handOff === undefined ? {} : { handOff }), failOn)

test('only checks that have passed and files that are inside let a pull request through', () => {
  expect(blocksOf({ checks: 'success', scope: inside })).toEqual([])
  expect(blocksOf({ checks: 'success', scope: outside })).toEqual(['out-of-scope'])
})

test.each(['failure', 'pending', 'none', undefined] as const)('checks that are %s block', (checks) => {
  expect(blocksOf({ scope: inside, ...(checks === undefined ? {} : { checks }) })).toEqual(['checks'])
})

test('what could not be found out blocks where `fail-on` asks for it, and nowhere else', () => {
  expect(blocksOf()).toEqual(['out-of-scope', 'checks'])
  expect(blocksOf(undefined, new Set(['failed']))).toEqual([])
})

test('no pull request, nothing to block', () => {
  expect(findBlocks(reportOf({ outcome: 'no-changes' }), ALL)).toEqual([])
})

test('a blocked pull request is red, and says what blocks it and what to do', () => {
  const conclusion = conclude(reportOf({ handOff: { checks: 'failure', scope: inside } }), ALL)
  expect(conclusion).toMatchObject({ isGreen: false, title: BLOCK_TITLES.checks })
  expect(conclusion.text).toContain('A check of it failed.')
  expect(conclusion.advice).toContain(adviseOnBlock('checks'))
})

test('tells what is known, and nothing of what is not', () => {
  expect(tellHandOff(reportOf({ handOff: { state: 'merged', checks: 'none', scope: outside } }))).toEqual([
    'It is merged already.',
    'No check is registered for it.',
    'Outside of `allowed-paths`: 1 of its paths.',
  ])
  expect(tellHandOff(reportOf({ handOff: { state: 'open' } }))).toEqual([])
  expect(tellHandOff(reportOf())).toEqual([])
})
