import { expect, test } from '@jest/globals'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import {
  comparing,
  inTurn,
  MARKER,
  mergedBy,
  PULL_REQUEST,
  pullCommit,
  pullCommits,
  PUSH,
  refusal,
  rejecting,
} from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { containing, lookAtChange, type Answers, type Given, type GivenEvent } from '../../support/look-at-change.ts'

/** Without `skip` the agent is asked; without `sleptMs` nobody waits; without `lost` there is no shortfall. */
interface Expected {
  readonly skip?: string
  readonly sleptMs?: number
  readonly lost?: string
}
type Row = [what: string, event: GivenEvent, answers: Answers, expected: Expected, given?: Given]

const ASKS: Expected = {}
const NOT_SKIPPED = { lost: 'was not skipped' }
const ASKS_LATE = { sleptMs: 90_000 }
/** As late as a step of our own may write its mark after refusals. */
const ASKS_LATER = { sleptMs: 180_000 }
const OWN = { skip: '#7' }
const OWN_SOON = { ...OWN, sleptMs: 2_000 }
const OWN_LATE = { ...OWN, sleptMs: 15_000 }
const A_BOT = { skip: 'A bot started this run' }
const SKIPPED = { ...A_BOT, lost: 'so it was skipped, as a bot started the run' }
const FILES = { 'change-context': 'files' }

const BOT = { login: 'docs-agent[bot]', type: 'Bot' }
const WORKFLOWS = { login: 'github-actions[bot]', type: 'Bot' }
const ANN = { login: 'ann', type: 'User' }
const by = (sender: typeof BOT, name: string, payload: object = {}): GivenEvent => [name, { ...payload, sender }]

const PUSHED: GivenEvent = ['push', PUSH]
const [author, committer] = [{ username: 'ann' }, { username: 'web-flow' }]
/** As GitHub commits what it merges, or what is written on its pages. */
const byGitHub = (...ids: readonly string[]): GivenEvent => {
  const commits = ids.map((id) => ({ id, author, committer }))
  return ['push', { ...PUSH, commits }]
}
const MERGE = byGitHub(commit('b'))
const TWO = byGitHub(commit('9'), commit('b'))
const onBranch = (branch: string): GivenEvent => ['push', { ...PUSH, ref: `refs/heads/${branch}` }]
/** What the sender also wrote. */
const pushOf = (sender: typeof BOT): GivenEvent => {
  const username = sender.login
  const commits = [{ id: commit('c'), author: { username }, committer: { username } }]
  return by(sender, 'push', { ...PUSH, ref: 'refs/heads/agent/guide', commits })
}
const toBranch = (sender: typeof BOT): GivenEvent =>
  by(sender, 'push', { ...PUSH, ref: 'refs/heads/agent/guide', commits: [{ id: commit('c') }] })
const runOn = (head_branch: string, sha: string, sender = ANN, event = 'push'): GivenEvent =>
  by(sender, 'workflow_run', {
    workflow_run: { event, head_sha: commit(sha), head_branch, pull_requests: [] },
  })
const opened = (sender: typeof BOT, ...labels: readonly string[]): GivenEvent =>
  by(sender, 'pull_request', { pull_request: { number: 7, labels: labels.map((name) => ({ name })) } })
const STATUS = { sha: commit('b') }
const SUITE = { head_sha: commit('b'), head_branch: 'main', pull_requests: [{ number: 5 }] }
const CHECKS: GivenEvent = ['check_suite', { check_suite: SUITE, repository: PUSH.repository }]
const OPENED = opened(BOT, 'docs-agent')
const RELEASE = { release: { tag_name: 'v2' } }
const COMMENT = { issue: { number: 5, pull_request: {} }, comment: { id: 1 } }

