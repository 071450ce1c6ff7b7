/**
 * Runs the packaged actions and `npm start` with Node.js for Windows: paths with a drive, backslashes, spaces and short names,
 * Ctrl-C from the console, and a process that outlives its step. `.ci/windows` runs it under Wine.
 *
 *   node.exe scripts/windows/run.ts
 *
 * Needs a console, and the package `koffi` in the same node_modules folder as this Node.js.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { runAction } from '../small-runner/run-action.ts'

type Facts = Readonly<Record<string, unknown>>

interface Koffi {
  readonly load: (library: string) => { readonly func: (signature: string) => (...values: unknown[]) => number }
}

const PROJECT = join(import.meta.dirname, '../..')
const PROMPT_FILE = 'prompts\\for the agent.md'
const RUN_TIMEOUT_MS = 60_000

const koffi = createRequire(process.execPath)('koffi') as Koffi
const kernel = koffi.load('kernel32.dll')
const generateConsoleCtrlEvent = kernel.func('int GenerateConsoleCtrlEvent(uint32_t event, uint32_t group)')
const getShortPathName = kernel.func('uint32_t GetShortPathNameW(str16 path, _Out_ uint16_t *short, uint32_t size)')

let failures = 0

/** @param expected values, or regular expressions */
function expectFacts(name: string, actual: Facts, expected: Facts): void {
  for (const [fact, wanted] of Object.entries(expected)) {
    const value = actual[fact]
    const isExpected = wanted instanceof RegExp ? wanted.test(String(value)) : value === wanted
    if (!isExpected) failures++
    console.log(
      `${isExpected ? 'ok    ' : 'FAILED'} ${name}: ${fact}: expected ${String(wanted)}, got ${String(value)}`,
    )
  }
}

/**
 * @param onOutput is called with the whole output so far
 * @returns the exit code, the shown prompt and error, and the outputs by name
 */
async function npmStart(workspace: string, args: string[], onOutput?: (output: string) => void): Promise<Facts> {
  const child = spawn(process.execPath, [join(PROJECT, 'dist/start/index.js'), ...args], {
    cwd: workspace,
    timeout: RUN_TIMEOUT_MS,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      onOutput?.(printed)
    })
  }
  await once(child, 'close')
  const rows = printed.matchAll(/^([a-z-]+) {2,}(.*)$/gm)
  const outputs = Object.fromEntries(Array.from(rows, ([, name = '', value]) => [name, value] as const))
  const prompt = /▾ The prompt.*\n *(.*)/.exec(printed)?.[1]
  const error = /^Error: (.*)$/m.exec(printed)?.[1]
  return { ...outputs, prompt, error, exitCode: child.exitCode }
}

/** Sends Ctrl-C to the console, as the runner does for a cancelled step. Node.js cannot send it. */
function pressCtrlC(): void {
  // All processes of the console receive it, this one included.
  process.on('SIGINT', () => undefined)
  const isSent = generateConsoleCtrlEvent(0, 0) !== 0
  expectFacts('Ctrl-C', { isSent }, { isSent: true })
}

/** The path of an existing file with the short names of Windows, such as `GIT~1`. */
function getShortPath(path: string): string {
  const units = new Uint16Array(1_000)
  const length = getShortPathName(path, units, units.length)
  return String.fromCharCode(...units.slice(0, length))
}

