import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { createRepository, type GeneratedPush, git } from '../../../../testing/generated-repository.ts'
import { startInTerminal } from '../../../../testing/start-in-terminal.ts'
import { createTemporaryFolder } from '../../../../testing/temporary-folder.ts'
import type { Workflow } from '../../../../testing/workflow-files.ts'

const DAY_MS = 86_400_000
/** A Monday at noon. */
const START_MS = Date.parse('2026-01-05T12:00:30Z')

const FILES = { 'packages/a/src/a.ts': '//\n', 'packages/b/src/b.ts': '//\n', 'docs/a.md': '#\n', 'README.md': '#\n' }

/** A repository with a push at each of these days after the start. */
function create(days: readonly number[], files: GeneratedPush['files'] = FILES, branch = 'main'): string {
  const folder = createTemporaryFolder()
  const first = { atMs: START_MS - 60 * DAY_MS, files }
  const [path = ''] = Object.keys(files)
  const pushes = days.map((day) => ({ atMs: START_MS + day * DAY_MS, files: { [path]: `${day}\n` } }))
  createRepository(join(folder, 'code'), [first, ...pushes], branch)
  return folder
}

const init = async (folder: string, ...flags: readonly string[]) => {
  const { stdout, stderr, exitCode } = await startInTerminal(['--init', 'code', ...flags], { folder })
  return { stdout, stderr, exitCode, text: stdout.replaceAll(/\s+/g, ' ') }
}

const readWritten = (folder: string, name = 'docs.yml'): string =>
  readFileSync(join(folder, 'code/.github/workflows', name), 'utf8')

/** Pushes each hour, so that nobody merges the pull request in time. */
const MANY = Array.from({ length: 72 }, (_, at) => at / 24)

test('--init writes the recipe for the clone, plays it, and leaves three commands', async () => {
  const folder = create(MANY, FILES, 'trunk')
  const { text, exitCode } = await init(folder, '--price', '2', '--owner', 'acme-tools')
  expect(exitCode).toBe(0)
  const { on, jobs } = parse(readWritten(folder)) as Workflow
  const [step] = jobs['docs']?.steps ?? []
  expect(Object.keys(on)).toEqual(['schedule', 'workflow_dispatch'])
  expect(step?.uses).toBe('acme-tools/docs-agent-action@v1')
  expect(step?.with).toMatchObject({ paths: 'packages/*/src/**', 'allowed-paths': 'docs/**\nREADME.md\n' })
  expect(readWritten(folder)).not.toContain('# CHANGE')
  expect(readWritten(folder, 'attach.yml')).toContain('uses: acme-tools/docs-agent-action@v1\n')
  expect(text).toMatch(
    /--recipe on-schedule \(line \d+\): in 30 days, 3 prompts at night, or 42 prompts and 30 red runs on/,
  )
  expect(text).toMatch(/• paths: packages\/\*\/src\/\*\* \(line \d+\): 2 of 2 source files, without/)
  expect(text).toMatch(/› docs: Ask the agent \(line \d+\) ✔ success: pull-request/)
  expect(text).toContain('Cost at 2.00 a prompt')
  expect(text).toContain('gh secret set DOCS_AGENT_API_KEY --repo acme/code gh variable set DOCS_AGENT_PROJECT_ID')
  expect(git(join(folder, 'code'), 'status', '--porcelain', '-uall').trim().split('\n')).toEqual([
    '?? .github/workflows/attach.yml',
    '?? .github/workflows/docs.yml',
  ])
})

test('--init chooses pushes where they cost no more than nights', async () => {
  const folder = create([0, 7, 14, 21, 28], FILES, 'trunk')
  const { text } = await init(folder)
  const { on } = parse(readWritten(folder)) as Workflow
  expect(on).toMatchObject({ push: { branches: ['trunk'], paths: ['packages/*/src/**'] } })
  expect(text).toContain('uses: your-org/docs-agent-action@v1 # CHANGE: your-org')
})

test.each(['über uns', '@acme', "it's"])(
  '--init plays a change of a file in a folder with the name %s',
  async (name) => {
    const folder = create([0], { [`${name}/a.ts`]: '//\n', [`${name}/b.ts`]: '//\n', 'docs/a.md': '#\n' })
    const { text, exitCode } = await init(folder)
    expect(exitCode).toBe(0)
    expect(text).toContain(`a change of ${name}/a.ts`)
  },
)

describe('without writing,', () => {
  test('--print shows the files', async () => {
    const folder = create([0])
    const { stdout, exitCode } = await init(folder, '--print', '--recipe', 'on-push')
    expect(exitCode).toBe(0)
    expect(stdout).toContain("    paths: ['packages/*/src/**']\n")
    expect(stdout).toContain('# .github/workflows/attach.yml\n# Waits for a job')
    expect(existsSync(join(folder, 'code/.github'))).toBe(false)
  })

  test.each(['docs.yml', 'attach.yml'])('--init ends with 1 if %s exists', async (name) => {
    const folder = create([0])
    mkdirSync(join(folder, 'code/.github/workflows'), { recursive: true })
    writeFileSync(join(folder, 'code/.github/workflows', name), 'mine')
    const { stderr, exitCode } = await init(folder)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${name} exists, so nothing was written.`)])
    expect(readWritten(folder, name)).toBe('mine')
    expect(existsSync(join(folder, 'code/.github/workflows', name === 'docs.yml' ? 'attach.yml' : 'docs.yml'))).toBe(
      false,
    )
  })

  test.each([
    ['--recipe none', 2, 'There is no recipe none. These are: approve-first,'],
    ['--workflow docs.yml', 2, '--workflow does not go with --init'],
    ['--json', 2, '--json does not go with --init'],
  ])('--init %s is refused', async (flags, code, reason) => {
    const { stderr, exitCode } = await init(create([0]), ...flags.split(' '))
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(reason)])
  })
})

test('another recipe keeps its own lines, and those that only a person can fill', async () => {
  const folder = create([0])
  const { stdout, text } = await init(folder, '--recipe', 'before-auto-merge', '--print')
  const [, written = ''] = stdout.split('# .github/workflows/docs.yml\n')
  const [workflow = ''] = written.split('# .github/workflows/attach.yml')
  const { jobs } = parse(workflow) as Workflow
  expect(jobs['docs']?.steps?.[0]?.with).toMatchObject({
    paths: 'packages/*/src/**',
    'allowed-paths': 'docs/**\n!docs/legal/**\n',
  })
  expect(text).toContain('# CHANGE: what may be merged without review, here and below.')
})