const MERGED = mergedBy(7, 'docs-agent')
const OPEN = { ...MERGED, state: 'open' } as const
const REFUSED = refusal('rejected')
const FORBIDDEN = refusal('forbidden', 'Grant it.')
const brings = (...answers: readonly (readonly ListedPullRequest[] | ActionError)[]) => ({
  findPullRequestsOfCommit: inTurn(...answers),
})
const ENDS = {
  findPullRequestsEndingWith: (_repository: string, asked: string) =>
    Promise.resolve(asked === commit('b') ? [MERGED] : []),
}
const NO_ENDS = { findPullRequestsEndingWith: rejecting(FORBIDDEN) }
const SOON_MERGED = inTurn([OPEN], [MERGED])
const DOWN = brings(refusal('service-error'))
/** A young pull request without a mark, and how it is read then. */
const UNMARKED = { ...PULL_REQUEST, labels: [], createdAt: '2025-12-31T23:57:00Z' }
const noMark = (...reads: (typeof PULL_REQUEST)[]) => ({
  readPullRequest: inTurn(...reads),
  listComments: () => Promise.resolve([]),
})
const NEVER = noMark(UNMARKED)
const OF_ANN = noMark({ ...UNMARKED, number: 5, author: ANN })
const READ_MERGED = { readPullRequest: inTurn({ ...PULL_REQUEST, state: 'merged' as const }) }
const young = (fields: object) => brings([{ ...OPEN, labels: [], createdAt: UNMARKED.createdAt, ...fields }])
const YOUNG = young({})
const YOUNG_MERGE = young({ state: 'merged' })
const OLD_MERGE = young({ state: 'merged', createdAt: PULL_REQUEST.createdAt })
/** An account has authored an earlier pull request of this action. */
const knowing = (account: typeof BOT): Answers => ({
  listNewestPullRequests: () =>
    Promise.resolve([{ repository: 'acme/docs', number: 3, labels: ['docs-agent'], author: account }]),
  listComments: ({ number }) => Promise.resolve(number === 3 ? [MARKER] : []),
})
const OF_WORKFLOW = noMark({ ...UNMARKED, author: WORKFLOWS })
const OF_USER = { ...noMark({ ...UNMARKED, author: ANN }), ...knowing(ANN) }
const OF_OLD_USER = { ...OF_USER, ...noMark({ ...UNMARKED, createdAt: PULL_REQUEST.createdAt, author: ANN }) }
const SELDOM = { 'poll-interval-seconds': '300' }
const SELDOM_NEW = { ...UNMARKED, createdAt: '2025-12-31T23:54:30Z', author: ANN }
const of = (pullRequest: typeof PULL_REQUEST) => ({ ...noMark(pullRequest), ...knowing(ANN) })
/** @param looks after how many looks that find none its mark is there */
const markedAfter = (looks: number) => {
  const unmarked = Array<typeof PULL_REQUEST>(looks).fill({ ...UNMARKED, author: ANN })
  return { ...noMark(...unmarked, { ...PULL_REQUEST, author: ANN }), ...knowing(ANN) }
}
const UNMARKED_MERGE = (account: typeof BOT): Answers => ({
  ...brings([{ ...MERGED, labels: [], author: account }]),
  ...NEVER,
})
const PUSHED_BY = { skip: 'has pushed the branch, which has no pull request yet' }
/** The branch has a pull request at the third look, which has its label. */
const openedLate = (...labels: readonly string[]) => ({
  ...NEVER,
  ...knowing(ANN),
  findPullRequestsOfBranch: inTurn<readonly ListedPullRequest[]>(...[[], []], [
    { ...OPEN, labels, author: ANN, createdAt: UNMARKED.createdAt },
  ]),
})
const inBranch =
  (pullRequest: ListedPullRequest): GitHub['findPullRequestsOfBranch'] =>
  (_repository, _branch, state) =>
    Promise.resolve(state === 'all' ? [pullRequest] : [])
