import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { GITHUB_SCENARIOS } from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIOS } from '../../src/emulator/service/scenarios.ts'
import { root, tableBelow } from '../support/markdown-files.ts'

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const described = z.record(z.string(), z.object({ description: z.string(), default: z.coerce.string().optional() }))

const fleet = z
  .object({ on: z.object({ workflow_call: z.object({ inputs: described }) }) })
  .parse(parse(read('.github/workflows/fleet.yml'))).on.workflow_call

const code = (text: string | undefined): string => (text === undefined || text === '' ? '' : `\`${text}\``)
const inputRows = (inputs: z.infer<typeof described>): string[][] =>
  Object.entries(inputs).map(([name, input]) => [code(name), code(input.default), input.description.trim()])

test('the page on rehearsing says of a scenario what the service says', () => {
  const said = (heading: string): string[][] =>
    tableBelow(read('docs/rehearse.md'), heading).map(([name = '', description = '']) => [name, description])
  const known = (scenarios: Readonly<Record<string, { readonly description: string }>>): string[][] =>
    Object.entries(scenarios).map(([name, { description }]) => [code(name), description])
  for (const [heading, scenarios] of [['Scenarios', SCENARIOS] as const, ['GitHub', GITHUB_SCENARIOS] as const]) {
    expect(said(heading).length).toBeGreaterThan(5)
    expect(known(scenarios)).toEqual(expect.arrayContaining(said(heading)))
  }
})

test('the page on fleets says of the inputs what the workflow says', () => {
  const sorted = (rows: readonly string[][]): string[] => rows.map((row) => row.join(' | ')).sort()
  expect(sorted(tableBelow(read('docs/fleets.md'), 'What it takes'))).toEqual(sorted(inputRows(fleet.inputs)))
})
