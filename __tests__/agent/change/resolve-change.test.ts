import { expect, test } from '@jest/globals'
import type { GitHub } from '../../../src/github/github.ts'
import {
  changedFile,
  comparing,
  COMPARISON,
  resolveInOrder,
  mergedBy,
  PULL_REQUEST,
  PUSH,
  createGitHubError,
  rejectWith,
} from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'
import { containing, playChange, type Responses, type Given, type GivenEvent } from '../../../testing/play-change.ts'

const COMMITS = { 'change-context': 'commits' }
const FILES = { 'change-context': 'files' }
const DIFF = { 'change-context': 'diff' }
const TWO_LINES = { paths: 'docs/**\n!docs/old/**' }
const DOCS = { paths: 'docs/**' }
const CODE = { paths: 'src/**' }
const SINCE = { 'change-range': 'since-last-success' }
const BETWEEN = { 'change-range': 'v1...v2' }
const REQUESTED = { ...FILES, 'change-range': 'pull/7' }
const REQUESTED_ELSEWHERE = { ...FILES, 'change-range': 'acme/code/pull/7' }
const NO_CONTEXT = { 'change-context': 'none' }
const ELSEWHERE = { ...FILES, 'change-range': 'acme/code@v1...v2' }
const ATTACH = { prompt: '', 'job-id': 'job_1', paths: 'a' }

const ANN = { login: 'ann', type: 'User' }
const BOT = { sender: { login: 'release[bot]', type: 'Bot' } }
const MANUAL: GivenEvent = ['workflow_dispatch']
const SCHEDULE: GivenEvent = ['schedule']
const PUSHED: GivenEvent = ['push', PUSH]
const FORCED: GivenEvent = ['push', { ...PUSH, forced: true }]
const DELETION: GivenEvent = ['push', { ...PUSH, ref: 'refs/heads/next', deleted: true }]
const ENDS = { base: { sha: commit('a') }, head: { sha: commit('b') } }
const PULL: GivenEvent = ['pull_request', { pull_request: { number: 7, ...ENDS } }]
const ISSUE: GivenEvent = ['issues', { issue: { number: 3, title: 'It is wrong', body: 'See line 3.' } }]
const MERGED_BY_BOT: GivenEvent = ['push', { ...PUSH, ...BOT }]
const PULL_BY_BOT: GivenEvent = ['pull_request', { pull_request: { number: 7, ...ENDS }, ...BOT }]
const RELEASE: GivenEvent = ['release', { release: { tag_name: 'v2.0.0' }, ...BOT }]
const RUN = {
  id: 30,
  workflow_id: 51,
  event: 'push',
  head_sha: commit('b'),
  head_branch: 'main',
  pull_requests: [],
}
const afterRun = (fields: object): GivenEvent => [
  'workflow_run',
  { workflow_run: RUN, repository: { id: 1, default_branch: 'main' }, ...fields },
]

const foreignPull = (repository: string, state: 'merged' | 'closed' = 'merged'): Partial<GitHub> => ({
  readPullRequest: ({ number }) =>
    Promise.resolve({ ...PULL_REQUEST, repository, number, state, author: ANN, labels: [] }),
  listComments: () => Promise.resolve([]),
})
const FOREIGN_PULL = foreignPull('acme/docs')
const OTHERS = foreignPull('acme/docs')
const REQUESTED_TEXT =
  /Pull request #7: Explain the limits\nURL: https:\/\/github\.com\/acme\/docs\/pull\/7\n\nDescription:\nThe limits were not explained\.[^]*docs\/guide\.md/