const NEW_BRANCH = { ref: 'agent/guide', ref_type: 'branch', repository: PUSH.repository }
const SINCE = { ...FILES, 'change-range': 'since-last-success' }
const YOUNG_LABELLED = brings([OPEN])
const firstBy = (account: typeof BOT) => ({
  listPullRequestCommits: inTurn(pullCommits({ sha: commit('1'), account }, { sha: commit('c'), account: ANN })),
})
const NO_LIST = { ...NEVER, listNewestPullRequests: rejecting(refusal('service-error')) }
const OLD = { createdAt: PULL_REQUEST.createdAt }
const soon = () => ({ ...YOUNG, ...noMark(UNMARKED, PULL_REQUEST) })
const [MERGED_HEAD, MERGE_BASE] = [commit('c'), commit('a')]
const mergeCommit = (message: string) => {
  const parents = [MERGE_BASE, MERGED_HEAD]
  return { readCommit: () => Promise.resolve(pullCommit({ sha: commit('b'), message, parents })) }
}
/** GitHub knows the head of the pull request, and nothing of its test merge. */
const TEST_MERGE = {
  ...mergeCommit(`Merge ${MERGED_HEAD} into ${MERGE_BASE}`),
  findPullRequestsOfCommit: (_repository: string, sha: string) =>
    Promise.resolve(sha === MERGED_HEAD ? [{ ...OPEN, labels: [] }] : []),
}
const MERGE_BY_PERSON = { ...TEST_MERGE, ...mergeCommit("Merge branch 'main' into next") }
const DOWN_READ = rejecting(refusal('service-error'))
const THEIRS = { ...brings([{ ...mergedBy(8, 'docs'), author: ANN }]), ...NEVER }
const OF_BRANCH = {
  findPullRequestsOfBranch: (_repository: string, branch: string) =>
    Promise.resolve(branch === 'agent/guide' ? [OPEN] : []),
}
const comparingOf = (...shas: readonly string[]) =>
  comparing({
    commits: shas.map((sha) => ({ sha: commit(sha), message: 'Guide', author: '' })),
    totalCommits: shas.length,
  })
const ITS_MERGE = {
  ...brings([MERGED]),
  ...comparing({}),
  listTags: () => Promise.resolve([{ name: 'v1', sha: commit('a') }]),
}
const CUT = comparing({ fileList: 'cut' })
const PART = comparing({ totalCommits: 501 })
const PUSHED_2048 = { ...PUSH, commits: Array.from({ length: 2048 }, () => PUSH.commits[0]) }
const ELSEWHERE = { ...FILES, 'change-range': 'acme/code@v1...v2' }
const FOLLOW_UP = { 'on-open-pr': 'follow-up' }
const ON_HERE = { ...FOLLOW_UP, 'pr-repository': 'ACME/docs' }
const ON_ELSEWHERE = { ...FOLLOW_UP, 'pr-repository': 'acme/code' }
const LET_THROUGH = { 'skip-own-changes': 'false' }

