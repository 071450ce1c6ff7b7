import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { FAIL_ON, INPUT_NAMES, parseAgentInputs, type AgentRawInputs } from '../src/agent/inputs.ts'
import { OUTPUT_NAMES } from '../src/agent/outputs.ts'
import { OUTCOMES } from '../src/agent/report.ts'
import { JOB_STATUSES } from '../src/service/schemas.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

interface ActionFile {
  readonly name: string
  readonly description: string
  readonly branding: { readonly icon: string; readonly color: string }
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean; default?: string }>>
  readonly outputs: Readonly<Record<string, { description: string }>>
  readonly runs: { readonly using: string; readonly main: string }
}

const action = parse(read('action.yml')) as ActionFile
const inputs = Object.entries(action.inputs)
const outputs = Object.entries(action.outputs)

test('the action runs its own bundle on Node 24', () => {
  expect(action.runs).toEqual({ using: 'node24', main: 'dist/agent/index.js' })
})

test('the action can be listed: a name, a short description, an icon and a colour', () => {
  expect(action.name).toBe('Docs Agent')
  expect(action.description).toMatch(/^[A-Z].{20,124}\.$/)
  expect(action.branding).toEqual({ icon: 'book-open', color: 'purple' })
})

test('inputs and outputs have kebab-case names', () => {
  const names = [...inputs, ...outputs].map(([name]) => name)
  expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
})

test('every input and output is described in one sentence', () => {
  const badly = [...inputs, ...outputs]
    .filter(
      ([, { description }]) => !/^[A-Z`][^]*[^.]\.$/.test(description.trim()) || /[.!?]\s+[A-Z]/.test(description),
    )
    .map(([name, { description }]) => `${name}: ${description}`)
  expect(badly).toEqual([])
})

test('the inputs are those that the code reads, and the outputs those that it writes', () => {
  expect(Object.keys(action.inputs)).toEqual([...INPUT_NAMES])
  expect(Object.keys(action.outputs)).toEqual([...OUTPUT_NAMES])
})

test('the descriptions list every word that the code knows', () => {
  const missing = (description: string | undefined, words: readonly string[]): string[] =>
    words.filter((word) => !description?.includes(`\`${word}\``))
  expect(missing(action.inputs['fail-on']?.description, FAIL_ON)).toEqual([])
  expect(missing(action.outputs['outcome']?.description, OUTCOMES)).toEqual([])
  expect(missing(action.outputs['status']?.description, JOB_STATUSES)).toEqual([])
})

test('an input left empty means the default that action.yml shows', () => {
  const noFile = { kind: 'problem', problem: 'is not there' } as const
  const given = { prompt: 'p', 'project-id': 'docs', 'api-key': 'k', 'base-url': 'https://docs.example.com' }
  const empty = Object.fromEntries(INPUT_NAMES.map((name) => [name, '']))
  const shown = Object.fromEntries(inputs.map(([name, { default: value = '' }]) => [name, value]))
  const parsed = (raw: object): unknown => parseAgentInputs({ ...raw, ...given } as AgentRawInputs, () => noFile)
  expect(parsed(empty)).toEqual(parsed(shown))
})

/** A default is a promise: changing one changes what workflows do that nobody touched. */
test('the defaults are the promised ones', () => {
  const defaults = inputs.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
  expect(Object.fromEntries(defaults)).toEqual({
    wait: 'true',
    'timeout-minutes': '60',
    'fail-on': 'failed, archived, timeout',
    'on-missing-key': 'fail',
    summary: 'true',
  })
})

test('only what no run can do without is required', () => {
  expect(inputs.filter(([, { required }]) => required === true).map(([name]) => name)).toEqual([
    'project-id',
    'api-key',
  ])
})

test('the lock file names no place to download from, so that each machine uses its own registry', () => {
  expect(read('package-lock.json')).not.toContain('"resolved": "http')
})