const QUIET = comparing({ relation: 'identical', commits: [], totalCommits: 0, files: [] })
const TWO = comparing({ files: ['docs/a.md', 'docs/b.md'].map(changedFile) })
const BEA = { login: 'bea', type: 'User' }
const OLDER = { sha: commit('9'), message: 'Change the code', author: 'Bea', account: BEA, committerLogin: 'web-flow' }
const FIRST = { findSuccesses: () => Promise.resolve({ before: undefined }) }
const DOWN = { compare: rejectWith(createGitHubError('service-error')) }
const NO_RUNS = { findSuccesses: DOWN.compare }
const LIMITED = { compare: rejectWith(createGitHubError('rate-limited')) }
const MISSING_COMMITS = { compare: rejectWith(createGitHubError('not-found')) }
const UNLISTED = comparing({ fileList: 'unreadable' })
const LOOK_UPS_DOWN = { findPullRequestsOfCommit: DOWN.compare, readPullRequest: DOWN.compare }
const MANY = comparing({ files: ['src/a\u202e##[x].ts', '0', '1', '2', '3', '4', '5', '6'].map(changedFile) })
const MERGE_BASE = comparing({ relation: 'diverged', mergeBase: commit('d') })
const COMMITS_REMOVED = comparing({ relation: 'behind', commits: [], totalCommits: 0, files: [] })
const BUILT = afterRun({ workflow_run: { ...RUN, head_branch: 'next', head_repository: { id: 1 } } })
const BUILT_BY_SCHEDULE = afterRun({ workflow_run: { ...RUN, event: 'schedule' } })
const COMMENT_ON_PULL: GivenEvent = [
  'issue_comment',
  { issue: { number: 7, pull_request: {} }, comment: { id: 1, body: 'Hi.' }, sender: { login: 'ann', type: 'User' } },
]
const NOTHING_CHANGED = { prompt: 'Nothing changed in acme/docs' }
const OWN: Partial<GitHub> = {
  findPullRequestsOfCommit: (_repository, sha) =>
    Promise.resolve(sha === commit('b') ? [mergedBy(7, 'docs-agent')] : []),
  listTags: () => Promise.resolve(['v1.0.0']),
}
const OWN_AND_OLDER = { ...OWN, ...comparing({ commits: [OLDER, ...COMPARISON.commits], totalCommits: 2 }) }
const LAST_COMMIT_GONE: Partial<GitHub> = {
  compare: (_repository, base) =>
    base === commit('7') ? Promise.reject(createGitHubError('not-found')) : Promise.resolve(COMPARISON),
  findSuccesses: () => Promise.resolve({ before: commit('7') }),
}

/** Without `skip` the prompt is sent, and without `lost` there is no warning. */
interface Expected {
  /** A part of the error message if the step fails. */
  readonly red?: string
  readonly skip?: string
  readonly warnings?: string
  readonly prompt?: string | RegExp
  readonly change?: string | RegExp
  readonly log?: string
  readonly calls?: readonly string[]
}
const SENT: Expected = {}
const RED_FOR_CONTEXT = { red: 'which is needed for `change-context`: ' }
const RED_FOR_PATHS = { red: 'which is needed for `paths`: ' }
const NOT_LISTED = { red: 'GitHub returned a malformed list of changed files' }
const RED_FOR_GUARD = { red: "Could not determine whether the change is the agent's own work: " }
const OWN_WORK = { skip: '#7' }
const DELETED = { skip: 'a branch or a tag was deleted' }

const FEW_OF_MANY = 'No file matches `paths` (`docs/**`, `!docs/old/**`): `src/a# #[x].ts`, `0`, `1`, `2`, `3`, 3 more.'
const FORCE_PUSHED =
  'the forced push, from the merge base `ddddddd` to `bbbbbbb`, because `aaaaaaa` is not in its history.'
