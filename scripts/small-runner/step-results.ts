import { readFileSync, statSync } from 'node:fs'
import { maskSecrets } from './masks.ts'
import type { CommandFile } from './step-environment.ts'
import type { StepLog } from './step-log.ts'

/** The runner drops a job summary above this size completely. */
const MAX_SUMMARY_BYTES = 1024 * 1024
/** The limit for all outputs of a job, which the runner counts in UTF-16: two bytes a code unit. */
const MAX_OUTPUTS_BYTES = 1024 * 1024

export interface StepResults {
  /** The command files, unmasked. */
  readonly rawFiles: Readonly<Record<CommandFile, string>>
  readonly outputs: Readonly<Record<string, string>>
  readonly state: Readonly<Record<string, string>>
  /** The variables for later steps. */
  readonly exported: Readonly<Record<string, string>>
  /** The folders to put at the beginning of `PATH` for later steps, the first one last. */
  readonly addedPaths: readonly string[]
  /** Masked; empty if the summary was too large. */
  readonly summary: string
}

interface KeyValuePairs {
  readonly pairs: [name: string, value: string][]
  /** Why parsing stopped. As in the runner, the pairs before the error are valid. */
  readonly error?: string
}

/** Only Windows treats CRLF as one line end. */
function splitLines(text: string, platform: string): { text: string; end: string }[] {
  const pattern = platform === 'win32' ? /(.*?)(\r?\n|$)/gsu : /(.*?)(\n|$)/gsu
  return [...text.matchAll(pattern)].map(([, line = '', end = '']) => ({ text: line, end }))
}

/** Parses `name=value` and `name<<delimiter` as the runner does (its EnvFileKeyValuePairs). */
export function parseKeyValuePairs(text: string, platform: string = process.platform): KeyValuePairs {
  const lines = splitLines(text, platform)
  const pairs: [string, string][] = []
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]?.text ?? ''
    if (line === '') continue
    const [, name = '', mark, rest = ''] = /^(.*?)(=|<<)(.*)$/su.exec(line) ?? []
    if (mark === undefined) return { pairs, error: `Invalid format '${line}'` }
    if (name === '') return { pairs, error: `Invalid format '${line}'. Name must not be empty` }
    if (mark === '=') {
      pairs.push([name, rest])
      continue
    }
    if (rest === '') return { pairs, error: `Invalid format '${line}'. Delimiter must not be empty` }
    const end = lines.findIndex((candidate, index) => index > at && candidate.text === rest)
    if (end < 0) return { pairs, error: `Invalid value. Matching delimiter not found '${rest}'` }
    const value = lines.slice(at + 1, end)
    pairs.push([name, value.map((part, index) => part.text + (index < value.length - 1 ? part.end : '')).join('')])
    at = end
  }
  return { pairs }
}

/** A missing file counts as empty. A byte order mark is removed. */
function readFile(path: string): { readonly text: string; readonly sizeBytes: number } {
  const bytes = statSync(path, { throwIfNoEntry: false }) === undefined ? Buffer.alloc(0) : readFileSync(path)
  return { text: new TextDecoder().decode(bytes), sizeBytes: bytes.length }
}

/** Reads the command files after the action has ended (the runner's FileCommandManager). */
export function readStepResults(paths: Readonly<Record<CommandFile, string>>, log: StepLog): StepResults {
  const files = Object.entries(paths).map(([name, path]) => [name, readFile(path).text] as const)
  const rawFiles = Object.fromEntries(files) as Record<CommandFile, string>

  function read(name: 'GITHUB_OUTPUT' | 'GITHUB_STATE' | 'GITHUB_ENV'): Record<string, string> {
    const { pairs, error } = parseKeyValuePairs(rawFiles[name])
    if (error !== undefined) {
      log.fail(`Unable to process file command '${name.replace('GITHUB_', '').toLowerCase()}' successfully.`)
      log.fail(error)
    }
    return Object.fromEntries(pairs)
  }

  let outputs = read('GITHUB_OUTPUT')
  const units = Object.entries(outputs).reduce((size, [name, value]) => size + name.length + value.length, 0)
  if (2 * units > MAX_OUTPUTS_BYTES) {
    log.fail(`The outputs are larger than ${MAX_OUTPUTS_BYTES / 1024}k.`)
    outputs = {}
  }
  const lines = rawFiles.GITHUB_STEP_SUMMARY.split(/\r\n|\r|\n/)
  let summary = lines.map((line) => maskSecrets(line, log.masks)).join('\n')
  const { sizeBytes } = readFile(paths.GITHUB_STEP_SUMMARY)
  if (sizeBytes > MAX_SUMMARY_BYTES) {
    const [allowed, got] = [MAX_SUMMARY_BYTES / 1024, Math.floor(sizeBytes / 1024)]
    log.annotate(
      'error',
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of ${allowed}k, got ${got}k.`,
    )
    summary = ''
  }
  const addedPaths = rawFiles.GITHUB_PATH.split(/\r?\n/).filter((line) => line !== '')
  return { rawFiles, outputs, state: read('GITHUB_STATE'), exported: read('GITHUB_ENV'), addedPaths, summary }
}
