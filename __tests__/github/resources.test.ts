import { expect, test } from '@jest/globals'
import { parsePullRequestLink } from '../../src/docs-service/pull-request-link.ts'
import { pullState, type ReviewEvent } from '../../src/emulator/github/pull-state.ts'
import { openPull, pushCommit } from '../../src/emulator/github/repository-events.ts'
import { repositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import {
  ACTIONS,
  checkRunSchema,
  type CheckSuite,
  checkSuiteSchema,
  commitStatusSchema,
  stateOf,
  stateOfStatus,
  type WorkflowRun,
  workflowRunSchema,
} from '../../src/github/check-answers.ts'
import { joinSuites, replacementsOf, suiteIdOf } from '../../src/github/check-suites.ts'
import { historyIn, ownersOf } from '../../src/github/commits.ts'
import { connectJobLogs } from '../../src/github/job-log.ts'
import { LogWindow } from '../../src/github/log-window.ts'
import { toPullRequestAddress } from '../../src/github/pull-request-address.ts'
import type { PullRequestAddress } from '../../src/github/pull-requests.ts'
import { connectReviewers } from '../../src/github/reviewers.ts'
import { connectTags } from '../../src/github/tags.ts'
import { askingEmbedded, type EmbeddedGitHub } from '../support/embedded-github.ts'
import { pullCommits, RUN_FACTS } from '../support/fake-github.ts'
import { answering, askingGitHub, errorOf } from '../support/github-client.ts'
import { checkRun, commit, madeCommit, repositoryWithPull } from '../support/github-state.ts'

test('lists the tags of all pages', async () => {
  const names = Array.from({ length: 120 }, (_, index) => `v${index}`)
  const tags = Object.fromEntries(names.map((name) => [name, commit('a')]))
  const docs = repositoryState({ commits: [madeCommit({ sha: commit('a') })], tags })
  const found = await askingGitHub({ docs }, ({ ask }) => connectTags(ask).listTags('acme/docs'))
  expect(new Set(found.map(({ name }) => name))).toEqual(new Set(names))
  expect(found[0]?.sha).toBe(commit('a'))
})

function addressOf(raw: string, serverUrl: string): PullRequestAddress {
  const link = parsePullRequestLink(raw)
  if (link === undefined) throw new Error(`${raw} is no link.`)
  return toPullRequestAddress(link, { ...RUN_FACTS, serverUrl })
}

test.each([
  ['https://github.com/acme/docs/pull/7', 'https://github.com'],
  ['https://ghe.example.com:8443/acme/docs/pull/7/files', 'https://GHE.example.com:8443/'],
])('%s is found at %s', (raw, serverUrl) => {
  expect(addressOf(raw, serverUrl)).toEqual({ repository: 'acme/docs', number: 7 })
})

test.each([
  ['https://git.example.com/acme/docs/pull/7', "it is at git.example.com, and this run's GitHub is github.com"],
  ['https://github.com/changes/42', 'does not say which'],
  ['https://github.com/acme/docs/-/merge_requests/7/x', 'does not say which'],
  ['https://github.com/group/sub/docs/-/merge_requests/7', 'does not say which'],
])('%s is not asked for', (raw, part) => {
  expect(() => addressOf(raw, 'https://github.com')).toThrow(
    expect.objectContaining({ code: 'rejected', message: expect.stringContaining(part) as unknown }),
  )
})

test('gives all commits, oldest first, with the accounts that GitHub knows', async () => {
  const docs = repositoryState()
  const push = (branch: string, author: string, message: string): string =>
    pushCommit(docs, branch, { message, author, files: [] }, 0).sha
  push('main', 'mona', 'Begin')
  const shas = ['docs-agent[bot]', 'mona', 'Somebody Else'].map((author) => push('agent/x', author, `By ${author}`))
  const more = Array.from({ length: 120 }, (_, index) => push('agent/x', 'mona', `More ${index}`))
  openPull(docs, 7, pullState({ branch: 'agent/x', headSha: more.at(-1) ?? '' }), 0)

  const address = { repository: 'acme/docs', number: 7 }
  const found = await askingEmbedded({ docs }, (github) => github.listPullRequestCommits(address))
  const accounts = [
    { login: 'docs-agent[bot]', type: 'Bot' },
    { login: 'mona', type: 'User' },
    { login: '', type: '' },
  ]
  const names = ['docs-agent[bot]', 'mona', 'Somebody Else <Somebody Else@users.noreply.example>']
  expect(found.slice(0, 3)).toEqual(
    ['docs-agent[bot]', 'mona', 'Somebody Else'].map((author, index) => ({
      ...{ sha: shas[index], message: `By ${author}`, author, account: accounts[index] },
      ...{ writtenBy: names[index], committedBy: names[index], writtenAt: '1970-01-01T00:00:00Z' },
      parents: [shas[index - 1] ?? docs.branches['main']],
    })),
  )
  expect(found).toHaveLength(123)

  const between = (head: string | undefined) =>
    askingEmbedded({ docs }, (github) => github.listCommitsBetween('acme/docs', 'main', head ?? ''))
  expect(await between(more.at(-1))).toEqual(found)
  expect(await between(shas[1])).toEqual(found.slice(0, 2))
})

/** Two lines that a merge brings together, as a list that is sorted by dates may give them. */
const LIST = pullCommits(
  { sha: 'side', writtenBy: 'mona', parents: ['base'] },
  { sha: 'first', writtenBy: 'Agent <agent@example.com>', parents: ['base'] },
  { sha: 'merge', writtenBy: 'mona', parents: ['first', 'side'] },
  { sha: 'last', writtenBy: 'bot', parents: ['merge'] },
)
const shasOf = (commits: readonly { sha: string }[]): string[] => commits.map(({ sha }) => sha).sort()

test('the history of a commit is found by parents, whatever the order', () => {
  expect(shasOf(historyIn(LIST, 'merge'))).toEqual(['first', 'merge', 'side'])
  expect(historyIn(LIST.toReversed(), 'first')).toEqual([LIST[1]])
  expect(historyIn(LIST, 'base')).toEqual([])
})

test('the owners are who opened the pull request and who wrote the first commit of its own line', () => {
  const owners = (login: string, head = 'last'): string[] => [...ownersOf({ login, type: 'User' }, LIST, head)]
  expect(owners('vendor')).toEqual(['vendor', 'Agent <agent@example.com>'])
  expect(owners('')).toEqual(['Agent <agent@example.com>'])
  expect(owners('vendor', 'unlisted')).toEqual(['vendor'])
})

const ADDRESS = { repository: 'acme/docs', number: 7 }
const PEOPLE: Partial<RepositoryState> = { collaborators: { mona: 'write', ann: 'write' }, teams: ['writers'] }

const happened = (event: ReviewEvent['event'], name: string): ReviewEvent => ({
  ...{ id: 8, event, actor: 'ann', name, atMs: 0 },
})

test('knows who was asked, who took themselves out and who has reviewed', async () => {
  const reviewEvents = [
    happened('review_requested', 'Mona'),
    happened('review_requested', 'acme/writers'),
    happened('review_request_removed', 'dora'),
    happened('reviewed', 'ann'),
  ]
  const docs = repositoryWithPull({ reviewEvents })
  await askingGitHub({ docs }, async ({ ask }) => {
    const found = await connectReviewers(ask).listReviewersSoFar(ADDRESS)
    expect([...found].sort()).toEqual(['acme/writers', 'ann', 'dora', 'mona'])
  })
})

test('what came on a later page counts too, and past a thousand events nothing is known', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => happened('review_requested', `u${index}`))
  const sizeOf = (count: number): Promise<unknown> =>
    askingGitHub({ docs: repositoryWithPull({ reviewEvents: many(count) }) }, ({ ask }) =>
      connectReviewers(ask)
        .listReviewersSoFar(ADDRESS)
        .then(
          ({ length }) => length,
          (error: unknown) => error,
        ),
    )
  expect(await sizeOf(250)).toBe(250)
  expect(await sizeOf(1_001)).toMatchObject({ code: 'rejected' })
})

