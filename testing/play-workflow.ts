import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { EMULATOR_KEY } from '../src/emulator/http/access.ts'
import { startInTerminal, type Started } from './start-in-terminal.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const INPUTS = [
  'prompt',
  'prompt-file',
  'label',
  'paths',
  'base-url',
  'project-id',
  'api-key',
  'github-token',
  'dry-run',
  'on-open-pr',
  'change-range',
  'change-context',
  'timeout-minutes',
]
const ACTION_YML = `inputs:\n${INPUTS.map((name) => `  ${name}:\n`).join('')}runs:\n  main: dist/agent/index.js\n`

/** Prints what reached it. The key and the token are masked in the log, so it names those that it expects. */
const AGENT = `const { env } = process
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
const input = (name) => env['INPUT_' + name]
const key = { '${EMULATOR_KEY}': 'embedded', '': 'none' }[input('API-KEY')] ?? 'other'
const [token, repository = 'any'] = input('GITHUB-TOKEN').split(':')
const { commits, schedule } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'))
console.log('service', input('BASE-URL').startsWith('http://127.0.0.1:'), 'key', key)
console.log('token', token === '${GITHUB_TOKEN}' ? 'embedded' : token || 'none', repository)
console.log('file', existsSync(env.GITHUB_WORKSPACE + '/' + input('PROMPT-FILE')))
console.log('event', env.GITHUB_EVENT_NAME, env.GITHUB_REF, env.GITHUB_JOB, env.GITHUB_ACTION, schedule ?? commits?.length)
console.log('env', env.HTTP_PROXY ?? 'none', env.DOCS_AGENT_BASE_URL ? 'set' : 'unset', 'dry', input('DRY-RUN') || 'no')
appendFileSync(env.GITHUB_OUTPUT, 'outcome=' + (input('LABEL') || 'pull-request') + '\\npr-link=\\n')
if (input('PROMPT') === 'fail') process.exitCode = 1
if (input('PROMPT') === 'hang') {
  appendFileSync(env.GITHUB_OUTPUT, 'job-id=job_7\\n')
  setTimeout(() => {}, 2_000_000)
}
`

/** Plays a workflow file in a repository of its own. */
export const play = (workflow: string, ...flags: readonly string[]): Promise<Started> =>
  playWith({}, workflow, ...flags)

/** @param files other files of the repository */
export function playWith(
  files: Readonly<Record<string, string>>,
  workflow: string,
  ...flags: readonly string[]
): Promise<Started> {
  const [project, repository] = [createTemporaryFolder(), createTemporaryFolder()]
  mkdirSync(join(project, 'dist/agent'), { recursive: true })
  writeFileSync(join(project, 'action.yml'), ACTION_YML)
  writeFileSync(join(project, 'dist/agent/index.js'), AGENT)
  mkdirSync(join(repository, '.github/workflows'), { recursive: true })
  const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { cwd: repository })
  git('init', '-q', '-b', 'main')
  git('remote', 'add', 'origin', 'https://github.com/me/web.git')
  writeFileSync(join(repository, '.github/workflows/docs.yml'), workflow)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, name)), { recursive: true })
    writeFileSync(join(repository, name), content)
  }
  const file = flags.includes('--workflow') ? [] : ['--workflow', '.github/workflows/docs.yml']
  return startInTerminal([...file, ...flags], { project, folder: repository })
}

const SERVICE = `
          project-id: \${{ vars.PROJECT }}
          api-key: \${{ secrets.KEY }}
          base-url: \${{ env.SERVICE }}`
export const step = (inputs: string): string =>
  `- uses: your-org/docs-agent-action@v1\n        with:${SERVICE}\n          ${inputs}`
export const job = (steps: string, on = 'push:', others = ''): string => `on:
  ${on}
permissions: { contents: read }
env:
  HTTP_PROXY: http://proxy.example.com
  SERVICE: https://docs.example.com
jobs:
  docs:
    runs-on: ubuntu-latest
    steps:
      ${steps}
${others}`

const inJob = (lines: string): string => `${lines}\n    steps:`
/** Adds lines to the job `docs`. */
export const withLines = (workflow: string, lines: string): string => workflow.replace('steps:', inJob(lines))
