import * as fs from 'node:fs'
import { expect, test } from '@jest/globals'
import type { StepResult, Step, StepInputs } from '../../src/action/step.ts'
import { type Action, execute, runAction } from '../../src/action/run-action.ts'
import { field, type Fields, type RawInputs } from '../../src/action/inputs.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { captureStdout } from '../../testing/capture-stdout.ts'
import { simulateStepProcess } from '../../testing/step-process.ts'

const { outputFile, summaryFile, exitCodes } = simulateStepProcess()

const INPUTS: StepInputs = { projectId: 'docs', apiKey: 'docs_key', baseUrl: 'https://docs.example.com', timeoutMs: 5 }

interface Seen {
  raw?: RawInputs
  workspace?: string
  step?: Step
  codeWhileRunning?: unknown
  lines: readonly string[]
}

interface RunOptions extends Partial<Action<StepInputs, string>> {
  readonly given?: Readonly<Record<string, string>>
  readonly rendered?: Partial<StepResult>
}

const createFields = (...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, field(name, '', String)]))

/** Runs an action whose report is a text. The step is green if the text is `done` or `skipped`. */
async function run({ given = {}, rendered = {}, ...fields }: RunOptions = {}): Promise<Seen> {
  for (const [name, value] of Object.entries(given)) process.env[`INPUT_${name.toUpperCase()}`] = value
  const seen: Seen = { lines: [] }
  const action: Action<StepInputs, string> = {
    fields: createFields('api-key', 'base-url'),
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
    render: (report) => ({
      isGreen: ['done', 'skipped'].includes(report),
      title: 'Ended',
      text: report,
      outputs: { outcome: report },
      summary: `# ${report}`,
      ...rendered,
    }),
    ...fields,
  }
  seen.lines = await captureStdout(() => runAction(action))
  return seen
}

const summary = (): string => fs.readFileSync(summaryFile, 'utf8')
const outcomes = (): string[] =>
  [...fs.readFileSync(outputFile, 'utf8').matchAll(/^outcome<<.*\n(.*)$/gm)].map(([, v = '']) => v)

test('reads the inputs unchanged, runs the step with its deadline, and publishes the result', async () => {
  process.env['GITHUB_WORKSPACE'] = '/workspace'
  const given = { 'api-key': ' docs_key\n', 'base-url': 'https://docs.example.com' }
  const { raw, workspace, step, codeWhileRunning, lines } = await run({ given })

  expect(raw).toEqual(given)
  expect(workspace).toBe('/workspace')
  expect((step?.deadlineAt ?? 0) - (step?.startedAt ?? 0)).toBe(INPUTS.timeoutMs)
  expect(lines.slice(0, 2)).toEqual(['::add-mask:: docs_key%0A', '::add-mask::docs_key'])
  expect(lines.at(-1)).toMatch(/^\[ +\d s\] Ended\. done\.$/)
  expect([outcomes(), summary()]).toEqual([['error', 'done'], '# done'])
  // While the step runs, the exit code is 1.
  expect([codeWhileRunning, exitCodes()]).toEqual([1, [0]])
})

test('writes the initial outputs and masks secrets before it parses the inputs', async () => {
  let before: string[] = []
  const parse = (): never => {
    before = outcomes()
    throw new ActionError('invalid-input', 'Both are docs_key and ghs_token.')
  }
  const given = { 'api-key': 'docs_key', 'github-token': 'ghs_token' }
  const { lines } = await run({ given, fields: createFields('github-token', 'api-key'), parse })
  expect(before).toEqual(['error'])
  expect(lines.at(-1)).toContain('Both are *** and ***.')
})

test.each([
  ['', 'https://env.example.com', 'https://env.example.com'],
  ['  ', 'https://env.example.com', 'https://env.example.com'],
  ['https://given.example.com', 'https://env.example.com', 'https://given.example.com'],
  ['', undefined, ''],
])('with `base-url` %j and %j in the environment, `base-url` is %j', async (given, fromEnv, expected) => {
  if (fromEnv !== undefined) process.env['DOCS_AGENT_BASE_URL'] = fromEnv
  expect((await run({ given: { 'base-url': given } })).raw?.['base-url']).toBe(expected)
})

