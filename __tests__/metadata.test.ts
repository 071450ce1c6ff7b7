import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { FAIL_ON, INPUT_NAMES, parseAgentInputs, type AgentRawInputs } from '../src/agent/inputs/inputs.ts'
import { OUTPUT_NAMES } from '../src/agent/report/outputs.ts'
import { OUTCOMES } from '../src/agent/report/report.ts'
import { JOB_STATUSES } from '../src/service/schemas.ts'
import { FORMATS } from '../src/visitors/export-format.ts'
import { INPUT_NAMES as VISITORS_INPUT_NAMES, parseVisitorsInputs } from '../src/visitors/inputs.ts'
import { OUTPUT_NAMES as VISITORS_OUTPUT_NAMES } from '../src/visitors/outputs.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

interface ActionFile {
  readonly name: string
  readonly description: string
  readonly branding: { readonly icon: string; readonly color: string }
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean; default?: string }>>
  readonly outputs: Readonly<Record<string, { description: string }>>
  readonly runs: { readonly using: string; readonly main: string }
}

/** What the code says of an action, and what was promised. */
interface Action {
  readonly path: string
  readonly name: string
  readonly icon: string
  readonly bundle: string
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  readonly parse: (raw: Readonly<Record<string, string>>) => unknown
  /** A default is a promise: changing one changes what workflows do that nobody touched. */
  readonly defaults: Readonly<Record<string, string>>
  /** What only some words are allowed for, with these words. */
  readonly words: Readonly<Record<string, readonly string[]>>
}

const ACTIONS: readonly Action[] = [
  {
    path: 'action.yml',
    name: 'Docs Agent',
    icon: 'book-open',
    bundle: 'dist/agent/index.js',
    inputNames: INPUT_NAMES,
    outputNames: OUTPUT_NAMES,
    // The runner fills in the token, and an empty label means that there shall be none.
    parse: (raw) =>
      parseAgentInputs({ ...raw, prompt: 'p', 'github-token': '', label: '' } as AgentRawInputs, () => ({
        kind: 'problem',
        problem: 'is not there',
      })),
    defaults: {
      wait: 'true',
      'timeout-minutes': '60',
      'fail-on': 'failed, archived, timeout',
      'on-missing-key': 'fail',
      summary: 'true',
      'change-context': 'none',
      'change-context-bytes': '65536',
      'skip-own-changes': 'true',
      label: 'docs-agent',
      'wait-for-checks': 'false',
      'github-token': '${{ github.token }}',
    },
    words: { 'fail-on': FAIL_ON, outcome: OUTCOMES, status: JOB_STATUSES },
  },
  {
    path: 'visitors/action.yml',
    name: 'Docs Visitors',
    icon: 'bar-chart-2',
    bundle: 'dist/visitors/index.js',
    inputNames: VISITORS_INPUT_NAMES,
    outputNames: VISITORS_OUTPUT_NAMES,
    parse: (raw) =>
      parseVisitorsInputs(raw, {
        now: new Date('2026-01-01'),
        findPlace: (name) => ({ kind: 'place', place: { file: name, name } }),
      }),
    defaults: { format: 'csv', top: '20', 'timeout-minutes': '15', 'on-missing-key': 'fail', summary: 'true' },
    words: { format: FORMATS, 'output-file': FORMATS.map((format) => `visitors.${format}`) },
  },
]

describe.each(ACTIONS)('$path', (expected) => {
  const action = parse(read(expected.path)) as ActionFile
  const inputs = Object.entries(action.inputs)
  const outputs = Object.entries(action.outputs)

  test('the action runs its own bundle on Node 24', () => {
    expect(action.runs.using).toBe('node24')
    expect(posix.join(posix.dirname(expected.path), action.runs.main)).toBe(expected.bundle)
    expect(existsSync(new URL(`../${expected.bundle}`, import.meta.url))).toBe(true)
  })

  test('the action can be listed: a name, a short description, an icon and a colour', () => {
    expect(action.name).toBe(expected.name)
    expect(action.description).toMatch(/^[A-Z].{20,124}\.$/)
    expect(action.branding).toEqual({ icon: expected.icon, color: 'purple' })
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
    expect(Object.keys(action.inputs)).toEqual([...expected.inputNames])
    expect(Object.keys(action.outputs)).toEqual([...expected.outputNames])
  })

  test('the descriptions list every word that the code knows', () => {
    const missing = Object.entries(expected.words).flatMap(([name, words]) => {
      const description = { ...action.outputs, ...action.inputs }[name]?.description
      return words.filter((word) => !description?.includes(`\`${word}\``)).map((word) => `${name}: ${word}`)
    })
    expect(missing).toEqual([])
  })

  test('an input left empty means the default that the file shows', () => {
    const given = { 'project-id': 'docs', 'api-key': 'k', 'base-url': 'https://docs.example.com' }
    const empty = Object.fromEntries(expected.inputNames.map((name) => [name, '']))
    const shown = Object.fromEntries(inputs.map(([name, { default: value = '' }]) => [name, value]))
    expect(expected.parse({ ...empty, ...given })).toEqual(expected.parse({ ...shown, ...given }))
  })

  test('the defaults are the promised ones', () => {
    const defaults = inputs.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]]))
    expect(Object.fromEntries(defaults)).toEqual(expected.defaults)
  })

  test('only what no run can do without is required', () => {
    expect(inputs.filter(([, { required }]) => required === true).map(([name]) => name)).toEqual([
      'project-id',
      'api-key',
    ])
  })
})

test('the lock file names no place to download from, so that each machine uses its own registry', () => {
  expect(read('package-lock.json')).not.toContain('"resolved": "http')
})
