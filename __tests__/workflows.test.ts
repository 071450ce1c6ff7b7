import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../testing/markdown-files.ts'

interface Step {
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Job {
  readonly needs?: string | readonly string[]
  readonly if?: string
  readonly 'runs-on': string
  readonly 'timeout-minutes'?: number
  readonly permissions?: Readonly<Record<string, string>>
  readonly environment?: string
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly steps: readonly Step[]
}

interface OwnWorkflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly concurrency: Readonly<Record<string, unknown>>
  readonly jobs: Readonly<Record<string, Job>>
}

const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const readOwn = (name: string): OwnWorkflow => parse(read(`.github/workflows/${name}.yml`)) as OwnWorkflow

const [ci, nightly, release, majorTag] = [readOwn('ci'), readOwn('nightly'), readOwn('release'), readOwn('major-tag')]
const project = JSON.parse(read('package.json')) as {
  readonly engines: { readonly node: string }
  readonly scripts: Readonly<Record<string, string>>
}
const contributing = read('CONTRIBUTING.md')

const getJob = ({ jobs }: OwnWorkflow, name: string): Job => {
  const { [name]: job } = jobs
  if (job === undefined) throw new Error(`There is no job ${name}.`)
  return job
}
const listCommands = ({ steps }: Job): readonly string[] => steps.flatMap(({ run = [] }) => run)

describe.each([
  ['ci', ci],
  ['nightly', nightly],
  ['release', release],
  ['major-tag', majorTag],
  ['scorecard', readOwn('scorecard')],
])('%s.yml', (_name, { jobs }) => {
  test('limits the time of each job', () => {
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })
})

const READS = { contents: 'read' }

/** The first major of each action that runs on Node.js 24. GitHub has ended the older ones. scorecard-action is a container. */
const FIRST_ON_NODE_24: Readonly<Record<string, number>> = {
  'actions/attest': 3,
  'actions/checkout': 5,
  'actions/create-github-app-token': 3,
  'actions/dependency-review-action': 5,
  'actions/download-artifact': 7,
  'actions/setup-go': 7,
  'actions/setup-node': 5,
  'actions/setup-python': 6,
  'actions/upload-artifact': 6,
  'github/codeql-action': 4,
  'ossf/scorecard-action': 0,
}

test('no action that a workflow or a recipe uses runs on a Node.js that GitHub has ended', () => {
  const folders = ['.github/workflows', 'docs/recipes', 'scripts/recipes/workflows']
  const texts = folders.flatMap((folder) => readdirSync(`${root}${folder}`).map((name) => read(`${folder}/${name}`)))
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: ([\w-]+\/[\w-]+)[^@\s]*@[0-9a-f]{40} # v(\d+)/g)])
  expect(uses.length).toBeGreaterThan(20)
  const ended = uses.filter(([, action = '', major]) => !(Number(major) >= (FIRST_ON_NODE_24[action] ?? Infinity)))
  expect(ended.map(([use]) => `Look up \`runs.using\` of ${use}`)).toEqual([])
})

describe('ci.yml', () => {
  test('runs all checks for every pull request and every push to main', () => {
    expect(Object.keys(ci.on).sort()).toEqual(['pull_request', 'push'])
    expect(ci.on['push']).toEqual({ branches: ['main'] })
    expect(listCommands(getJob(ci, 'everything'))).toEqual(['.ci/run'])
  })

  test('runs the two commands as they are written, in a fresh clone, before it installs anything else', () => {
    const job = getJob(ci, 'tests')
    expect(listCommands(job)).toEqual(['npm start', 'node scripts/smoke-test/run-without-install.mjs', 'npm cit'])
    expect(contributing).toContain('\nnpm start\nnpm cit\n')
    const [checkout, setup, , , setupOnMac] = job.steps
    expect([checkout?.uses, setup?.uses]).toEqual([
      expect.stringContaining('actions/checkout@'),
      expect.stringContaining('actions/setup-node@'),
    ])
    expect(setup?.with).toEqual({ 'node-version': '${{ matrix.node }}', 'package-manager-cache': false })
    expect([setupOnMac?.uses, setupOnMac?.if]).toEqual([setup?.uses, "runner.os == 'macOS'"])
  })

  test('runs them on three systems, with the lowest and the newest Node.js that `engines` allows', () => {
    const [, lowest] = /^>=([\d.]+)$/.exec(project.engines.node) ?? []
    const { strategy, 'runs-on': runsOn } = getJob(ci, 'tests')
    expect(strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [lowest, 'latest'],
    })
    expect(runsOn).toBe('${{ matrix.os }}')
  })
})

