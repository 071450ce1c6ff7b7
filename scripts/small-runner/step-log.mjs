import { COMMAND_NAMES, parseCommand } from './commands.mjs'
import { maskSecrets, masksOf } from './masks.mjs'

/**
 * @typedef {'text' | 'error' | 'warning' | 'notice' | 'debug' | 'group' | 'endgroup'} LineKind
 * @typedef {{ kind: LineKind, text: string, title?: string }} LogLine one line as the run's page shows it, masked
 * @typedef {'error' | 'warning' | 'notice'} AnnotationLevel
 * @typedef {{ level: AnnotationLevel, title: string, message: string }} Annotation
 * @typedef {import('./commands.mjs').Command} Command
 */

/** The runner cuts the message of an annotation here, in characters. */
const MAX_ANNOTATION_LENGTH = 4096

/**
 * What a step's output means: the state that the runner keeps while it reads the lines (its ActionCommandManager).
 * Problem matchers are taken note of and have no effect.
 */
export class StepLog {
  /** @type {LogLine[]} */
  lines = []
  /** @type {Annotation[]} */
  annotations = []
  /** @type {Command[]} what was carried out, in order; nothing of what was read while commands were stopped */
  commands = []
  /** @type {Record<string, string>} set by the legacy `set-output` */
  outputs = {}
  /** @type {Record<string, string>} set by the legacy `save-state` */
  state = {}
  /** @type {Set<string>} */
  masks
  /** A command that could not be carried out makes the step fail, whatever its exit code. */
  failed = false

  #debug
  #onLine
  #echo = false
  /** @type {string | undefined} */
  #stopToken
  /** @type {Set<string>} */
  #known = new Set(COMMAND_NAMES)

  /**
   * @param {{ secrets?: readonly string[], debug?: boolean, onLine?: (line: LogLine) => void }} [options] `secrets` are
   *   masked from the start, as the runner masks what comes from the secrets' store
   */
  constructor({ secrets = [], debug = false, onLine = () => undefined } = {}) {
    this.masks = new Set(secrets.flatMap(masksOf))
    this.#debug = debug
    this.#onLine = onLine
  }

  /** @param {string} line one line of either stream, without its end */
  read(line) {
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

  /**
   * An error that the runner itself reports.
   *
   * @param {string} message
   */
  fail(message) {
    this.failed = true
    this.#annotate('error', message)
  }

  /** @param {string} message */
  warn(message) {
    this.#annotate('warning', message)
  }

  /** @param {string} message */
  error(message) {
    this.#annotate('error', message)
  }

  /**
   * @param {Command} command
   * @param {string} line
   */
  #carryOut(command, line) {
    this.commands.push(command)
    const isSilent = ['add-mask', 'debug', 'error', 'notice', 'stop-commands', 'warning'].includes(command.name)
    if (this.#echo && !isSilent) this.#write('text', line)
    try {
      this.#effects[command.name]?.(command, line)
    } catch (error) {
      this.fail(`Unable to process command '${line}' successfully.`)
      this.fail(error instanceof Error ? error.message : String(error))
    }
  }

  /** @type {Record<string, ((command: Command, line: string) => void) | undefined>} each throws what is wrong */
  #effects = {
    error: (command) => {
      this.#annotate('error', command.data, command.properties['title'])
    },
    warning: (command) => {
      this.#annotate('warning', command.data, command.properties['title'])
    },
    notice: (command) => {
      this.#annotate('notice', command.data, command.properties['title'])
    },
    debug: ({ data }) => {
      if (this.#debug) this.#write('debug', data)
    },
    group: ({ data }) => {
      this.#write('group', data)
    },
    endgroup: () => {
      this.#write('endgroup', '')
    },
    echo: ({ data }) => {
      this.#setEcho(data)
    },
    'add-mask': ({ data }) => {
      this.#addMask(data)
    },
    'stop-commands': ({ data }, line) => {
      this.#stop(data, line)
    },
    'set-output': (command) => {
      keep(command, this.outputs)
    },
    'save-state': (command) => {
      keep(command, this.state)
    },
    'set-env': refuse,
    'add-path': refuse,
  }

  /**
   * @param {LineKind} kind
   * @param {string} text
   * @param {string} [title]
   */
  #write(kind, text, title) {
    const line = { kind, text: maskSecrets(text, this.masks), ...(title && { title: maskSecrets(title, this.masks) }) }
    this.lines.push(line)
    this.#onLine(line)
  }

  /**
   * @param {AnnotationLevel} level
   * @param {string} data
   * @param {string} [title]
   */
  #annotate(level, data, title = '') {
    const message = maskSecrets(data, this.masks).slice(0, MAX_ANNOTATION_LENGTH)
    this.annotations.push({ level, title: maskSecrets(title, this.masks), message })
    if (message !== '') this.#write(level, message, title)
  }

  /** @param {string} value */
  #addMask(value) {
    if (value.trim() === '') {
      this.warn("Can't add secret mask for empty string in ##[add-mask] command.")
      return
    }
    if (this.#echo) this.#write('text', '::add-mask::***')
    for (const mask of masksOf(value)) this.masks.add(mask)
  }

  /** @param {string} value */
  #setEcho(value) {
    const wanted = value.trim().toLowerCase()
    if (wanted !== 'on' && wanted !== 'off') {
      throw new Error(`Invalid echo command value. Possible values can be: 'on', 'off'. Current value is: '${value}'.`)
    }
    this.#echo = wanted === 'on'
  }

  /**
   * @param {string} token
   * @param {string} line
   */
  #stop(token, line) {
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

  #resume() {
    if (this.#stopToken !== undefined) this.#known.delete(this.#stopToken)
    this.#stopToken = undefined
  }
}

/**
 * @param {Command} command
 * @param {Record<string, string>} target
 */
function keep({ name, properties, data }, target) {
  const key = properties['name']
  if (key === undefined) throw new Error(`Required field 'name' is missing in ##[${name}] command.`)
  target[key] = data
}

/** @param {Command} command */
function refuse({ name }) {
  throw new Error(`The \`${name}\` command is disabled. Please upgrade to using Environment Files.`)
}
