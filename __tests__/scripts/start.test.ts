import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from './temporary-action.ts'

interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

const ACTION_YML = `inputs:
  prompt:
    required: false
  prompt-file:
    required: false
  base-url:
    required: false
  project-id:
    required: true
  api-key:
    required: true
  poll-interval-seconds:
    required: false
  timeout-minutes:
    default: '60'
runs:
  using: node24
  main: dist/agent/index.js
`

const SERVICE = `const scenario = process.argv.find((arg) => arg.startsWith('--scenario=')).slice(11)
if (scenario === 'wrong') {
  console.error('error: --scenario must be one of this, that.')
  process.exitCode = 2
} else {
  console.log('listening http://127.0.0.1:4999\\n\\n  DOCS_AGENT_PROJECT_ID=p1\\n  DOCS_AGENT_API_KEY=docs_secret')
  process.stdout.write('x'.repeat(1_000_000), () => require('node:fs').writeFileSync('everything-printed', ''))
  setInterval(() => {}, 1000)
}
`

const AGENT = `const { appendFileSync, existsSync } = require('node:fs')
const { env } = process
const input = (name) => env['INPUT_' + name]
console.log(input('BASE-URL'), input('PROJECT-ID'), input('API-KEY'), 'timeout', input('TIMEOUT-MINUTES'))
console.log('proxy', env.HTTPS_PROXY ?? 'none', 'in', process.cwd() === env.GITHUB_WORKSPACE)
console.log('::notice title=Hello::' + input('PROMPT'))
appendFileSync(env.GITHUB_OUTPUT, 'status=completed\\n')
appendFileSync(env.GITHUB_STEP_SUMMARY, '## Opened\\n')
if (input('PROMPT') === 'fail') process.exitCode = 3
if (input('PROMPT') === 'talkative service') {
  const timer = setInterval(() => existsSync('everything-printed') && clearInterval(timer), 10)
}
if (input('PROMPT') === 'wait') {
  setInterval(() => {}, 1000)
  process.once('SIGINT', () => process.exit(1))
  console.log('waiting')
}
`

/** A copy of the scripts beside programs that stand in for the packaged ones, as nothing need be built for this. */
function project(): string {
  const folder = temporaryFolder()
  for (const name of ['start.mjs', 'start', 'small-runner.mjs', 'small-runner']) {
    cpSync(join('scripts', name), join(folder, 'scripts', name), { recursive: true })
  }
  mkdirSync(join(folder, 'dist', 'agent'), { recursive: true })
  mkdirSync(join(folder, 'dist', 'emulator'))
  writeFileSync(join(folder, 'action.yml'), ACTION_YML)
  writeFileSync(join(folder, 'dist', 'agent', 'index.js'), AGENT)
  writeFileSync(join(folder, 'dist', 'emulator', 'index.js'), SERVICE)
  return folder
}

interface StartOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly cancelAt?: string
}

function start(args: readonly string[], { env = {}, cwd = project(), cancelAt }: StartOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(cwd, 'scripts', 'start.mjs'), ...args], {
      cwd,
      env: { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], ...env },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (cancelAt !== undefined && text.includes(cancelAt)) child.kill('SIGINT')
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('close', (exitCode) => {
      resolve({ exitCode, stdout, stderr })
    })
  })
}

test('runs the action against the embedded service, and shows log, outputs, summary and conclusion', async () => {
  const { exitCode, stdout, stderr } = await start(['--prompt', 'Write it.'], {
    env: { HTTPS_PROXY: 'http://proxy.example' },
  })

  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  expect(stdout).toContain('http://127.0.0.1:4999 p1 *** timeout 0.5\nproxy none in true\nNotice: Hello: Write it.\n')
  expect(stdout).toContain('status  completed\n')
  expect(stdout).toContain('\nOpened\n')
  expect(stdout).toContain('success, exit code 0')
  expect(stdout).not.toContain('docs_secret')
})

test('ends with the exit code of the action', async () => {
  const { exitCode, stdout } = await start(['--prompt', 'fail'])

  expect(exitCode).toBe(3)
  expect(stdout).toContain('failure, exit code 3')
})

test('with the three variables it starts no service, and hands on the proxy', async () => {
  const { exitCode, stdout } = await start([], {
    env: {
      DOCS_AGENT_BASE_URL: 'https://docs.example.com',
      DOCS_AGENT_PROJECT_ID: 'p2',
      DOCS_AGENT_API_KEY: 'docs_other',
      HTTPS_PROXY: 'http://proxy.example',
    },
  })

  expect(exitCode).toBe(0)
  expect(stdout).toContain('https://docs.example.com p2 *** timeout 60\nproxy http://proxy.example')
  expect(stdout).not.toContain('docs_other')
})

test('a service that prints much is not held up', async () => {
  expect(await start(['--prompt', 'talkative service'])).toMatchObject({ exitCode: 0 })
})

test('a wrong scenario shows what the service says', async () => {
  expect(await start(['--scenario', 'wrong'])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error: --scenario must be one of this, that.\n',
  })
})

test('a missing program is named, with the way to make it', async () => {
  const folder = project()
  rmSync(join(folder, 'dist'), { recursive: true })

  const { exitCode, stderr } = await start([], { cwd: folder })

  expect(exitCode).toBe(2)
  expect(stderr).toContain('npm run build')
})

test('--help says how to use it', async () => {
  const { exitCode, stdout } = await start(['--help'])

  expect(exitCode).toBe(0)
  expect(stdout).toContain('npm start -- [options]')
})

const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('Ctrl-C cancels the action, and its results are shown', async () => {
  const { exitCode, stdout } = await start(['--prompt', 'wait'], { cancelAt: 'waiting' })

  expect(exitCode).toBe(1)
  expect(stdout).toContain('Cancelling, as the runner would.')
  expect(stdout).toContain('status  completed\n')
  expect(stdout).toContain('cancelled, exit code 1')
})