async function tryAgent(workspace: string): Promise<void> {
  const isGreen = { exitCode: 0, 'job-id': 'job_000001' }
  const isRefused = { exitCode: 1, 'job-id': '(empty)' }
  const git = basename(getShortPath(join(workspace, '.git')))
  for (const [flag, value, expected] of [
    ['--scenario', 'pull-request', { ...isGreen, outcome: 'pull-request' }],
    ['--scenario', 'flaky', { ...isGreen, outcome: 'pull-request' }],
    ['--scenario', 'no-changes', { ...isGreen, outcome: 'no-changes' }],
    ['--scenario', 'failed', { exitCode: 1, outcome: 'failed', 'job-id': 'job_000001' }],
    ['--prompt-file', PROMPT_FILE, { ...isGreen, prompt: 'Document the back-slash.' }],
    ['--prompt-file', getShortPath(join(workspace, PROMPT_FILE)), { ...isGreen, prompt: 'Document the back-slash.' }],
    ['--prompt-file', '..\\secret.md', { ...isRefused, error: /is outside the workspace/ }],
    ['--prompt-file', 'C:\\windows\\win.ini', { ...isRefused, error: /is outside the workspace/ }],
    ['--prompt-file', '.GIT\\config', { ...isRefused, error: /is inside git's own folder/ }],
    ['--prompt-file', `${git}\\config`, { ...isRefused, error: /is inside git's own folder/ }],
  ] as const) {
    expectFacts(`npm start, ${flag} ${value}`, await npmStart(workspace, [flag, value]), expected)
  }

  let isPressed = false
  const cancelled = await npmStart(workspace, ['--scenario', 'slow'], (printed) => {
    if (isPressed || !printed.includes(' is active.')) return
    isPressed = true
    pressCtrlC()
  })
  expectFacts('Ctrl-C', cancelled, { exitCode: 1, outcome: 'cancelled', 'job-id': 'job_000001', status: 'active' })
}

/** The service of a rehearsal outlives its step, and the export of visitors reads from it. */
async function tryVisitors(workspace: string): Promise<void> {
  const rehearsal = { action: join(PROJECT, 'emulator'), workspace, env: { RUNNER_TEMP: tmpdir() } }
  const { exported, state, conclusion } = await runAction({ ...rehearsal, inputs: { scenario: 'no-changes' } })
  expectFacts('the rehearsal', { conclusion }, { conclusion: 'success' })

  for (const [file, conclusion, name] of [
    ['reports\\this year\\visitors.csv', 'success', 'reports/this year/visitors.csv'],
    [join(workspace, 'whole path.csv'), 'success', 'whole path.csv'],
    ['C:\\windows\\visitors.csv', 'failure', ''],
  ] as const) {
    const inputs = { 'project-id': 'docs-demo', 'output-file': file, 'timeout-minutes': '0.5' }
    const action = join(PROJECT, 'visitors')
    const { outputs, ...result } = await runAction({ action, workspace, inputs, env: exported })
    expectFacts(`the visitors' file ${file}`, { ...outputs, ...result }, { conclusion, file: name })
    const path = resolve(workspace, file)
    const head = existsSync(path) ? readFileSync(path, 'utf8').split('\r\n', 1)[0] : undefined
    expectFacts(`the visitors' file ${file}`, { head }, { head: name === '' ? undefined : 'path,human,ai,total' })
  }

  const { service } = JSON.parse(exported['DOCS_AGENT_REHEARSAL'] ?? '{}') as { readonly service: string }
  const post = await runAction({ ...rehearsal, stage: 'post', state })
  const response = await fetch(service).catch(() => 'none')
  expectFacts("the rehearsal's end", { ...post, response }, { conclusion: 'success', response: 'none' })
}

const folder = mkdtempSync(join(tmpdir(), 'the docs '))
const workspace = join(folder, 'workspace')
for (const name of ['prompts', '.git']) mkdirSync(join(workspace, name), { recursive: true })
writeFileSync(join(workspace, PROMPT_FILE), 'Document the back-slash.\r\n')
writeFileSync(join(workspace, '.git', 'config'), 'token')
writeFileSync(join(folder, 'secret.md'), 'secret')
console.log(`Node.js ${process.version} on ${process.platform}, in ${workspace}`)
await tryAgent(workspace)
await tryVisitors(workspace)
rmSync(folder, { recursive: true, maxRetries: 3 })
process.exitCode = failures === 0 ? 0 : 1