test.each<Row>([
  // GitHub may not know yet where a commit came from.
  ['a merge known by what ends with it', MERGE, ENDS, OWN],
  ['a merge that is refused, and known by what ends with it', MERGE, { ...brings(REFUSED), ...ENDS }, OWN],
  ['a merge that is known, where what ends with it is not told', MERGE, { ...brings([MERGED]), ...NO_ENDS }, OWN],
  ['a merge that is known late', MERGE, brings([], REFUSED, [MERGED]), { ...OWN, sleptMs: 6_000 }],
  ['a merge of two, one of them known late', TWO, { ...brings([], [], [MERGED]), ...ENDS }, OWN_SOON],
  ['a merge that its pull request does not know yet', MERGE, { findPullRequestsEndingWith: SOON_MERGED }, OWN_SOON],
  ['a merge that nobody knows', MERGE, {}, { sleptMs: 60_000 }],
  ['a merge that nobody knows, in half of 40 s', MERGE, {}, { sleptMs: 14_000 }, { 'timeout-minutes': '0.667' }],
  ['a push of what a person wrote', PUSHED, {}, ASKS],
  ['a push of an app in the name of a person', by({ ...ANN, type: 'Bot' }, 'push', PUSH), {}, { sleptMs: 60_000 }],
  ['a push that is refused for a minute', PUSHED, brings(REFUSED), { sleptMs: 60_000, lost: 'was not skipped' }],
  ['a push that nobody may look up', PUSHED, brings(FORBIDDEN), { lost: 'not skipped: GitHub said forbidden. Grant' }],
  ['a push by an app that is not told', by(BOT, 'push', PUSH), DOWN, SKIPPED],
  ['a push by an app without a token', by(BOT, 'push', PUSH), null, A_BOT],

  // An app has its label put on when its job has ended.
  ['a push of an app to its new pull request', toBranch(BOT), soon(), OWN_LATE],
  ['a run on it', runOn('agent/guide', 'c', BOT), soon(), OWN_LATE],
  ['a push of another app to its new pull request', toBranch(BOT), { ...YOUNG, ...NEVER }, ASKS_LATE],
  ['a run on that', runOn('agent/guide', 'c', BOT), { ...YOUNG, ...NEVER }, ASKS_LATE],
  ['a push of an app to its old one', toBranch(BOT), { ...young(OLD), ...noMark(UNMARKED, PULL_REQUEST) }, OWN_LATE],
  ['a run of an app on its old one', runOn('agent/guide', 'c', BOT), { ...young(OLD), ...NEVER }, ASKS],
  ['a push of an app to one with a label', toBranch(BOT), { ...young({ labels: ['docs-agent'] }), ...NEVER }, OWN],
  ['a push of a person to theirs', toBranch(ANN), { ...young({ author: ANN }), ...NEVER }, ASKS],
  ['a push by an app of a new merge without a mark', toBranch(BOT), { ...YOUNG_MERGE, ...NEVER }, ASKS_LATE],
  ['a push by an app of an old merge without a mark', toBranch(BOT), { ...OLD_MERGE, ...NEVER }, ASKS],
  ['a new merge that gets its label', PUSHED, { ...YOUNG_MERGE, ...noMark(UNMARKED, PULL_REQUEST) }, OWN_LATE],
  ['a new pull request that gets its label', opened(BOT), noMark(UNMARKED, UNMARKED, PULL_REQUEST), OWN_LATE],
  ['a new pull request of another app', opened(BOT), NEVER, ASKS_LATE],
  ['one of another app, where marks come seldom', opened(BOT), NEVER, { sleptMs: 360_000 }, SELDOM],
  ['a new pull request of a person', opened(ANN), noMark({ ...UNMARKED, author: ANN }), ASKS],
  ['a pull request with the label, without a token', OPENED, null, OWN],

  // Authors of earlier pull requests of this action.
  ["a new pull request of the agent's bot", opened(BOT), { ...NEVER, ...knowing(BOT) }, OWN],
  ["an old pull request of the agent's bot", opened(BOT), { ...noMark({ ...UNMARKED, ...OLD }), ...knowing(BOT) }, OWN],
  ["a push of the agent's bot to its pull request", toBranch(BOT), { ...YOUNG, ...NEVER, ...knowing(BOT) }, OWN],
  ['a new pull request of another bot', opened(BOT), { ...NEVER, ...knowing(WORKFLOWS) }, ASKS_LATE],
  ['a new pull request of a workflow', opened(WORKFLOWS), { ...OF_WORKFLOW, ...knowing(WORKFLOWS) }, ASKS_LATE],
  ['a new pull request of a bot, if GitHub does not list earlier ones', opened(BOT), NO_LIST, ASKS_LATE],
  ["a new pull request of the agent's user account", opened(ANN), OF_USER, ASKS_LATER],
  ['one of it that is marked after two minutes', opened(ANN), markedAfter(7), { ...OWN, sleptMs: 120_000 }],
  ['one of it, in two minutes', opened(ANN), OF_USER, ASKS_LATE, { 'timeout-minutes': '2' }],
  ['one that is marked seldom', opened(ANN), OF_USER, { sleptMs: 360_000 }, SELDOM],
  ['one that is marked seldom, and then is', opened(ANN), markedAfter(10), { ...OWN, sleptMs: 210_000 }, SELDOM],
  ['one that is marked seldom, after 5.5 minutes', opened(ANN), of(SELDOM_NEW), { sleptMs: 360_000 }, SELDOM],
  ['one that is marked soon, after 5.5 minutes', opened(ANN), of(SELDOM_NEW), ASKS],
  ["an old pull request of the agent's user account", opened(ANN), OF_OLD_USER, ASKS],

  // What is merged or pushed without a mark.
  ["a merge of the agent's bot", PUSHED, { ...UNMARKED_MERGE(BOT), ...knowing(BOT) }, OWN],
  ['a merge of another bot', PUSHED, { ...UNMARKED_MERGE(BOT), ...knowing(ANN) }, ASKS],
  ['a merge of a workflow', PUSHED, { ...UNMARKED_MERGE(WORKFLOWS), ...knowing(WORKFLOWS) }, ASKS],
  ["a merge of the agent's user account", PUSHED, { ...UNMARKED_MERGE(ANN), ...knowing(ANN) }, ASKS],
  [
    'a merge of a bot, if GitHub does not list earlier ones',
    PUSHED,
    { ...UNMARKED_MERGE(BOT), ...NO_LIST },
    NOT_SKIPPED,
  ],
  ["a push of the agent's bot before its pull request", toBranch(BOT), knowing(BOT), { ...PUSHED_BY, sleptMs: 60_000 }],
  [
    'the first push of a bot before its pull request',
    toBranch(BOT),
    { ...openedLate('docs-agent'), ...knowing(WORKFLOWS) },
    { ...OWN, sleptMs: 90_000 },
  ],
  [
    'the first push of a bot whose pull request was merged at once',
    toBranch(BOT),
    { ...knowing(WORKFLOWS), findPullRequestsOfBranch: inBranch({ ...MERGED, createdAt: UNMARKED.createdAt }) },
    { ...OWN, sleptMs: 65_000 },
  ],
  [
    'a push of a bot to a branch whose pull request was merged long ago',
    toBranch(BOT),
    { ...knowing(WORKFLOWS), findPullRequestsOfBranch: inBranch(MERGED) },
    { sleptMs: 150_000 },
  ],
  ['a push of another bot without a pull request', toBranch(BOT), knowing(WORKFLOWS), { sleptMs: 150_000 }],
  ['a push of a workflow without a pull request', toBranch(WORKFLOWS), knowing(WORKFLOWS), { sleptMs: 60_000 }],
  [
    'a push of a bot without a label to look for',
    toBranch(BOT),
    openedLate('docs-agent'),
    { sleptMs: 60_000 },
    { label: '' },
  ],
  ['a push of a person without a pull request', pushOf(ANN), knowing(BOT), ASKS],
  [
    "a push of the agent's user account before its pull request",
    pushOf(ANN),
    openedLate('docs-agent'),
    { ...OWN, sleptMs: 30_000 },
  ],
  ['a push of it without a pull request', pushOf(ANN), knowing(ANN), ASKS_LATER],
  ['a push of it with one of its own', pushOf(ANN), openedLate(), { sleptMs: 210_000 }],
  ['a run on its push', runOn('agent/guide', 'c'), openedLate('docs-agent'), { ...OWN, sleptMs: 6_000 }],
  ['a run on its push without a pull request', runOn('agent/guide', 'c'), knowing(ANN), { sleptMs: 240_000 }],
  ['its new branch', by(ANN, 'create', NEW_BRANCH), openedLate('docs-agent'), { ...OWN, sleptMs: 15_000 }],
  ['a new branch of a person', by(ANN, 'create', NEW_BRANCH), knowing(BOT), ASKS],
  ['its push to the default branch', PUSHED, knowing(ANN), ASKS],
  [
    'its push of what others committed, too',
    pushOf(ANN),
    { ...openedLate('docs-agent'), ...comparingOf('9', 'c') },
    ASKS,
    SINCE,
  ],

  // The agent's commits may be by another account than its pull request.
  ['a push by the author of the first commit', pushOf(ANN), { ...YOUNG_LABELLED, ...firstBy(ANN) }, OWN],
  ['a push by the author of a later commit', pushOf(ANN), { ...YOUNG_LABELLED, ...firstBy(BOT) }, ASKS],

  ['a status that is known by what ends with its commit', ['status', STATUS], ENDS, OWN],
  ['a status that is known late', ['status', STATUS], brings([], REFUSED, [MERGED]), { ...OWN, sleptMs: 6_000 }],
  ['a status that nobody knows, asked once', ['status', STATUS], comparing({}), { sleptMs: 60_000 }, FILES],
  ['a status that is not told', ['status', STATUS], DOWN, NOT_SKIPPED],
  ['a status by an app that is not told', by(BOT, 'status', STATUS), DOWN, SKIPPED],
  ['a status by an app without a token', by(BOT, 'status', STATUS), null, A_BOT],
  ['a status by an app of the work of others', by(BOT, 'status', STATUS), THEIRS, ASKS],
  ["a status of GitHub's test merge of it", ['status', STATUS], TEST_MERGE, OWN],
  ["a status of GitHub's test merge of another one", ['status', STATUS], { ...TEST_MERGE, ...NEVER }, ASKS],
  ['a status of a merge by a person', ['status', STATUS], MERGE_BY_PERSON, { sleptMs: 60_000 }],
  ['a status of a commit that cannot be read', ['status', STATUS], { readCommit: DOWN_READ }, NOT_SKIPPED],
  ['checks of its merge that also name the long-lived pull request of a person', CHECKS, { ...ENDS, ...OF_ANN }, OWN],

  // Whatever is let through, a follow-up to what its open pull request caused would cause the next one.
  ['a push to the branch that it goes on with', onBranch('agent/guide'), OF_BRANCH, OWN, FOLLOW_UP],
  ['a push to it, let through', onBranch('agent/guide'), OF_BRANCH, OWN, { 'on-open-pr': 'skip', ...LET_THROUGH }],
  ['a push to it, going on here', onBranch('agent/guide'), OF_BRANCH, OWN, ON_HERE],
  ['a push to it, going on elsewhere', onBranch('agent/guide'), OF_BRANCH, ASKS, ON_ELSEWHERE],
  ['a push to the default branch, going on', onBranch('main'), OF_BRANCH, ASKS, FOLLOW_UP],
  ['its merged pull request, let through', OPENED, READ_MERGED, ASKS, { ...FOLLOW_UP, ...LET_THROUGH }],

  ['a release by a person, which is made by hand', ['release', RELEASE], ITS_MERGE, ASKS],
  ['a schedule after its merge', ['schedule'], ITS_MERGE, OWN, FILES],
  ['a schedule after a commit of its open pull request', ['schedule'], brings([OPEN]), ASKS, FILES],
  ['a schedule after more files than are listed', ['schedule'], { ...ITS_MERGE, ...CUT }, ASKS, FILES],
  ['a schedule after more commits than are listed', ['schedule'], { ...ITS_MERGE, ...PART }, ASKS, FILES],
  ['a release by a bot of more commits than are listed', by(BOT, 'release', RELEASE), { ...ITS_MERGE, ...PART }, ASKS],
  ['a push by a bot of as many commits as an event has', by(BOT, 'push', PUSHED_2048), ITS_MERGE, ASKS],
  ['one by an app that is not told', by(BOT, 'workflow_dispatch'), { ...ITS_MERGE, ...DOWN }, NOT_SKIPPED, FILES],
  ['a schedule about another repository', ['schedule'], ITS_MERGE, ASKS, ELSEWHERE],
  ['a comment of a person on its commits', ['issue_comment', COMMENT], ITS_MERGE, ASKS, FILES],
  ['a run on its merge, before which nothing was', runOn('main', 'b'), { ...ENDS, ...comparingOf() }, OWN, FILES],
  ['a run on its merge, before which others pushed', runOn('main', 'b'), { ...ENDS, ...comparingOf('9') }, ASKS, FILES],
])('%s', async (_what, event, answers, { skip, lost, sleptMs = 0 }, given = {}) => {
  const found = await lookAtChange(given, event, answers)
  expect(found).toMatchObject({ skip: containing(skip), lost: containing(lost), sleptMs })
})

