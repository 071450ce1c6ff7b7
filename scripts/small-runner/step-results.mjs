import {
  MAX_OUTPUTS_BYTES,
  MAX_SUMMARY_BYTES,
  outputsSizeBytes,
  parseKeyValuePairs,
  parsePathLines,
  readCommandFile,
} from './file-commands.mjs'
import { maskSecrets } from './masks.mjs'

/**
 * @typedef {import('./step-environment.mjs').CommandFile} CommandFile
 *
 * @typedef {object} StepResults
 * @property {Record<CommandFile, string>} rawFiles the command files as the action left them, nothing masked
 * @property {Record<string, string>} outputs
 * @property {string} summary masked; empty where it was too large
 * @property {Record<string, string>} env
 * @property {string[]} path
 * @property {Record<string, string>} state
 */

/**
 * Reads what the action wrote into the command files, when it has ended (the runner's FileCommandManager).
 *
 * @param {Record<CommandFile, string>} paths
 * @param {import('./step-log.mjs').StepLog} log
 * @returns {StepResults}
 */
export function readStepResults(paths, log) {
  const { GITHUB_OUTPUT, GITHUB_ENV, GITHUB_PATH, GITHUB_STATE, GITHUB_STEP_SUMMARY } = paths
  const summaryFile = readCommandFile(GITHUB_STEP_SUMMARY)
  const rawFiles = {
    GITHUB_OUTPUT: readCommandFile(GITHUB_OUTPUT).text,
    GITHUB_ENV: readCommandFile(GITHUB_ENV).text,
    GITHUB_PATH: readCommandFile(GITHUB_PATH).text,
    GITHUB_STATE: readCommandFile(GITHUB_STATE).text,
    GITHUB_STEP_SUMMARY: summaryFile.text,
  }
  const pairsOf = (/** @type {'GITHUB_OUTPUT' | 'GITHUB_ENV' | 'GITHUB_STATE'} */ name) => {
    const { pairs, error } = parseKeyValuePairs(rawFiles[name])
    if (error !== undefined) {
      log.fail(`Unable to process file command '${name.replace('GITHUB_', '').toLowerCase()}' successfully.`)
      log.fail(error)
    }
    return pairs
  }

  const env = Object.fromEntries(pairsOf('GITHUB_ENV'))
  if ('NODE_OPTIONS' in env) {
    log.error("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.")
    delete env['NODE_OPTIONS']
  }
  let outputs = { ...log.outputs, ...Object.fromEntries(pairsOf('GITHUB_OUTPUT')) }
  if (outputsSizeBytes(outputs) > MAX_OUTPUTS_BYTES) {
    log.fail(`The outputs are larger than ${MAX_OUTPUTS_BYTES / 1024}k.`)
    outputs = {}
  }
  let summary = summaryFile.text
    .split(/\r\n|\r|\n/)
    .map((line) => maskSecrets(line, log.masks))
    .join('\n')
  if (summaryFile.sizeBytes > MAX_SUMMARY_BYTES) {
    const [allowed, got] = [MAX_SUMMARY_BYTES / 1024, Math.floor(summaryFile.sizeBytes / 1024)]
    log.error(`$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${allowed}k, got ${got}k.`)
    summary = ''
  }
  const state = { ...log.state, ...Object.fromEntries(pairsOf('GITHUB_STATE')) }
  return { outputs, env, state, path: parsePathLines(rawFiles.GITHUB_PATH), summary, rawFiles }
}
