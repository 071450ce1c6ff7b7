import { expect, test } from '@jest/globals'
import { readChecks } from '../../src/github/checks.ts'
import { askingGitHub, errorOf } from '../support/github-client.ts'
import { ALL_PERMISSIONS, checkRun, repositoryState, type RepositoryState } from '../../src/emulator/github/state.ts'
import { commit } from '../support/github-state.ts'

const SHA = commit('c')

const holding = (fields: Partial<RepositoryState>) => ({ docs: repositoryState(fields) })

const BUILD = { name: 'build', headSha: SHA }
const status = (context: string, state: 'error' | 'pending') => ({ headSha: SHA, context, state, createdAtMs: 0 })

test('check runs and commit statuses both count', async () => {
  const server = holding({
    checkRuns: [checkRun(BUILD)],
    statuses: [status('ci/preview', 'error')],
  })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toEqual([
    { name: 'build', state: 'success' },
    { name: 'ci/preview', state: 'failure' },
  ])
})

test.each([
  ['success', 'success'],
  ['neutral', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'failure'],
  ['timed_out', 'failure'],
  ['action_required', 'failure'],
] as const)('a check run that ended with %s is a %s', async (conclusion, state) => {
  const server = holding({ checkRuns: [checkRun({ ...BUILD, conclusion })] })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toEqual([
    { name: 'build', state },
  ])
})

test.each([
  ['queued', Infinity],
  ['in progress', 0],
])('a check run that is %s is pending', async (_name, startedAtMs) => {
  const server = holding({ checkRuns: [checkRun({ ...BUILD, startedAtMs, completedAtMs: Infinity })] })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toEqual([
    { name: 'build', state: 'pending' },
  ])
})

test('reads all pages', async () => {
  const checkRuns = Array.from({ length: 101 }, (_, index) => checkRun({ ...BUILD, name: `check ${index}` }))
  const statuses = Array.from({ length: 101 }, (_, index) => status(`status ${index}`, 'pending'))
  const server = holding({ checkRuns, statuses })
  expect(await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 1))).toHaveLength(202)
})

test('leaves out the run that asks: it would wait for itself', async () => {
  const own = 'https://github.com/acme/docs/actions/runs/42/job/1'
  const other = 'https://github.com/acme/docs/actions/runs/421/job/1'
  const server = holding({
    checkRuns: [checkRun({ ...BUILD, name: 'docs', detailsUrl: own }), checkRun({ ...BUILD, detailsUrl: other })],
  })
  const found = await askingGitHub(server, ({ ask }) => readChecks(ask, 'acme/docs', SHA, 42))
  expect(found.map(({ name }) => name)).toEqual(['build'])
})

test.each(['checks', 'statuses'] as const)('without `%s: read` it does not pretend to know', async (name) => {
  const permissions = Object.fromEntries(Object.entries(ALL_PERMISSIONS).filter(([key]) => key !== name))
  const server = { state: { permissions } }
  const error = await askingGitHub(server, ({ ask }) => errorOf(readChecks(ask, 'acme/docs', SHA, 1)))
  expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining(`\`${name}: read\``) as unknown })
})
