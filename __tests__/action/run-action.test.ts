import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { formatConclusion, mostUrgent } from '../../src/action/conclusion.ts'
import { runAction } from '../../src/action/run-action.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import type { RawInputs } from '../../src/action/parse-inputs.ts'
import type { Action, InputSurroundings, Rendered } from '../../src/action/action.ts'
import type { StepInputs } from '../../src/action/open-step.ts'
import type { Step } from '../../src/action/step.ts'
import { captureStdout } from '../support/capture-stdout.ts'
import { stepProcess } from '../support/step-process.ts'

const { outputFile, summaryFile, exitCodes } = stepProcess()

const INPUTS: StepInputs = { projectId: 'docs', apiKey: 'docs_key', baseUrl: 'https://docs.example.com', timeoutMs: 5 }

interface Seen {
  raw?: RawInputs
  surroundings?: InputSurroundings
  step?: Step
  lines: readonly string[]
}

/** Runs a feature whose report is one word, and which is green if this is `done` or `skipped`. */
async function run(
  given: Readonly<Record<string, string>> = {},
  fields: Partial<Action<StepInputs, string>> = {},
  rendered: Partial<Rendered> = {},
): Promise<Seen> {
  for (const [name, value] of Object.entries(given)) process.env[`INPUT_${name.toUpperCase()}`] = value
  const seen: Seen = { lines: [] }
  const feature: Action<StepInputs, string> = {
    inputNames: ['api-key', 'base-url', 'on-missing-key', 'summary'],
    firstOutputs: { outcome: 'error' },
    parse: (raw, surroundings) => {
      Object.assign(seen, { raw, surroundings })
      return INPUTS
    },
    run: (_inputs, step) => {
      seen.step = step
      return Promise.resolve('done')
    },
    notRun: (error) => error?.message ?? 'skipped',
    render: (report, inputs) => ({
      conclusion: { isGreen: ['done', 'skipped'].includes(report), title: 'Ended', text: '', advice: undefined },
      text: `${report}, ${inputs === undefined ? 'without inputs' : 'with inputs'}`,
      outputs: { outcome: report },
      summary: () => `# ${report}`,
      ...rendered,
    }),
    ...fields,
  }
  seen.lines = await captureStdout(() => runAction(feature))
  return seen
}

const summary = (): string => readFileSync(summaryFile, 'utf8')
const outcomes = (): string[] =>
  [...readFileSync(outputFile, 'utf8').matchAll(/^outcome<<.*\n(.*)$/gm)].map(([, v = '']) => v)

test('reads the inputs as they are, runs the step within its time, and publishes what came of it', async () => {
  process.env['GITHUB_WORKSPACE'] = '/workspace'
  const given = { 'api-key': ' docs_key\n', summary: ' true', 'base-url': 'https://docs.example.com' }
  const { raw, surroundings, step, lines } = await run(given)

  expect(raw).toEqual({ ...given, 'on-missing-key': '' })
  expect(surroundings).toMatchObject({ workspace: '/workspace' })
  expect((step?.deadlineAt ?? 0) - (step?.startedAt ?? 0)).toBe(INPUTS.timeoutMs)
  expect(lines.slice(0, 2)).toEqual(['::add-mask:: docs_key%0A', '::add-mask::docs_key'])
  expect(lines.at(-1)).toMatch(/Ended\. done, with inputs\.$/)
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error', 'done'], '# done', [0]])
})

test('what holds until the step has an end is written, and secrets are masked, before an input is looked at', async () => {
  let before: string[] = []
  const parse = (): never => {
    before = outcomes()
    throw new ActionError('invalid-input', 'Both are docs_key and ghs_token.')
  }
  const inputNames = ['github-token', 'api-key']
  const { lines } = await run({ 'api-key': 'docs_key', 'github-token': 'ghs_token' }, { inputNames, parse })
  expect(before).toEqual(['error'])
  expect(lines.at(-1)).toContain('Both are *** and ***.')
})

test.each([
  ['', 'https://env.example.com', 'https://env.example.com'],
  ['  ', 'https://env.example.com', 'https://env.example.com'],
  ['https://given.example.com', 'https://env.example.com', 'https://given.example.com'],
  ['', undefined, ''],
])('with the address %j and %j in the environment it is %j', async (given, fromEnv, address) => {
  if (fromEnv !== undefined) process.env['DOCS_AGENT_BASE_URL'] = fromEnv
  expect((await run({ 'base-url': given })).raw?.['base-url']).toBe(address)
})

test.each([
  ['costs a warning where the run may have secrets', 'ann', /^::warning .*Check the name of the secret/],
  ['costs a notice where the run gets none', 'dependabot[bot]', /^::notice .*This run gets no secrets/],
])('a key that is missing and may be %s: no input is parsed, and nothing runs', async (_name, actor, remark) => {
  process.env['GITHUB_ACTOR'] = actor
  const { raw, step, lines } = await run({ 'api-key': ' \n', 'on-missing-key': ' skip ' })
  expect([raw, step]).toEqual([undefined, undefined])
  expect(lines).toEqual([expect.stringMatching(remark), expect.stringMatching(/Ended\. skipped, without inputs\.$/)])
  expect([outcomes(), exitCodes()]).toEqual([['error', 'skipped'], [0]])
})

