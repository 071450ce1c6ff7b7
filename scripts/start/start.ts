import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readMetadata } from '../small-runner/metadata.ts'
import { runAction, type RunResult } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { listScenarios } from './scenarios.ts'
import { SERVICE_VARIABLES, HELP, readOptions, type Check, type Run } from './options.ts'
import { markdownToTerminal } from './markdown-to-terminal.ts'
import { heading, showHead, showLogLine, showResult } from './report.ts'
import { readExampleInputs } from './readme-inputs.ts'
import { openDependencies } from './dependencies.ts'
import { choosePaint, cleanForTerminal, wrapLines } from './terminal.ts'

/** Invalid usage. The action itself exits with 1. */
const USAGE_EXIT_CODE = 2
const CTRL_C_EXIT_CODE = 130
/** npm forwards a Ctrl-C that the terminal has already sent, so two signals within this time are one. */
const CTRL_C_DEBOUNCE_MS = 500

/** An export can be large. */
const MAX_HEAD_BYTES = 4_096

const SECRET_INPUTS: readonly string[] = ['api-key', 'github-token']

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface Terminal {
  readonly argv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly stdout: Output
  readonly stderr: Output
  on(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): unknown
  exit(code: number): unknown
}

function writeTo(output: Output, text: string): void {
  const { columns = 0 } = output
  output.write(wrapLines(text, columns > 0 ? columns : Infinity))
}

function showInputs(inputs: Readonly<Record<string, string>>): string {
  const shown = Object.entries(inputs).filter(([name]) => !SECRET_INPUTS.includes(name))
  return shown
    .map(([name, value]) => `  ${name.padEnd(22)} ${cleanForTerminal(value).split('\n', 1)[0] ?? ''}\n`)
    .join('')
}

/** How long the page of a pull request is available. */
function describePageAvailability({ service, isKept }: Run): string {
  if (service.kind === 'real') return ''
  return isKept ? ' is open until Ctrl-C' : ' (look at it with --keep)'
}

/**
 * @param action the folder of its action.yml
 * @returns the exit code
 */
