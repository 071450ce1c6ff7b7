import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { createRandom } from '../../src/emulator/service/random.ts'
import { playFleet } from '../model/fleet.ts'
import { root } from '../support/markdown-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Fleet {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { name?: string; run?: string }[] }>>
}

const { jobs } = parse(readFileSync(join(root, '.github/workflows/fleet.yml'), 'utf8')) as Fleet

function scriptOf(job: string, name: string): string {
  const run = jobs[job]?.steps.find((step) => step.name === name)?.run
  if (run === undefined) throw new Error(`The workflow has no step “${name}” in the job ${job}.`)
  return run
}

const CHECK = scriptOf('check', 'Check the inputs, and give each project its time')
const WRITE_ROW = scriptOf('project', 'Write the result down')
const WRITE_TABLE = scriptOf('report', 'Write the table')

// The runners of the fleet have Bash.
const withBash = process.platform === 'win32' ? test.skip : test

const names = (count: number, first = 1): string[] =>
  Array.from({ length: count }, (_, index) => `docs-${String(first + index).padStart(3, '0')}`)

interface CheckEnd {
  readonly said: string
  /** When each project begins, in seconds from the check on. */
  readonly starts: Readonly<Record<string, number>>
}

function check(
  projects: readonly string[],
  inputs: Partial<Record<'MAX_PARALLEL' | 'SPREAD' | 'TIMEOUT', string>> = {},
) {
  const output = join(temporaryFolder(), 'output')
  const given = { PROJECTS: projects.join(' '), MAX_PARALLEL: '5', SPREAD: '0', TIMEOUT: '60', ...inputs }
  const env = { ...process.env, GITHUB_OUTPUT: output, ...given }
  const { status, stdout } = spawnSync('bash', ['-c', CHECK], { env, encoding: 'utf8' })
  if (status !== 0) return { said: stdout, starts: {} } satisfies CheckEnd
  const starts = JSON.parse(readFileSync(output, 'utf8').replace('starts=', '')) as Record<string, number>
  const first = starts[projects[0] ?? ''] ?? NaN
  return { said: stdout, starts: Object.fromEntries(Object.entries(starts).map(([id, at]) => [id, at - first])) }
}

withBash('more projects than a matrix holds are refused in words, before any of them starts', () => {
  expect(check(names(300)).said).toContain('it holds 300: call the workflow once more for the others.')
  expect(check([]).said).toContain('it holds 0')
})

withBash('one error names all inputs that are wrong', () => {
  const { said } = check(['a', 'a', 'no/name'], { MAX_PARALLEL: '0', SPREAD: '300' })
  expect(said.trim().split('\n')).toHaveLength(1)
  for (const part of [
    '1 of `projects` are no identifiers',
    '1 of `projects` are there more than once',
    '`max-parallel`',
  ])
    expect(said).toContain(part)
  expect(said).toContain('`timeout-minutes`')
})

withBash('each project starts in its place in the time that is given', () => {
  expect(check(['a', 'b', 'c', 'd'], { SPREAD: '2' }).starts).toEqual({ a: 0, b: 30, c: 60, d: 90 })
  expect(check(['a', 'b']).starts).toEqual({ a: 0, b: 0 })
})

const SERVER = 'https://git.example.com/acme/fleet/actions/runs/42'

// Starting three hundred shells takes minutes on a busy machine.
withBash(
  'three hundred projects, in two calls: each has one job and one row that leads on',
  async () => {
    const endings = ['', '', '--no-changes', '--failed', '--archived', '']
    const all = names(300).map((name, index) => `${name}${endings[index % endings.length] ?? ''}`)
    for (const projects of [all.slice(0, 200), all.slice(200)]) {
      const { starts } = check(projects, { SPREAD: '10' })
      const { steps, jobs: created } = await playFleet({
        ...{ steps: projects.length, projects, startsAtMs: projects.map((id) => (starts[id] ?? NaN) * 1_000) },
        ...{ limit: { kind: 'window', everyMs: 500, burst: 2, retryAfter: true }, startsWithinMs: 0 },
        random: createRandom(7),
      })
      expect(created).toBe(projects.length)

      const cwd = temporaryFolder()
      steps.forEach(({ played }, index) => {
        // One never reports.
        if (index === 7) return
        const { outputs, conclusion } = played
        const project = projects[index] ?? ''
        const env = {
          ...{ PROJECT: project, CONCLUSION: conclusion.isGreen ? 'success' : 'failure', OUTCOME: outputs['outcome'] },
          ...{ JOB_ID: outputs['job-id'], PR_LINK: outputs['pr-link'], RUN: SERVER, CHECK_RUN: String(1_000 + index) },
          RESULT: JSON.stringify({ project, outputs }, undefined, 2),
        }
        execFileSync('bash', ['-e', '-c', WRITE_ROW], { cwd, env: { ...process.env, ...env } })
      })
      execFileSync('mv', ['fleet-result', 'fleet-results'], { cwd })
      const files = { GITHUB_OUTPUT: join(cwd, 'output'), GITHUB_STEP_SUMMARY: join(cwd, 'summary') }
      const env = { ...process.env, ...files, PROJECTS: projects.join(' '), RUN: SERVER }
      expect(spawnSync('bash', ['-e', '-c', WRITE_TABLE], { cwd, env }).status).toBe(1)

      const rows = readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('| ✅') || line.startsWith('| ❌'))
      expect(rows.map((row) => /\[`([^`]+)`\]/.exec(row)?.[1])).toEqual(projects)
      expect(rows[projects.findIndex((id) => !id.includes('--'))]).toMatch(
        /^\| ✅ \| \[`docs-\d+`\]\(https:\S+\/runs\/42\/job\/100[0-9]\) \| pull-request \| <https?:\S+> \| `job_\d+` \| Review it\. \|$/,
      )
      expect(rows[7]).toContain(`(${SERVER}) | its job never reported | | | Look for its job`)
      expect(rows.filter((row) => !/ \| [A-Z][^|]+\. \|$/.test(row))).toEqual([])
      const output = readFileSync(files.GITHUB_OUTPUT, 'utf8')
      const results = JSON.parse(/^results=(.*)$/m.exec(output)?.[1] ?? '') as { project: string; outputs: unknown }[]
      expect(results.map(({ project }) => project)).toEqual(projects)
      expect(results.filter(({ outputs }) => outputs === null)).toHaveLength(1)
      expect(Number(/^green=(\d+)$/m.exec(output)?.[1])).toBe(rows.filter((row) => row.startsWith('| ✅')).length)
    }
  },
  180_000,
)
