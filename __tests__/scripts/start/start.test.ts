import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { listScenarios } from '../../../scripts/start/scenarios.ts'
import { HELP } from '../../../scripts/start/options.ts'
import { EMULATOR_KEY, EXPIRED_KEY } from '../../../src/emulator/http/access.ts'
import type { RequestRecord } from '../../../src/emulator/request-log.ts'
import { startEmulator } from '../../../src/emulator/server.ts'
import { startInTerminal, type Started, type TerminalOptions } from '../../../testing/start-in-terminal.ts'
import { createTemporaryFolder } from '../../../testing/temporary-folder.ts'

const REQUIRED = ['prompt', 'prompt-file', 'base-url', 'project-id', 'api-key'].map((name) => `  ${name}:\n`).join('')
const ACTION_YML = `inputs:
${REQUIRED}  timeout-minutes:
    default: '60'
runs:
  main: dist/agent/index.js
`

const AGENT = `const { appendFileSync } = require('node:fs')
const { env } = process
const input = (name) => env['INPUT_' + name]
console.log(input('BASE-URL'), input('PROJECT-ID'), input('API-KEY'), 'timeout', input('TIMEOUT-MINUTES'))
if (input('PROMPT-FILE')) console.log(require('node:fs').readFileSync(input('PROMPT-FILE'), 'utf8'))
if (input('PROMPT') === 'ask') fetch(input('BASE-URL') + '/v2/agent/p1/job/job_1').then(({ status }) => console.log('status', status))
console.log('proxy', env.HTTPS_PROXY ?? 'none', 'in', process.cwd() === env.GITHUB_WORKSPACE)
console.log('::notice title=Hello::' + input('PROMPT'))
appendFileSync(env.GITHUB_OUTPUT, 'status=completed\\n')
appendFileSync(env.GITHUB_STEP_SUMMARY, '## Opened\\n')
if (input('PROMPT') === 'fail') process.exitCode = 3
if (input('PROMPT') === 'wait') {
  setInterval(() => {}, 1000)
  process.once('SIGINT', () => process.exit(1))
  console.log('waiting')
}
`

const INPUTS = ['project-id', 'api-key', 'base-url'] as const
const VALUES = { 'project-id': 'vars.DOCS_AGENT_PROJECT_ID', 'api-key': 'secrets.KEY', 'base-url': 'vars.URL' }

const README = `# Title

\`\`\`yaml
name: Not this one
\`\`\`

\`\`\`yaml
on: [schedule, workflow_dispatch]
jobs:
  docs:
    runs-on: ubuntu-latest
    steps:
      - name: Ask the agent
        uses: your-org/docs-agent-action@v1
        with:
          prompt: From the README.
${INPUTS.map((name) => `          ${name}: \${{ ${VALUES[name]} }}\n`).join('')}\`\`\`
`

const EXPORT = `const { appendFileSync, writeFileSync } = require('node:fs')
const { env } = process
console.log('days ' + env.INPUT_DAYS + ', prompt ' + env.INPUT_PROMPT + ', in', process.cwd() === env.INIT_CWD)
writeFileSync('out.csv', Array.from({ length: 5000 }, (_, row) => 'row ' + row).join('\\n'))
appendFileSync(env.GITHUB_OUTPUT, 'file=out.csv\\n')
`

/** A folder with a replacement for the packaged action. */
function project(): string {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'dist', 'agent'), { recursive: true })
  writeFileSync(join(folder, 'action.yml'), ACTION_YML)
  writeFileSync(join(folder, 'dist', 'agent', 'index.js'), AGENT)
  writeFileSync(join(folder, 'README.md'), README)
  return folder
}

function run(args: readonly string[], options: Partial<TerminalOptions> = {}): Promise<Started> {
  const { folder = project() } = options
  return startInTerminal(args, { project: folder, ...options, folder })
}

test('runs the action against the embedded service, and shows log, outputs, summary and conclusion', async () => {
  const env = { HTTPS_PROXY: 'http://p.example' }
  const { exitCode, stdout, stderr } = await run(['--prompt', 'Write it.', '--all'], { env })
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(stdout).toContain('docs-demo *** timeout 60\nproxy none in true\nNotice: Hello: Write it.\n')
  expect(stdout).toMatch(/status {2}completed\n[^]*\nOpened\n[^]*success, exit code 0/)
  expect(stdout).not.toContain(EMULATOR_KEY)
})

test.each([
  [['--prompt', 'x'], 'Embedded service and GitHub, scenario pull-request, 10 times real time\n'],
  [['--scenario', 'slow, draft', '--speed', '1'], 'Embedded service and GitHub, scenarios slow, draft, real time\n'],
])('the second line for %j names what is played, and how fast', async (args, line) => {
  expect((await run(args)).stdout.split('\n', 2)[1]).toBe(line.trim())
})

