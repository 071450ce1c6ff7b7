import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { createTable, readResults } from '../../src/fleet/table.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const RUN = 'https://git.example.com/acme/fleet/actions/runs/42'
const LINK = 'https://github.com/acme/docs/pull/4'

type Outputs = Readonly<Record<string, string>>
interface Ended {
  readonly project: string
  readonly attempt?: number
  readonly conclusion: string
  readonly outputs: Outputs
}

const end = (project: string, outcome: string, attempt = 1): Ended => ({
  project,
  attempt,
  conclusion: ['failed', 'error'].includes(outcome) ? 'failure' : 'success',
  outputs: { outcome },
})

/** Writes the files that projects leave. A text is the content of the file of `docs-a`. */
function createFolder(files: readonly (Ended | string)[]): string {
  const folder = createTemporaryFolder()
  for (const file of files) {
    const { project = 'docs-a', attempt = 1 } = typeof file === 'string' ? {} : file
    const text = typeof file === 'string' ? file : JSON.stringify({ ...file, 'check-run': '7' }, undefined, 2)
    writeFileSync(join(folder, `${project}.${attempt}.json`), text)
  }
  return folder
}

/** Creates the table of these projects, of which some have ended. */
function table(names: readonly string[], files: readonly (Ended | string)[], minAttempt = 1) {
  const { summary = '', ...result } = createTable(names, readResults(createFolder(files), minAttempt), RUN)
  return { ...result, summary }
}

test.each([
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
  ['failure error', '❌', 'error |  |  | Read the error in its log'],
])('the row of a project that ended with «%s» says what to do', (ending, mark, cells) => {
  const [conclusion = '', outcome = '', jobId = '', link = ''] = ending.split(' ')
  const outputs = { outcome, 'job-id': jobId, 'pr-link': link }
  const { summary } = table(['docs-a'], [{ project: 'docs-a', conclusion, outputs }])
  expect(summary).toContain(`| ${mark} | [\`docs-a\`](${RUN}/job/7) | ${cells}`)
  expect(summary).toMatch(/\. \|\n$/)
})

test('the table has each project once and in order, and the run fails if one failed or never reported', () => {
  const ended: Ended[] = [
    end('docs-c', 'no-changes'),
    { ...end('docs-a', 'no-changes'), outputs: { outcome: 'no-changes', result: '{"more": 1}' } },
    end('docs-d', 'failed'),
    end('docs-of-another-fleet', 'failed'),
  ]
  const { isGreen, title, text, summary, outputs } = table(['docs-a', 'docs-b', 'docs-c', 'docs-d'], ended)
  expect(isGreen).toBe(false)
  expect([title, text]).toEqual(['2 of 4 projects failed', 'The table in the summary shows all of them.'])
  expect(summary).toMatch(/^## 2 of 4 projects succeeded\n/)
  expect(summary.match(/(?<=^\| )[✅❌] \| \[`[\w-]+/gmu)).toEqual(
    ['✅ a', '❌ b', '✅ c', '❌ d'].map((row) => row.replace(' ', ' | [`docs-')),
  )
  expect(summary).toContain(`| ❌ | [\`docs-b\`](${RUN}) | its job never reported |  |  | Look for its job`)
  const results: unknown = JSON.parse(outputs['results'] ?? '')
  expect({ ...outputs, results }).toEqual({
    green: '2',
    red: '2',
    results: [
      { project: 'docs-a', outputs: { outcome: 'no-changes' } },
      { project: 'docs-b', outputs: null },
      { project: 'docs-c', outputs: { outcome: 'no-changes' } },
      { project: 'docs-d', outputs: { outcome: 'failed' } },
    ],
  })
  const all = table(['docs-a', 'docs-c'], ended)
  expect([all.isGreen, all.outputs['green'], all.outputs['red']]).toEqual([true, '2', '0'])
})

test('without any result, every project is listed as lost', () => {
  const { isGreen, outputs, summary } = createTable(['docs-a'], readResults('/no/such/folder', 1), RUN)
  expect([isGreen, outputs['red']]).toEqual([false, '1'])
  expect(summary).toContain('its job never reported')
})

test.each([
  ['an empty file', ''],
  ['broken JSON', '{"project": "docs-a", "outputs": {'],
  ['no object', 'null'],
  ['outputs that are null', '{"conclusion": "success", "outputs": null}'],
  ['outputs of a step that did not run', '{"conclusion": "skipped", "outputs": {}}'],
  ['an output that is no text', '{"conclusion": "success", "outputs": {"outcome": "no-changes", "checks": 1}}'],
])('%s is a red row that says that there are no usable outputs', (_case, text) => {
  const { isGreen, summary, outputs } = table(['docs-a', 'docs-b'], [text, end('docs-b', 'no-changes')])
  expect(isGreen).toBe(false)
  expect(summary).toContain(`| ❌ | [\`docs-a\`](${RUN}) | no usable outputs |  |  | Read in its log why`)
  expect(summary).toContain('| ✅ | [`docs-b`]')
  expect(JSON.parse(outputs['results'] ?? '')).toEqual([
    { project: 'docs-a', outputs: null },
    { project: 'docs-b', outputs: { outcome: 'no-changes' } },
  ])
})

test('the newest attempt of a project counts', () => {
  const files = [1, 2, 10].map((attempt) => end('docs-a', attempt === 10 ? 'no-changes' : 'failed', attempt))
  expect(table(['docs-a'], files).isGreen).toBe(true)
  expect(table(['docs-a'], files.slice(0, 2)).isGreen).toBe(false)
})

test('a re-run of the failed jobs keeps the rows of green projects', () => {
  const files = [end('docs-a', 'no-changes', 1), end('docs-b', 'failed', 1), end('docs-b', 'no-changes', 2)]
  expect(table(['docs-a', 'docs-b'], files, 1).outputs['green']).toBe('2')
})

test('in a re-run of all jobs, a lost project does not keep the green row of an earlier attempt', () => {
  const files = [end('docs-a', 'no-changes', 1), end('docs-b', 'no-changes', 1), end('docs-b', 'no-changes', 2)]
  const { isGreen, summary } = table(['docs-a', 'docs-b'], files, 2)
  expect(isGreen).toBe(false)
  expect(summary).toContain('[`docs-a`](' + RUN + ') | its job never reported')
})

test('256 projects with the largest outputs fit into the table and the output of a job', () => {
  const names = Array.from({ length: 256 }, (_, index) => `docs-${String(index).padStart(3, '0')}-${'x'.repeat(100)}`)
  const outputs = {
    outcome: 'pull-request',
    'job-id': 'j'.repeat(128),
    'pr-link': `https://github.com/${'a'.repeat(39)}/${'b'.repeat(100)}/pull/123456`,
    result: 'r'.repeat(32 * 1024),
  }
  const ended = names.map((project) => ({ project, conclusion: 'success', outputs }))
  const { isGreen, summary, outputs: written } = table(names, ended)
  expect(isGreen).toBe(true)
  expect(summary.match(/^\| ✅ /gm)).toHaveLength(256)
  // GitHub's limits: 1 MiB for a step's summary, and for the outputs of a job, which GitHub counts in UTF-16.
  expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024)
  expect(2 * Object.values(written).join('').length).toBeLessThan(1024 * 1024)
  expect(Buffer.byteLength(names.join(' '))).toBeLessThan(128 * 1024)
})
