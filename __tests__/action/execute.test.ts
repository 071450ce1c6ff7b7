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
const rejecting = (reason: Error) => (): Promise<never> => Promise.reject(reason)

const errorsIn = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith('::error'))

test('a green result is published, and ends with 0', async () => {
  const lines = await run(() => result())

  expect(exitCodes()).toEqual([0])
  expect(lines).toEqual([expect.stringMatching(/^\[ +\d s\] The pull request is ready\. It took 7 s\.$/)])
  expect(fs.readFileSync(outputFile, 'utf8')).toMatch(/^outcome<<[^]*\npull-request\r?\n[^]*job-id<<[^]*\njob_1\r?\n/)
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('# Summary\n')
})

test('a red result is published with one error, and ends with 1', async () => {
  const lines = await run(() => result({ isGreen: false, title: 'Cancelled', text: 'The run was cancelled.' }))

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toEqual(['::error title=Cancelled::The run was cancelled.'])
  expect(fs.readFileSync(outputFile, 'utf8')).toContain('job_1')
  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('# Summary\n')
})

test('until a result is published the exit code is 1', async () => {
  let codeWhileWorking: unknown
  await run(() => {
    codeWhileWorking = process.exitCode
    return result()
  })

  expect(codeWhileWorking).toBe(1)
})

test('where no summary is wanted none is written', async () => {
  await run(() => result({ summary: undefined }))

  expect(fs.readFileSync(summaryFile, 'utf8')).toBe('')
})

test('a summary that cannot be written costs a warning and nothing else', async () => {
  fs.rmSync(summaryFile)
  fs.mkdirSync(summaryFile)

  const lines = await run(() => result())

  expect(exitCodes()).toEqual([0])
  expect(lines.filter((line) => line.startsWith('::warning'))).toEqual([
    '::warning title=Docs Agent::The job summary could not be written.',
  ])
})

test('a green result whose outputs cannot be written is red', async () => {
  fs.rmSync(outputFile)

  const lines = await run(() => result())

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toEqual([
    expect.stringMatching(
      /^::error title=The outputs could not be written::.*The pull request is ready\. It took 7 s\.$/,
    ),
  ])
  expect(fs.readFileSync(summaryFile, 'utf8')).toContain('# Summary\n')
})

test('outputs that cannot be written from the start are an error of their own, and no defect', async () => {
  fs.rmSync(outputFile)

  const lines = await run(({ core }) => {
    core.setOutput('outcome', 'error')
    return result()
  })

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toEqual([
    expect.stringMatching(/^::error title=The outputs could not be written::.*Check the disk/),
  ])
})

test.each([
  ['an error', new TypeError('x is not a function')],
  ['a text', 'x is not a function'],
  ['nothing', undefined],
])('a use case that throws %s ends with 1, one error, and the details in the log', async (_name, thrown) => {
  const lines = await captureStdout(() => execute(rejecting(thrown as Error)))

  expect(exitCodes()).toEqual([1])
  expect(errorsIn(lines)).toHaveLength(1)
  expect(lines[0]).toContain(thrown === undefined ? 'undefined' : 'x is not a function')
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

test('a cancelled run is told to the use case', async () => {
  let wasAborted: boolean | undefined
  await run(({ signal }) => {
    process.emit('SIGINT')
    wasAborted = signal.aborted
    return result({ isGreen: false })
  })

  expect(wasAborted).toBe(true)
  expect(exitCodes()).toEqual([1])
})
