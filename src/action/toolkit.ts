import * as fs from 'node:fs'
import * as core from '@actions/core'
import type { Clock } from '../runtime/clock.ts'
import { formatDuration } from '../text/format.ts'
import { createRedactor, type Redact } from '../text/redact.ts'
import { cleanLines, cutToBytes, oneLine } from '../text/untrusted.ts'

/**
 * The runner, through @actions/core. Everything that a step writes passes through here, so that no secret leaks and no
 * untrusted text becomes a workflow command.
 */
export interface Runner {
  /** Returns an input, not trimmed. */
  readonly input: (name: string) => string
  /** Redacts a secret from now on, in everything that this step and the runner write. */
  readonly mask: (secret: string) => void
  readonly redact: Redact
  readonly log: (text: string) => void
  /** Logs a text of any length, with a bar before each line. */
  readonly logQuote: (text: string) => void
  /** Starts a group of log lines that can be folded. Ends an open group first, because groups cannot be nested. */
  readonly startGroup: (title: string) => void
  /** Does nothing if no group is open. */
  readonly endGroup: () => void
  /** Logs in debug mode only. */
  readonly debug: (text: string) => void
  readonly warn: (text: string) => void
  readonly notice: (title: string, text: string) => void
  /** Adds the error annotation of a red step. */
  readonly fail: (title: string, text: string) => void
  /** @throws OutputsLost if the runner's file cannot be written */
  readonly setOutput: (name: string, value: string) => void
  /**
   * Does nothing if the runner has no file for summaries.
   * @throws Error if the runner's file cannot be written
   */
  readonly writeSummary: (markdown: string) => void
  /** Returns a value that the main step saved for the post step. Empty if none was saved. */
  readonly savedState: (name: string) => string
  readonly saveState: (name: string, value: string) => void
  /**
   * Sets an environment variable for all later steps of the job.
   * @throws Error if the runner's file cannot be written
   */
  readonly exportVariable: (name: string, value: string) => void
  /**
   * Puts a folder at the beginning of `PATH` for all later steps of the job.
   * @throws Error if the runner's file cannot be written
   */
  readonly addPath: (folder: string) => void
}

/** The runner's file for outputs could not be written. */
export class OutputsLost extends Error {
  override readonly name = 'OutputsLost'

  constructor(cause: unknown) {
    const { code, message } = cause as { code?: string; message: string }
    super(
      `Later steps do not see the outputs of this one: ${code ?? message}. Check the runner's disk and \`GITHUB_OUTPUT\`.`,
    )
  }
}

/** GitHub cuts annotations at 4 KiB. */
const MAX_ANNOTATION_BYTES = 4_000
const MAX_GROUP_TITLE_CHARS = 200

export function createRunner(clock: Clock): Runner {
  const startedAt = clock.now()
  const secrets = new Set<string>()
  let redactor: Redact | undefined
  let isInGroup = false

  /** Creates the redactor on first use, because a step masks several secrets before it writes anything. */
  function redactSecrets(text: string): string {
    redactor ??= createRedactor(secrets)
    return redactor(text)
  }

  const toLines = (text: string): string[] => cleanLines(text, MAX_ANNOTATION_BYTES, redactSecrets)

  /** Prefixes each line with the elapsed time. A line that begins with `::` would be a workflow command. */
  function prefixLines(text: string): string[] {
    const elapsed = formatDuration(clock.now() - startedAt).padStart(11)
    return toLines(text).map((line) => `[${elapsed}] ${line}`)
  }

  function formatAnnotation(text: string): string {
    return cutToBytes(toLines(text).join('\n'), MAX_ANNOTATION_BYTES)
  }

  function endGroup(): void {
    if (isInGroup) core.endGroup()
    isInGroup = false
  }

  return {
    input: (name) => core.getInput(name, { trimWhitespace: false }),
    mask(secret) {
      if (secret.trim() === '' || secrets.has(secret)) return
      core.setSecret(secret)
      secrets.add(secret)
      redactor = undefined
    },
    redact: redactSecrets,
    log(text) {
      for (const line of prefixLines(text)) core.info(line)
    },
    logQuote(text) {
      for (const line of cleanLines(text, Infinity, redactSecrets)) core.info(`  | ${line}`)
    },
    startGroup(title) {
      endGroup()
      core.startGroup(oneLine(title, MAX_GROUP_TITLE_CHARS, redactSecrets))
      isInGroup = true
    },
    endGroup,
    debug(text) {
      if (!core.isDebug()) return
      for (const line of prefixLines(text)) core.debug(line)
    },
    warn: (text) => {
      core.warning(formatAnnotation(text), { title: 'Docs Agent' })
    },
    notice: (title, text) => {
      core.notice(formatAnnotation(text), { title: formatAnnotation(title) })
    },
    fail: (title, text) => {
      core.error(formatAnnotation(text), { title: formatAnnotation(title) })
    },
    setOutput: (name, value) => {
      try {
        core.setOutput(name, redactSecrets(value))
      } catch (error) {
        throw new OutputsLost(error)
      }
    },
    writeSummary: (markdown) => {
      const file = process.env['GITHUB_STEP_SUMMARY'] ?? ''
      if (file === '') return
      // The runner would not read a file that it did not create, so fail if the file is missing.
      fs.accessSync(file)
      fs.appendFileSync(file, redactSecrets(markdown))
    },
    savedState: core.getState,
    saveState: core.saveState,
    exportVariable: core.exportVariable,
    addPath: core.addPath,
  }
}
