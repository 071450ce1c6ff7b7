import { expect, test } from '@jest/globals'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import {
  createWorld,
  greenRun,
  playEvent,
  pullOf,
  type ComparedWorld,
  type PlayedEvent,
  type Given,
  type GivenEvent,
} from '../../../testing/compared-world.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { commit } from '../../../testing/github-state.ts'
import {
  changeResponse,
  respondInOrder,
  respondWith,
  type PlayStepOptions,
  respondForbidden,
  respondAsUsual,
} from '../../../testing/play-step.ts'

const COMMITS = { 'change-context': 'commits' }
const FILES = { 'change-context': 'files' }
const DIFF = { 'change-context': 'diff' }
const DOCS = { paths: 'docs/**' }
const CODE = { paths: 'src/**' }
const SINCE = { 'change-range': 'since-last-success' }
const BETWEEN = { 'change-range': 'v1.0.0...v2.0.0' }
const REQUESTED = { ...FILES, 'change-range': 'pull/5' }
const ELSEWHERE = { ...FILES, 'change-range': 'acme/code@v1.0.0...v1.1.0' }
const ATTACH = { prompt: '', 'job-id': 'job_finished', paths: 'a' }
const NO_TOKEN = { 'github-token': '' }
const NO_COMMIT = '0'.repeat(40)

const BOT = { sender: { login: 'release[bot]', type: 'Bot' } }
const MANUAL: GivenEvent = ['workflow_dispatch']
const SCHEDULE: GivenEvent = ['schedule']
const PUSHED: GivenEvent = ['push', PUSH]
const PUSHED_BY_BOT: GivenEvent = ['push', { ...PUSH, ...BOT }]
const FORCED: GivenEvent = ['push', { ...PUSH, before: commit('9'), forced: true }]
/** Back to commit `a`. */
const REMOVAL: GivenEvent = ['push', { ...PUSH, before: commit('b'), after: commit('a'), commits: [], forced: true }]
const NEW_BRANCH: GivenEvent = ['push', { ...PUSH, ref: 'refs/heads/next', before: NO_COMMIT, commits: [] }]
const DELETION: GivenEvent = ['push', { ...PUSH, ref: 'refs/heads/next', after: NO_COMMIT, deleted: true }]
const pull = (base: string, fields = {}): GivenEvent => [
  'pull_request',
  { pull_request: { number: 5, base: { sha: commit(base) }, head: { sha: commit('b') } }, ...fields },
]
const ISSUE: GivenEvent = ['issues', { issue: { number: 3, title: 'It is wrong', body: 'See line 3.' } }]
const tag = (name: string): GivenEvent => [
  'push',
  { ...PUSH, ref: `refs/tags/${name}`, before: NO_COMMIT, commits: [] },
]
const release = (tag_name: string): GivenEvent => ['release', { release: { tag_name }, ...BOT }]
/** After a run of `ci.yml`. */
const afterRun = (run = {}, fields = {}): GivenEvent => [
  'workflow_run',
  {
    workflow_run: { id: 30, workflow_id: 1, event: 'push', head_sha: commit('b'), head_branch: 'main', ...run },
    repository: { id: 1, default_branch: 'main' },
    ...fields,
  },
]

const COMPARE = 'repos/compare-commits-with-basehead'
const DOWN = { [COMPARE]: respondWith(503) }
const NO_RUNS = { 'actions/list-workflow-runs': respondWith(503) }
const LOOK_UPS_DOWN = {
  'repos/list-pull-requests-associated-with-commit': respondWith(503),
  'pulls/get': respondWith(503),
}
const LIMITED = { [COMPARE]: respondWith(429, { 'retry-after': '86400' }) }
const UNREADABLE = { [COMPARE]: changeResponse(() => ({ files: [{ name: 'docs/guide.md' }] })) }

