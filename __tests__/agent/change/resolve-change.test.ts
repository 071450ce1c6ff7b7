import { expect, test } from '@jest/globals'
import type { GitHub } from '../../../src/github/github.ts'
import {
  changedFile,
  comparing,
  COMPARISON,
  inTurn,
  mergedBy,
  PULL_REQUEST,
  PUSH,
  refusal,
  rejecting,
} from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { containing, lookAtChange, type Answers, type Given, type GivenEvent } from '../../support/look-at-change.ts'

const COMMITS = { 'change-context': 'commits' }
const FILES = { 'change-context': 'files' }
const DIFF = { 'change-context': 'diff' }
const IN_1024_BYTES = { ...FILES, 'change-context-bytes': '1024' }
const TWO_LINES = { paths: 'docs/**\n!docs/old/**' }
const DOCS = { paths: 'docs/**' }
const CODE = { paths: 'src/**' }
const BUT_CODE = { 'paths-ignore': 'src/**' }
const SINCE = { 'change-range': 'since-last-success' }
const BETWEEN = { 'change-range': 'v1...v2' }
const REQUESTED = { ...FILES, 'change-range': 'pull/7' }
const REQUESTED_ELSEWHERE = { ...FILES, 'change-range': 'acme/code/pull/7' }
const REQUESTED_BY_OLD_NAME = { ...FILES, 'change-range': 'acme/handbook/pull/7' }
const REQUESTED_IN_OTHER_LETTERS = { ...FILES, 'change-range': 'Acme/Docs/pull/7' }
const BETWEEN_BY_OLD_NAME = { ...FILES, 'change-range': 'acme/handbook@v1...v2' }
const BETWEEN_IN_OTHER_LETTERS = { ...FILES, 'change-range': 'Acme/Docs@v1...v2' }
const NO_CONTEXT = { 'change-context': 'none' }
const ELSEWHERE = { ...FILES, 'change-range': 'acme/code@v1...v2' }
const LET_THROUGH = { 'skip-own-changes': 'false' }
const ATTACH = { prompt: '', 'job-id': 'job_1', paths: 'a' }

const BOT = { sender: { login: 'release[bot]', type: 'Bot' } }
const ORDER: GivenEvent = ['workflow_dispatch']
const SCHEDULE: GivenEvent = ['schedule']
const PUSHED: GivenEvent = ['push', PUSH]
const FORCED: GivenEvent = ['push', { ...PUSH, forced: true }]
const DELETION: GivenEvent = ['push', { ...PUSH, ref: 'refs/heads/next', deleted: true }]
const ENDS = { base: { sha: commit('a') }, head: { sha: commit('b') } }
const PULL: GivenEvent = ['pull_request', { pull_request: { number: 7, ...ENDS } }]
const ISSUE: GivenEvent = ['issues', { issue: { number: 3, title: 'It is wrong', body: 'See line 3.' } }]
const MERGED_BY_BOT: GivenEvent = ['push', { ...PUSH, ...BOT }]
const PULL_BY_BOT: GivenEvent = ['pull_request', { pull_request: { number: 7, ...ENDS }, ...BOT }]
const RELEASE: GivenEvent = ['release', { release: { tag_name: 'v2' }, ...BOT }]
const RUN = {
  ...{ id: 30, workflow_id: 51 },
  ...{ event: 'push', head_sha: commit('b'), head_branch: 'main', pull_requests: [] },
}
const ran = (fields: object): GivenEvent => [
  'workflow_run',
  { workflow_run: RUN, repository: { id: 1, default_branch: 'main' }, ...fields },
]

const othersPull = (repository: string, state: 'merged' | 'closed' = 'merged'): Partial<GitHub> => ({
  readPullRequest: ({ number }) => Promise.resolve({ ...PULL_REQUEST, repository, number, state, labels: [] }),
  listComments: () => Promise.resolve([]),
})
const OTHERS_PULL = othersPull('acme/docs')
const REQUESTED_TEXT =
  /Pull request #7: Explain the limits\nAddress: https:\/\/github\.com\/acme\/docs\/pull\/7\n\nText:\nThe limits were not explained\.[^]*docs\/guide\.md/