test.each([
  ['', 'fail'],
  ['', ''],
  ['key', 'skip'],
])('with the key %j and on-missing-key %j nothing is skipped', async (apiKey, onMissingKey) => {
  const { step } = await run({ 'api-key': apiKey, 'on-missing-key': onMissingKey })
  expect(step).toBeDefined()
})

const refusing = (error: Error) => (): never => {
  throw error
}

test.each([
  ['an input that is wrong', { parse: refusing(new ActionError('invalid-input', 'No.')) }],
  ['a step that cannot be opened', { run: () => Promise.reject(new ActionError('proxy', 'No.')) }],
])('%s ends it red, with a report of a step that did not run', async (_name, fields) => {
  const { lines } = await run({}, fields)
  expect(lines.at(-1)).toBe('::error title=Ended::No., without inputs')
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error', 'No.'], '# No.', [1]])
})

test.each([
  ['true', '# No.'],
  ['nonsense', '# No.'],
  [' FALSE ', ''],
])('with summary %j, of wrong inputs there is the summary %j', async (wanted, expected) => {
  await run({ summary: wanted }, { parse: refusing(new ActionError('invalid-input', 'No.')) })
  expect(summary()).toBe(expected)
})

const DEFECT = 'A defect in the action itself stopped the step.'
const crash = (): never => {
  throw new TypeError('nobody foresaw this')
}
/** It has a job, and is stopped in one of the ways in which a defect stops a step. */
const crashing =
  (stop: () => Promise<string>): Action<StepInputs, string>['run'] =>
  (_inputs, { core }, onCrash) => {
    core.startGroup('New job')
    onCrash(({ message }) => `job_1: ${message}`)
    return stop()
  }

test.each([
  ['is thrown', () => Promise.resolve().then(crash)],
  [
    'nobody catches',
    () => Promise.resolve(String(process.emit('uncaughtException', new TypeError('nobody foresaw this')))),
  ],
])('a defect that %s is told once, with all that is known of the step', async (_way, stop) => {
  const { lines } = await run({}, { run: crashing(stop) })
  expect(lines.filter((line) => line.startsWith('::error'))).toEqual([
    `::error title=Ended::job_1: ${DEFECT}, with inputs`,
  ])
  expect(lines.slice(0, 2)).toEqual(['::group::New job', '::endgroup::'])
  expect(lines[2]).toContain('TypeError: nobody foresaw this')
  expect([outcomes(), summary()]).toEqual([['error', `job_1: ${DEFECT}`], `# job_1: ${DEFECT}`])
  expect(new Set(exitCodes())).toEqual(new Set([1]))
})

test('of a defect in what tells of the step, the outputs of the beginning are told again', async () => {
  const { lines } = await run({}, { render: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Internal error::A defect .* Report it/)
  expect([outcomes(), exitCodes()]).toEqual([['error', 'error'], [1]])
})

const NOTICE = { title: 'Not done', text: 'The label.' }

test('a defect in the summary costs the summary', async () => {
  const { lines } = await run({}, {}, { notice: NOTICE, summary: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Ended::A defect/)
  expect([outcomes(), summary()]).toEqual([['error', DEFECT], ''])
  expect(lines.filter((line) => line.includes('The label.'))).toHaveLength(1)
})

test('a defect before the step began is told as one, and that it did not run', async () => {
  const { lines } = await run({}, { parse: crash })
  expect(lines.at(-1)).toBe(`::error title=Ended::${DEFECT}, without inputs`)
  expect([outcomes(), exitCodes()]).toEqual([['error', DEFECT], [1]])
})

test('a notice comes before the end', async () => {
  const { lines } = await run({}, {}, { notice: NOTICE })
  expect(lines.slice(-2)).toEqual(['::notice title=Not done::The label.', expect.stringContaining('Ended. done')])
})

const CONCLUSION = { isGreen: false, title: 'A', text: 'It broke.', advice: 'Mend it.' }

test.each([
  [{}, 'No.', 'It broke. The service says: “No.” Mend it.'],
  [{ advice: undefined }, undefined, 'It broke.'],
  // What follows on a list begins a line of its own.
  [{ text: '- a.\n- b.' }, undefined, '- a.\n- b.\nMend it.'],
])(
  'tells what happened, what the service says and what to do, as far as it is known: %j, %j',
  (fields, quote, told) => {
    expect(formatConclusion({ ...CONCLUSION, ...fields }, quote)).toBe(told)
  },
)

test('of all advice only the most urgent is given', () => {
  expect(mostUrgent([undefined, '', 'Mend it.', 'Try again.'])).toBe('Mend it.')
  expect(mostUrgent([undefined, ''])).toBeUndefined()
})
