import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { parseMetadata, readMetadata } from '../../../scripts/small-runner/metadata.ts'

interface ActionYaml {
  readonly inputs: Record<string, { required?: boolean; default?: string }>
  readonly outputs: Record<string, unknown>
  readonly runs: { using: string; main: string }
}

test('reads this action as a YAML library does', () => {
  const yaml = parse(readFileSync('action.yml', 'utf8')) as ActionYaml

  expect(readMetadata('.')).toEqual({
    inputs: Object.entries(yaml.inputs).map(([name, input]) => ({
      name,
      required: input.required ?? false,
      default: input.default ?? '',
    })),
    outputs: Object.keys(yaml.outputs),
    runs: yaml.runs,
  })
})

test('skips texts of several lines, comments and empty lines', () => {
  const metadata = parseMetadata(`
# comment
description: |
  inputs:
    fake: x

  - list
inputs:
  one:
    description: >-
      default: not this
    default: plain text
  two:
    default: 'it''s'
  three:
    default: "a: b # c"
    required: true
runs:
  main: dist/index.js
`)

  expect(metadata.inputs).toEqual([
    { name: 'one', required: false, default: 'plain text' },
    { name: 'two', required: false, default: "it's" },
    { name: 'three', required: true, default: 'a: b # c' },
  ])
})

test.each([
  ['inputs:\n  - a\n', 'line 2'],
  ['inputs:\n  a:\n    default: [x]\n', 'line 3'],
  ['inputs:\n  a:\n    default: x # comment\n', 'line 3'],
  ['inputs:\n  a:\n    default: "a\\n"\n', 'line 3'],
  ['inputs:\n  a:\n    default: |\n      x\nruns:\n  main: x\n', 'the default of a'],
  ['inputs:\n', 'runs.main is missing'],
])('refuses what it does not understand: %j', (yaml, message) => {
  expect(() => parseMetadata(yaml)).toThrow(message)
})
