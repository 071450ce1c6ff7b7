import * as fs from 'node:fs'
import { expect, test } from '@jest/globals'
import type { StepResult } from '../../src/action/step-result.ts'
import { type Action, execute, runAction } from '../../src/action/run-action.ts'
import { field, type Fields, type RawInputs } from '../../src/action/inputs.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import type { Step, StepInputs } from '../../src/action/step.ts'
import { captureStdout } from '../support/capture-stdout.ts'
import { stepProcess } from '../support/step-process.ts'

const { outputFile, summaryFile, exitCodes } = stepProcess()

const INPUTS: StepInputs = { projectId: 'docs', apiKey: 'docs_key', baseUrl: 'https://docs.example.com', timeoutMs: 5 }

interface Seen {
  raw?: RawInputs
  workspace?: string
  step?: Step
  codeWhileRunning?: unknown
  lines: readonly string[]
}

interface Play extends Partial<Action<StepInputs, string>> {
  readonly given?: Readonly<Record<string, string>>
  readonly rendered?: Partial<StepResult>
  readonly summarize?: (report: string) => string
}

const fieldsOf = (...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, field(name, '', String)]))

/** Runs a feature whose report is one word, and which is green if this is `done` or `skipped`. */
async function run({
  given = {},
  rendered = {},
  summarize = (report) => `# ${report}`,
  ...fields
}: Play = {}): Promise<Seen> {
  for (const [name, value] of Object.entries(given)) process.env[`INPUT_${name.toUpperCase()}`] = value
  const seen: Seen = { lines: [] }
  const feature: Action<StepInputs, string> = {
    fields: fieldsOf('api-key', 'base-url', 'on-missing-key', 'summary'),
    initialOutputs: { outcome: 'error' },
    parse: (raw, workspace) => {
      Object.assign(seen, { raw, workspace })
      return INPUTS
    },
    run: (_inputs, step) => {
      Object.assign(seen, { step, codeWhileRunning: process.exitCode })
      return Promise.resolve('done')
    },
    createSkippedReport: (error) => error?.message ?? 'skipped',
    render: (report, _redact, wantsSummary) => ({
      isGreen: ['done', 'skipped'].includes(report),
      title: 'Ended',
      text: report,
      outputs: { outcome: report },
      summary: wantsSummary ? summarize(report) : undefined,
      ...rendered,
    }),
    ...fields,
  }
  seen.lines = await captureStdout(() => runAction(feature))
  return seen
}

const summary = (): string => fs.readFileSync(summaryFile, 'utf8')
const outcomes = (): string[] =>
  [...fs.readFileSync(outputFile, 'utf8').matchAll(/^outcome<<.*\n(.*)$/gm)].map(([, v = '']) => v)

test('reads the inputs as they are, runs the step within its time, and publishes what came of it', async () => {
  process.env['GITHUB_WORKSPACE'] = '/workspace'
  const given = { 'api-key': ' docs_key\n', summary: ' true', 'base-url': 'https://docs.example.com' }
  const { raw, workspace, step, codeWhileRunning, lines } = await run({ given })

  expect(raw).toEqual({ ...given, 'on-missing-key': '' })
  expect(workspace).toBe('/workspace')
  expect((step?.deadlineAt ?? 0) - (step?.startedAt ?? 0)).toBe(INPUTS.timeoutMs)
  expect(lines.slice(0, 2)).toEqual(['::add-mask:: docs_key%0A', '::add-mask::docs_key'])
  expect(lines.at(-1)).toMatch(/^\[ +\d s\] Ended\. done\.$/)
  expect([outcomes(), summary()]).toEqual([['error', 'done'], '# done'])
  // What ends without having said so is red.
  expect([codeWhileRunning, exitCodes()]).toEqual([1, [0]])
})

test('what holds until the step has an end is written, and secrets are masked, before an input is looked at', async () => {
  let before: string[] = []
  const parse = (): never => {
    before = outcomes()
    throw new ActionError('invalid-input', 'Both are docs_key and ghs_token.')
  }
  const given = { 'api-key': 'docs_key', 'github-token': 'ghs_token' }
  const { lines } = await run({ given, fields: fieldsOf('github-token', 'api-key'), parse })
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
  expect((await run({ given: { 'base-url': given } })).raw?.['base-url']).toBe(address)
})

test.each([
  ['costs a warning where the run may have secrets', 'ann', /^::warning .*Check the name of the secret/],
  ['costs a notice where the run gets none', 'dependabot[bot]', /^::notice .*This run has no access to secrets/],
])('a key that is missing and may be %s: no input is parsed, and nothing runs', async (_name, actor, remark) => {
  process.env['GITHUB_ACTOR'] = actor
  const { raw, step, lines } = await run({ given: { 'api-key': ' \n', 'on-missing-key': ' skip ' } })
  expect([raw, step]).toEqual([undefined, undefined])
  expect(lines).toEqual([expect.stringMatching(remark), expect.stringMatching(/Ended\. skipped\.$/)])
  expect([outcomes(), exitCodes()]).toEqual([['error', 'skipped'], [0]])
})