test('with --real it uses the service of the variables, and passes on the proxy', async () => {
  const service = { DOCS_AGENT_BASE_URL: 'https://docs.example.com', DOCS_AGENT_PROJECT_ID: 'p2' }
  const env = { ...service, DOCS_AGENT_API_KEY: 'docs_other', HTTPS_PROXY: 'http://p.example' }
  const { exitCode, stdout } = await run(['--real', '--prompt', 'x'], { env })
  expect(exitCode).toBe(0)
  expect(stdout).toContain('https://docs.example.com p2 *** timeout 60\nproxy http://p.example')
  expect(stdout).not.toContain('docs_other')
  const embedded = await run([], { env })
  expect(embedded.stdout).toContain('nothing is sent there: --check only reads, and --real starts a real job')
  expect(embedded.stdout).toContain('docs-demo *** timeout 60\nproxy none')
})

test.each([
  ['ends with 1 after a red step', ['--prompt', 'fail'], 1, 'failure, exit code 3'],
  ['has a service that responds while the action runs', ['--prompt', 'ask'], 0, 'status 401\n'],
  ['brings the inputs of a scenario', ['--scenario', 'slow'], 0, 'timeout 2\n'],
  ['takes what is given before that', ['--scenario', 'slow', '--input', 'timeout-minutes=3'], 0, 'timeout 3\n'],
])('it %s', async (_what, args, exitCode, text) => {
  expect(await run(args)).toMatchObject({ exitCode, stdout: expect.stringContaining(text) as unknown })
})

test('the export of visitors writes to a temporary folder, and the head of its file is shown', async () => {
  const folder = project()
  for (const path of ['visitors', join('dist', 'visitors')]) mkdirSync(join(folder, path))
  const metadata = 'inputs:\n  days:\n    required: false\nruns:\n  main: ../dist/visitors/index.js\n'
  writeFileSync(join(folder, 'visitors', 'action.yml'), metadata)
  writeFileSync(join(folder, 'dist', 'visitors', 'index.js'), EXPORT)
  const { stdout } = await run(['--action', 'visitors', '--input', 'days=7'], { folder })
  expect(stdout).toContain('days 7, prompt undefined, in false\n')
  expect(stdout).not.toContain('Unexpected input')
  expect(stdout).toMatch(/── out\.csv ─+\nrow 0\n(row \d\n){7}\n/)
})

test('resolves a prompt file in the folder where npm was called', async () => {
  const standing = createTemporaryFolder()
  writeFileSync(join(standing, 'prompt.md'), 'From the file.')
  const { stdout } = await run(['--prompt-file', 'prompt.md'], { env: { INIT_CWD: standing } })
  expect(stdout).toContain('From the file.\n')
})

test('reports invalid flags and a missing program with the problem and a fix', async () => {
  const stderr = 'There is no scenario «fail». Did you mean failed? This lists all:\n  npm start -- --list\n'
  expect(await run(['--scenario', 'fail'])).toEqual({ exitCode: 2, stdout: '', stderr })
  const folder = project()
  rmSync(join(folder, 'dist'), { recursive: true })
  const built = expect.stringContaining('npm run build') as unknown
  expect(await run([], { folder })).toMatchObject({ exitCode: 2, stderr: built })
})

/** Opens a pull request of the embedded GitHub. */
const OPENED = `const { env } = process
const link = env['INPUT_BASE-URL'] + '/acme/docs/pull/4'
console.log('See ' + link)
require('node:fs').appendFileSync(env.GITHUB_OUTPUT, 'pr-link=' + link + '\\n')`

test('shows no address that leads nowhere, and offers the commands that show more', async () => {
  const folder = project()
  writeFileSync(join(folder, 'dist', 'agent', 'index.js'), OPENED)
  const { stdout } = await run(['--prompt', 'Say "hi".'], { folder })
  expect(stdout).toContain('\nSee acme/docs/pull/4\n')
  expect(stdout).not.toContain('http://127')
  const command = `\n  npm start -- --prompt 'Say "hi".'`
  expect(stdout).toContain(`To see the outputs and the job summary too:${command} --all\n`)
  expect(stdout).toContain(`To look at the pull request in a browser:${command} --keep\n`)
  const kept = await run(['--keep', '--all'], { folder, cancelAt: 'until Ctrl-C' })
  expect(kept.exitCode).toBe(0)
  expect(kept.stdout.trimEnd().split('\n').at(-1)).toMatch(/^http:\S+\/acme\/docs\/pull\/4 is open until Ctrl-C$/)
})