const REHEARSAL = {
  service: 'http://127.0.0.1:4010',
  api: 'http://127.0.0.1:4010/api/v3',
  server: 'http://127.0.0.1:4010',
  key: 'docs_embedded',
  token: 'ghs_embedded',
}
const NAMES = ['project-id', 'api-key', 'base-url', 'github-token']
const REAL = { 'project-id': 'p', 'base-url': 'https://docs.example.com' }

test.each([
  ['', ''],
  ['docs_real', 'ghs_real'],
])('in a rehearsal, replaces the key %j and the token %j, and warns first', async (apiKey, token) => {
  process.env['DOCS_AGENT_REHEARSAL'] = JSON.stringify(REHEARSAL)
  const given = { ...REAL, 'api-key': apiKey, 'github-token': token }
  const { raw, step, lines } = await run({ given, fields: createFields(...NAMES) })
  expect(raw).toEqual({
    'project-id': 'p',
    'api-key': REHEARSAL.key,
    'base-url': REHEARSAL.service,
    'github-token': REHEARSAL.token,
  })
  expect(lines[0]).toMatch(/^::warning title=Docs Agent::This is a rehearsal/)
  expect(lines.filter((line) => line.startsWith('::add-mask::'))).toEqual(
    [apiKey, token].filter((secret) => secret !== '').map((secret) => `::add-mask::${secret}`),
  )
  expect(step?.context).toMatchObject({ apiUrl: REHEARSAL.api, serverUrl: REHEARSAL.server, isRehearsal: true })
})

test('in a rehearsal, adds no input that the action does not have', async () => {
  process.env['DOCS_AGENT_REHEARSAL'] = JSON.stringify(REHEARSAL)
  const { raw } = await run({ fields: createFields('api-key') })
  expect(raw).toEqual({ 'api-key': REHEARSAL.key })
})

test('reports invalid inputs as those of a rehearsal', async () => {
  process.env['DOCS_AGENT_REHEARSAL'] = JSON.stringify(REHEARSAL)
  const rehearsals: unknown[] = []
  await run({
    ...INVALID_INPUT,
    createSkippedReport: (error, _durationMs, isRehearsal) => {
      rehearsals.push(isRehearsal)
      return error?.message ?? 'skipped'
    },
  })
  expect(rehearsals).toEqual([true])
})

test.each([
  ['not JSON', '{'],
  ['no object', '7'],
  ['a service on another machine', JSON.stringify({ ...REHEARSAL, service: 'http://docs.example.com' })],
  ['an API on another machine', JSON.stringify({ ...REHEARSAL, api: 'http://127.0.0.1.example.com/api/v3' })],
  ['pages on another machine', JSON.stringify({ ...REHEARSAL, server: 'https://github.com' })],
  ['a URL with credentials', JSON.stringify({ ...REHEARSAL, service: 'http://me:secret@127.0.0.1:4010' })],
  ['no key', JSON.stringify({ ...REHEARSAL, key: '' })],
  ['no token', JSON.stringify({ ...REHEARSAL, token: undefined })],
])('ignores a rehearsal with %s, and warns', async (_what, text) => {
  process.env['DOCS_AGENT_REHEARSAL'] = text
  const given = { ...REAL, 'api-key': 'docs_real', 'github-token': 'ghs_real' }
  const { raw, step, lines } = await run({ given, fields: createFields(...NAMES) })
  expect(raw).toEqual(given)
  expect(step?.context).toMatchObject({ apiUrl: 'https://api.github.com', isRehearsal: false })
  expect(lines[0]).toMatch(/^::warning title=Docs Agent::`DOCS_AGENT_REHEARSAL` is ignored/)
})