test('asks a person, and a team of the owner', async () => {
  const docs = repositoryWithPull({}, PEOPLE)
  await askingGitHub({ docs }, async ({ ask }) => {
    await connectReviewers(ask).requestReview(ADDRESS, 'ann')
    await connectReviewers(ask).requestReview(ADDRESS, 'Acme/writers')
    expect(docs.pulls[7]?.reviewEvents.map(({ name }) => name)).toEqual(['ann', 'acme/writers'])
  })
})

test.each([
  ['dora', 'rejected', 'Reviews may only be requested from collaborators'],
  ['other/writers', 'rejected', 'A team of another organization than `acme`'],
])('%s cannot be asked', async (name, code, message) => {
  await askingGitHub({ docs: repositoryWithPull({}, PEOPLE) }, async ({ ask }) => {
    const error = await errorOf(connectReviewers(ask).requestReview(ADDRESS, name))
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) as unknown })
  })
})

test('says which permission it needs', async () => {
  const state = { permissions: { 'pull-requests': 'read' } } as const
  await askingGitHub({ docs: repositoryWithPull({}, PEOPLE), state }, async ({ ask }) => {
    const error = await errorOf(connectReviewers(ask).requestReview(ADDRESS, 'ann'))
    expect(error).toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('`pull-requests: write`') as unknown,
    })
  })
})