async function play(run: Run, action: string, terminal: Terminal): Promise<number> {
  const { env, stdout } = terminal
  const paint = choosePaint(stdout, env)
  const print = (text: string): void => {
    writeTo(stdout, text)
  }
  let isOver = false
  let cancelledAt = Infinity
  const cancel = new AbortController()
  cancel.signal.addEventListener('abort', () => {
    cancelledAt = performance.now()
    if (!isOver) print(paint('yellow', 'Cancelling, as the runner would. Press again to end immediately.\n'))
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    terminal.on(signal, () => {
      if (performance.now() - cancelledAt > CTRL_C_DEBOUNCE_MS) terminal.exit(CTRL_C_EXIT_CODE)
      cancel.abort()
    })
  }
  const known = readMetadata(action).inputs.map(({ name }) => name)
  const dependencies = await openDependencies(run.service, env)
  const isEmbedded = run.service.kind === 'embedded'
  // Keep no export of made-up visitors.
  const scratch = run.action === 'visitors' && isEmbedded ? openScratchFolder('visitors-') : undefined
  // npm changes to the folder of package.json. This variable is the folder in which it was called.
  const workspace = scratch?.path ?? env['INIT_CWD'] ?? process.cwd()
  const cancelAfterMs = (run.cancelAfter ?? 0) * (run.service.kind === 'embedded' ? 1_000 / run.service.speed : 1_000)
  const timer =
    run.cancelAfter === undefined
      ? undefined
      : setTimeout(() => {
          cancel.abort()
        }, cancelAfterMs)
  try {
    // Defaults only for inputs that the action has.
    const defaults = Object.entries({ ...dependencies.inputs, ...run.defaults }).filter(([name]) =>
      known.includes(name),
    )
    const inputs: Readonly<Record<string, string>> = { ...Object.fromEntries(defaults), ...run.given }
    print(paint('bold', 'Docs Agent Action, run as on a GitHub runner'))
    print(`\n${dependencies.service}\nInputs:\n${showInputs(inputs)}`)
    let result: RunResult | undefined
    for (const begin of dependencies.runs) {
      if (result !== undefined && result.conclusion !== 'success') break
      const { title, succeed, inputs: own, ...begun } = begin()
      print(heading(title === '' ? 'Log' : title, paint))
      result = await runAction({
        ...begun,
        action,
        inputs: { ...inputs, ...own },
        workspace,
        cancel: cancel.signal,
        secrets: SECRET_INPUTS.flatMap((name) => inputs[name] ?? []),
        onLine: (line) => {
          print(showLogLine(line, paint))
        },
      })
      if (result.conclusion === 'success') succeed()
    }
    if (result === undefined) throw new Error('There is no run.')
    const { file = '', 'pr-link': link = '' } = result.outputs
    print(
      showResult(result, paint, [
        ['In the log while the agent worked', markdownToTerminal(dependencies.workingLog(), paint)],
        ['On the pull request', markdownToTerminal(dependencies.pullRequests(), paint)],
        [file, file === '' ? '' : showHead(readFileSync(join(workspace, file)).toString('utf8', 0, MAX_HEAD_BYTES))],
      ]),
    )
    isOver = true
    if (link !== '') print(`${cleanForTerminal(link)}${describePageAvailability(run)}\n`)
    if (run.isKept && !cancel.signal.aborted) await once(cancel.signal, 'abort')
    return result.conclusion === 'success' ? 0 : Math.max(1, result.exitCode ?? 1)
  } finally {
    clearTimeout(timer)
    scratch?.remove()
    await dependencies.close()
  }
}

function readExample(folder: string): Readonly<Record<string, string>> {
  const readme = join(folder, 'README.md')
  return existsSync(readme) ? readExampleInputs(readFileSync(readme, 'utf8')) : {}
}

async function check({ service, jobId }: Check, terminal: Terminal): Promise<number> {
  const dependencies = await openDependencies(service, terminal.env)
  try {
    const { checkService } = await import('./check.ts')
    const found = await checkService(dependencies.inputs, jobId, terminal.env)
    const lines = found.map(({ mark, text }) => `${mark} ${cleanForTerminal(text)}\n`)
    const about =
      service.kind === 'real'
        ? 'Two read requests, a job and a page of visitors. Nothing is created.'
        : `This checks the embedded service. To check yours, set ${SERVICE_VARIABLES.join(', ')}.`
    writeTo(terminal.stdout, `${dependencies.service}\n${about}\n${lines.join('')}`)
    return found.some(({ mark }) => mark === '✘') ? 1 : 0
  } finally {
    await dependencies.close()
  }
}

/**
 * Runs the packaged action as a runner does, and shows its log and results.
 * @param folder the project's folder, with action.yml and dist
 * @returns the exit code: the action's own, or 2 for invalid usage
 */
export async function start(folder: string, terminal: Terminal): Promise<number> {
  const refuse = (message: string): number => {
    writeTo(terminal.stderr, `${cleanForTerminal(message).trim()}\n`)
    return USAGE_EXIT_CODE
  }
  const options = readOptions(terminal.argv.slice(2), terminal.env, readExample(folder))
  if (options.kind === 'refused') return refuse(options.message)
  if (options.kind !== 'run' && options.kind !== 'check') {
    writeTo(terminal.stdout, options.kind === 'help' ? HELP : listScenarios())
    return 0
  }
  try {
    if (options.kind === 'check') return await check(options, terminal)
    const program = resolve(folder, `dist/${options.action}/index.js`)
    if (!existsSync(program)) return refuse(`${program} is missing. Make it with:\n  npm ci && npm run build`)
    return await play(options, join(folder, options.action === 'agent' ? '.' : options.action), terminal)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}
