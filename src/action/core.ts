import type { Redact } from '../text/redact.ts'

/**
 * All that is said to the runner goes through here, so that no text of a stranger becomes a command and no secret gets
 * out, whoever wrote the line.
 */
export interface Core {
  /** An input as it was given, not trimmed. */
  readonly input: (name: string) => string
  /** Keeps a secret out of everything that is said from now on, here and by the runner. */
  readonly mask: (secret: string) => void
  readonly redact: Redact
  readonly log: (text: string) => void
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
  readonly writeSummary: (markdown: string) => Promise<void>
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
