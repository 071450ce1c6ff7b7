import { COMMAND_NAMES, parseCommand, type Command } from './commands.ts'
import { maskSecrets, masksOf } from './masks.ts'

export type AnnotationLevel = 'error' | 'warning' | 'notice'

/** One line as the run's page shows it, masked. */
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
  /** Masked from the start, as the runner masks what comes from the secrets' store. */
  readonly secrets?: readonly string[]
  readonly debug?: boolean
  readonly onLine?: (line: LogLine) => void
}

/** The runner cuts the message of an annotation here, in characters. */
const MAX_ANNOTATION_LENGTH = 4096

const SILENT = ['add-mask', 'debug', 'error', 'notice', 'stop-commands', 'warning']

/**
 * What a step's output means: the state that the runner keeps while it reads the lines (its ActionCommandManager).
 * Problem matchers are taken note of and have no effect.
 */
export class StepLog {
  readonly lines: LogLine[] = []
  readonly annotations: Annotation[] = []
  /** What was carried out, in order; nothing of what was read while commands were stopped. */
  readonly commands: Command[] = []
  /** Set by the legacy `set-output`. */
  readonly outputs: Record<string, string> = {}
  /** Set by the legacy `save-state`. */
  readonly state: Record<string, string> = {}
  readonly masks: Set<string>
  /** A command that could not be carried out makes the step fail, whatever its exit code. */
  failed = false

  readonly #debug: boolean
  readonly #onLine: (line: LogLine) => void
  readonly #known = new Set(COMMAND_NAMES)
  #echo = false
  #stopToken: string | undefined

  constructor({ secrets = [], debug = false, onLine = () => undefined }: StepLogOptions = {}) {
    this.masks = new Set(secrets.flatMap(masksOf))
    this.#debug = debug
    this.#onLine = onLine
  }

  /** @param line one line of either stream, without its end */
  read(line: string): void {
    const command = parseCommand(line, this.#known)
    if (command === undefined) {
      this.#write('text', line)
    } else if (this.#stopToken !== undefined) {
      this.#write('text', line)
      if (command.name === this.#stopToken) this.#resume()
    } else {
      this.#carryOut(command, line)
    }
  }

  /** An error that the runner itself reports, and that makes the step fail. */
  fail(message: string): void {
    this.failed = true
    this.#annotate('error', message)
  }

  warn(message: string): void {
    this.#annotate('warning', message)
  }

  error(message: string): void {
    this.#annotate('error', message)
  }

  #carryOut(command: Command, line: string): void {
    this.commands.push(command)
    if (this.#echo && !SILENT.includes(command.name)) this.#write('text', line)
    try {
      this.#apply(command, line)
    } catch (error) {
      this.fail(`Unable to process command '${line}' successfully.`)
      this.fail(error instanceof Error ? error.message : String(error))
    }
  }

  /** @throws Error that says what is wrong with the command */
  #apply(command: Command, line: string): void {
    const { name, data, properties } = command
    switch (name) {
      case 'error':
      case 'warning':
      case 'notice':
        this.#annotate(name, data, properties['title'])
        break
      case 'debug':
        if (this.#debug) this.#write('debug', data)
        break
      case 'group':
        this.#write('group', data)
        break
      case 'endgroup':
        this.#write('endgroup', '')
        break
      case 'echo':
        this.#setEcho(data)
        break
      case 'add-mask':
        this.#addMask(data)
        break
      case 'stop-commands':
        this.#stop(data, line)
        break
      case 'set-output':
        keep(command, this.outputs)
        break
      case 'save-state':
        keep(command, this.state)
        break
      case 'set-env':
      case 'add-path':
        throw new Error(`The \`${name}\` command is disabled. Please upgrade to using Environment Files.`)
    }
  }

  #write(kind: LogLine['kind'], text: string, title?: string): void {
    const line = { kind, text: maskSecrets(text, this.masks), ...(title && { title: maskSecrets(title, this.masks) }) }
    this.lines.push(line)
    this.#onLine(line)
  }

  #annotate(level: AnnotationLevel, data: string, title = ''): void {
    const message = maskSecrets(data, this.masks).slice(0, MAX_ANNOTATION_LENGTH)
    this.annotations.push({ level, title: maskSecrets(title, this.masks), message })
    if (message !== '') this.#write(level, message, title)
  }

  #addMask(value: string): void {
    if (value.trim() === '') {
      this.warn("Can't add secret mask for empty string in ##[add-mask] command.")
      return
    }
    if (this.#echo) this.#write('text', '::add-mask::***')
    for (const mask of masksOf(value)) this.masks.add(mask)
  }

  #setEcho(value: string): void {
    const wanted = value.trim().toLowerCase()
    if (wanted !== 'on' && wanted !== 'off') {
      throw new Error(`Invalid echo command value. Possible values can be: 'on', 'off'. Current value is: '${value}'.`)
    }
    this.#echo = wanted === 'on'
  }

  #stop(token: string, line: string): void {
    const name = token.toLowerCase()
    if (name === '' || name === 'pause-logging' || this.#known.has(name)) {
      throw new Error(
        "You cannot use a endToken that is an empty string, the string 'pause-logging', or another workflow command.",
      )
    }
    this.#stopToken = name
    this.#known.add(name)
    if (token.length > 6) this.masks.add(token)
    this.#write('text', line)
  }

  #resume(): void {
    if (this.#stopToken !== undefined) this.#known.delete(this.#stopToken)
    this.#stopToken = undefined
  }
}

function keep({ name, properties, data }: Command, target: Record<string, string>): void {
  const key = properties['name']
  if (key === undefined) throw new Error(`Required field 'name' is missing in ##[${name}] command.`)
  target[key] = data
}
