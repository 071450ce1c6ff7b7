import { parseCommand, type Command } from './commands.ts'
import { maskSecrets, listMasks } from './masks.ts'

export type AnnotationLevel = 'error' | 'warning' | 'notice'

/** One masked line as the page of the run shows it. */
export interface LogLine {
  readonly kind: AnnotationLevel | 'text' | 'debug' | 'group' | 'endgroup'
  readonly text: string
  readonly title?: string
}

export interface Annotation {
  readonly level: AnnotationLevel
  readonly title: string
  readonly message: string
}

export interface StepLogOptions {
  /** Masked from the start, as the runner masks the secrets of a workflow. */
  readonly secrets?: readonly string[]
  readonly debug?: boolean
  readonly onLine?: (line: LogLine) => void
}

/** The runner truncates the message of an annotation to this many characters. */
const MAX_ANNOTATION_LENGTH = 4096

/** Interprets the output of a step as the runner does (its ActionCommandManager). */
export class StepLog {
  readonly lines: LogLine[] = []
  readonly annotations: Annotation[] = []
  readonly commands: Command[] = []
  readonly masks: Set<string>
  /** An invalid command fails the step regardless of its exit code. */
  failed = false

  readonly #debug: boolean
  readonly #onLine: (line: LogLine) => void

  constructor({ secrets = [], debug = false, onLine = () => undefined }: StepLogOptions = {}) {
    this.masks = new Set(secrets.flatMap(listMasks))
    this.#debug = debug
    this.#onLine = onLine
  }

  /** @param line one line of either stream, without its line end */
  read(line: string): void {
    const command = parseCommand(line)
    if (command === undefined) {
      this.#write('text', line)
      return
    }
    this.commands.push(command)
    const { name, data, properties } = command
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        this.annotate(name, data, properties['title'])
        break
      case 'debug':
        if (this.#debug) this.#write('debug', data)
        break
      case 'group':
      case 'endgroup':
        this.#write(name, data)
        break
      case 'add-mask':
        if (data.trim() === '')
          this.annotate('warning', "Can't add secret mask for empty string in ##[add-mask] command.")
        for (const mask of listMasks(data)) this.masks.add(mask)
        break
      default:
        this.fail(`No action of this project uses the command '${line}'.`)
    }
  }

  /** Reports an error of the runner itself, which fails the step. */
  fail(message: string): void {
    this.failed = true
    this.annotate('error', message)
  }

  annotate(level: AnnotationLevel, data: string, title = ''): void {
    const message = maskSecrets(data, this.masks).slice(0, MAX_ANNOTATION_LENGTH)
    this.annotations.push({ level, title: maskSecrets(title, this.masks), message })
    if (message !== '') this.#write(level, message, title)
  }

  #write(kind: LogLine['kind'], text: string, title?: string): void {
    const line = { kind, text: maskSecrets(text, this.masks), ...(title && { title: maskSecrets(title, this.masks) }) }
    this.lines.push(line)
    this.#onLine(line)
  }
}