const AS_PUSHED = '1 commit, 1 file: the push, from `aaaaaaa` to `bbbbbbb`. Added to the prompt: '
const NO_COMMITS =
  /an issue, which has no commits\. Added to the prompt: what the event is about \(\d+ of at most 65536 bytes/

type Row = [what: string, given: Given, event: GivenEvent, responses: Responses, expected: Expected]
test.each<Row>([
  ['a manual run without an input about the change', {}, MANUAL, {}, { calls: [] }],
  ['a step that only waits for a job', ATTACH, PUSHED, {}, { calls: [] }],

  ['a deletion', {}, DELETION, {}, { ...DELETED, calls: [] }],
  // The next run looks back to this run.
  ['a deletion after a failed run, without context', SINCE, DELETION, {}, SENT],
  ['a deletion after a failed run', { ...SINCE, ...FILES }, DELETION, {}, { prompt: 'docs/guide.md' }],
  ['a deletion without an earlier change', { ...SINCE, ...FILES }, DELETION, QUIET, DELETED],
  ['a deletion without an earlier successful run', { ...SINCE, ...FILES }, DELETION, FIRST, DELETED],

  ["a merge of the agent's own work", {}, PUSHED, OWN, OWN_WORK],
  ["a manual run after a merge of the agent's own work", {}, MANUAL, OWN, SENT],
  [
    "a merge of the agent's own work with an older commit by others in the range",
    FILES,
    PUSHED,
    OWN_AND_OLDER,
    OWN_WORK,
  ],
  ["a merge of the agent's own work, with a range of commits by others", BETWEEN, PUSHED, OWN_AND_OLDER, OWN_WORK],
  [
    "a merge of the agent's own work since a success before commits by others",
    { ...COMMITS, ...SINCE },
    PUSHED,
    OWN_AND_OLDER,
    SENT,
  ],
  ["a merge of the agent's own work that cannot be compared", FILES, PUSHED, { ...OWN, ...DOWN }, RED_FOR_CONTEXT],
  ["a merge of the agent's own work with a range in another repository", ELSEWHERE, PUSHED, OWN, OWN_WORK],
  ['a push with a range in another repository', ELSEWHERE, PUSHED, {}, SENT],
  ["a release of the agent's own work by a bot", {}, RELEASE, OWN, OWN_WORK],
  ['a release by a bot', {}, RELEASE, OWN_AND_OLDER, SENT],
  ['a merge by a bot that cannot be looked up', FILES, MERGED_BY_BOT, LOOK_UPS_DOWN, RED_FOR_GUARD],
  [
    'a merge by a bot that cannot be looked up, since the last success, without context',
    SINCE,
    MERGED_BY_BOT,
    LOOK_UPS_DOWN,
    RED_FOR_GUARD,
  ],
  ['a pull request by a bot that cannot be read', FILES, PULL_BY_BOT, LOOK_UPS_DOWN, RED_FOR_GUARD],
  ['a run by a bot without earlier runs', FILES, afterRun(BOT), NO_RUNS, RED_FOR_CONTEXT],
  ['a run without earlier runs', FILES, afterRun({}), NO_RUNS, RED_FOR_CONTEXT],

  ['a push without a token', {}, PUSHED, null, { log: 'there is no `github-token`' }],
  ['a schedule without a token', DIFF, SCHEDULE, null, RED_FOR_CONTEXT],
  ['a push that cannot be compared', CODE, PUSHED, DOWN, RED_FOR_PATHS],
  [
    'a push that cannot be compared, with paths and context',
    { ...CODE, ...DIFF },
    PUSHED,
    DOWN,
    { red: '`paths` and `change-context`' },
  ],
  ['a push whose comparison is rate limited', COMMITS, PUSHED, LIMITED, RED_FOR_CONTEXT],
  ['a push whose commits do not exist', COMMITS, PUSHED, MISSING_COMMITS, RED_FOR_CONTEXT],
  ['a schedule whose runs cannot be listed', COMMITS, SCHEDULE, NO_RUNS, RED_FOR_CONTEXT],
  ['a push by a bot that cannot be compared', COMMITS, MERGED_BY_BOT, DOWN, RED_FOR_CONTEXT],
  ['a push without a list of files, with paths', CODE, PUSHED, UNLISTED, NOT_LISTED],
  ['a push without a list of files', FILES, PUSHED, UNLISTED, NOT_LISTED],
  ['a push without a list of files if the files are not needed', COMMITS, PUSHED, UNLISTED, SENT],

  ['a push without a matching file', CODE, PUSHED, {}, { skip: 'No changed file matches `paths`', calls: ['compare'] }],
  ['a push of many files', TWO_LINES, PUSHED, MANY, { skip: 'No changed file', change: FEW_OF_MANY }],
  ['a push with one matching file', DOCS, PUSHED, {}, { change: 'Of these files, 1 matches `paths`.' }],
  ['a push with two matching files', DOCS, PUSHED, TWO, { change: 'Of these files, 2 match `paths`.' }],
  [
    'a push with an incomplete list of files',
    CODE,
    PUSHED,
    comparing({ fileList: 'truncated' }),
    { log: 'not skipped' },
  ],
  ['a push to an earlier commit', CODE, PUSHED, comparing({ relation: 'behind' }), { log: 'History was rewritten' }],
  ['a push of a diverged history', CODE, PUSHED, comparing({ relation: 'diverged' }), { log: 'History was rewritten' }],
  [
    'a push after a successful run whose commit no longer exists',
    { ...SINCE, ...CODE },
    PUSHED,
    LAST_COMMIT_GONE,
    SENT,
  ],
  ['a pull request whose base has new commits', CODE, PULL, { ...OTHERS, ...MERGE_BASE }, { skip: 'No changed file' }],
  ['a schedule without a change, with paths', { paths: '**' }, SCHEDULE, QUIET, { skip: 'no commits' }],
  ['a schedule without a change', FILES, SCHEDULE, QUIET, { prompt: 'Nothing changed in acme/docs' }],
  ['a schedule without a change, with `change-range`', { ...FILES, ...SINCE }, SCHEDULE, QUIET, NOTHING_CHANGED],
  ['an explicit range without a commit', { ...FILES, ...BETWEEN }, MANUAL, QUIET, NOTHING_CHANGED],
  ['a pull request by number without a change', REQUESTED, MANUAL, { ...QUIET, ...FOREIGN_PULL }, NOTHING_CHANGED],
  ['a pull request without a change', FILES, PULL, { ...OTHERS, ...QUIET }, NOTHING_CHANGED],
  ['a push without a commit', FILES, PUSHED, QUIET, NOTHING_CHANGED],
  ['a push that only removed commits', FILES, PUSHED, COMMITS_REMOVED, SENT],
  ['a run after the build of a merged branch', FILES, BUILT, QUIET, NOTHING_CHANGED],
  ['a run after a scheduled build without a change', FILES, BUILT_BY_SCHEDULE, QUIET, { prompt: 'Nothing changed' }],
  ['a comment on a pull request without a change', FILES, COMMENT_ON_PULL, QUIET, { prompt: 'Nothing changed' }],
  [
    'the first schedule',
    { ...FILES, ...DOCS },
    SCHEDULE,
    FIRST,
    { prompt: /^$/, change: 'no earlier run of this workflow' },
  ],
  ['a schedule', FILES, SCHEDULE, {}, { prompt: 'since the last successful run, from `aaaaaaa` to `bbbbbbb`' }],
  ['a forced push that cannot be compared', FILES, FORCED, DOWN, RED_FOR_CONTEXT],
  ['a forced push', FILES, FORCED, MERGE_BASE, { change: FORCE_PUSHED }],
  ['a push', DIFF, PUSHED, {}, { prompt: '(the push, from `aaaaaaa` to `bbbbbbb`)', change: AS_PUSHED }],
  [
    'a pull request by number',
    REQUESTED,
    MANUAL,
    FOREIGN_PULL,
    { prompt: REQUESTED_TEXT, change: 'pull request #7, from' },
  ],
  [
    'a pull request by number that was closed without a merge',
    REQUESTED,
    MANUAL,
    foreignPull('acme/docs', 'closed'),
    {
      prompt: /Pull request #7: Explain the limits\nState: closed without a merge\n[^]*docs\/guide\.md/,
      change: 'pull request #7, which was closed without a merge, from',
    },
  ],
  [
    'a pull request by number, without context',
    { ...REQUESTED, ...NO_CONTEXT },
    MANUAL,
    FOREIGN_PULL,
    { prompt: /^$/ },
  ],
  [
    'a pull request by number without a matching file',
    { ...REQUESTED, ...CODE },
    MANUAL,
    FOREIGN_PULL,
    { skip: 'No changed file' },
  ],
  [
    "a pull request by number after a merge of the agent's own work",
    REQUESTED,
    PUSHED,
    { ...OWN, ...FOREIGN_PULL },
    OWN_WORK,
  ],
  [
    'a pull request by number of another repository',
    REQUESTED_ELSEWHERE,
    MANUAL,
    foreignPull('acme/code'),
    { prompt: 'acme/code/pull/7' },
  ],
  ['an issue', FILES, ISSUE, {}, { prompt: 'Issue #3: It is wrong', change: NO_COMMITS }],
])('%s', async (_what, given, event, responses, expected) => {
  const { red, skip, warnings, prompt = '', change = '', log = '', calls = expect.anything() } = expected
  if (red !== undefined) {
    const error = { code: 'not-sent', message: containing(red), hint: expect.anything() as unknown }
    await expect(playChange(given, event, responses)).rejects.toMatchObject(error)
    return
  }
  const found = await playChange(given, event, responses)
  expect(found).toMatchObject({ skip: containing(skip), warnings: containing(warnings), calls })
  expect(found.prompt ?? '').toMatch(prompt)
  expect(found.change ?? '').toMatch(change)
  expect(found.log).toContain(log)
})

test.each<[what: string, given: Given, responses: Responses]>([
  ['GitHub is down', SINCE, NO_RUNS],
  ['the range cannot be compared', SINCE, { compare: rejectWith(createGitHubError('forbidden', 'Grant it.')) }],
  ['a commit of the range does not exist', BETWEEN, { compare: rejectWith(createGitHubError('not-found')) }],
  ['there is no token', SINCE, null],
  ['the pull request does not exist', REQUESTED, { readPullRequest: rejectWith(createGitHubError('not-found')) }],
])(
  'fails with `change-range` if %s, because success would move the base of the next range',
  async (_what, given, responses) => {
    const error = { code: 'not-sent', message: expect.stringContaining('`change-range`'), hint: expect.anything() }
    for (const wanted of [{}, FILES, DOCS])
      await expect(playChange({ ...wanted, ...given }, PUSHED, responses)).rejects.toMatchObject(error)
  },
)

const NO_BASE = [
  'release',
  'pull_request',
  'pull_request_target',
  'issue_comment',
  'pull_request_review',
  'workflow_run',
  'label',
]

test.each(NO_BASE)('rejects `since-last-success` on `%s`, whose runs are never a base', async (name) => {
  const payload = { ...(BUILT[1] as object), ...(PULL[1] as object), release: { tag_name: 'v2' } }
  for (const given of [SINCE, { ...SINCE, ...FILES }])
    await expect(playChange(given, [name, payload])).rejects.toMatchObject({
      code: 'invalid-input',
      message: containing(`cannot be used on \`${name}\``),
    })
})

test('names all permissions if the token may not compare', async () => {
  const compare = rejectWith(createGitHubError('forbidden', 'Grant `contents: read`.'))
  const hint = containing('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
  await expect(playChange({ ...SINCE, ...FILES }, PUSHED, { compare })).rejects.toMatchObject({ hint })
})

test.each<[what: string, given: Given, refused: keyof GitHub]>([
  ['compare', ELSEWHERE, 'compare'],
  ['read the labels', { ...ELSEWHERE, 'skip-labels': 'no-docs' }, 'findPullRequestsOfCommit'],
])(
  'names no permissions of the own repository if the token may not %s in another one',
  async (_what, given, refused) => {
    const hint = 'Grant `contents: read`. If `acme/code` is not …'
    const responses = { [refused]: rejectWith(createGitHubError('forbidden', hint)) }
    await expect(playChange(given, ['repository_dispatch'], responses)).rejects.toMatchObject({ hint })
  },
)

test.each<[given: Given, named: string]>([
  [{ 'skip-labels': 'no-docs' }, '`skip-labels`'],
  [{ 'skip-labels': 'no-docs', ...CODE, ...FILES }, '`paths`, `change-context` and `skip-labels`'],
])('rejects `on-open-pr: skip` on a schedule with %j, and the hint names %s', async (given, named) => {
  const skipping = { ...given, 'on-open-pr': 'skip' }
  const hint = `Nothing was sent. Use \`on-open-pr: follow-up\`, or remove ${named}.`
  await expect(playChange(skipping, SCHEDULE)).rejects.toMatchObject({ code: 'invalid-input', hint })
})

test('rejects if the run is cancelled', async () => {
  const cancelled = { findPullRequestsOfCommit: rejectWith(createGitHubError('cancelled')) }
  await expect(playChange({}, PUSHED, cancelled)).rejects.toMatchObject({ code: 'cancelled' })
})

test('compares the range of the event if the commit of the last success is gone, with a notice', async () => {
  const { prompt, notices } = await playChange({ ...SINCE, ...FILES }, PUSHED, LAST_COMMIT_GONE)
  expect(prompt).toContain('from `aaaaaaa` to')
  expect(notices).toEqual([expect.stringContaining('from `aaaaaaa` to')])
  expect(notices[0]).toContain('The commit of the last successful run is no longer in the repository')
})

test('reports that nothing was compared if that commit is gone and the event has no range', async () => {
  const { change, notices } = await playChange(FILES, SCHEDULE, LAST_COMMIT_GONE)
  expect(change).toContain('the commit of the last successful run of this workflow no longer exists')
  expect(notices).toEqual([expect.stringContaining('Nothing was compared.')])
})

test.each([
  [2, [commit('a'), commit('a'), 'main']],
  // A single 404 response may come from a gateway.
  [1, [commit('a'), commit('a')]],
])('compares a forced push after %i 404 responses', async (times, expected) => {
  const bases: string[] = []
  const responses = resolveInOrder(...Array.from({ length: times }, () => createGitHubError('not-found')), COMPARISON)
  const compare: GitHub['compare'] = (_repository, base) => {
    bases.push(base)
    return responses()
  }
  expect(await playChange(FILES, FORCED, { compare })).toMatchObject({ warnings: undefined, notices: [] })
  expect(bases).toEqual(expected)
})
