import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { AGENT_FIELDS } from '../src/agent/inputs.ts'
import { DEFAULT_LABEL, ON_OPEN_PR, SKIP_OWN_CHANGES, CHANGE_CONTEXTS, FAIL_ON } from '../src/agent/facts.ts'
import { OUTCOMES } from '../src/agent/record.ts'
import { STATUS_PHRASES } from '../src/docs-service/interface.ts'
import { GITHUB_SCENARIO_NAMES } from '../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../src/emulator/service/scenarios.ts'
import { INPUT_DEFAULTS } from '../src/rehearse/service-process.ts'
import { REPORT_FIELDS } from '../src/report/inputs.ts'
import { FORMATS, VISITORS_FIELDS } from '../src/visitors/inputs.ts'
import { OUTPUT_NAMES } from '../testing/report.ts'
import { VISITORS_OUTPUT_NAMES } from '../testing/visitors-run.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

interface ActionFile {
  readonly name: string
  readonly description: string
  readonly branding?: { readonly icon: string; readonly color: string }
  readonly inputs: Readonly<Record<string, { description: string; required?: boolean; default?: string | number }>>
  readonly outputs: Readonly<Record<string, { description: string }>>
  readonly runs: { readonly using: string; readonly main: string }
}

function readAction(path: string): ActionFile {
  const action = parse(read(path)) as Omit<ActionFile, 'outputs'> & Partial<Pick<ActionFile, 'outputs'>>
  return { outputs: {}, ...action }
}

const primitive = z.strictObject({ type: z.enum(['string', 'boolean', 'integer', 'float']) })
const choice = z.strictObject({
  type: z.literal('enum'),
  name: z.string().min(1).optional(),
  'allowed-values': z.array(z.string().min(1)).min(1),
})

const list = z.strictObject({
  type: z.literal('list'),
  separator: z.string().min(1),
  'list-item': z.union([primitive, choice]),
})

const types = z.record(z.string(), z.union([primitive, choice, list]))
type Type = z.infer<typeof types>[string]

/** The format of typesafegithub/github-actions-typing, without its named numbers. */
const typesFile = z.strictObject({ inputs: types, outputs: types.default({}) })

/** The words that a value may be, where it is one of a list of words. */
function listWords(type: Type): readonly string[] {
  if (type.type === 'list') return listWords(type['list-item'])
  return type.type === 'enum' ? type['allowed-values'] : []
}

const LOOKS_LIKE = { string: /^/, boolean: /^(?:true|false)$/, integer: /^\d+$/, float: /^\d+(?:\.\d+)?$/ }

function takes(type: Type, text: string): boolean {
  if (type.type === 'enum') return type['allowed-values'].includes(text)
  if (type.type !== 'list') return LOOKS_LIKE[type.type].test(text)
  return text.split(type.separator).every((part) => takes(type['list-item'], part.trim()))
}

type Words = Readonly<Record<string, readonly string[]>>

/** The words that a type lists: the words of the code. An output that may be empty lists none. */
const LISTED: Readonly<Record<string, Words>> = {
  action: {
    outcome: OUTCOMES,
    'change-context': CHANGE_CONTEXTS,
    'on-open-pr': ON_OPEN_PR,
    'fail-on': [...FAIL_ON, 'none'],
    'skip-own-changes': SKIP_OWN_CHANGES,
  },
  'visitors/action': { format: FORMATS },
  'emulator/action': { scenario: SCENARIO_NAMES, 'github-scenario': GITHUB_SCENARIO_NAMES },
}

/** What the code says of an action, and what was promised. */
interface Action {
  readonly path: string
  readonly name: string
  readonly icon: string
  readonly bundle: string
  readonly fields: readonly { readonly name: string; readonly fallback: string }[]
  readonly outputNames: readonly string[]
  /** What the file fills in where the code takes an empty input for none. */
  readonly filledIn: Readonly<Record<string, string>>
  /** What only some words are allowed for, with these words. */
  readonly words: Words
}

