import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseCli } from '../../src/emulator/cli-options.ts'
import { DEFAULT_SCENARIO } from '../../src/emulator/embedded-service.ts'
import { GITHUB_SCENARIO_NAMES } from '../../src/emulator/github/github-scenarios.ts'
import { SCENARIO_NAMES } from '../../src/emulator/service/scenarios.ts'
import { INPUT_NAMES, type RehearsalInput, serviceArguments } from '../../src/rehearse/service-arguments.ts'
import { root } from '../support/markdown-files.ts'

const action = z
  .object({
    name: z.string(),
    description: z.string(),
    inputs: z.record(
      z.string(),
      z.object({ description: z.string(), required: z.literal(false), default: z.string() }),
    ),
    outputs: z.record(z.string(), z.object({ description: z.string() })),
    runs: z.strictObject({ using: z.string(), main: z.string(), post: z.string() }),
  })
  .parse(parse(readFileSync(`${root}emulator/action.yml`, 'utf8')))

test('the rehearsal runs its own bundle on Node 24, before and after the other steps', () => {
  const bundle = '../dist/rehearse/index.js'
  expect(action.runs).toEqual({ using: 'node24', main: bundle, post: bundle })
})

test('the inputs are those that the code reads, and none is required', () => {
  expect(Object.keys(action.inputs)).toEqual([...INPUT_NAMES])
})

test('the outputs are what the other actions need to reach the service', () => {
  expect(Object.keys(action.outputs)).toEqual(['base-url', 'api-key', 'project-id', 'github-api-url', 'github-token'])
})

test('an input left empty means the default that action.yml shows', () => {
  const given = (pick: (name: RehearsalInput) => string): Record<RehearsalInput, string> => ({
    scenario: pick('scenario'),
    'github-scenario': pick('github-scenario'),
    speed: pick('speed'),
    port: pick('port'),
  })
  const shown = serviceArguments(given((name) => action.inputs[name]?.default ?? '?'))
  expect(serviceArguments(given(() => ''))).toEqual(shown)
  expect(parseCli(shown, 0)).toMatchObject({ kind: 'run', options: { scenario: DEFAULT_SCENARIO, speed: 1, port: 0 } })
})

test.each([
  ['scenario', SCENARIO_NAMES],
  ['github-scenario', GITHUB_SCENARIO_NAMES],
] as const)('what the description of `%s` names is there', (input, names) => {
  const named = [...(action.inputs[input]?.description ?? '').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !names.some((known) => known === name))).toEqual([])
})

test('every input and output is described in one sentence', () => {
  const badly = [...Object.values(action.inputs), ...Object.values(action.outputs)]
    .map(({ description }) => description)
    .filter((description) => !/^[A-Z`][^]*[^.]\.$/.test(description.trim()) || /[.!?]\s+[A-Z]/.test(description))
  expect(badly).toEqual([])
})