test('a pull request whose author has no account any more is not compared with those of the agent', async () => {
  const deleted = noMark({ ...UNMARKED, author: { login: '', type: '' } })
  const { skip, asked, sleptMs } = await lookAtChange({}, opened(ANN), { ...deleted, ...knowing(ANN) })
  expect([skip, sleptMs]).toEqual([undefined, 0])
  expect(asked).not.toContain('listNewestPullRequests')
})

test("the mark of the agent's user account is waited for, and the log says so", async () => {
  const read = noMark(...Array<typeof PULL_REQUEST>(7).fill({ ...UNMARKED, author: ANN }), {
    ...PULL_REQUEST,
    author: ANN,
  })
  const given = { 'poll-interval-seconds': '300' }
  const { skip, log, sleptMs } = await lookAtChange(given, opened(ANN), {
    ...OF_USER,
    readPullRequest: read.readPullRequest,
  })
  expect([skip, sleptMs]).toEqual([expect.stringContaining('#7'), 120_000])
  const what = 'the mark of pull request #7, which an account of the agent opened.'
  expect(log).toContain(`Waiting for ${what}`)
  expect(log).toContain(`Still waiting for ${what}`)
})

test.each(['label', 'milestone', 'gollum', 'issues', 'discussion', 'an-event-of-the-future'])(
  'what a bot causes and nobody can look up (%s) asks nothing, and what a person causes does',
  async (name) => {
    expect(await lookAtChange({}, by(BOT, name))).toMatchObject({ skip: containing(A_BOT.skip) })
    expect(await lookAtChange({}, by(ANN, name))).toMatchObject({ skip: undefined })
    expect(await lookAtChange(LET_THROUGH, by(BOT, name))).toMatchObject({ skip: undefined })
  },
)