const TAGS = { tags: { 'v1.0.0': commit('a'), 'v2.0.0': commit('b') } }
const ofAgent = (base: string) => ({ 7: pullOf(base, 'b', { user: AGENT_USER, labels: ['docs-agent'] }) })
/** Commit `b` came from a pull request of the agent. */
const OWN: ComparedWorld = { pulls: ofAgent('a'), more: TAGS }
/** Before it, a person has pushed commit `c`. */
const OWN_AND_OLDER: ComparedWorld = { line: 'cb', pulls: ofAgent('c'), more: TAGS }
const TEXTS = { title: 'Explain the limits', body: 'The limits were not explained.' }
const MERGED: ComparedWorld = { pulls: { 5: pullOf('a', 'b', TEXTS) } }
const GIVEN_UP: ComparedWorld = { pulls: { 5: pullOf('a', 'b', { ...TEXTS, merge: undefined }) } }
const QUIET: ComparedWorld = { runs: [greenRun('b')] }
/** Nothing has changed since the commit that added the workflow. */
const ONLY_COMMIT: ComparedWorld = { runs: [], line: '' }
const BESIDE: ComparedWorld = { beside: '9', pulls: MERGED.pulls ?? {} }
const REMOVED: ComparedWorld = { more: { branches: { main: commit('a') } } }
const BASE_GONE: ComparedWorld = { runs: [greenRun('7')] }

interface Expected {
  /** Without it, the prompt is sent. */
  readonly skip?: string
  readonly prompt?: string | RegExp
  readonly change?: string | RegExp
  readonly log?: string
}

function expectPlayed(played: PlayedEvent, { skip, prompt = '', change = '', log = '' }: Expected) {
  const { isGreen, report } = played
  expect([isGreen, report.warnings, played.acceptedPrompts.length]).toEqual([true, [], skip === undefined ? 1 : 0])
  expect(played.skip ?? '').toContain(skip ?? '')
  expect(played.prompt).toMatch(prompt)
  expect(report.change ?? '').toMatch(change)
  expect(played.log.join('\n')).toContain(log)
}

type Row = [what: string, given: Given, event: GivenEvent, world: ComparedWorld, expected: Expected]
const testRows = (rule: string, rows: readonly Row[]) => {
  test.each(rows)(`${rule}: %s`, async (_what, given, event, world, expected) => {
    expectPlayed(await playEvent(given, event, world), expected)
  })
}

const SENT: Expected = {}
const DELETED = { skip: 'a branch or a tag was deleted' }

testRows('a deletion is skipped, unless the run may be the base of a later one and earlier changes were not sent', [
  ['no range', {}, DELETION, {}, DELETED],
  ['a change since the last success', { ...SINCE, ...FILES }, DELETION, {}, { prompt: 'docs/guide.md' }],
  ['a change since the last success, without context', SINCE, DELETION, {}, SENT],
  ['no change since the last success', { ...SINCE, ...FILES }, DELETION, QUIET, DELETED],
  ['no earlier run and no change', { ...SINCE, ...FILES }, DELETION, ONLY_COMMIT, DELETED],
])

const OWN_WORK = { skip: '#7' }

testRows(
  "the agent's own work is skipped, and the commits of the event or of the range since the last success decide",
  [
    ['a merge', {}, PUSHED, OWN, OWN_WORK],
    ['a merge, and a manual run without a range', {}, MANUAL, OWN, SENT],
    ['a merge with an older commit by others before it', FILES, PUSHED, OWN_AND_OLDER, OWN_WORK],
    ['a merge, with a range of commits by others', BETWEEN, PUSHED, OWN_AND_OLDER, OWN_WORK],
    ['a merge after a commit by others since the last success', { ...COMMITS, ...SINCE }, PUSHED, OWN_AND_OLDER, SENT],
    ['a merge, with a range in another repository', ELSEWHERE, PUSHED, OWN, OWN_WORK],
    ['a push by others, with a range in another repository', ELSEWHERE, PUSHED, {}, SENT],
    [
      'a merge, with a pull request by number',
      REQUESTED,
      PUSHED,
      { ...OWN_AND_OLDER, pulls: { ...ofAgent('c'), 5: pullOf('a', 'c') } },
      OWN_WORK,
    ],
    ['a release by a bot', {}, release('v2.0.0'), OWN, OWN_WORK],
    ['a release by a bot with an older commit by others', {}, release('v2.0.0'), OWN_AND_OLDER, SENT],
  ],
)

