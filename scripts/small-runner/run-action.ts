import { resolve } from 'node:path'
import type { Command } from './commands.ts'
import { readMetadata, type ActionMetadata } from './metadata.ts'
import { openScratchFolder } from './scratch-folder.ts'
import { createCommandFiles, stepEnvironment, type StepContext } from './step-environment.ts'
import { StepLog, type Annotation, type LogLine, type StepLogOptions } from './step-log.ts'
import { RUNNER_CANCEL_TIMES, runStepProcess, type CancelTimes } from './step-process.ts'
import { readStepResults, type StepResults } from './step-results.ts'

type Texts = Readonly<Record<string, string>>

export interface RunOptions extends StepContext, StepLogOptions {
  /** The folder that contains action.yml. */
  readonly action: string
  readonly stage?: 'main' | 'post'
  /** Replaces the program that action.yml names, to compare the two. */
  readonly program?: string
  /** The workflow's `with`. */
  readonly inputs?: Texts
  /** The Node.js that runs the action. Default: the current one. */
  readonly node?: string
  readonly cancel?: AbortSignal
  readonly cancelTimes?: CancelTimes
}

export interface RunResult extends StepResults {
  /** Null if a signal ended the process, or if it did not start. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly conclusion: 'success' | 'failure' | 'cancelled'
  readonly log: LogLine[]
  /** Both streams, unmasked. */
  readonly rawOutput: string
  readonly masks: string[]
  readonly annotations: Annotation[]
  readonly commands: Command[]
  /** When the process started, as `performance.now()` counts. */
  readonly startedAtMs: number
  readonly durationMs: number
}

/** Adds the defaults of inputs that are not given. `github.token` is empty. */
function mergeInputs(inputs: Texts, metadata: ActionMetadata, log: StepLog): Texts {
  const given = new Map(Object.entries(inputs).map(([name, value]) => [name.toLowerCase(), value]))
  const known = metadata.inputs.map(({ name }) => name.toLowerCase())
  const unexpected = [...given.keys()].filter((name) => !known.includes(name))
  if (unexpected.length > 0) {
    const names = [unexpected, known].map((list) => `'${list.join("', '")}'`)
    log.annotate('warning', `Unexpected input(s) ${names[0]}, valid inputs are [${names[1]}]`)
  }
  for (const { name, default: text } of metadata.inputs) {
    const value = text.replace(/\$\{\{ *github\.token *\}\}/, '')
    if (value.includes('${{')) throw new Error(`action.yml: cannot evaluate the default of ${name}`)
    if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(given)
}

/**
 * Runs a packaged JavaScript action as the GitHub Actions runner does: with its environment, both command grammars, command
 * files, masks and signals. It implements what this project relies on: no containers and no problem matchers.
 * @throws Error only if action.yml cannot be read; every ending of the action is a result
 */
export async function runAction(options: RunOptions): Promise<RunResult> {
  const { action, stage = 'main', inputs = {}, workspace = process.cwd() } = options
  const metadata = readMetadata(action)
  const script = metadata.runs[stage]
  if (script === undefined) throw new Error(`action.yml: runs.${stage} is missing`)

  const folder = openScratchFolder('small-runner-')
  try {
    const log = new StepLog(options)
    const files = createCommandFiles(folder.path)
    let rawOutput = ''
    const startedAtMs = performance.now()
    const { exitCode, signal, wasCancelled } = await runStepProcess({
      file: options.node ?? process.execPath,
      args: [options.program ?? resolve(action, script)],
      cwd: workspace,
      env: { ...stepEnvironment(options, mergeInputs(inputs, metadata, log), folder.path), ...files },
      onLine: (line) => {
        log.read(line)
      },
      onText: (text) => (rawOutput += text),
      cancel: options.cancel,
      cancelTimes: options.cancelTimes ?? RUNNER_CANCEL_TIMES,
    }).catch((error: unknown) => {
      log.fail(error instanceof Error ? error.message : String(error))
      return { exitCode: null, signal: null, wasCancelled: false }
    })
    const durationMs = performance.now() - startedAtMs
    const results = readStepResults(files, log)
    const isSuccess = exitCode === 0 && !log.failed
    return {
      exitCode,
      signal,
      conclusion: wasCancelled ? 'cancelled' : isSuccess ? 'success' : 'failure',
      log: log.lines,
      rawOutput,
      ...results,
      masks: [...log.masks],
      annotations: log.annotations,
      commands: log.commands,
      startedAtMs,
      durationMs,
    }
  } finally {
    folder.remove()
  }
}