const suite = (id: number, fields: Partial<CheckSuite> = {}): CheckSuite => ({
  ...{ id, app: ACTIONS, status: 'completed', conclusion: 'success', latest_check_runs_count: 1 },
  ...fields,
})
const run = (id: number, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  ...{ id, check_suite_id: id, workflow_id: 5, path: '.github/workflows/ci.yml@main', event: 'pull_request' },
  ...{ status: 'completed', conclusion: 'success', ...fields },
})

test('a suite has the name of its workflow’s file, or of its app', () => {
  const names = joinSuites([suite(1), suite(2), suite(3, { app: 'links' }), suite(4, { app: '' })], [run(1)])
  expect(names.map(({ name }) => name)).toEqual(['ci.yml', 'github-actions', 'links', 'an app'])
})

test('the run of a suite is known by its id or by its address', () => {
  expect(suiteIdOf(run(1, { check_suite_id: 7 }))).toBe(7)
  const byUrl = { ...run(1), check_suite_id: undefined, check_suite_url: 'https://x.example/check-suites/8' }
  expect(suiteIdOf(byUrl)).toBe(8)
  expect(suiteIdOf({ ...byUrl, check_suite_url: undefined })).toBeUndefined()
})

test.each([
  ['in_progress', null, 'success', 'pending'],
  ['completed', 'success', 'failure', 'failure'],
  ['completed', 'failure', 'success', 'failure'],
  ['completed', 'success', 'action_required', 'approval'],
  ['queued', null, 'action_required', 'approval'],
  ['completed', 'success', 'success', 'success'],
] as const)('of a suite that is %s (%s) and a run that ended with %s the worse counts', (status, said, ran, state) => {
  const conclusion = said ?? undefined
  expect(joinSuites([suite(1, { status, conclusion })], [run(1, { conclusion: ran })])).toMatchObject([{ state }])
})

test('a run that only the list of runs knows has a suite all the same', () => {
  const waiting = { status: 'in_progress', conclusion: undefined }
  expect(joinSuites([suite(1)], [run(1), run(2, waiting)])).toMatchObject([{ id: 1 }, { id: 2, state: 'pending' }])
})

const replaced = (older: WorkflowRun, later: WorkflowRun): boolean => {
  const all = joinSuites([suite(1), suite(2)], [older, later])
  return all[0] !== undefined && replacementsOf(all[0], all).length > 0
}

test.each([
  ['of the same workflow and event', {}, true],
  ['of another event', { event: 'push' }, false],
  ['of another workflow', { workflow_id: 6 }, false],
  ['of a workflow that is not known', { workflow_id: undefined, path: undefined }, false],
  ['of an event that is not known', { event: undefined }, false],
  ['that failed', { conclusion: 'failure' }, true],
  ['that has not ended', { status: 'queued', conclusion: undefined }, true],
  ['that was skipped as a whole', { conclusion: 'skipped' }, false],
  ['that began before the older was started again', { run_started_at: '2026-01-01T00:00:00Z' }, false],
] as const)('a later run %s: takes the place of the older: %s', (_what, fields, takesPlace) => {
  const older = run(1, { conclusion: 'failure', run_started_at: '2026-01-01T00:00:01Z' })
  expect(replaced(older, run(2, fields))).toBe(takesPlace)
})

test('an older run takes nobody’s place, and a suite whose run is not known keeps its own', () => {
  expect(replaced(run(2, { check_suite_id: 1 }), run(1, { check_suite_id: 2 }))).toBe(false)
  const all = joinSuites([suite(1), suite(2)], [run(2)])
  expect(all.map((one) => replacementsOf(one, all))).toEqual([[], []])
})

function windowOf(...parts: readonly string[]): readonly string[] {
  const window = new LogWindow()
  for (const part of parts) window.add(part)
  return window.lines()
}

const numbered = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('')

test('lines that come in pieces are put together', () => {
  expect(windowOf('o', 'ne\ntw', 'o\n', 'three')).toEqual(['one', 'two', 'three'])
})

test('a log without an error is its end', () => {
  const lines = windowOf(numbered(1_000))
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([120, 'line 880', 'line 999'])
})

test('of several errors the last one counts, with what stands before it and a little of what comes after', () => {
  const lines = windowOf(numbered(500), '##[error]first\n', numbered(500, 500), '##[error]last\n', numbered(500, 1_000))
  expect([lines.length, lines[0], lines[119], lines.at(-1)]).toEqual([150, 'line 881', '##[error]last', 'line 1029'])
})

