import * as fs from 'node:fs'
import * as core from '@actions/core'
import type { Clock } from '../runtime/clock.ts'
import { formatDuration } from '../text/format.ts'
import { createRedactor, type Redact } from '../text/redact.ts'
import { cleanLines, cutToBytes, oneLine } from '../text/untrusted.ts'

/**
 * All that is said to the runner goes through here, so that no text of a stranger becomes a command and no secret gets
 * out, whoever wrote the line.
 */
export interface Core {
  /** An input as it was given, not trimmed. */
  readonly input: (name: string) => string
  /** Keeps a secret out of everything that is said from now on, here and by the runner. */
  readonly mask: (secret: string) => void
  /**
   * Keeps a short secret out of this step's log only: it may be a part of any word, so redacting it elsewhere would change paths
   * and names. The runner drops job outputs that contain a value that it masks.
   */
  readonly maskInLog: (secret: string) => void
  /** For everything but the log. */
  readonly redact: Redact
  readonly log: (text: string) => void
  /** Logs a text of any length, each line after a bar. */
  readonly logQuote: (text: string) => void
  /** Folds the lines that follow behind a title, until the group ends. One that is open ends first: groups never nest. */
  readonly startGroup: (title: string) => void
  /** Nothing if no group is open. */
  readonly endGroup: () => void
  /** Said only if the run is in debug mode. */
  readonly debug: (text: string) => void
  readonly warn: (text: string) => void
  readonly notice: (title: string, text: string) => void
  /** The one annotation of a red step. */
  readonly fail: (title: string, text: string) => void
  /** @throws OutputsLost if the runner's file cannot be written */
  readonly setOutput: (name: string, value: string) => void
  /** @throws Error if the runner's file cannot be written */
  readonly writeSummary: (markdown: string) => void
  /** What the main step has saved for the post step; empty if it has saved nothing. */
  readonly savedState: (name: string) => string
  readonly saveState: (name: string, value: string) => void
}

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
/** Of a group, in characters. */
const MAX_TITLE = 200

export function createCore(clock: Clock): Core {
  const startedAt = clock.now()
  const secrets = new Set<string>()
  const logSecrets = new Set<string>()
  let redactor: Redact | undefined
  let logRedactor: Redact | undefined
  let isInGroup = false

  /** Made when it is first needed: a step masks several secrets before it says anything. */
  function redactSecrets(text: string): string {
    redactor ??= createRedactor(secrets)
    return redactor(text)
  }

  function redactLog(text: string): string {
    logRedactor ??= createRedactor([...secrets, ...logSecrets])
    return logRedactor(text)
  }

  const toLines = (text: string): string[] => cleanLines(text, MAX_ANNOTATION_BYTES, redactLog)

  /** The prefix keeps a line from beginning with `::`, which the runner would take for a command. */
  function prefixed(text: string): string[] {
    const elapsed = formatDuration(clock.now() - startedAt).padStart(11)
    return toLines(text).map((line) => `[${elapsed}] ${line}`)
  }

  function annotation(text: string): string {
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
      redactor = logRedactor = undefined
    },
    maskInLog(secret) {
      logSecrets.add(secret)
      logRedactor = undefined
    },
    redact: redactSecrets,
    log(text) {
      for (const line of prefixed(text)) core.info(line)
    },
    logQuote(text) {
      for (const line of cleanLines(text, Infinity, redactLog)) core.info(`  | ${line}`)
    },
    startGroup(title) {
      endGroup()
      core.startGroup(oneLine(title, MAX_TITLE, redactLog))
      isInGroup = true
    },
    endGroup,
    debug(text) {
      if (!core.isDebug()) return
      for (const line of prefixed(text)) core.debug(line)
    },
    warn: (text) => {
      core.warning(annotation(text), { title: 'Docs Agent' })
    },
    notice: (title, text) => {
      core.notice(annotation(text), { title: annotation(title) })
    },
    fail: (title, text) => {
      core.error(annotation(text), { title: annotation(title) })
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
      // One that the runner has not made would be read by nobody.
      fs.accessSync(file)
      fs.appendFileSync(file, redactSecrets(markdown))
    },
    savedState: core.getState,
    saveState: core.saveState,
  }
}
