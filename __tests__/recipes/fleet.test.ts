import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../support/markdown-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const { jobs } = parse(readFileSync(join(root, '.github/workflows/fleet.yml'), 'utf8')) as {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { name?: string; run?: string }[] }>>
}

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

/** What the check says, or when each project begins, in seconds after the first one. */
function check(projects: readonly string[], inputs: object = {}): string | Readonly<Record<string, number>> {
  const output = join(temporaryFolder(), 'output')
  const given = { PROJECTS: projects.join(' '), MAX_PARALLEL: '5', SPREAD: '0', TIMEOUT: '60', ...inputs }
  const env = { ...process.env, GITHUB_OUTPUT: output, ...given }
  const { status, stdout } = spawnSync('bash', ['-c', CHECK], { env, encoding: 'utf8' })
  if (status !== 0) return stdout
  const starts = JSON.parse(readFileSync(output, 'utf8').replace('starts=', '')) as Record<string, number>
  const first = Math.min(...Object.values(starts))
  return Object.fromEntries(Object.entries(starts).map(([id, at]) => [id, at - first]))
}

withBash('more projects than a matrix holds are refused in words, before any of them starts', () => {
  const names = Array.from({ length: 257 }, (_, index) => `docs-${index}`)
  expect(check(names)).toContain('it holds 257: call the workflow once more for the others.')
  expect(Object.keys(check(names.slice(1)))).toEqual(names.slice(1))
  expect(check([])).toContain('it holds 0')
})

withBash('one error names all inputs that are wrong', () => {
  const said = check(['a', 'a', 'no/name'], { MAX_PARALLEL: '0', SPREAD: '300' })
  expect(said).toMatch(/^.*1 of `projects` are no identifiers.* 1 of `projects` are there more than once.*\n$/)
  for (const name of ['`max-parallel`', '`timeout-minutes`']) expect(said).toContain(name)
})

withBash('each project starts in its place in the time that is given', () => {
  expect(check(['a', 'b', 'c', 'd'], { SPREAD: '2' })).toEqual({ a: 0, b: 30, c: 60, d: 90 })
  expect(check(['a', 'b'])).toEqual({ a: 0, b: 0 })
})

const RUN = 'https://git.example.com/acme/fleet/actions/runs/42'
const LINK = 'https://github.com/acme/docs/pull/4'

/** Ends the workflow's job of a project, leaves its result in a folder, and gives back its row. */
function endProject(cwd: string, PROJECT: string, [CONCLUSION, OUTCOME, JOB_ID, PR_LINK]: readonly string[]): string {
  const RESULT = JSON.stringify({ project: PROJECT, outputs: { outcome: OUTCOME } }, undefined, 2)
  const env = { ...process.env, PROJECT, CONCLUSION, OUTCOME, JOB_ID, PR_LINK, RUN, CHECK_RUN: '7', RESULT }
  execFileSync('bash', ['-e', '-c', WRITE_ROW], { cwd, env })
  return readFileSync(join(cwd, `fleet-result/${PROJECT}.row`), 'utf8')
}

withBash.each([
  ['success pull-request job_1 ' + LINK, '✅', `pull-request | <${LINK}> | \`job_1\` | Review it.`],
  ['success no-changes job_1', '✅', 'no-changes |  | `job_1` | Nothing.'],
  ['success skipped', '✅', 'skipped |  |  | Nothing.'],
  ['success submitted job_1', '✅', 'submitted |  | `job_1` | Wait for it with `job-id`.'],
  ['failure pull-request job_1 https://a/|b', '❌', 'pull-request | <https://a/%7Cb> | `job_1` | Read in its log what'],
  ['failure no-changes job_1', '❌', 'no-changes |  | `job_1` | Check whether the prompt fits the project.'],
  ['failure timed-out job_1', '❌', 'timed-out |  | `job_1` | Wait for it with `job-id`.'],
  ['failure cancelled', '❌', 'cancelled |  |  | Call the workflow with it again.'],
  ['failure failed job_1', '❌', 'failed |  | `job_1` | Read its job in the dashboard'],
  ['failure archived job_1', '❌', 'archived |  | `job_1` | Read its job in the dashboard'],
  ['failure', '❌', 'error |  |  | Read the error in its log'],
])('the row of a project that ended with «%s» leads on', (ending, mark, cells) => {
  const row = endProject(temporaryFolder(), 'docs-a', ending.split(' '))
  expect(row).toContain(`| ${mark} | [\`docs-a\`](${RUN}/job/7) | ${cells}`)
  expect(row).toMatch(/\. \|\n$/)
})

withBash(
  'the table has each project once, in order, also one that never reported, and is green only if all are',
  () => {
    const cwd = temporaryFolder()
    const green = ['success', 'no-changes']
    for (const project of ['docs-c', 'docs-a']) endProject(cwd, project, green)
    endProject(cwd, 'docs-d', ['failure', 'failed'])
    renameSync(join(cwd, 'fleet-result'), join(cwd, 'fleet-results'))
    const [output, summary] = [join(cwd, 'output'), join(cwd, 'summary')]
    const write = (projects: string): number | null => {
      const files = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary }
      const env = { ...process.env, ...files, PROJECTS: projects, RUN }
      return spawnSync('bash', ['-e', '-c', WRITE_TABLE], { cwd, env }).status
    }
    expect(write('docs-a docs-b docs-c docs-d')).toBe(1)
    const text = readFileSync(summary, 'utf8')
    expect(text).toMatch(/^## 2 of 4 projects are green\n/)
    expect(text.match(/(?<=^\| )[✅❌] \| \[`[\w-]+/gmu)).toEqual(
      ['✅ a', '❌ b', '✅ c', '❌ d'].map((row) => row.replace(' ', ' | [`docs-')),
    )
    expect(text).toContain(`| ❌ | [\`docs-b\`](${RUN}) | its job never reported | | | Look for its job`)
    const [, results = ''] = /^green=2\nred=2\nresults=(.*)\n$/.exec(readFileSync(output, 'utf8')) ?? []
    expect(JSON.parse(results)).toEqual([
      { project: 'docs-a', outputs: { outcome: 'no-changes' } },
      { project: 'docs-b', outputs: null },
      { project: 'docs-c', outputs: { outcome: 'no-changes' } },
      { project: 'docs-d', outputs: { outcome: 'failed' } },
    ])

    expect(write('docs-a docs-c')).toBe(0)
    expect(readFileSync(output, 'utf8')).toContain('green=2\nred=0\n')
  },
)