/** GitHub's response to a request for a renamed repository has the new name. */
const RENAMED = comparing({ repositoryName: 'acme/docs' })
const QUIET = comparing({ relation: 'identical', commits: [], totalCommits: 0, files: [] })
const TWO = comparing({ files: ['docs/a.md', 'docs/b.md'].map(changedFile) })
const OLDER = { sha: commit('9'), message: 'Change the code', author: 'Bea' }
const FIRST = { findLastSuccesses: () => Promise.resolve([]) }
const DOWN = { compare: rejecting(refusal('service-error')) }
const NO_RUNS = { findLastSuccesses: DOWN.compare }
const LIMITED = { compare: rejecting(refusal('rate-limited')) }
const GONE_ENDS = { compare: rejecting(refusal('not-found')) }
const UNLISTED = comparing({ fileList: 'unreadable' })
const NOBODY_KNOWS = { findPullRequestsOfCommit: DOWN.compare, readPullRequest: DOWN.compare }
const MANY = comparing({ files: ['src/a\u202e##[x].ts', '0', '1', '2', '3', '4', '5', '6'].map(changedFile) })
const MERGE_BASE = comparing({ relation: 'diverged', mergeBase: commit('d') })
/** What was merged last came from a job's pull request. */
const TAKEN_OUT = comparing({ relation: 'behind', commits: [], totalCommits: 0, files: [] })
const BUILT = ran({ workflow_run: { ...RUN, head_branch: 'next', head_repository: { id: 1 } } })
const BUILT_BY_SCHEDULE = ran({ workflow_run: { ...RUN, event: 'schedule' } })
const COMMENT_ON_PULL: GivenEvent = [
  'issue_comment',
  { issue: { number: 7, pull_request: {} }, comment: { id: 1, body: 'Hi.' }, sender: { login: 'ann', type: 'User' } },
]
const NO_COMMITS_TO_SEND = { skip: 'There are no commits in the range' }
const OWN: Partial<GitHub> = {
  findPullRequestsOfCommit: (_repository, sha) =>
    Promise.resolve(sha === commit('b') ? [mergedBy(7, 'docs-agent')] : []),
  listTags: () => Promise.resolve([{ name: 'v1', sha: commit('a') }]),
}
const OWN_AND_OLDER = { ...OWN, ...comparing({ commits: [OLDER, ...COMPARISON.commits], totalCommits: 2 }) }
const without = (...gone: readonly string[]): Partial<GitHub> => ({
  compare: (_repository, base) =>
    gone.includes(base) ? Promise.reject(refusal('not-found')) : Promise.resolve(COMPARISON),
  findLastSuccesses: () => Promise.resolve([commit('7'), commit('5')]),
})

/** Without `skip` the prompt is sent, and without `lost` nothing is missing. */
interface Expected {
  /** Why the step is red. */
  readonly red?: string
  readonly skip?: string
  readonly lost?: string
  readonly prompt?: string | RegExp
  readonly said?: string | RegExp
  readonly log?: string
  readonly asked?: readonly string[]
}
const ASKS: Expected = {}
const RED_FOR_CONTEXT = { red: 'which is needed for `change-context`: ' }
const RED_FOR_PATHS = { red: 'which is needed for `paths`: ' }
const NOT_LISTED = { red: 'GitHub did not list the changed files' }
const RED_FOR_GUARD = { red: 'Could not determine whether the change is the work of this action: ' }
const OWN_WORK = { skip: '#7' }
const SKIPPED_FOR_BOT = { skip: 'A bot started', lost: 'so it was skipped' }
const GONE = { skip: 'a branch or a tag was deleted' }

const FEW_OF_MANY = 'No file matches `paths` (`docs/**`, `!docs/old/**`): `src/a# #[x].ts`, `0`, `1`, `2`, `3`, 3 more.'
const BY_FORCE =
  'the forced push to `main` by `ann`, from the merge base `ddddddd` to `bbbbbbb`, as `aaaaaaa` is not in its history.'
