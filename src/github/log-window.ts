const LINES_BEFORE = 120
const LINES_AFTER = 30
/** Far more than is shown of a line: a secret is looked for before the line is cut to that. */
const LONGEST_LINE = 4_000
const ERROR = '##[error]'

/**
 * Keeps of a log that runs past only what stands around its last error, or its end if it has none, so that a log of any
 * length, and of lines of any length, takes no more memory than this window.
 */
export class LogWindow {
  /** The newest lines, which nobody knows yet whether they matter. */
  #recent: string[] = []
  #aroundError: string[] | undefined
  #linesAfterError = 0
  #open = ''

  /** @param text the next part of the log, which may end anywhere in a line */
  add(text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#extend(text, from, end)
      this.#close()
      from = end + 1
    }
    this.#extend(text, from, text.length)
  }

  /** The lines that are kept, as the runner wrote them. */
  lines(): readonly string[] {
    if (this.#open !== '') this.#close()
    return this.#aroundError ?? this.#recent
  }

  #extend(text: string, from: number, end: number): void {
    const room = LONGEST_LINE - this.#open.length
    if (room > 0) this.#open += text.slice(from, Math.min(end, from + room))
  }

  #close(): void {
    const line = this.#open
    this.#open = ''
    this.#recent.push(line)
    if (this.#recent.length > LINES_BEFORE) this.#recent.shift()
    if (line.includes(ERROR)) {
      this.#aroundError = [...this.#recent]
      this.#linesAfterError = 0
    } else if (this.#aroundError !== undefined && this.#linesAfterError < LINES_AFTER) {
      this.#aroundError.push(line)
      this.#linesAfterError++
    }
  }
}
