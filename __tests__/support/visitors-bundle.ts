import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, jest } from '@jest/globals'
import { servePages, type PageAnswer, type PageRequest } from '../../scripts/bench/paging-server.ts'
import { NODE_24 } from '../../scripts/small-runner/node-24.ts'
import { runAction, type RunOptions, type RunResult } from '../../scripts/small-runner/run-action.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { startEmulator, type EmulatorOptions } from '../../src/emulator/server.ts'
import type { Outputs } from '../../src/visitors/outputs.ts'
import { verdictIn } from './bundle-expect.ts'
import { namesIn, temporaryFolder } from './temporary-folder.ts'
import { NO_FILE } from './visitors-run.ts'

const ACTION = fileURLToPath(new URL('../../visitors/', import.meta.url))

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

/** What an export asks. */
export interface AskedService {
  readonly url: string
  /** The offset of every page that was asked for, in order. */
  readonly offsets: () => readonly number[]
  readonly close: () => Promise<void>
}

/** A service that gives the answers of the test. */
export async function answering(
  answer: (request: PageRequest) => PageAnswer | Promise<PageAnswer>,
): Promise<AskedService> {
  const { url, requests, close } = await servePages(answer)
  return { url, close, offsets: () => requests.map(({ offset }) => offset) }
}

/** The service that comes with this project. */
export async function embedded(options: EmulatorOptions = {}): Promise<AskedService> {
  const service = await startEmulator(options)
  const offsetOf = ({ query }: { query: string }): number => Number(new URLSearchParams(query).get('offset'))
  return { url: service.url, close: () => service.close(), offsets: () => service.requests.map(offsetOf) }
}

export interface VisitorsBundleOptions extends Pick<
  RunOptions,
  'cancel' | 'env' | 'event' | 'eventName' | 'node' | 'onLine'
> {
  readonly service: Promise<AskedService>
  /** Besides the project, the key and the address of the service, or in their place. */
  readonly inputs?: Readonly<Record<string, string>>
}

export interface VisitorsBundleRun extends RunResult {
  /** The offset of every page that was asked for, in order. */
  readonly offsets: readonly number[]
  /** Every file that the workspace holds in the end, hidden ones included, by its path. */
  readonly files: Readonly<Record<string, string>>
  readonly key: string
}

function filesIn(workspace: string): Record<string, string> {
  const files = namesIn(workspace).filter((name) => statSync(join(workspace, name)).isFile())
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(workspace, name), 'utf8')]))
}

/** Runs the packaged action as a GitHub runner does, on Node.js 24, in an empty workspace of its own. */
export async function runVisitors({ service, inputs, ...options }: VisitorsBundleOptions): Promise<VisitorsBundleRun> {
  const workspace = temporaryFolder()
  const { url, offsets, close } = await service
  try {
    const given = {
      'project-id': 'docs-demo',
      'api-key': EMULATOR_KEY,
      'base-url': url,
      // A step that hangs ends with a log that tells why.
      'timeout-minutes': '0.5',
      ...inputs,
    }
    const result = await runAction({ action: ACTION, node: NODE_24, workspace, ...options, inputs: given })
    return { ...result, offsets: [...offsets()], files: filesIn(workspace), key: given['api-key'] }
  } finally {
    await close()
  }
}

/** All that can be seen of a step from outside. What is left out here must not have happened. */
export interface ExpectedExport {
  readonly conclusion: VisitorsBundleRun['conclusion']
  /** The summary's headline with its icon. */
  readonly verdict: string
  /** What the log, or the error of a red step, has to say, and the summary as well. */
  readonly says?: readonly string[]
  /** The outputs, where they differ from those of a step that left no file. */
  readonly outputs?: Partial<Outputs>
  /** The offset of every page that was asked for. */
  readonly offsets: readonly number[]
  /** A part of the text of each warning or notice. */
  readonly remarks?: readonly string[]
}

/** Holds a run against the whole contract between a step and the runner. */
export function expectExport(run: VisitorsBundleRun, expected: ExpectedExport): void {
  const { conclusion, verdict, says = [], outputs = {}, offsets, remarks = [] } = expected
  const isGreen = conclusion === 'success'
  const title = verdict.slice(verdict.indexOf(' ') + 1)
  expect(run).toMatchObject({ conclusion, exitCode: isGreen ? 0 : 1, signal: null })
  expect(run.outputs).toEqual({ ...NO_FILE, ...outputs })
  expect(run.offsets).toEqual(offsets)
  expect(Object.keys(run.files)).toEqual(run.outputs['file'] === '' ? [] : [run.outputs['file']])

  const errors = run.annotations.filter(({ level }) => level === 'error')
  expect(errors.map((error) => error.title)).toEqual(isGreen ? [] : [title])
  const others = run.annotations.filter(({ level }) => level !== 'error').map(({ message }) => message)
  expect(others).toEqual(remarks.map((part): unknown => expect.stringContaining(part)))

  const said = isGreen ? (run.log.at(-1)?.text ?? '') : (errors[0]?.message ?? '')
  for (const part of isGreen ? [title, ...says] : says) expect(said).toContain(part)
  expect(verdictIn(run.summary)).toBe(`## ${verdict}`)
  for (const part of says) expect(run.summary).toContain(part)
  expectNothingElse(run)
}

/** No command but the masks and the annotations, no line that is not ours, and no secret outside of its mask. */
function expectNothingElse(run: VisitorsBundleRun): void {
  const isMask = ({ name }: { name: string }): boolean => name === 'add-mask'
  expect(run.commands.filter((command) => !isMask(command)).map(({ name, data }) => ({ name, data }))).toEqual(
    run.annotations.map(({ level, message }) => ({ name: level, data: message })),
  )
  const foreign = run.log.filter(
    ({ kind, text }) => kind === 'text' && !/^\[ *\d+ (?:s|min|h)[\d hmins]*\] /.test(text),
  )
  expect(foreign).toEqual([])
  expect(run.rawFiles).toMatchObject({ GITHUB_ENV: '', GITHUB_PATH: '', GITHUB_STATE: '' })

  const unmasked = run.rawOutput.replaceAll(/^::add-mask::.*$/gm, '')
  const written = [unmasked, ...Object.values(run.rawFiles), ...Object.values(run.files)].join('\n')
  if (run.key !== '') expect(written).not.toContain(run.key)
}
