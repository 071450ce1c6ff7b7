import * as fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { execute, type Runner, type StepResult } from '../../src/action/execute.ts'
import { captureStdout } from '../support/capture-stdout.ts'
import { stepProcess } from '../support/step-process.ts'

const { outputFile, summaryFile, exitCodes } = stepProcess()

const result = (given: Partial<StepResult> = {}): StepResult => ({
  isGreen: true,
  title: 'The pull request is ready',
  text: 'It took 7 s.',
  outputs: { outcome: 'pull-request', 'job-id': 'job_1' },
  summary: '# Summary\n',
  ...given,
})

const run = (perform: (ports: Runner) => StepResult | Promise<StepResult>): Promise<string[]> =>
  captureStdout(() => execute(async (ports) => perform(ports)))

/** Nobody forces a library to throw errors. */
const rejecting = (reason: Error): Promise<never> => Promise.reject(reason)

const errorsIn = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith('::error'))
const LOST = '::error title=The outputs could not be written::'

test('until a green result is published the exit code is 1, and then 0', async () => {
  let codeWhileWorking: unknown
  const lines = await run(() => {
    codeWhileWorking = process.exitCode
    return result()
  })

  expect([codeWhileWorking, exitCodes()]).toEqual([1, [0]])
  expect(lines).toEqual([expect.stringMatching(/^\[ +\d s\] The pull request is ready\. It took 7 s\.$/)])
  expect(fs.readFileSync(outputFile, 'utf8')).toMatch(/^outcome<<[^]*\npull-request\r?\n[^]*job-id<<[^]*\njob_1\r?\n/)
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('# Summary\n')
})

test('a red result is published with one error, without a summary where none is wanted, and ends with 1', async () => {
  const red = { isGreen: false, title: 'Cancelled', text: 'The run was cancelled.', summary: undefined }
  const lines = await run(() => result(red))

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toEqual(['::error title=Cancelled::The run was cancelled.'])
  expect(fs.readFileSync(outputFile, 'utf8')).toContain('job_1')
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('')
})

test('a summary that cannot be written costs a warning and nothing else', async () => {
  fs.rmSync(summaryFile)
  fs.mkdirSync(summaryFile)

  const [warning, end] = await run(() => result())

  expect(exitCodes()).toEqual([0])
  expect(warning).toBe('::warning title=Docs Agent::The job summary could not be written.')
  expect(end).toContain('The pull request is ready.')
})

test('a green result whose outputs cannot be written is red', async () => {
  fs.rmSync(outputFile)

  const lines = await run(() => result())

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toEqual([expect.stringMatching(/The pull request is ready\. It took 7 s\.$/)])
  expect(lines[0]).toContain(LOST)
  expect(fs.readFileSync(summaryFile, 'utf8')).toContain('# Summary\n')
})

test('outputs that cannot be written from the start are an error of their own, and no defect', async () => {
  fs.rmSync(outputFile)

  const lines = await run(({ core }) => {
    core.setOutput('outcome', 'error')
    return result()
  })

  expect(exitCodes()).toEqual([1])
  expect(lines).toEqual([expect.stringMatching(/Check the runner's disk/)])
  expect(lines[0]).toContain(LOST)
})

test.each([
  ['an error', new TypeError('x is not a function'), 'x is not a function'],
  ['a text', 'x is not a function', 'x is not a function'],
  ['nothing', undefined, 'undefined'],
])('a use case that throws %s ends with 1, one error, and the details in the log', async (_name, thrown, details) => {
  const lines = await run(() => rejecting(thrown as Error))

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toHaveLength(1)
  expect(lines[0]).toContain(details)
})

test('the details of a defect hold no secret and no command', async () => {
  const lines = await run(({ core }) => {
    core.mask('dk_0123456789')
    throw new Error('dk_0123456789\n::set-output name=outcome::pull-request')
  })

  expect(lines.filter((line) => line.includes('dk_'))).toEqual(['::add-mask::dk_0123456789'])
  expect(lines.filter((line) => line.startsWith('::set-output'))).toEqual([])
})

test.each(['uncaughtException', 'unhandledRejection'] as const)('an %s ends the step red at once', async (event) => {
  const lines = await run(() => {
    process.emit(event as 'uncaughtException', new Error('nobody caught this'))
    return result()
  })

  expect(exitCodes()[0]).toBe(1)
  expect(errorsIn(lines)).toHaveLength(1)
  expect(lines.join('\n')).toContain('nobody caught this')
})

test('an error that nobody caught is red even after a green result was published', async () => {
  await run(() => result())
  await captureStdout(() => process.emit('uncaughtException', new Error('late')))

  expect(exitCodes()).toEqual([0, 1])
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s tells the use case that the run is cancelled, and a second signal ends the process at once',
  async (name) => {
    await run(({ signal }) => {
      expect(signal.aborted).toBe(false)
      process.emit(name)
      const { reason } = signal as { reason: unknown }
      expect([reason, exitCodes()]).toEqual([expect.objectContaining({ code: 'cancelled' }), []])
      process.emit('SIGTERM')
      expect([signal.reason === reason, exitCodes()]).toEqual([true, [1]])
      return result({ isGreen: false })
    })
    expect(exitCodes()).toEqual([1, 1])
  },
)
