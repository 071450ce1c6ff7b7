import * as core from '@actions/core'
import type { Clock } from '../runtime/clock.ts'
import { formatDuration } from '../text/duration.ts'
import { OutputsLost, type Core } from './core.ts'
import { createRedactor, type Redact, safeLine, safeLines } from '../text/redact.ts'
import { cutToBytes } from '../text/untrusted.ts'

/** GitHub cuts annotations at 4 KiB. */
const MAX_ANNOTATION_BYTES = 4_000
/** Of a group, in characters. */
const LONGEST_TITLE = 200

export function createCore(clock: Clock): Core {
  const startedAt = clock.now()
  const secrets = new Set<string>()
  let redactor: Redact | undefined
  let isInGroup = false

  /** Made when it is first needed: a step masks several secrets before it says anything. */
  function redactSecrets(text: string): string {
    redactor ??= createRedactor(secrets)
    return redactor(text)
  }

  const linesOf = (text: string): string[] => safeLines(text, redactSecrets, MAX_ANNOTATION_BYTES)

  /** The prefix keeps a line from beginning with `::`, which the runner would take for a command. */
  function prefixed(text: string): string[] {
    const elapsed = formatDuration(clock.now() - startedAt).padStart(11)
    return linesOf(text).map((line) => `[${elapsed}] ${line}`)
  }

  function annotation(text: string): string {
    return cutToBytes(linesOf(text).join('\n'), MAX_ANNOTATION_BYTES)
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
      for (const line of prefixed(text)) core.info(line)
    },
    startGroup(title) {
      endGroup()
      core.startGroup(safeLine(title, redactSecrets, LONGEST_TITLE))
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
    async writeSummary(markdown) {
      await core.summary.addRaw(redactSecrets(markdown)).write()
    },
  }
}
