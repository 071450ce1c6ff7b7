import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
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
  raw: RawInputs | undefined
  surroundings: InputSurroundings | undefined
  step: Step | undefined
  lines: readonly string[]
  /** How many were made. */
  summaries: number
}

/** Runs a feature whose report is one word, and which is green if this is `done` or `skipped`. */
async function run(
  given: Readonly<Record<string, string>>,
  fields: Partial<Action<StepInputs, string>> = {},
  notice?: Rendered['notice'],
  render = (report: string): string => `# ${report}`,
): Promise<Seen> {
  for (const [name, value] of Object.entries(given)) process.env[`INPUT_${name.toUpperCase()}`] = value
  const seen: Seen = { raw: undefined, surroundings: undefined, step: undefined, lines: [], summaries: 0 }
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
      summary: () => {
        const summary = render(report)
        seen.summaries++
        return summary
      },
      ...(notice === undefined ? {} : { notice }),
    }),
    ...fields,
  }
  seen.lines = await captureStdout(() => runAction(feature))
  return seen
}

const outcomes = (): string[] =>
  [...readFileSync(outputFile, 'utf8').matchAll(/^outcome<<.*\n(.*)$/gm)].map(([, v = '']) => v)

test('reads the inputs, runs the step within its time, and publishes what came of it', async () => {
  process.env['GITHUB_WORKSPACE'] = '/workspace'
  const { raw, surroundings, step, lines } = await run({ 'api-key': 'docs_key', summary: ' true' })

  expect(raw).toEqual({ 'api-key': 'docs_key', 'base-url': '', 'on-missing-key': '', summary: ' true' })
  expect(surroundings).toMatchObject({ workspace: '/workspace' })
  expect((step?.deadlineAt ?? 0) - (step?.startedAt ?? 0)).toBe(INPUTS.timeoutMs)
  expect(lines.at(-1)).toMatch(/Ended\. done, with inputs\.$/)
  expect(outcomes()).toEqual(['error', 'done'])
  expect(readFileSync(summaryFile, 'utf8')).toBe('# done')
  expect(exitCodes()).toEqual([0])
})

test('what holds until the step has an end is written before an input is looked at', async () => {
  let before: string[] = []
  const parse = (): StepInputs => {
    before = outcomes()
    return INPUTS
  }
  await run({}, { parse })
  expect(before).toEqual(['error'])
})

test('a key that may be missing and is, skips the step: no input is parsed, and nothing runs', async () => {
  const { raw, step, lines } = await run({ 'on-missing-key': 'skip' })
  expect([raw, step]).toEqual([undefined, undefined])
  expect(lines).toEqual([
    expect.stringMatching(/^::warning .*`api-key` is empty/),
    expect.stringMatching(/Ended\. skipped, without inputs\.$/),
  ])
  expect([outcomes(), exitCodes()]).toEqual([['error', 'skipped'], [0]])
})

const refusing = (error: Error) => (): never => {
  throw error
}

test.each([
  ['an input that is wrong', { parse: refusing(new ActionError('invalid-input', 'No.')) }],
  ['a step that cannot be opened', { run: () => Promise.reject(new ActionError('proxy', 'No.')) }],
])('%s ends it red, with a report of a step that did not run', async (_name, fields) => {
  const { lines } = await run({ 'api-key': 'docs_key' }, fields)
  expect(lines.at(-1)).toBe('::error title=Ended::No., without inputs')
  expect(readFileSync(summaryFile, 'utf8')).toBe('# No.')
  expect([outcomes(), exitCodes()]).toEqual([['error', 'No.'], [1]])
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
  expect(outcomes()).toEqual(['error', `job_1: ${DEFECT}`])
  expect(readFileSync(summaryFile, 'utf8')).toBe(`# job_1: ${DEFECT}`)
  expect(new Set(exitCodes())).toEqual(new Set([1]))
})

test('of a defect in what tells of the step, the outputs of the beginning are told again', async () => {
  const { lines } = await run({}, { render: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Internal error::A defect .* Report it/)
  expect([outcomes(), exitCodes()]).toEqual([['error', 'error'], [1]])
})

test('a defect in the summary costs the summary', async () => {
  const { lines, summaries } = await run({}, {}, { title: 'Not done', text: 'The label.' }, crash)
  expect(lines.at(-1)).toMatch(/^::error title=Ended::A defect/)
  expect([outcomes(), readFileSync(summaryFile, 'utf8'), summaries]).toEqual([['error', DEFECT], '', 0])
  expect(lines.filter((line) => line.includes('The label.'))).toHaveLength(1)
})

test('a defect before the step began is told as one, and that it did not run', async () => {
  const { lines } = await run({}, { parse: crash })
  expect(lines.at(-1)).toBe(`::error title=Ended::${DEFECT}, without inputs`)
  expect([outcomes(), exitCodes()]).toEqual([['error', DEFECT], [1]])
})

test('no summary where none is wanted, also of wrong inputs', async () => {
  const { summaries } = await run({ summary: ' False' }, { parse: refusing(new ActionError('invalid-input', 'No.')) })
  expect([summaries, readFileSync(summaryFile, 'utf8')]).toEqual([0, ''])
})

test('a notice comes before the end', async () => {
  const { lines } = await run({}, {}, { title: 'Not done', text: 'The label.' })
  expect(lines.slice(-2)).toEqual(['::notice title=Not done::The label.', expect.stringContaining('Ended. done')])
})