const ACTIONS: readonly Action[] = [
  {
    path: 'action.yml',
    name: 'Docs Agent',
    icon: 'book-open',
    bundle: 'dist/agent/index.js',
    fields: Object.values(AGENT_FIELDS),
    outputNames: OUTPUT_NAMES,
    filledIn: { 'github-token': '${{ github.token }}', label: DEFAULT_LABEL },
    words: { ...LISTED['action'], status: Object.keys(STATUS_PHRASES) },
  },
  {
    path: 'visitors/action.yml',
    name: 'Docs Visitors',
    icon: 'bar-chart-2',
    bundle: 'dist/visitors/index.js',
    fields: Object.values(VISITORS_FIELDS),
    outputNames: VISITORS_OUTPUT_NAMES,
    filledIn: {},
    words: { ...LISTED['visitors/action'], 'output-file': FORMATS.map((format) => `visitors.${format}`) },
  },
  {
    path: 'report/action.yml',
    name: 'Docs Agent Report',
    icon: 'list',
    bundle: 'dist/report/index.js',
    fields: Object.values(REPORT_FIELDS),
    outputNames: ['result'],
    filledIn: { 'github-token': '${{ github.token }}', label: 'docs-agent' },
    words: {},
  },
  {
    path: 'emulator/action.yml',
    name: 'Docs Agent Rehearsal',
    icon: 'play-circle',
    bundle: 'dist/rehearse/index.js',
    fields: Object.entries(INPUT_DEFAULTS).map(([name, fallback]) => ({ name, fallback })),
    outputNames: [],
    filledIn: {},
    words: {},
  },
]

describe.each(ACTIONS)('$path', (expected) => {
  const action = readAction(expected.path)
  const inputs = Object.entries(action.inputs)
  const outputs = Object.entries(action.outputs)

  test('the action runs its own bundle on Node 24', () => {
    expect(action.runs.using).toBe('node24')
    expect(posix.join(posix.dirname(expected.path), action.runs.main)).toBe(expected.bundle)
    expect(existsSync(new URL(`../${expected.bundle}`, import.meta.url))).toBe(true)
  })

  test('the action can be listed, with a name, a short description, an icon and a colour', () => {
    expect(action.name).toBe(expected.name)
    expect(action.description).toMatch(/^[A-Z].{20,124}\.$/)
    expect(action.branding).toEqual({ icon: expected.icon, color: 'purple' })
  })

  test('inputs and outputs have kebab-case names', () => {
    expect([...inputs, ...outputs].filter(([name]) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([])
  })

  test('every input and output is described in sentences that nobody has to read twice', () => {
    const isClear = (sentence: string): boolean => /^[A-Z`].*[^.]\.$/.test(sentence) && sentence.length <= 250
    const sentences = [...inputs, ...outputs].flatMap(([, { description }]) => description.split(/(?<=\.) (?=[A-Z`])/))
    expect(sentences.filter((sentence) => !isClear(sentence))).toEqual([])
  })

  test('the inputs, their defaults and the outputs are those of the code, in its order', () => {
    const shown = inputs.map(([name, { default: value = '' }]) => [name, value])
    const read = expected.fields.map(({ name, fallback }) => [name, expected.filledIn[name] ?? fallback])
    expect(shown).toEqual(read)
    expect(Object.keys(action.outputs)).toEqual([...expected.outputNames])
  })

  test('the descriptions list every word that the code knows', () => {
    const missing = Object.entries(expected.words).flatMap(([name, words]) => {
      const description = { ...action.outputs, ...action.inputs }[name]?.description
      return words.filter((word) => !description?.includes(`\`${word}\``)).map((word) => `${name}: ${word}`)
    })
    expect(missing).toEqual([])
  })

  test('only inputs that every run needs are required', () => {
    const required = inputs.filter((input) => input[1].required === true).map(([name]) => name)
    const known = ['project-id', 'api-key'].filter((name) => name in action.inputs)
    // A dry run of the agent needs no key.
    expect(required).toEqual(known.filter((name) => name !== 'api-key' || !('dry-run' in action.inputs)))
  })
})

test.each(Object.entries(LISTED))(
  '%s-types.yml types every input and output, in its order, by the words of the code',
  (path, listed) => {
    const { inputs, outputs } = readAction(`${path}.yml`)
    const typed = typesFile.parse(parse(read(`${path}-types.yml`)))
    expect(Object.keys(typed.inputs)).toEqual(Object.keys(inputs))
    expect(Object.keys(typed.outputs)).toEqual(Object.keys(outputs))

    const words = Object.entries({ ...typed.outputs, ...typed.inputs }).flatMap(([name, type]) => {
      const some = listWords(type)
      return some.length === 0 ? [] : [[name, new Set(some)]]
    })
    const expected = Object.entries(listed).map(([name, some]) => [name, new Set(some)])
    expect(Object.fromEntries(words)).toEqual(Object.fromEntries(expected))
    const defaults = Object.entries(inputs).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [{ type: typed.inputs[name] ?? { type: 'boolean' as const }, value: String(value) }],
    )
    expect(defaults.filter(({ type, value }) => !value.includes('${{') && !takes(type, value))).toEqual([])
  },
)

test('the lock file contains no download URLs, so that each machine uses its own registry', () => {
  expect(read('package-lock.json')).not.toContain('"resolved": "http')
})