test('without flags, plays the first workflow of the README that uses the action, with its lines', async () => {
  const { exitCode, stdout } = await run([])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('\n── schedule, after a change of src/deploy.ts ─')
  expect(stdout).toContain('\n── docs: Ask the agent (line 13) ─')
  expect(stdout).toContain('Notice: Hello: From the README.\n')
  expect(stdout).toContain('Not run: workflow_dispatch (add `--event workflow_dispatch`)')
  expect((await run(['--event', 'workflow_dispatch'])).stdout).toContain('\n── workflow_dispatch ─')
})

test('a rolling pull request has several runs, until one is red', async () => {
  const titles = (stdout: string): string[] => stdout.match(/^── \w+(?:, after mona \w+| on #4 by mona)/gm) ?? []
  const { exitCode, stdout } = await startInTerminal(['--scenario', 'rolling', '--speed', '40'], {
    folder: createTemporaryFolder(),
  })
  expect(exitCode).toBe(0)
  const merged = '── schedule, after mona merged'
  expect(titles(stdout)).toEqual([merged, merged, '── issue_comment on #4 by mona', '── schedule, after mona pushed'])
  expect(titles((await run(['--scenario', 'rolling', '--prompt', 'fail'])).stdout)).toHaveLength(1)
})

test.each([
  ['--help', HELP],
  ['--list', listScenarios()],
])('%s is wrapped to the width of the terminal, and not wrapped if that is unknown', async (flag, text) => {
  expect(await run([flag], { columns: 0 })).toEqual({ exitCode: 0, stdout: text, stderr: '' })
  expect(await run([flag])).toMatchObject({ stdout: text })
  const { stdout } = await run([flag], { columns: 60 })
  expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([])
  expect(stdout.replaceAll(/\s+/g, ' ')).toBe(text.replaceAll(/\s+/g, ' '))
})

test.each(['--list', '--help'])('the commands of %s are not broken in a terminal of 80 columns', async (flag) => {
  const { stdout } = await run([flag], { columns: 80 })
  expect(stdout.match(/^ *npm start .*$/gm)).toEqual(
    flag === '--list' ? ['  npm start -- --scenario "late-link, checks-late"'] : ['  npm start -- [options]'],
  )
})

/** Runs `--check` against the embedded service as if it were a real one, and records the requests. */
async function check(
  args: readonly string[],
  apiKey = EMULATOR_KEY,
): Promise<Started & { readonly requests: string[] }> {
  const requests: string[] = []
  const onRequest = ({ method, path }: RequestRecord): void => void requests.push(`${method} ${path}`)
  const service = await startEmulator({ onRequest })
  try {
    const env = { DOCS_AGENT_BASE_URL: service.url, DOCS_AGENT_PROJECT_ID: 'p1', DOCS_AGENT_API_KEY: apiKey }
    return { ...(await run(['--check', ...args], { env })), requests }
  } finally {
    await service.close()
  }
}

test('--check without the three variables says that it checks the embedded service, and how to check another one', async () => {
  const { exitCode, stdout } = await run(['--check'])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('\nThis checks the embedded service. To check yours, set DOCS_AGENT_BASE_URL, ')
})

test('--check reads a job and a page of visitors, and sends nothing', async () => {
  const { exitCode, stdout, requests } = await check(['--job-id', 'job_finished'])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('\nTwo read requests, a job and a page of visitors. Nothing is created.\n')
  expect(stdout).toMatch(/\n✔ Read a job: job_finished completed\.\n✔ Read a page of visitors: \d+ .*\n– Create a job,/)
  expect(requests).toEqual(['GET /v2/agent/p1/job/job_finished', 'GET /v1/analytics/p1/visitors'])
})

test('without --job-id, --check claims nothing about reading a job', async () => {
  const output = /– Read a job: a made-up one is not found\. Name one of yours with --job-id\.\n✔/
  expect(await check([])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(output) as unknown })
})

test('--check reports what the service refuses, with a fix', async () => {
  const refused = expect.stringContaining('✘ Read a job: The service rejected the key (401).') as unknown
  expect(await check([], EXPIRED_KEY)).toMatchObject({ exitCode: 1, stdout: refused })
  expect(await check(['--job-id', 'job_gone'])).toMatchObject({ exitCode: 1 })
  const naming = (input: string): unknown => expect.stringContaining(`\`${input}\``)
  expect(await check([], 'two words')).toMatchObject({ exitCode: 2, stderr: naming('api-key'), requests: [] })
  expect(await check(['--job-id', '../x'])).toMatchObject({ exitCode: 2, stderr: naming('job-id'), requests: [] })
})

const testWithSignals = process.platform === 'win32' ? test.skip : test

testWithSignals('Ctrl-C cancels the action, and its results are shown', async () => {
  const { exitCode, stdout } = await run(['--prompt', 'wait', '--all'], { cancelAt: 'waiting' })
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/Cancelling, as the runner would\.[^]*status {2}completed\n[^]*cancelled, exit code 1/)
})
