import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { CHECK_FIELDS } from '../../src/fleet/check.ts'
import { TABLE_FIELDS } from '../../src/fleet/table.ts'
import { root } from '../support/markdown-files.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface Fleet {
  readonly on: {
    readonly workflow_call: {
      readonly inputs: Readonly<Record<string, { readonly default?: string | number | boolean }>>
    }
  }
  readonly jobs: Readonly<
    Record<string, { readonly outputs?: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >
}

interface Step {
  readonly id?: string
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

const fleet = parse(readFileSync(join(root, '.github/workflows/fleet.yml'), 'utf8')) as Fleet

const listSteps = (job: string): readonly Step[] => fleet.jobs[job]?.steps ?? []

/** Inputs of the fleet itself. All others are inputs of the action. */
const OWN_INPUTS = ['projects', 'name', 'app-client-id', 'max-parallel', 'spread-minutes']
/** The check merges these into the row of each project. */
const ROW_INPUTS = ['label', 'allowed-paths', 'reviewers']

test('every input and override of the fleet reaches the action', () => {
  const inputs = Object.keys(fleet.on.workflow_call.inputs).filter((name) => !OWN_INPUTS.includes(name))
  const passed = inputs.map((name) => [name, `\${{ ${ROW_INPUTS.includes(name) ? 'matrix' : 'inputs'}.${name} }}`])
  expect(listSteps('project').find(({ id }) => id === 'docs')?.with).toEqual({
    ...(Object.fromEntries(passed) as object),
    prompt: '${{ matrix.prompt || inputs.prompt }}',
    'pr-repository': '${{ matrix.pr-repository }}',
    'project-id': '${{ matrix.project }}',
    'api-key': '${{ secrets.api-key }}',
    'github-token': '${{ steps.token.outputs.token || secrets.github-token }}',
  })
})

test('the check gets every input that it declares, with the defaults of the fleet', () => {
  const fields = Object.values(CHECK_FIELDS)
  const given = listSteps('check').find(({ id }) => id === 'check')?.with
  expect(given).toEqual({
    ...Object.fromEntries(fields.map(({ name }) => [name, `\${{ inputs.${name} }}`])),
    'has-app-key': "${{ secrets.app-private-key != '' }}",
    'has-token': "${{ secrets.github-token != '' }}",
    repository: '${{ github.repository }}',
  })
  const { inputs } = fleet.on.workflow_call
  // An explicitly empty label means none.
  const defaults = fields.filter(
    ({ name }) => name !== 'label' && (inputs[name]?.default ?? '') !== '' && name !== 'name',
  )
  expect(defaults.map(({ fallback }) => fallback)).toEqual(defaults.map(({ name }) => String(inputs[name]?.default)))
  expect(inputs['label']?.default).toBe('docs-agent')
})

test('the table takes results from the attempt in which the inputs were checked', () => {
  expect(fleet.jobs['check']?.outputs?.['attempt']).toBe('${{ github.run_attempt }}')
  expect(listSteps('report').find(({ id }) => id === 'table')?.with).toEqual({
    names: '${{ needs.check.outputs.names }}',
    attempt: '${{ needs.check.outputs.attempt }}',
    folder: TABLE_FIELDS.folder.fallback,
  })
})

test('the token of an app is for the repository of the project only', () => {
  expect(listSteps('project').find(({ id }) => id === 'token')?.with).toMatchObject({
    'client-id': '${{ inputs.app-client-id }}',
    'private-key': '${{ secrets.app-private-key }}',
    owner: '${{ matrix.owner }}',
    repositories: '${{ matrix.repository }}',
  })
})

test('the artifacts of a fleet have its name, so that two fleets fit in one run', () => {
  const findInputs = (job: string, action: string) => listSteps(job).find(({ uses }) => uses?.includes(action))?.with
  const prefix = 'docs-agent-${{ inputs.name }}-'
  expect(findInputs('project', 'upload-artifact')?.['name']).toBe(`${prefix}\${{ matrix.project }}`)
  expect(findInputs('report', 'download-artifact')?.['pattern']).toBe(`${prefix}*`)
})

// The runners of the fleet have Bash.
const withBash = process.platform === 'win32' ? test.skip : test

withBash('a project writes its result unchanged to the file of its attempt', () => {
  const { run = '', env } = listSteps('project').find(({ name }) => name === 'Write the result to a file') ?? {}
  expect(env?.['FILE']).toBe('${{ matrix.project }}.${{ github.run_attempt }}.json')
  const cwd = createTemporaryFolder()
  const outputs = { outcome: '$(id) `id` "x" \\n %s' }
  const result = JSON.stringify({ project: 'docs-a', conclusion: 'success', outputs }, undefined, 2)
  execFileSync('bash', ['-e', '-c', run], { cwd, env: { ...process.env, FILE: 'docs-a.2.json', RESULT: result } })
  expect(readFileSync(join(cwd, 'fleet-result/docs-a.2.json'), 'utf8')).toBe(`${result}\n`)
})
