import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { FAIL_ON } from '../src/agent/inputs/fail-on.ts'
import { OUTCOMES } from '../src/agent/report/report.ts'
import { GITHUB_SCENARIO_NAMES } from '../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../src/emulator/service/scenarios.ts'
import { root } from './support/markdown-files.ts'

const actions = ['.', 'visitors', 'emulator']

const allowedValues = z.array(z.string().min(1)).min(1)
const primitive = z.strictObject({ type: z.enum(['string', 'boolean', 'integer', 'float']) })
const choice = z.strictObject({
  type: z.literal('enum'),
  name: z.string().min(1).optional(),
  'allowed-values': allowedValues,
})
const list = z.strictObject({
  type: z.literal('list'),
  separator: z.string().min(1),
  'list-item': z.union([primitive, choice]),
})
const types = z.record(z.string(), z.union([primitive, choice, list]))

/** The format of typesafegithub/github-actions-typing, without its named numbers. */
const typesFile = z.strictObject({ inputs: types, outputs: types })

const described = z.record(
  z.string(),
  z.object({ description: z.string(), default: z.union([z.string(), z.number(), z.boolean()]).optional() }),
)
const actionFile = z.object({ inputs: described, outputs: described })

type Type = z.infer<typeof types>[string]

const readYaml = (path: string): unknown => parse(readFileSync(`${root}${path}`, 'utf8'))
const typesOf = (action: string): z.infer<typeof typesFile> => typesFile.parse(readYaml(`${action}/action-types.yml`))
const metadataOf = (action: string): z.infer<typeof actionFile> => actionFile.parse(readYaml(`${action}/action.yml`))

function takes(type: Type, text: string): boolean {
  switch (type.type) {
    case 'string':
      return true
    case 'boolean':
      return ['true', 'false'].includes(text)
    case 'integer':
      return /^\d+$/.test(text)
    case 'float':
      return /^\d+(\.\d+)?$/.test(text)
    case 'enum':
      return type['allowed-values'].includes(text)
    case 'list': {
      const item = type['list-item']
      return text.split(type.separator).every((part) => takes(item, part.trim()))
    }
  }
}

/** The words that a value may be, where it is one of a list of words. */
function wordsOf(type: Type): readonly string[] {
  if (type.type === 'list') return wordsOf(type['list-item'])
  return type.type === 'enum' ? type['allowed-values'] : []
}

test.each(actions)('%s/action-types.yml types every input and output of action.yml, in its order', (action) => {
  const [typed, metadata] = [typesOf(action), metadataOf(action)]
  expect(Object.keys(typed.inputs)).toEqual(Object.keys(metadata.inputs))
  expect(Object.keys(typed.outputs)).toEqual(Object.keys(metadata.outputs))
})

test.each(actions)('the defaults of %s/action.yml are of their types', (action) => {
  const { inputs } = typesOf(action)
  const wrong = Object.entries(metadataOf(action).inputs)
    .flatMap(([name, { default: value }]) => (value === undefined ? [] : [{ name, value: String(value) }]))
    .filter(({ name, value }) => !value.includes('${{') && !takes(inputs[name] ?? { type: 'boolean' }, value))
  expect(wrong).toEqual([])
})

test('inputs and outputs that are one of a list of words have the words of the code', () => {
  const agent = typesOf('.')
  const words = (type: Type | undefined): readonly string[] => wordsOf(type ?? { type: 'string' })
  expect([...words(agent.inputs['fail-on'])].sort()).toEqual([...FAIL_ON, 'none'].sort())
  expect(words(agent.outputs['outcome'])).toEqual(OUTCOMES)
  const { inputs } = typesOf('emulator')
  expect(words(inputs['scenario'])).toEqual(SCENARIO_NAMES)
  expect(words(inputs['github-scenario'])).toEqual(GITHUB_SCENARIO_NAMES)
})

test('the words of a type are those of the description', () => {
  const problems = ['.', 'visitors'].flatMap((action) => {
    const { inputs } = metadataOf(action)
    return Object.entries(typesOf(action).inputs).flatMap(([name, type]) =>
      wordsOf(type)
        .filter((word) => !inputs[name]?.description.includes(`\`${word}\``))
        .map((word) => `${action}/action.yml, ${name}: \`${word}\` is not described.`),
    )
  })
  expect(problems).toEqual([])
})
