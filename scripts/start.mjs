import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runAction } from './small-runner.mjs'
import { EMBEDDED_SPEED, startEmbeddedService } from './start/embedded-service.mjs'
import { HELP, readOptions } from './start/options.mjs'
import { heading, showLogLine, showResult } from './start/report.mjs'
import { choosePaint, cleanForTerminal } from './start/terminal.mjs'

/** @typedef {import('./start/options.mjs').Run} Run */

const ACTION_FOLDER = fileURLToPath(new URL('..', import.meta.url))
const AGENT_PROGRAM = fileURLToPath(new URL('../dist/agent/index.js', import.meta.url))
const EMBEDDED_SERVICE_PROGRAM = fileURLToPath(new URL('../dist/emulator/index.js', import.meta.url))

/** Wrong usage, as opposed to 1, which is the action's own verdict. */
const EXIT_CODE_OF_WRONG_USAGE = 2
const EXIT_CODE_OF_CTRL_C = 130
/** npm passes Ctrl-C on although the terminal has sent it already, so two close together are one. */
const SAME_CTRL_C_MS = 500

/** A real service may only be reached this way; the embedded one never is. */
const NETWORK_VARIABLES = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i

const paint = choosePaint(process.stdout, process.env)

/** @param {string} text */
function print(text) {
  process.stdout.write(text)
}

/** @param {string} message */
function refuse(message) {
  process.stderr.write(`${cleanForTerminal(message).trim()}\n`)
  process.exitCode = EXIT_CODE_OF_WRONG_USAGE
}

/** @returns {AbortSignal} aborted when this process is asked to end; asked once more, it ends at once */
function listenForCancel() {
  const cancel = new AbortController()
  let askedAt = -Infinity
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      const sinceFirstMs = performance.now() - askedAt
      if (cancel.signal.aborted && sinceFirstMs > SAME_CTRL_C_MS) process.exit(EXIT_CODE_OF_CTRL_C)
      if (cancel.signal.aborted) return
      askedAt = performance.now()
      print(paint('yellow', 'Cancelling, as the runner would. Once more ends it at once.\n'))
      cancel.abort()
    })
  }
  return cancel.signal
}

/**
 * @param {Run['service']} service
 * @param {Record<string, string>} inputs all that the action gets
 * @returns {string}
 */
function introduce(service, inputs) {
  const about =
    service.kind === 'real'
      ? inputs['base-url']
      : `embedded, scenario ${service.scenario}, its time runs ${EMBEDDED_SPEED} times as fast`
  const shown = Object.entries(inputs)
    .filter(([name]) => name !== 'api-key')
    .map(([name, value]) => `  ${name.padEnd(22)} ${cleanForTerminal(value).split('\n', 1)[0] ?? ''}\n`)
  return `${paint('bold', 'Docs Agent Action, run as on a GitHub runner')}\nService: ${about ?? ''}\nInputs:\n${shown.join('')}`
}

/** @param {Run} run */
async function start({ service, inputs: chosenInputs }) {
  const programs = [AGENT_PROGRAM, ...(service.kind === 'embedded' ? [EMBEDDED_SERVICE_PROGRAM] : [])]
  const missing = programs.find((program) => !existsSync(program))
  if (missing !== undefined) {
    refuse(`${missing} is missing. Make it with: npm ci && npm run build`)
    return
  }
  const cancel = listenForCancel()
  const embedded =
    service.kind === 'embedded' ? await startEmbeddedService(EMBEDDED_SERVICE_PROGRAM, service.scenario) : undefined
  try {
    const address = embedded && {
      'base-url': embedded.baseUrl,
      'project-id': embedded.projectId,
      'api-key': embedded.apiKey,
    }
    const inputs = { ...address, ...chosenInputs }
    const network = Object.entries(process.env).filter(([name]) => NETWORK_VARIABLES.test(name))
    print(introduce(service, inputs))
    print(heading('Log', paint))
    const result = await runAction({
      action: ACTION_FOLDER,
      inputs,
      env: service.kind === 'real' ? /** @type {Record<string, string>} */ (Object.fromEntries(network)) : {},
      secrets: [inputs['api-key'] ?? ''],
      cancel,
      onLine: (line) => {
        print(showLogLine(line, paint))
      },
    })
    print(showResult(result, paint))
    process.exitCode = result.conclusion === 'success' ? 0 : Math.max(1, result.exitCode ?? 1)
  } finally {
    await embedded?.stop()
  }
}

const options = readOptions(process.argv.slice(2), process.env)
if (options.kind === 'help') {
  print(HELP)
} else if (options.kind === 'refused') {
  refuse(options.message)
} else {
  try {
    await start(options)
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error))
  }
}