const NO_FILE = { skip: 'No changed file matches `paths`' }
const NOT_SKIPPED = { log: 'so the step is not skipped' }
const TWO_LINES = { paths: 'docs/**\n!docs/old/**' }
const MANY = ['.a\u202e##[x].ts', ...Array.from('0123456')]
const FEW_OF_MANY = 'No file matches `paths` (`docs/**`, `!docs/old/**`): `.a# #[x].ts`, `0`, `1`, `2`, `3`, 3 more.'

testRows('with `paths`, a change without a matching file is skipped, if GitHub lists all its files', [
  ['no match', CODE, PUSHED, {}, NO_FILE],
  ['no match of many', TWO_LINES, PUSHED, { files: MANY }, { ...NO_FILE, change: FEW_OF_MANY }],
  ['one match', DOCS, PUSHED, {}, { change: 'Of these files, 1 matches `paths`.' }],
  ['two matches', DOCS, PUSHED, { files: ['docs/a.md', 'docs/b.md'] }, { change: 'Of these files, 2 match `paths`.' }],
  ['300 files', CODE, PUSHED, { files: Array.from({ length: 300 }, (_, index) => `docs/${index}.md`) }, NOT_SKIPPED],
  ['a push that removed commits', CODE, REMOVAL, REMOVED, { log: 'History was rewritten' }],
  ['a push that replaced commits', CODE, FORCED, BESIDE, { log: 'History was rewritten' }],
  ['a success whose commit no longer exists', { ...SINCE, ...CODE }, PUSHED, BASE_GONE, NOT_SKIPPED],
  ['a pull request whose base has new commits', CODE, pull('9'), BESIDE, NO_FILE],
  ['a pull request by number', { ...REQUESTED, ...CODE }, MANUAL, MERGED, NO_FILE],
  ['a schedule without commits', { paths: '**' }, SCHEDULE, QUIET, { skip: 'no commits' }],
])

const NOTHING_CHANGED = { prompt: 'Nothing changed in acme/docs' }
const BUILT = afterRun({ head_branch: 'next', head_repository: { id: 1 } })
const BUILT_AGAIN = afterRun({ event: 'schedule' })
/** The workflow that this one follows has covered everything. */
const afterSuccess = (event: string): ComparedWorld => ({
  runs: [greenRun('b', { id: 29, workflow: 'ci.yml', event })],
})

testRows('without `paths`, a change without commits is sent, and the prompt says so', [
  ['a schedule', FILES, SCHEDULE, QUIET, NOTHING_CHANGED],
  ['a schedule with `change-range`', { ...FILES, ...SINCE }, SCHEDULE, QUIET, NOTHING_CHANGED],
  ['a range', { ...FILES, 'change-range': 'v2.0.0...main' }, MANUAL, { more: TAGS }, NOTHING_CHANGED],
  ['a new branch', FILES, NEW_BRANCH, {}, NOTHING_CHANGED],
  ['a build of a merged branch', FILES, BUILT, {}, NOTHING_CHANGED],
  ['a scheduled build', FILES, BUILT_AGAIN, afterSuccess('push'), NOTHING_CHANGED],
  ['a build that another run has started', FILES, afterRun(), afterSuccess('workflow_run'), NOTHING_CHANGED],
  ['a push that only removed commits', FILES, REMOVAL, REMOVED, NOTHING_CHANGED],
])

const REQUESTED_TEXT =
  /Pull request #5: Explain the limits\nURL: https:\S+\/acme\/docs\/pull\/5\n\nDescription:\nThe limits were not explained\.[^]*docs\/guide\.md/
const GIVEN_UP_TEXT = /Pull request #5: Explain the limits\nState: closed without a merge\n[^]*docs\/guide\.md/
const FORCE_PUSHED =
  'the forced push, from the merge base `aaaaaaa` to `bbbbbbb`, because `9999999` is not in its history.'