test('a notice says what a green end without a key means for later runs', async () => {
  process.env['GITHUB_EVENT_NAME'] = 'schedule'
  const describeMissingKey: Play['describeMissingKey'] = (raw, { eventName }) => `${eventName} ${raw['api-key'] ?? ''}.`
  const { lines } = await run({ given: { 'on-missing-key': 'skip' }, describeMissingKey })
  expect(lines).toContain('::notice title=The base of the next range moves::schedule .')
})

test.each([
  ['', 'fail'],
  ['', ''],
  ['key', 'skip'],
])('with the key %j and on-missing-key %j nothing is skipped', async (apiKey, onMissingKey) => {
  const { step } = await run({ given: { 'api-key': apiKey, 'on-missing-key': onMissingKey } })
  expect(step).toBeDefined()
})

test('a step that needs no key runs without one, whatever on-missing-key says', async () => {
  const needsNoKey: Play['needsNoKey'] = (raw) => raw['on-missing-key'] === 'skip'
  const { step } = await run({ given: { 'on-missing-key': 'skip' }, needsNoKey })
  expect(step).toBeDefined()
})

const WRONG_INPUT: Play = {
  parse: () => {
    throw new ActionError('invalid-input', 'No.')
  },
}

test.each([
  ['an input that is wrong', WRONG_INPUT],
  ['a step that cannot be opened', { run: () => Promise.reject(new ActionError('proxy', 'No.')) }],
])('%s ends it red, with a report of a step that did not run', async (_name, fields) => {
  const { lines } = await run(fields)
  expect(lines.at(-1)).toBe('::error title=Ended::No.')
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error', 'No.'], '# No.', [1]])
})

test.each([
  ['true', '# No.'],
  ['nonsense', '# No.'],
  [' FALSE ', ''],
])('with summary %j, of wrong inputs there is the summary %j', async (wanted, expected) => {
  await run({ ...WRONG_INPUT, given: { summary: wanted } })
  expect(summary()).toBe(expected)
})

const DEFECT = 'A bug in the action stopped the step.'
const crash = (): never => {
  throw new TypeError('nobody foresaw this')
}
/** Nobody forces a library to throw errors. */
const rejecting = (reason: Error) => () => Promise.reject(reason)
const emitting = (event: string) => () =>
  Promise.resolve(String(process.emit(event as 'uncaughtException', new TypeError('nobody foresaw this'))))

test.each([
  ['an error that is thrown', rejecting(new TypeError('nobody foresaw this')), 'TypeError: nobody foresaw this'],
  ['a text that is thrown', rejecting('nobody foresaw this' as unknown as Error), '] nobody foresaw this'],
  ['nothing that is thrown', rejecting(undefined as unknown as Error), '] undefined'],
  ['an error that nobody catches', emitting('uncaughtException'), 'TypeError: nobody foresaw this'],
  ['a promise that nobody catches', emitting('unhandledRejection'), 'TypeError: nobody foresaw this'],
])('of %s, a defect, all that is known of the step is told once, and why in the log', async (_way, stop, why) => {
  const { lines } = await run({
    run: (_inputs, { core }, onStop) => {
      core.startGroup('New job')
      onStop(({ message }) => `job_1: ${message}`)
      return stop()
    },
  })
  expect(lines.filter((line) => line.startsWith('::error'))).toEqual([`::error title=Ended::job_1: ${DEFECT}`])
  expect(lines.slice(0, 2)).toEqual(['::group::New job', '::endgroup::'])
  expect(lines[2]).toContain(why)
  expect([outcomes(), summary()]).toEqual([['error', `job_1: ${DEFECT}`], `# job_1: ${DEFECT}`])
  expect(new Set(exitCodes())).toEqual(new Set([1]))
})

