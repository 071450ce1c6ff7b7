import { expect, test } from '@jest/globals'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import type { WorkflowRun } from '../../src/emulator/github/check-state.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { DEFAULT_LAG } from '../../src/emulator/github/state.ts'
import { catchError, withGitHub } from '../../testing/github-client.ts'

/** Creates a run on `main` with its own commit. */
const run = (id: number, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  id,
  headSha: String(id).padStart(40, '0'),
  workflow: 'docs.yml',
  branch: 'main',
  event: 'push',
  status: 'completed',
  conclusion: 'success',
  createdAtMs: 0,
  ...fields,
})

/** Returns the ids of the successful runs around run 900, and the number of pages that were read. */
const find = (workflowRuns: WorkflowRun[], query: { readonly isOther?: boolean } = {}, filteredRunsMs = 0) => {
  const docs = createRepositoryState({ workflowRuns })
  return withGitHub({ docs, state: { lag: { ...DEFAULT_LAG, filteredRunsMs } } }, async (github, { operations }) => {
    const branch = { repository: 'acme/docs', workflow: 'docs.yml', branch: 'main', runId: 900 }
    const { before, coveredBy } = await github.findSuccesses({ ...branch, ...query })
    return { found: before && Number(before), coveredBy, pages: operations.length }
  })
}

test.each<[string, Partial<WorkflowRun>, boolean, boolean?]>([
  ['that failed', { conclusion: 'failure' }, false],
  ['on another branch', { branch: 'next' }, false],
  ['of another workflow', { workflow: 'other.yml' }, false],
  ['that is the current one', { id: 900 }, false],
  ['that began after it', { id: 901 }, false],
  ['of a fork with the same branch name', { headRepository: 'outsider/docs' }, false],
  ['for a pull request', { event: 'pull_request' }, false],
  ['for a pull request, with secrets', { event: 'pull_request_target' }, false],
  ['for a comment', { event: 'issue_comment' }, false],
  ['of a push by Dependabot, which gets no secrets', { actor: 'dependabot[bot]' }, false],
  ['that another run triggered, which GitHub records with another commit', { event: 'workflow_run' }, false],
  ['that another run triggered, of the triggering workflow', { event: 'workflow_run' }, true, true],
  ['for a push', {}, true],
  ['for a schedule', { event: 'schedule' }, true],
  ['for a schedule whose workflow file Dependabot changed last', { event: 'schedule', actor: 'dependabot[bot]' }, true],
  ['started manually', { event: 'workflow_dispatch' }, true],
  ['started by a program', { event: 'repository_dispatch' }, true],
  ['for a merge queue', { event: 'merge_group' }, true],
])('a run %s is a base: %3$s', async (_name, fields, isBase, isOther = false) => {
  expect((await find([run(8, fields), run(5)], { isOther })).found).toBe(isBase ? 8 : 5)
})

test.each<[string, Partial<WorkflowRun>, boolean]>([
  ['for a push', {}, true],
  ['for a schedule', { event: 'schedule' }, true],
  ['for a merge queue', { event: 'merge_group' }, true],
  ['that failed', { conclusion: 'failure' }, false],
  ['on another branch', { branch: 'next' }, false],
  ['of a push by Dependabot', { actor: 'dependabot[bot]' }, false],
  ['started manually, perhaps with a range of its own', { event: 'workflow_dispatch' }, false],
  ['started by a program', { event: 'repository_dispatch' }, false],
])('a later run %s covers the commits of a re-run: %3$s', async (_name, fields, isCovering) => {
  const { found, coveredBy } = await find([run(901, fields), run(5)])
  expect([found, coveredBy]).toEqual([5, isCovering ? 901 : undefined])
})

const createRuns = (count: number, fields: Partial<WorkflowRun> = {}) =>
  Array.from({ length: count }, (_, index) => run(index + 2, fields))

test('finds the newest one of many runs', async () => {
  expect(await find(createRuns(30))).toMatchObject({ found: 31, pages: 1 })
  expect(await find([])).toMatchObject({ found: undefined, pages: 1 })
})

const FAILED = { conclusion: 'failure' }

test('reads up to five pages of all runs, and then once the runs that GitHub filters', async () => {
  expect(await find([run(1), ...createRuns(250, FAILED)])).toMatchObject({ found: 1, pages: 3 })
  expect(await find([run(1), ...createRuns(499, FAILED)])).toMatchObject({ found: 1, pages: 5 })
  expect(await find(createRuns(500, FAILED))).toMatchObject({ found: undefined, pages: 5 })
  expect(await find([run(1), ...createRuns(700, FAILED)])).toMatchObject({ found: 1, pages: 6 })
})

const HOUR_MS = 3_600_000

test('finds a run that the filtered lists do not show for hours', async () => {
  const recent = createRuns(3, { createdAtMs: DEFAULT_START_MS - HOUR_MS })
  expect(await find([run(1), ...recent], {}, 24 * HOUR_MS)).toMatchObject({ found: 4, pages: 1 })
})

test.each([
  [false, /^Run this workflow once by hand with `change-range: BASE\.\.\.HEAD`/],
  [true, /^Start that workflow once by hand/],
])(
  'fails if older runs may have succeeded and GitHub lists none, with a way out (of another workflow: %j)',
  async (isOther, hint) => {
    const error = await catchError(find([run(1, FAILED), ...createRuns(700, FAILED)], { isOther }))
    expect(error).toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('none of the newest 500 runs of `docs.yml` was successful on `main`') as unknown,
      hint: expect.stringMatching(hint) as unknown,
    })
  },
)