test('skips a run without a key from which GitHub withholds secrets, before it reads the other inputs', async () => {
  process.env['GITHUB_ACTOR'] = 'dependabot[bot]'
  const { raw, step, lines } = await run({ given: { 'api-key': ' \n', 'base-url': '::' } })
  expect([raw, step]).toEqual([undefined, undefined])
  expect(lines).toEqual([
    expect.stringMatching(/^::notice .*GitHub withholds secrets from runs that Dependabot starts\. Nothing was sent/),
    expect.stringMatching(/Ended\. skipped\.$/),
  ])
  expect([outcomes(), exitCodes()]).toEqual([['error', 'skipped'], [0]])
})

test.each([
  ['with a key', 'dependabot[bot]', 'key', undefined],
  ['without a key in a run that has access to secrets', 'ann', '', undefined],
  ['without a key if the step needs none', 'dependabot[bot]', '', () => true],
])('does not skip a run %s', async (_name, actor, apiKey, needsNoKey) => {
  process.env['GITHUB_ACTOR'] = actor
  const { step } = await run({ given: { 'api-key': apiKey }, ...(needsNoKey && { needsNoKey }) })
  expect(step).toBeDefined()
})

const INVALID_INPUT: RunOptions = {
  parse: () => {
    throw new ActionError('invalid-input', 'No.')
  },
}

test.each([
  ['an invalid input', INVALID_INPUT],
  ['a step that cannot start', { run: () => Promise.reject(new ActionError('proxy', 'No.')) }],
])('%s is red, with the report of a step that did not run', async (_name, fields) => {
  const { lines } = await run(fields)
  expect(lines.at(-1)).toBe('::error title=Ended::No.')
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error', 'No.'], '# No.', [1]])
})

const DEFECT = 'A bug in the action stopped the step.'
const crash = (): never => {
  throw new TypeError('x is undefined')
}
/** Libraries can also reject with values that are not errors. */
const rejectWith = (reason: Error) => () => Promise.reject(reason)
const emitting = (event: string) => () =>
  Promise.resolve(String(process.emit(event as 'uncaughtException', new TypeError('x is undefined'))))