const SINCE_SUCCESS = 'since the last successful run, from `aaaaaaa` to `bbbbbbb`'
const ISSUE_SENT = {
  prompt: 'Issue #3: It is wrong',
  change:
    /Nothing to compare: .*an issue, which has no commits\. Added to the prompt: what the event is about \(\d+ of at most 65536 bytes/,
}
const ON_RELEASE_BRANCH: ComparedWorld = {
  ...BESIDE,
  more: { tags: { 'v1.9.1': commit('9'), 'v2.0.0': commit('b') } },
}
const NO_LOWER_TAG = { change: 'Nothing to compare: no lower version with the same prefix' }
const ALONE = /^Fix the guide\.$/

testRows('the prompt and the result name the change', [
  [
    'a push',
    DIFF,
    PUSHED,
    {},
    {
      prompt: '(the push, from `aaaaaaa` to `bbbbbbb`)',
      change: '1 commit, 1 file: the push, from `aaaaaaa` to `bbbbbbb`. Added to the prompt: ',
    },
  ],
  ['a forced push', FILES, FORCED, BESIDE, { change: FORCE_PUSHED }],
  ['a schedule', FILES, SCHEDULE, {}, { prompt: SINCE_SUCCESS }],
  [
    'a build whose workflow has no earlier run',
    FILES,
    afterRun(),
    {},
    { change: 'no earlier run of the workflow that' },
  ],
  ['an issue', FILES, ISSUE, {}, ISSUE_SENT],
  [
    'a tag',
    FILES,
    tag('v2.0.0'),
    { more: TAGS },
    { change: 'the tag `v2.0.0` since the tag before it, from `v1.0.0`' },
  ],
  [
    'a tag after one from another branch',
    FILES,
    tag('v2.0.0'),
    ON_RELEASE_BRANCH,
    { change: 'from the merge base `aaaaaaa` to `bbbbbbb`' },
  ],
  ['a first tag', FILES, tag('2026-11-01'), { more: TAGS }, { ...NO_LOWER_TAG, prompt: ALONE }],
  ['a pull request by number', REQUESTED, MANUAL, MERGED, { prompt: REQUESTED_TEXT, change: 'pull request #5, from' }],
  [
    'a pull request by number, without context',
    { ...REQUESTED, 'change-context': 'none' },
    MANUAL,
    MERGED,
    { prompt: ALONE },
  ],
  [
    'a pull request by number that was closed without a merge',
    REQUESTED,
    MANUAL,
    GIVEN_UP,
    { prompt: GIVEN_UP_TEXT, change: 'pull request #5, which was closed without a merge, from' },
  ],
])

test('the first run on another branch sends the prompt alone, and says why', async () => {
  const facts = { refName: 'next' }
  expectPlayed(await playEvent({ ...FILES, ...DOCS }, MANUAL, { runs: [] }, { facts }), {
    prompt: ALONE,
    change: 'Nothing to compare: no earlier run of this workflow on this branch was successful.',
  })
})

test('reads a pull request of another repository by number', async () => {
  const prepare: PlayStepOptions['prepare'] = (_docs, { repositories }) => {
    repositories['acme/code'] = createWorld(MERGED)
  }
  const given = { ...FILES, 'change-range': 'acme/code/pull/5' }
  expectPlayed(await playEvent(given, MANUAL, {}, { prepare }), {
    prompt: /URL: https:\S+\/acme\/code\/pull\/5\n/,
    change: 'pull request acme/code#5, from',
  })
})

test.each<[what: string, given: Given, event: GivenEvent, expected: readonly string[]]>([
  ['nothing for a manual run without an input about the change', {}, MANUAL, []],
  ['nothing for a deletion', {}, DELETION, []],
  ['only the comparison for a push without a matching file', CODE, PUSHED, [COMPARE]],
])('reads %s before it decides', async (_what, given, event, expected) => {
  expect((await playEvent({ label: '', ...given }, event)).before).toEqual(expected)
})

test('reads no change for a step that only waits for a job', async () => {
  const { isGreen, report, operations } = await playEvent(ATTACH, PUSHED, {}, { repository: undefined })
  expect([isGreen, report.outcome, operations.includes(COMPARE)]).toEqual([true, 'pull-request', false])
})

test('sends the prompt of a push without a token, and says what was not checked', async () => {
  const played = await playEvent(NO_TOKEN, PUSHED)
  expect([played.isGreen, played.operations, played.acceptedPrompts.length]).toEqual([true, [], 1])
  expect(played.log.join('\n')).toContain('there is no `github-token`, so only the event was checked')
})

test('sends the commits if the files are unreadable and not needed', async () => {
  expectPlayed(await playEvent(COMMITS, PUSHED, {}, { responses: UNREADABLE }), { prompt: 'Change the guide' })
})

function expectRed(played: PlayedEvent, ...texts: readonly string[]) {
  const { isGreen, report, acceptedPrompts } = played
  expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
  expect(report.error?.hint).toBeDefined()
  for (const text of texts) expect(report.error?.message).toContain(text)
}

const FOR_CONTEXT = 'which is needed for `change-context`: '
const FOR_PATHS = 'which is needed for `paths`: '
const FOR_GUARD = "Could not determine whether the change is the agent's own work: "
const MALFORMED = 'GitHub returned a malformed list of changed files'

type Failure = [
  what: string,
  text: string,
  given: Given,
  event: GivenEvent,
  responses?: PlayStepOptions['responses'],
  world?: ComparedWorld,
]
test.each<Failure>([
  ['a push that cannot be compared', FOR_PATHS, CODE, PUSHED, DOWN],
  ['such a push with two inputs', 'needed for `paths` and `change-context`', { ...CODE, ...DIFF }, PUSHED, DOWN],
  ['a push by a bot that cannot be compared', FOR_CONTEXT, COMMITS, PUSHED_BY_BOT, DOWN],
  ['a push whose comparison is rate limited', FOR_CONTEXT, COMMITS, PUSHED, LIMITED],
  ['a push whose commits do not exist', FOR_CONTEXT, COMMITS, ['push', { ...PUSH, before: commit('7') }]],
  ['a forced push that cannot be compared', FOR_CONTEXT, FILES, FORCED, DOWN, BESIDE],
  ["a merge of the agent's own work that cannot be compared", FOR_CONTEXT, FILES, PUSHED, DOWN, OWN],
  ['a push with unreadable files, and context', MALFORMED, FILES, PUSHED, UNREADABLE],
  ['a push with unreadable files, and `paths`', MALFORMED, CODE, PUSHED, UNREADABLE],
  ['a schedule whose runs cannot be listed', FOR_CONTEXT, COMMITS, SCHEDULE, NO_RUNS],
  ['a schedule without a token', FOR_CONTEXT, { ...DIFF, ...NO_TOKEN }, SCHEDULE],
  ['a build whose earlier runs cannot be listed', FOR_CONTEXT, FILES, afterRun(), NO_RUNS],
  ['a build by a bot whose earlier runs cannot be listed', FOR_CONTEXT, FILES, afterRun({}, BOT), NO_RUNS],
  ['a push by a bot that cannot be looked up', FOR_GUARD, FILES, PUSHED_BY_BOT, LOOK_UPS_DOWN],
  ['such a push since the last success, without context', FOR_GUARD, SINCE, PUSHED_BY_BOT, LOOK_UPS_DOWN],
  ['a pull request by a bot that cannot be read', FOR_GUARD, FILES, pull('a', BOT), LOOK_UPS_DOWN, MERGED],
])(
  'sends nothing, and says which inputs need the change: %s',
  async (_what, text, given, event, responses = {}, world = {}) => {
    expectRed(await playEvent(given, event, world, { responses }), text)
  },
)

test.each<[what: string, given: Given, responses?: PlayStepOptions['responses']]>([
  ['GitHub is down', SINCE, NO_RUNS],
  ['the range cannot be compared', SINCE, { [COMPARE]: respondForbidden }],
  ['a commit of the range does not exist', BETWEEN],
  ['there is no token', { ...SINCE, ...NO_TOKEN }],
  ['the pull request does not exist', REQUESTED],
])(
  'fails with `change-range` if %s, because success would move the base of the next range',
  async (_what, given, responses = {}) => {
    for (const wanted of [{}, FILES, DOCS])
      expectRed(await playEvent({ ...wanted, ...given }, PUSHED, {}, { responses }), '`change-range`')
  },
)

test.each([
  'release',
  'pull_request',
  'pull_request_target',
  'issue_comment',
  'pull_request_review',
  'workflow_run',
  'label',
])('rejects `since-last-success` on `%s`, whose runs are never a base', async (name) => {
  const payload = { ...BUILT[1], ...pull('a')[1], release: { tag_name: 'v2' } }
  for (const given of [SINCE, { ...SINCE, ...FILES }]) {
    const { report, operations } = await playEvent(given, [name, payload])
    expect([report.error?.code, operations]).toEqual(['invalid-input', []])
    expect(report.error?.message).toContain(`cannot be used on \`${name}\``)
  }
})

test('names all permissions if the token may not compare', async () => {
  const { line } = await playEvent({ ...SINCE, ...FILES }, PUSHED, {}, { responses: { [COMPARE]: respondForbidden } })
  expect(line).toContain('`permissions: { actions: read, contents: read, issues: write, pull-requests: write }`')
})

test.each<[what: string, given: Given, refused: string]>([
  ['compare', ELSEWHERE, COMPARE],
  ['read the labels', { ...ELSEWHERE, 'skip-labels': 'no-docs' }, 'repos/list-pull-requests-associated-with-commit'],
])(
  'names no permissions of the own repository if the token may not %s in another one',
  async (_what, given, refused) => {
    const { line } = await playEvent(given, ['repository_dispatch'], {}, { responses: { [refused]: respondForbidden } })
    expect(line).toContain('If `acme/code` is not')
    expect(line).not.toContain('permissions: {')
  },
)

test.each<[given: Given, named: string]>([
  [{ 'skip-labels': 'no-docs' }, '`skip-labels`'],
  [{ 'skip-labels': 'no-docs', ...CODE, ...FILES }, '`paths`, `change-context` and `skip-labels`'],
])('rejects `on-open-pr: skip` on a schedule with %j, and the hint names %s', async (given, named) => {
  const { report } = await playEvent({ ...given, 'on-open-pr': 'skip' }, SCHEDULE)
  const hint = `Nothing was sent. Use \`on-open-pr: follow-up\`, or remove ${named}.`
  expect(report.error).toMatchObject({ code: 'invalid-input', hint })
})

test('ends as cancelled if the run is cancelled while GitHub does not respond', async () => {
  const { report, acceptedPrompts } = await playEvent({}, PUSHED, {}, { responses: LOOK_UPS_DOWN, cancelAfterMs: 500 })
  expect([report.outcome, acceptedPrompts]).toEqual(['cancelled', []])
})

test('compares the range of the event if the commit of the last success is gone, with a notice', async () => {
  const { prompt, hostCalls } = await playEvent({ ...SINCE, ...FILES }, PUSHED, BASE_GONE)
  expect(prompt).toContain('the push, from `aaaaaaa` to `bbbbbbb`')
  const notices = hostCalls.filter((call) => call.startsWith('notice: '))
  expect(notices).toEqual([expect.stringContaining('the push, from `aaaaaaa` to')])
  expect(notices[0]).toContain('The commit of the last successful run is no longer in the repository')
})

test('reports that nothing was compared if that commit is gone and the event has no range', async () => {
  const { report, hostCalls } = await playEvent(FILES, SCHEDULE, BASE_GONE)
  expect(report.change).toContain('the commit of the last successful run of this workflow no longer exists')
  expect(hostCalls.filter((call) => call.startsWith('notice: '))).toEqual([
    expect.stringContaining('Nothing was compared.'),
  ])
})

test.each<[what: string, before: string, responses: PlayStepOptions['responses'], base: string]>([
  ['compares the branch with the default branch if the commit before a forced push is gone', commit('7'), {}, 'main'],
  [
    'compares a forced push again after 404 responses that may come from a gateway',
    commit('9'),
    // The second comparison is that of the head with itself.
    { [COMPARE]: respondInOrder(respondWith(404), respondAsUsual, respondWith(404), respondAsUsual) },
    '9999999',
  ],
])('%s', async (_what, before, responses = {}, base) => {
  const event: GivenEvent = ['push', { ...PUSH, ref: 'refs/heads/next', before, forced: true }]
  const world = { ...BESIDE, more: { branches: { main: commit('9'), next: commit('b') } } }
  const played = await playEvent(FILES, event, world, { facts: { sha: commit('b') }, responses })
  expectPlayed(played, { prompt: 'docs/guide.md', change: `to \`bbbbbbb\`, because \`${base}\` is not in its history` })
})