const UNKNOWN = 'pull_request_target issue_comment issues label check_run deployment_status workflow_run release'

test.each(UNKNOWN.split(' '))(
  'a run after a workflow run of `%s` is skipped with a notice, whoever caused it, or has no range',
  async (event) => {
    const workflow_run = { event, head_sha: commit('b'), head_branch: 'main', pull_requests: [{ number: 7 }] }
    for (const sender of [ANN, BOT])
      for (const given of [{}, FILES, FOLLOW_UP, { ...FILES, ...ON_ELSEWHERE }]) {
        const run = by(sender, 'workflow_run', { workflow_run })
        const skipped = await lookAtChange(given, run)
        expect(skipped.skip).toContain('GitHub does not record what that run was about')
        expect(skipped).toMatchObject({ notices: [skipped.skip], asked: [], lost: undefined })
        const letThrough = await lookAtChange({ ...given, ...LET_THROUGH }, run)
        expect(letThrough).toMatchObject({ skip: undefined, asked: [], notices: [], lost: undefined })
        expect(letThrough.prompt).not.toMatch(/main|#7/)
      }
  },
)

test.each(['schedule', 'workflow_dispatch', 'repository_dispatch'])(
  'a run after a workflow run of `%s` is for the agent, unless all of the range is its own',
  async (event) => {
    const run = runOn('main', 'b', ANN, event)
    expect(await lookAtChange({}, run, ITS_MERGE)).toMatchObject({ skip: undefined, asked: [] })
    expect(await lookAtChange(FILES, run, ITS_MERGE)).toMatchObject({ skip: containing('#7') })
    expect(await lookAtChange(FILES, run)).toMatchObject({ skip: undefined })
  },
)