test.each([
  ['a thrown error', rejectWith(new TypeError('x is undefined')), 'TypeError: x is undefined'],
  ['a thrown text', rejectWith('x is undefined' as unknown as Error), '] x is undefined'],
  ['a thrown `undefined`', rejectWith(undefined as unknown as Error), '] undefined'],
  ['an uncaught exception', emitting('uncaughtException'), 'TypeError: x is undefined'],
  ['an unhandled rejection', emitting('unhandledRejection'), 'TypeError: x is undefined'],
])('reports %s as a bug, once, in the words of the step, and logs the reason', async (_way, stop, why) => {
  const { lines } = await run({
    run: (_inputs, { runner }, onStop) => {
      runner.startGroup('New job')
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

test('an uncaught exception after a green result makes the step red', async () => {
  await run()
  await captureStdout(() => process.emit('uncaughtException', new Error('late')))
  expect(exitCodes()).toEqual([0, 1])
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s aborts the signal of the step, and a second signal exits immediately',
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

test('ends an open group when the process exits', async () => {
  const { lines } = await run({
    run: (_inputs, { runner }) => {
      runner.startGroup('New job')
      process.emit('exit', 1)
      runner.log('late')
      return Promise.resolve('done')
    },
  })
  expect(lines.slice(0, 3)).toEqual(['::group::New job', '::endgroup::', expect.stringMatching(/late$/)])
})

const OUTPUTS_ERROR = '::error title=The outputs could not be written::'

test('makes a green step red if its outputs cannot be written, and still writes the summary', async () => {
  const removeOutputs = () => {
    fs.rmSync(outputFile)
    return Promise.resolve('done')
  }
  const { lines } = await run({ run: removeOutputs })
  expect(lines).toEqual([expect.stringMatching(/Later steps do not see .* Ended\. done\.$/)])
  expect(lines[0]).toContain(OUTPUTS_ERROR)
  expect([summary(), exitCodes()]).toEqual(['# done', [1]])
})

test('reports initial outputs that cannot be written as their own error, not as a bug', async () => {
  fs.rmSync(outputFile)
  const { lines } = await run()
  expect(lines).toEqual([expect.stringMatching(/Check the runner's disk/)])
  expect(lines[0]).toContain(OUTPUTS_ERROR)
  expect(exitCodes()).toEqual([1])
})

test('only warns if the summary cannot be written', async () => {
  fs.rmSync(summaryFile)
  fs.mkdirSync(summaryFile)
  const { lines } = await run()
  const warning = '::warning title=Docs Agent::The job summary could not be written.'
  expect(lines).toEqual([warning, expect.stringContaining('Ended. done')])
  expect(exitCodes()).toEqual([0])
})

test('writes neither a summary nor a warning if the runner has no file for summaries', async () => {
  delete process.env['GITHUB_STEP_SUMMARY']
  const { lines } = await run()
  expect(lines).toEqual([expect.stringContaining('Ended. done')])
  expect([summary(), exitCodes()]).toEqual(['', [0]])
})

test('keeps the outputs that were written early if rendering throws', async () => {
  const { lines } = await run({ render: crash })
  expect(lines.at(-1)).toMatch(/^::error title=Internal error::A bug .* Report it/)
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error'], '', [1]])
})

test('logs what rendering the report of an expected error throws, and is red', async () => {
  const late = rejectWith(new ActionError('deadline', 'Too late.', { hint: 'Wait longer.' }))
  const { lines } = await run({ run: late, render: crash })
  expect(lines.at(-1)).toMatch(/^::error title=[^:]+::Too late\. Wait longer\.$/)
  expect(lines.join('\n')).toContain('TypeError: x is undefined')
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error'], '', [1]])
})

test('an expected error is red even if its report is green', async () => {
  const late = rejectWith(new ActionError('deadline', 'Too late.'))
  const { lines } = await run({ run: late, rendered: { isGreen: true } })
  expect(lines.at(-1)).toMatch(/^::error title=Ended::Too late\./)
  expect([outcomes(), summary(), exitCodes()]).toEqual([['error', 'Too late.'], '# Too late.', [1]])
})

const NOTICE = { title: 'Not done', text: 'The label.' }

test('writes the causes of an error to the debug log only, redacted', async () => {
  const broken = Object.assign(new Error('read ECONNRESET by docs_key'), { cause: new Error('the socket') })
  const stop = rejectWith(new ActionError('unreachable', 'No response.', { cause: broken }))
  const play = (): Promise<Seen> =>
    run({
      run: (_inputs, { runner }) => {
        runner.mask('docs_key')
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

test('reports what parsing throws as a bug, with the report of a step that did not run', async () => {
  const { lines } = await run({ parse: crash })
  expect(lines.at(-1)).toBe(`::error title=Ended::${DEFECT}`)
  expect([outcomes(), summary()]).toEqual([['error', DEFECT], `# ${DEFECT}`])
})

test('reports only the error of a process that registered no report', async () => {
  const lines = await captureStdout(() => execute(rejectWith(new Error('no'))))
  expect(lines.at(-1)).toMatch(/^::error title=Internal error::A bug .* Report it/)
})

test('writes a notice before the result', async () => {
  const { lines } = await run({ rendered: { notice: NOTICE } })
  expect(lines.slice(-2)).toEqual(['::notice title=Not done::The label.', expect.stringContaining('Ended. done')])
})

test('puts the quote and the advice after the text, and then the suffix without a period', async () => {
  const { lines } = await run({ rendered: { quote: 'No', advice: 'Fix it', last: 'https://x/1' } })
  expect(lines.at(-1)).toMatch(/done\. The service says: “No”\. Fix it\. https:\/\/x\/1$/)
})