test('no line takes more than its room, however long it is', () => {
  const window = new LogWindow()
  for (let piece = 0; piece < 1_000; piece++) window.add('x'.repeat(10_000))
  window.add('\nend\n')
  expect(window.lines().map(({ length }) => length)).toEqual([4_000, 3])
})

const LOG =
  '\ufeff2026-01-01T00:00:00.1234567Z ##[group]Run it\n2026-01-01T00:00:01.1234567Z ##[error]It broke: docs_key\nlast ##[one]\n'
const docs = { checkRuns: [checkRun({ id: 7, name: 'build', headSha: commit('c'), runId: 5, log: LOG })] }

const read = (world: Partial<EmbeddedGitHub> = {}): Promise<unknown> =>
  askingEmbedded({ docs, ...world }, (github) => github.readJobLog('acme/docs', 7).catch((error: unknown) => error))

test('gives the log without time stamps, from where the token must not be shown, and without secrets', async () => {
  const redact = (text: string): string => text.replaceAll('docs_key', '***')
  expect(await read({ options: { redact } })).toBe('group: Run it\nerror: It broke: ***\nlast ##[one]')
})

test('the log of a repository that was renamed is asked for at its new place', async () => {
  await askingEmbedded({ docs: { ...docs, id: 5 }, oldName: 'acme/old' }, async (github) => {
    expect(await github.readJobLog('acme/old', 7)).toContain('It broke')
  })
})

test('without `actions: read` it says what is missing', async () => {
  const hint = expect.stringContaining('`actions: read`') as unknown
  expect(await read({ permissions: { checks: 'read' } })).toMatchObject({ code: 'forbidden', hint })
})

test('a log that is gone is one that cannot be read', async () => {
  const gone = { checkRuns: [checkRun({ id: 7, name: 'build', headSha: commit('c'), runId: 5 })] }
  expect(await read({ docs: gone })).toMatchObject({ code: 'rejected' })
})

test.each([undefined, 'nonsense', 'http://logs.example.com/1', 'file:///etc/passwd'])(
  'an address such as %s is not asked',
  async (location) => {
    const ask = answering({
      actions: { downloadJobLogsForWorkflowRun: () => Promise.resolve({ headers: { location } }) },
    })
    const asked: URL[] = []
    const download = (url: URL): Promise<void> => Promise.resolve(void asked.push(url))
    expect(await errorOf(connectJobLogs(ask, download, (text) => text).readJobLog('acme/docs', 7))).toMatchObject({
      code: 'bad-answer',
    })
    expect(asked).toEqual([])
  },
)

test.each([
  ['success', 'success'],
  ['neutral', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'failure'],
  ['timed_out', 'failure'],
  ['action_required', 'failure'],
  ['startup_failure', 'failure'],
  ['a word of tomorrow', 'failure'],
  [undefined, 'pending'],
])('what ended with %s is a %s', (conclusion, state) => {
  expect(stateOf({ status: 'completed', conclusion })).toBe(state)
})

test.each(['queued', 'in_progress', 'waiting', undefined])('what is %s is pending, whatever it ends with', (status) => {
  expect(stateOf({ status, conclusion: 'success' })).toBe('pending')
})

test.each([
  ['success', 'success'],
  ['pending', 'pending'],
  ['failure', 'failure'],
  ['error', 'failure'],
  [undefined, 'pending'],
])('a commit status that is %s is a %s', (state, expected) => {
  expect(stateOfStatus(state)).toBe(expected)
})

test('whatever stands in the place of text, numbers and objects costs that alone', () => {
  for (const wrong of [null, 7.5, 'x', [], {}, [null]]) {
    const fields = ['id', 'name', 'status', 'conclusion', 'app', 'check_suite', 'output', 'details_url', 'html_url']
    const of = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, wrong]))
    expect(checkRunSchema.safeParse(of(fields)).success).toBe(true)
    expect(checkSuiteSchema.safeParse(of([...fields, 'latest_check_runs_count'])).success).toBe(true)
    expect(commitStatusSchema.safeParse(of(['context', 'state', 'description', 'target_url'])).success).toBe(true)
    const run = { ...of(['check_suite_id', 'check_suite_url', 'workflow_id', 'path', 'event']), id: 7 }
    expect(workflowRunSchema.safeParse(run).success).toBe(true)
  }
  expect(checkRunSchema.safeParse({ name: 'build' }).data).toEqual({ name: 'build', app: '' })
})