const AS_PUSHED = '1 commit, 1 file: the push to `main` by `ann`, from `aaaaaaa` to `bbbbbbb`. Added to the prompt: '
const NO_COMMITS =
  /an issue, which has no commits\. Added to the prompt: what the event is about \(\d+ of at most 1024 bytes/

type Row = [what: string, given: Given, event: GivenEvent, answers: Answers, expected: Expected]
test.each<Row>([
  ['by order, without an input about the change', {}, ORDER, {}, { asked: [] }],
  ['to wait for a job, which spends nothing', ATTACH, PUSHED, {}, { asked: [] }],

  ['a deletion', {}, DELETION, {}, { ...GONE, asked: [] }],
  // The next run looks back to it.
  ['a deletion before which a run was red, without context', SINCE, DELETION, {}, ASKS],
  ['a deletion before which a run was red', { ...SINCE, ...FILES }, DELETION, {}, { prompt: 'docs/guide.md' }],
  ['a deletion before which nothing changed', { ...SINCE, ...FILES }, DELETION, QUIET, GONE],
  ['a deletion before which no run was green', { ...SINCE, ...FILES }, DELETION, FIRST, GONE],

  ['its own merge', {}, PUSHED, OWN, OWN_WORK],
  ['its own merge, let through', LET_THROUGH, PUSHED, OWN, ASKS],
  ['its own merge, by order', {}, ORDER, OWN, ASKS],
  ['its own merge, of which a file counts', FILES, PUSHED, OWN_AND_OLDER, OWN_WORK],
  ['its own merge, looking back to others', { ...COMMITS, ...SINCE }, PUSHED, OWN_AND_OLDER, ASKS],
  ['its own merge, without its files', FILES, PUSHED, { ...OWN, ...DOWN }, RED_FOR_CONTEXT],
  ['its own merge, with a range of its own', ELSEWHERE, PUSHED, OWN, OWN_WORK],
  ['a push, with a range of its own', ELSEWHERE, PUSHED, {}, ASKS],
  ['a release of its own by a bot', {}, RELEASE, OWN, OWN_WORK],
  ['a release by a bot', {}, RELEASE, OWN_AND_OLDER, ASKS],
  [
    'a release by a bot that cannot be compared',
    {},
    RELEASE,
    { ...OWN, ...DOWN },
    { skip: 'A bot started', lost: 'what the tag contains' },
  ],
  ['a merge by a bot that cannot be looked up', FILES, MERGED_BY_BOT, NOBODY_KNOWS, RED_FOR_GUARD],
  ['the same, looking back without context', SINCE, MERGED_BY_BOT, NOBODY_KNOWS, RED_FOR_GUARD],
  ['a pull request by a bot that cannot be read', FILES, PULL_BY_BOT, NOBODY_KNOWS, RED_FOR_GUARD],
  ['the same without a token', FILES, PULL_BY_BOT, null, RED_FOR_GUARD],
  ['a merge by a bot that cannot be looked up, without context', {}, MERGED_BY_BOT, NOBODY_KNOWS, SKIPPED_FOR_BOT],
  ['a run by a bot without earlier runs', FILES, ran(BOT), NO_RUNS, RED_FOR_CONTEXT],
  ['a run without earlier runs', FILES, ran({}), NO_RUNS, RED_FOR_CONTEXT],

  ['a push without a token', {}, PUSHED, null, { log: 'there is no `github-token`' }],
  ['a push without a token to compare', { ...DIFF, ...LET_THROUGH }, PUSHED, null, RED_FOR_CONTEXT],
  ['a schedule without a token', DIFF, SCHEDULE, null, RED_FOR_CONTEXT],
  ['a push that cannot be compared', CODE, PUSHED, DOWN, RED_FOR_PATHS],
  ['a push that cannot be compared, with ignored paths', BUT_CODE, PUSHED, DOWN, { red: '`paths-ignore`: ' }],
  [
    'a push that cannot be compared, for both',
    { ...CODE, ...DIFF },
    PUSHED,
    DOWN,
    { red: '`paths` and `change-context`' },
  ],
  ['a push whose comparison is limited', COMMITS, PUSHED, LIMITED, RED_FOR_CONTEXT],
  ['a push whose commits are not there', COMMITS, PUSHED, GONE_ENDS, RED_FOR_CONTEXT],
  ['a schedule whose runs cannot be listed', COMMITS, SCHEDULE, NO_RUNS, RED_FOR_CONTEXT],
  ['a push by a bot that cannot be compared', COMMITS, MERGED_BY_BOT, DOWN, RED_FOR_CONTEXT],
  ['a push without a list of files, with paths', CODE, PUSHED, UNLISTED, NOT_LISTED],
  ['a push without a list of files, with ignored paths', BUT_CODE, PUSHED, UNLISTED, NOT_LISTED],
  ['a push without a list of files', FILES, PUSHED, UNLISTED, NOT_LISTED],
  ['a push without a list of files, which are not needed', COMMITS, PUSHED, UNLISTED, ASKS],
  ['a push that cannot be compared, which nothing needs', LET_THROUGH, PUSHED, DOWN, ASKS],

  ['a push of which no file counts', CODE, PUSHED, {}, { skip: 'No changed file matches `paths`', asked: ['compare'] }],
  ['a push of many files', TWO_LINES, PUSHED, MANY, { skip: 'No changed file', said: FEW_OF_MANY }],
  ['a push of ignored files', { 'paths-ignore': '**' }, PUSHED, {}, { skip: 'All changed files match `paths-ignore`' }],
  ['a push of which a file counts', DOCS, PUSHED, {}, { said: 'Of these files, 1 matches `paths`.' }],
  ['a push of which two files count', DOCS, PUSHED, TWO, { said: 'Of these files, 2 match `paths`.' }],
  ['a push of which a file is not ignored', BUT_CODE, PUSHED, {}, { said: '1 does not match `paths-ignore`.' }],
  ['a push of which two files are not ignored', BUT_CODE, PUSHED, TWO, { said: '2 do not match `paths-ignore`.' }],
  ['a push with more files than are listed', CODE, PUSHED, comparing({ fileList: 'cut' }), { log: 'not skipped' }],
  ['a push that went back', CODE, PUSHED, comparing({ relation: 'behind' }), { log: 'History was rewritten' }],
  ['a push of another history', CODE, PUSHED, comparing({ relation: 'diverged' }), { log: 'History was rewritten' }],
  ['a push after a green run that is gone', { ...SINCE, ...CODE }, PUSHED, without(commit('7')), ASKS],
  ['a pull request whose base went on', { ...CODE, ...LET_THROUGH }, PULL, MERGE_BASE, { skip: 'No changed file' }],
  ['a schedule in a quiet week, with paths', { paths: '**' }, SCHEDULE, QUIET, { skip: 'no commits' }],
  ['a schedule in a quiet week', FILES, SCHEDULE, QUIET, { prompt: 'Nothing changed in acme/docs' }],
  ['a schedule in a quiet week that names its range', { ...FILES, ...SINCE }, SCHEDULE, QUIET, NO_COMMITS_TO_SEND],
  ['a range by name without a commit', { ...FILES, ...BETWEEN }, ORDER, QUIET, NO_COMMITS_TO_SEND],
  ['a pull request by number without a change', REQUESTED, ORDER, { ...QUIET, ...OTHERS_PULL }, NO_COMMITS_TO_SEND],
  ['a pull request without a change', { ...FILES, ...LET_THROUGH }, PULL, QUIET, NO_COMMITS_TO_SEND],
  ['a push without a commit', { ...FILES, ...LET_THROUGH }, PUSHED, QUIET, NO_COMMITS_TO_SEND],
  ['a push that took commits out', { ...FILES, ...LET_THROUGH }, PUSHED, TAKEN_OUT, ASKS],
  ['a run after the build of a merged branch', { ...FILES, ...LET_THROUGH }, BUILT, QUIET, NO_COMMITS_TO_SEND],
  ['a run after a build by schedule in a quiet week', FILES, BUILT_BY_SCHEDULE, QUIET, { prompt: 'Nothing changed' }],
  [
    'a comment on a pull request without a change',
    { ...FILES, ...LET_THROUGH },
    COMMENT_ON_PULL,
    QUIET,
    { prompt: 'Nothing changed' },
  ],
  ['a range without a commit that is not sent', { ...SINCE, ...LET_THROUGH }, SCHEDULE, QUIET, { prompt: /^$/ }],
  ['the first schedule', { ...FILES, ...DOCS }, SCHEDULE, FIRST, { prompt: /^$/, said: 'no run of this workflow' }],
  ['a schedule', FILES, SCHEDULE, {}, { prompt: 'since the last successful run, from aaaaaaa to bbbbbbb' }],
  ['a push by force that cannot be compared', FILES, FORCED, DOWN, RED_FOR_CONTEXT],
  ['a push by force', FILES, FORCED, MERGE_BASE, { said: BY_FORCE }],
  ['a push', DIFF, PUSHED, {}, { prompt: '(the push, from aaaaaaa to bbbbbbb)', said: AS_PUSHED }],
  [
    'a pull request by number',
    REQUESTED,
    ORDER,
    OTHERS_PULL,
    { prompt: REQUESTED_TEXT, said: 'pull request #7, from' },
  ],
  [
    'a pull request by number that was closed without a merge',
    REQUESTED,
    ORDER,
    othersPull('acme/docs', 'closed'),
    {
      prompt: /Pull request #7: Explain the limits\nState: closed without a merge\n[^]*docs\/guide\.md/,
      said: 'pull request #7, which was closed without a merge, from',
    },
  ],
  ['a pull request by number, without context', { ...REQUESTED, ...NO_CONTEXT }, ORDER, OTHERS_PULL, { prompt: /^$/ }],
  [
    'a pull request by number of which no file counts',
    { ...REQUESTED, ...CODE },
    ORDER,
    OTHERS_PULL,
    { skip: 'No changed file' },
  ],
  ['a pull request by number that is its own', REQUESTED, ORDER, {}, OWN_WORK],
  ['a pull request by number that is its own, in other letters', REQUESTED_IN_OTHER_LETTERS, ORDER, {}, OWN_WORK],
  ['a pull request by number that is its own, by an older name', REQUESTED_BY_OLD_NAME, ORDER, {}, OWN_WORK],
  ['a range of its own work in other letters', BETWEEN_IN_OTHER_LETTERS, ORDER, OWN, OWN_WORK],
  ['a range of its own work by an older name', BETWEEN_BY_OLD_NAME, ORDER, { ...OWN, ...RENAMED }, OWN_WORK],
  ['a pull request by number that is its own, let through', { ...REQUESTED, ...LET_THROUGH }, ORDER, {}, ASKS],
  ['a pull request by number after its own merge', REQUESTED, PUSHED, { ...OWN, ...OTHERS_PULL }, OWN_WORK],
  [
    'a pull request by number of another repository',
    REQUESTED_ELSEWHERE,
    ORDER,
    othersPull('acme/code'),
    { prompt: 'acme/code/pull/7' },
  ],
  ['an issue', IN_1024_BYTES, ISSUE, {}, { prompt: 'Issue #3: It is wrong', said: NO_COMMITS }],
])('%s', async (_what, given, event, answers, expected) => {
  const { red, skip, lost, prompt = '', said = '', log = '', asked = expect.anything() } = expected
  if (red !== undefined) {
    const error = { code: 'not-sent', message: containing(red), hint: expect.anything() as unknown }
    await expect(lookAtChange(given, event, answers)).rejects.toMatchObject(error)
    return
  }
  const found = await lookAtChange(given, event, answers)
  expect(found).toMatchObject({ skip: containing(skip), lost: containing(lost), asked })
  expect(found.prompt ?? '').toMatch(prompt)
  expect(found.said ?? '').toMatch(said)
  expect(found.log).toContain(log)
})

test.each<[what: string, given: Given, answers: Answers]>([
  ['GitHub is down', SINCE, NO_RUNS],
  ['it cannot be compared', SINCE, { compare: rejecting(refusal('forbidden', 'Grant it.')) }],
  ['an end of it is not there', BETWEEN, { compare: rejecting(refusal('not-found')) }],
  ['there is no token', SINCE, null],
  ['the pull request is not there', REQUESTED, { readPullRequest: rejecting(refusal('not-found')) }],
])(
  'a range that was asked for sends nothing if %s: green, it would move the next base',
  async (_what, given, answers) => {
    const error = { code: 'not-sent', message: expect.stringContaining('`change-range`'), hint: expect.anything() }
    for (const wanted of [{}, FILES, DOCS, LET_THROUGH])
      await expect(lookAtChange({ ...wanted, ...given }, PUSHED, answers)).rejects.toMatchObject(error)
  },
)

test('after `workflow_run` nobody knows what was told, so looking back to it is refused', async () => {
  for (const given of [SINCE, { ...SINCE, ...FILES }])
    await expect(lookAtChange(given, ran({}))).rejects.toThrow('cannot be used after `workflow_run`')
})

test.each<[given: Given, named: string]>([
  [{ 'skip-labels': 'no-docs' }, '`skip-labels`'],
  [{ 'skip-labels': 'no-docs', ...CODE, ...FILES }, '`paths`, `change-context` and `skip-labels`'],
  [{ ...BUT_CODE, ...SINCE }, '`paths-ignore` and `change-range`'],
])(
  'skipping for an open pull request on a schedule with %j is refused, and the advice names %s',
  async (given, named) => {
    const skipping = { ...given, 'on-open-pr': 'skip' }
    const hint = `Nothing was sent. Use \`on-open-pr: follow-up\`, or leave out ${named}.`
    await expect(lookAtChange(skipping, SCHEDULE)).rejects.toMatchObject({ code: 'invalid-input', hint })
  },
)

test('a cancelled run ends here', async () => {
  const cancelled = { findPullRequestsOfCommit: rejecting(refusal('cancelled')) }
  await expect(lookAtChange({}, PUSHED, cancelled)).rejects.toMatchObject({ code: 'cancelled' })
})

test.each<[gone: string[], base: string]>([
  [['7'], '5'],
  [['7', '5'], 'a'],
])(
  'where %j are gone, the success before them is compared, or the range of the event, said in a notice',
  async (gone, base) => {
    const { prompt, notices } = await lookAtChange({ ...SINCE, ...FILES }, PUSHED, without(...gone.map(commit)))
    const from = `from ${commit(base).slice(0, 7)} to`
    expect(prompt).toContain(from)
    expect(notices).toEqual([expect.stringContaining(from)])
  },
)

test('where all successes are gone and the event has no range, that is said', async () => {
  const { said, notices } = await lookAtChange(FILES, SCHEDULE, without(commit('7'), commit('5')))
  expect(said).toContain('the commits of the last successful runs of this workflow are gone')
  expect(notices).toHaveLength(1)
})

test.each([
  [2, [commit('a'), commit('a'), 'main']],
  // As a gateway says it.
  [1, [commit('a'), commit('a')]],
])('a commit that is missing %i times after a forced push gives way to the default branch', async (times, expected) => {
  const bases: string[] = []
  const answers = inTurn(...Array.from({ length: times }, () => refusal('not-found')), COMPARISON)
  const compare: GitHub['compare'] = (_repository, base) => {
    bases.push(base)
    return answers()
  }
  expect(await lookAtChange(FILES, FORCED, { compare })).toMatchObject({ lost: undefined, notices: [] })
  expect(bases).toEqual(expected)
})