/** The commands that CONTRIBUTING names for the nightly run, in the order of its jobs. */
const NIGHTLY_COMMANDS = Array.from(
  (/^Each night, a workflow runs .*$/m.exec(contributing)?.[0] ?? '').matchAll(/`((?:[A-Z]+=\S+ )*npm run [^`]+)`/g),
  ([, command = '']) => command,
)

describe('nightly.yml', () => {
  const { report, ...parts } = nightly.jobs

  test('reports on every other job, even if one fails or is cancelled by its time limit', () => {
    expect(report?.needs).toEqual(Object.keys(parts))
    expect(report?.if).toMatch(/^always\(\) && /)
    expect(listCommands(report ?? getJob(nightly, 'report'))).toEqual(['.ci/report-nightly'])
  })

  test('can write issues in the report job only', () => {
    expect(report?.permissions).toEqual({ ...READS, issues: 'write' })
    for (const job of Object.values(parts)) expect(job.permissions).toEqual(READS)
  })

  test('runs each job every night', () => {
    for (const job of Object.values(parts)) expect(job.if).toBeUndefined()
  })

  test('CONTRIBUTING has a command for each job', () => {
    expect(NIGHTLY_COMMANDS).toHaveLength(Object.keys(parts).length)
  })

  test.each(Object.keys(parts).map((job, at) => [job, NIGHTLY_COMMANDS[at]]))(
    '%s runs the command of CONTRIBUTING: %s',
    (job, command) => {
      const ran = listCommands(getJob(nightly, job))
        .join('\n')
        .replace(/"\$\{SEED:-[^"]*"|"\$SEED"/g, '20260101')
        .replaceAll('npm run --silent ', 'npm run ')
      expect(ran).toContain(command)
    },
  )
})

test.each([
  ['release', release, 'check'],
  ['check-dist', readOwn('check-dist'), 'dist'],
])('%s.yml builds dist/ with the Node.js of setup-node, and compares it', (_name, workflow, name) => {
  const job = getJob(workflow, name)
  const setup = job.steps.find(({ uses = '' }) => uses.startsWith('actions/setup-node@'))
  expect(setup?.with).toMatchObject({ 'node-version-file': '.node-version' })
  const commands = listCommands(job)
  const build = commands.indexOf('node scripts/build/build.ts')
  expect(build).toBeGreaterThan(0)
  expect(commands.at(-1)).toContain('git status --porcelain')
})

describe('release.yml', () => {
  test('runs for the tag of a version, one run at a time', () => {
    expect(release.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } })
    expect(release.concurrency).toEqual({ group: 'release', 'cancel-in-progress': false })
  })

  test('runs code of dependencies only in the job that can write nothing', () => {
    const { check, draft, ...others } = release.jobs
    expect(others).toEqual({})
    expect(check?.permissions).toEqual(READS)
    expect(listCommands(getJob(release, 'check')).slice(0, 3)).toEqual([
      'npm cit',
      'node scripts/build/build.ts',
      'npm run release:prepare -- "${GITHUB_REF_NAME#v}"',
    ])
    expect([draft?.needs, draft?.environment]).toEqual(['check', 'release'])
    expect(listCommands(getJob(release, 'draft')).join('\n')).not.toMatch(/npm|npx|node /)
  })

  test('attests the files that runners download', () => {
    const attest = getJob(release, 'draft').steps.find(({ uses = '' }) => uses.startsWith('actions/attest@'))
    expect(attest?.with).toEqual({ 'subject-checksums': '${{ runner.temp }}/files.sha256' })
  })
})

test('each command in CONTRIBUTING exists', () => {
  const commands = Array.from(contributing.matchAll(/`npm run ([a-z:]+)/g), ([, name = '']) => name)
  expect(commands.length).toBeGreaterThan(10)
  expect(commands.filter((name) => !(name in project.scripts))).toEqual([])
})