test('an error that nobody caught is red even after a green end', async () => {
  await run()
  await captureStdout(() => process.emit('uncaughtException', new Error('late')))
  expect(exitCodes()).toEqual([0, 1])
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s tells the step that the run is cancelled, and a second signal ends the process at once',
  async (name) => {
    await run({
      run: (_inputs, { signal }) => {
        expect(signal.aborted).toBe(false)
        process.emit(name)
        const { reason } = signal as { reason: unknown }
        expect([reason, exitCodes()]).toEqual([expect.objectContaining({ code: 'cancelled' }), []])
        process.emit('SIGTERM')
        expect([signal.reason === reason, exitCodes()]).toEqual([true, [1]])
        return Promise.resolve('red')
      },
    })
    expect(exitCodes()).toEqual([1, 1])
  },
)

test('a group that is open when the process ends, ends with it', async () => {
  const { lines } = await run({
    run: (_inputs, { core }) => {
      core.startGroup('New job')
      process.emit('exit', 1)
      core.log('late')
      return Promise.resolve('done')
    },
  })
  expect(lines.slice(0, 3)).toEqual(['::group::New job', '::endgroup::', expect.stringMatching(/late$/)])
})

const LOST = '::error title=The outputs could not be written::'

test('outputs that cannot be written at the end make a green step red, with a summary', async () => {
  const losing = () => {
    fs.rmSync(outputFile)
    return Promise.resolve('done')
  }
  const { lines } = await run({ run: losing })
  expect(lines).toEqual([expect.stringMatching(/Later steps do not see .* Ended\. done\.$/)])
  expect(lines[0]).toContain(LOST)
  expect([summary(), exitCodes()]).toEqual(['# done', [1]])
})

test('outputs that cannot be written from the start are an error of their own, and no defect', async () => {
  fs.rmSync(outputFile)
  const { lines } = await run()
  expect(lines).toEqual([expect.stringMatching(/Check the runner's disk/)])
  expect(lines[0]).toContain(LOST)
  expect(exitCodes()).toEqual([1])
})

test('a summary that cannot be written costs a warning and nothing else', async () => {
  fs.rmSync(summaryFile)
  fs.mkdirSync(summaryFile)
  const { lines } = await run()
  const warning = '::warning title=Docs Agent::The job summary could not be written.'
  expect(lines).toEqual([warning, expect.stringContaining('Ended. done')])
  expect(exitCodes()).toEqual([0])
})

test('of a defect in what tells of the step, the outputs of the beginning are told again', async () => {
  const { lines } = await run({ render: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Internal error::A bug .* Report it/)
  expect([outcomes(), exitCodes()]).toEqual([['error', 'error'], [1]])
})

const NOTICE = { title: 'Not done', text: 'The label.' }

test('a defect in the summary costs the summary', async () => {
  const { lines } = await run({ rendered: { notice: NOTICE }, summarize: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Ended::A bug/)
  expect([outcomes(), summary()]).toEqual([['error', DEFECT], ''])
  expect(lines.filter((line) => line.includes('The label.'))).toHaveLength(1)
})

test('a defect on the way to tell of a foreseen error is in the log, and ends red', async () => {
  const late = rejecting(new ActionError('deadline', 'Too late.'))
  const { lines } = await run({ run: late, rendered: { isGreen: true }, summarize: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Ended::Too late\./)
  expect(lines.join('\n')).toContain('TypeError: nobody foresaw this')
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error', 'Too late.'], '', [1]])
})

test('the causes of an error are in the debug log, redacted, and nowhere else', async () => {
  const broken = Object.assign(new Error('read ECONNRESET by docs_key'), { cause: new Error('the socket') })
  const stop = rejecting(new ActionError('unreachable', 'No answer.', { cause: broken }))
  const play = (): Promise<Seen> =>
    run({
      run: (_inputs, { core }) => {
        core.mask('docs_key')
        return stop()
      },
    })
  expect((await play()).lines.join('\n')).not.toMatch(/ECONNRESET|the socket/)
  process.env['RUNNER_DEBUG'] = '1'
  const { lines } = await play()
  const debug = lines.filter((line) => line.startsWith('::debug::'))
  expect(debug[0]).toMatch(/Caused by Error: read ECONNRESET by \*\*\*$/)
  expect(debug.join('\n')).toContain('Caused by Error: the socket')
  expect(lines.filter((line) => !line.startsWith('::debug::')).join('\n')).not.toMatch(/ECONNRESET|the socket/)
  expect(summary()).not.toMatch(/ECONNRESET|the socket/)
})

test('a defect before the step began is told as one, and that it did not run', async () => {
  const { lines } = await run({ parse: crash, given: { summary: 'false' } })
  expect(lines.at(-1)).toBe(`::error title=Ended::${DEFECT}`)
  expect([outcomes(), summary()]).toEqual([['error', DEFECT], ''])
})

test('a program of another kind is told of by its error alone', async () => {
  const lines = await captureStdout(() => execute(rejecting(new Error('no'))))
  expect(lines.at(-1)).toMatch(/^::error title=Internal error::A bug .* Report it/)
})

test('a notice comes before the end', async () => {
  const { lines } = await run({ rendered: { notice: NOTICE } })
  expect(lines.slice(-2)).toEqual(['::notice title=Not done::The label.', expect.stringContaining('Ended. done')])
})

test('what the service says and what to do stand behind the text, and what has no period behind them', async () => {
  const { lines } = await run({ rendered: { quote: 'No', advice: 'Mend it', last: 'https://x/1' } })
  expect(lines.at(-1)).toMatch(/done\. The service says: “No”\. Mend it\. https:\/\/x\/1$/)
})
