/**
 * Runs the packaged actions and `npm start` with Windows' own Node.js: paths with a drive, back-slashes, spaces and short
 * names, Ctrl-C from the console, a process that outlives its step. Started by `.ci/windows`, under Wine.
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
const PATIENCE_MS = 60_000

const koffi = createRequire(process.execPath)('koffi') as Koffi
const kernel = koffi.load('kernel32.dll')
const generateConsoleCtrlEvent = kernel.func('int GenerateConsoleCtrlEvent(uint32_t event, uint32_t group)')
const getShortPathName = kernel.func('uint32_t GetShortPathNameW(str16 path, _Out_ uint16_t *short, uint32_t size)')

let failures = 0

/** @param expected values, or expressions that they match */
function expectFacts(name: string, came: Facts, expected: Facts): void {
  for (const [fact, wanted] of Object.entries(expected)) {
    const value = came[fact]
    const isSo = wanted instanceof RegExp ? wanted.test(String(value)) : value === wanted
    if (!isSo) failures++
    console.log(`${isSo ? 'ok    ' : 'FAILED'} ${name}: ${fact}: expected ${String(wanted)}, came ${String(value)}`)
  }
}

/**
 * @param onOutput called with all that was printed so far
 * @returns its exit code, the prompt and the error that it showed, and its outputs by their names
 */
async function npmStart(workspace: string, args: string[], onOutput?: (output: string) => void): Promise<Facts> {
  const child = spawn(process.execPath, [join(PROJECT, 'dist/start/index.js'), ...args], {
    cwd: workspace,
    timeout: PATIENCE_MS,
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

/** What the runner does to a step that is cancelled, and a person in a console. Node.js itself cannot send it. */
function pressCtrlC(): void {
  // It reaches all processes of the console, and so this one.
  process.on('SIGINT', () => undefined)
  const isSent = generateConsoleCtrlEvent(0, 0) !== 0
  expectFacts('Ctrl-C', { isSent }, { isSent: true })
}

/** A path of something that is there, with the short names that Windows has for its parts, such as `GIT~1`. */
function shortPath(path: string): string {
  const units = new Uint16Array(1_000)
  const length = getShortPathName(path, units, units.length)
  return String.fromCharCode(...units.slice(0, length))
}

async function tryAgent(workspace: string): Promise<void> {
  const isGreen = { exitCode: 0, 'job-id': 'job_000001' }
  const isRefused = { exitCode: 1, 'job-id': '(empty)' }
  const git = basename(shortPath(join(workspace, '.git')))
  for (const [flag, value, expected] of [
    ['--scenario', 'pull-request', { ...isGreen, outcome: 'pull-request' }],
    ['--scenario', 'flaky', { ...isGreen, outcome: 'pull-request' }],
    ['--scenario', 'no-changes', { ...isGreen, outcome: 'no-changes' }],
    ['--scenario', 'failed', { exitCode: 1, outcome: 'failed', 'job-id': 'job_000001' }],
    ['--prompt-file', PROMPT_FILE, { ...isGreen, prompt: 'Document the back-slash.' }],
    ['--prompt-file', shortPath(join(workspace, PROMPT_FILE)), { ...isGreen, prompt: 'Document the back-slash.' }],
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

/** The rehearsal's service goes on after its step, and the visitors' action asks it. */
async function tryVisitors(workspace: string): Promise<void> {
  const rehearsal = { action: join(PROJECT, 'emulator'), workspace, env: { RUNNER_TEMP: tmpdir() } }
  const { outputs: service, state, conclusion } = await runAction({ ...rehearsal, inputs: { scenario: 'no-changes' } })
  expectFacts('the rehearsal', { conclusion }, { conclusion: 'success' })

  for (const [file, conclusion, name] of [
    ['reports\\this year\\visitors.csv', 'success', 'reports/this year/visitors.csv'],
    [join(workspace, 'whole path.csv'), 'success', 'whole path.csv'],
    ['C:\\windows\\visitors.csv', 'failure', ''],
  ] as const) {
    const inputs = { ...service, 'output-file': file, 'timeout-minutes': '0.5' }
    const { outputs, ...came } = await runAction({ action: join(PROJECT, 'visitors'), workspace, inputs })
    expectFacts(`the visitors' file ${file}`, { ...outputs, ...came }, { conclusion, file: name })
    const path = resolve(workspace, file)
    const head = existsSync(path) ? readFileSync(path, 'utf8').split('\r\n', 1)[0] : undefined
    expectFacts(`the visitors' file ${file}`, { head }, { head: name === '' ? undefined : 'path,human,ai,total' })
  }

  const post = await runAction({ ...rehearsal, stage: 'post', state })
  const answer = await fetch(service['base-url'] ?? '').catch(() => 'none')
  expectFacts("the rehearsal's end", { ...post, answer }, { conclusion: 'success', answer: 'none' })
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
