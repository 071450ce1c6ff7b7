import {
  MAX_OUTPUTS_BYTES,
  MAX_SUMMARY_BYTES,
  outputsSizeBytes,
  parseKeyValuePairs,
  parsePathLines,
  readCommandFile,
} from './file-commands.ts'
import { maskSecrets } from './masks.ts'
import type { CommandFile } from './step-environment.ts'
import type { StepLog } from './step-log.ts'

export interface StepResults {
  /** The command files as the action left them, nothing masked. */
  readonly rawFiles: Readonly<Record<CommandFile, string>>
  readonly outputs: Record<string, string>
  /** Masked; empty if it was too large. */
  readonly summary: string
  readonly env: Record<string, string>
  readonly path: string[]
  readonly state: Record<string, string>
}

/** Reads what the action wrote into the command files, when it has ended (the runner's FileCommandManager). */
export function readStepResults(paths: Readonly<Record<CommandFile, string>>, log: StepLog): StepResults {
  const textOf = (name: CommandFile): string => readCommandFile(paths[name]).text
  const summaryFile = readCommandFile(paths.GITHUB_STEP_SUMMARY)
  const rawFiles = {
    GITHUB_OUTPUT: textOf('GITHUB_OUTPUT'),
    GITHUB_ENV: textOf('GITHUB_ENV'),
    GITHUB_PATH: textOf('GITHUB_PATH'),
    GITHUB_STATE: textOf('GITHUB_STATE'),
    GITHUB_STEP_SUMMARY: summaryFile.text,
  }
  const pairsOf = (name: 'GITHUB_OUTPUT' | 'GITHUB_ENV' | 'GITHUB_STATE'): [string, string][] => {
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
