import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runAtExit } from './small-runner/at-exit.mjs'
import { readMetadata } from './small-runner/metadata.mjs'
import { createStepFiles, stepEnvironment } from './small-runner/step-environment.mjs'
import { StepLog } from './small-runner/step-log.mjs'
import { RUNNER_CANCEL_TIMES, runStepProcess } from './small-runner/step-process.mjs'
import { readStepResults } from './small-runner/step-results.mjs'

/**
 * @typedef {import('./small-runner/step-log.mjs').LogLine} LogLine
 * @typedef {import('./small-runner/step-log.mjs').Annotation} Annotation
 * @typedef {import('./small-runner/step-log.mjs').Command} Command
 * @typedef {import('./small-runner/metadata.mjs').ActionMetadata} ActionMetadata
 *
 * @typedef {object} RunOptions
 * @property {string} action the folder that holds action.yml
 * @property {ActionMetadata} [metadata] by default read from action.yml
 * @property {'pre' | 'main' | 'post'} [stage]
 * @property {Record<string, string>} [inputs] what the workflow gives under `with`
 * @property {Record<string, string>} [env] what the workflow gives under `env`
 * @property {Record<string, string>} [state] what an earlier stage saved
 * @property {readonly string[]} [secrets] masked from the start
 * @property {string} [githubToken] the value of `${{ github.token }}` in an input's default
 * @property {string} [eventName]
 * @property {unknown} [event] the event's payload
 * @property {string} [workspace] by default the current folder
 * @property {string} [node] the Node.js that runs the action, by default this one
 * @property {boolean} [debug] as with the step debug logging of a run
 * @property {(line: LogLine) => void} [onLine] called for each line of the log as it comes
 * @property {AbortSignal} [cancel] aborting it cancels the run
 * @property {import('./small-runner/step-process.mjs').CancelTimes} [cancelTimes] by default the runner's own
 *
 * @typedef {object} StepOutcome
 * @property {number | null} exitCode null where a signal ended the process, or where it never started
 * @property {NodeJS.Signals | null} signal
 * @property {'success' | 'failure' | 'cancelled'} conclusion
 * @property {LogLine[]} log
 * @property {string} rawOutput both streams as they came, nothing masked
 * @property {string[]} masks
 * @property {Annotation[]} annotations
 * @property {Command[]} commands
 * @property {number} durationMs
 *
 * @typedef {StepOutcome & import('./small-runner/step-results.mjs').StepResults} RunResult
 */

/**
 * Runs a packaged JavaScript action as the GitHub Actions runner does: its environment, its two command grammars, its files,
 * its masks and its signals. It holds what this project relies on, not all of a runner: no containers, no problem matchers.
 *
 * @param {RunOptions} options
 * @returns {Promise<RunResult>}
 * @throws {Error} only where action.yml cannot be read; whatever the action does is a result
 */
export async function runAction(options) {
  const { action, metadata = readMetadata(action), stage = 'main', secrets, onLine } = options
  const { debug = false, workspace = process.cwd() } = options
  const script = metadata.runs[stage]
  if (script === undefined) throw new Error(`action.yml: runs.${stage} is missing`)

  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'small-runner-'))
  const removeFolder = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const forgetFolder = runAtExit(removeFolder)
  try {
    const log = new StepLog({ debug, ...(secrets && { secrets }), ...(onLine && { onLine }) })
    const files = createStepFiles(folder, options.event ?? {})
    let rawOutput = ''
    const startedAt = performance.now()
    const end = await runStepProcess({
      file: options.node ?? process.execPath,
      args: [resolve(action, script)],
      cwd: workspace,
      env: stepEnvironment({
        files,
        workspace,
        debug,
        eventName: options.eventName ?? 'workflow_dispatch',
        inputs: mergeInputs(options, metadata, log),
        state: options.state ?? {},
        env: options.env ?? {},
      }),
      onLine: (line) => {
        log.read(line)
      },
      onText: (text) => (rawOutput += text),
      cancel: options.cancel,
      cancelTimes: options.cancelTimes ?? RUNNER_CANCEL_TIMES,
    })
    const durationMs = performance.now() - startedAt
    if (end.startError !== undefined) log.fail(end.startError)

    const results = readStepResults(files.commandFiles, log)
    const isSuccess = end.exitCode === 0 && !log.failed
    return {
      exitCode: end.exitCode,
      signal: end.signal,
      conclusion: end.wasCancelled ? 'cancelled' : isSuccess ? 'success' : 'failure',
      log: log.lines,
      rawOutput,
      ...results,
      masks: [...log.masks],
      annotations: log.annotations,
      commands: log.commands,
      durationMs,
    }
  } finally {
    forgetFolder()
    removeFolder()
  }
}

/**
 * @param {RunOptions} options
 * @param {ActionMetadata} metadata
 * @param {StepLog} log
 * @returns {Record<string, string>} the given inputs, and the defaults of the others
 */
function mergeInputs({ inputs = {}, githubToken = '' }, metadata, log) {
  const given = new Map(Object.entries(inputs).map(([name, value]) => [name.toLowerCase(), value]))
  const known = metadata.inputs.map(({ name }) => name.toLowerCase())
  const unexpected = [...given.keys()].filter((name) => !known.includes(name))
  if (unexpected.length > 0) {
    log.warn(`Unexpected input(s) '${unexpected.join("', '")}', valid inputs are ['${known.join("', '")}']`)
  }
  for (const { name, default: text } of metadata.inputs) {
    const value = text.replace(/\$\{\{ *github\.token *\}\}/, () => githubToken)
    if (value.includes('${{')) throw new Error(`action.yml: cannot evaluate the default of ${name}`)
    if (!given.has(name.toLowerCase())) given.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(given)
}
