import { expect, test } from '@jest/globals'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest } from '../../../src/github/pull-requests.ts'
import type { ActionError } from '../../../src/runtime/errors.ts'
import {
  comparing,
  resolveInOrder,
  MARKER,
  mergedBy,
  PULL_REQUEST,
  pullCommit,
  pullCommits,
  PUSH,
  createGitHubError,
  rejectWith,
} from '../../support/fake-github.ts'
import { commit } from '../../support/github-state.ts'
import { containing, playChange, type Responses, type Given, type GivenEvent } from '../../support/play-change.ts'

/** Without `skip` the step runs; without `sleptMs` it does not wait; without `lost` there is no warning. */
interface Expected {
  readonly skip?: string
  readonly sleptMs?: number
  readonly warnings?: string
}
type Row = [what: string, event: GivenEvent, responses: Responses, expected: Expected, given?: Given]

const RUNS: Expected = {}
const NOT_SKIPPED = { warnings: 'was not skipped' }
const RUNS_LATE = { sleptMs: 90_000 }
/** As late as a step may write its mark after rejected requests. */
const RUNS_LATER = { sleptMs: 180_000 }
const OWN = { skip: '#7' }
const OWN_SOON = { ...OWN, sleptMs: 2_000 }
const OWN_LATE = { ...OWN, sleptMs: 15_000 }
const A_BOT = { skip: 'A bot started this run' }
const SKIPPED = { ...A_BOT, warnings: 'so it was skipped, because a bot started the run' }
const FILES = { 'change-context': 'files' }

const BOT = { login: 'docs-agent[bot]', type: 'Bot' }
const WORKFLOWS = { login: 'github-actions[bot]', type: 'Bot' }
const ANN = { login: 'ann', type: 'User' }
const by = (sender: typeof BOT, name: string, payload: object = {}): GivenEvent => [name, { ...payload, sender }]

const PUSHED: GivenEvent = ['push', PUSH]
const [author, committer] = [{ username: 'ann' }, { username: 'web-flow' }]
/** A push of commits by `web-flow`: GitHub merged them, or somebody wrote them on its website. */
const byGitHub = (...ids: readonly string[]): GivenEvent => {
  const commits = ids.map((id) => ({ id, author, committer }))
  return ['push', { ...PUSH, commits }]
}
const MERGE = byGitHub(commit('b'))
const TWO = byGitHub(commit('9'), commit('b'))
const onBranch = (branch: string): GivenEvent => ['push', { ...PUSH, ref: `refs/heads/${branch}` }]
/** A push by the author of the commits. */
const pushBy = (sender: typeof BOT): GivenEvent => {
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

const REVIEW = { pull_request: { number: 5 }, review: { id: 1 } }

const MERGED = mergedBy(7, 'docs-agent')
const OPEN = { ...MERGED, state: 'open' } as const
const REFUSED = createGitHubError('rejected')
const FORBIDDEN = createGitHubError('forbidden', 'Grant it.')
const brings = (...responses: readonly (readonly ListedPullRequest[] | ActionError)[]) => ({
  findPullRequestsOfCommit: resolveInOrder(...responses),
})
const ENDS = {
  findPullRequestsEndingWith: (_repository: string, sha: string) =>
    Promise.resolve(sha === commit('b') ? [MERGED] : []),
}
const NO_ENDS = { findPullRequestsEndingWith: rejectWith(FORBIDDEN) }
const SOON_MERGED = resolveInOrder([OPEN], [MERGED])
const DOWN = brings(createGitHubError('service-error'))
/** A new pull request without a mark. */
const UNMARKED = { ...PULL_REQUEST, labels: [], createdAt: '2025-12-31T23:57:00Z' }
const noMark = (...reads: (typeof PULL_REQUEST)[]) => ({
  readPullRequest: resolveInOrder(...reads),
  listComments: () => Promise.resolve([]),
})
const NEVER = noMark(UNMARKED)
const OF_ANN = noMark({ ...UNMARKED, number: 5, author: ANN })
const young = (fields: object) => brings([{ ...OPEN, labels: [], createdAt: UNMARKED.createdAt, ...fields }])
const YOUNG = young({})
const YOUNG_MERGE = young({ state: 'merged' })
const OLD_MERGE = young({ state: 'merged', createdAt: PULL_REQUEST.createdAt })
/** The account opened an earlier pull request of this action. */
const knowing = (account: typeof BOT): Responses => ({
  listNewestPullRequests: () =>
    Promise.resolve([{ repository: 'acme/docs', number: 3, labels: ['docs-agent'], author: account }]),
  listComments: ({ number }) => Promise.resolve(number === 3 ? [MARKER] : []),
})
const OF_WORKFLOW = noMark({ ...UNMARKED, author: WORKFLOWS })
const OF_USER = { ...noMark({ ...UNMARKED, author: ANN }), ...knowing(ANN) }
const OF_OLD_USER = { ...OF_USER, ...noMark({ ...UNMARKED, createdAt: PULL_REQUEST.createdAt, author: ANN }) }
const LONG_POLL_INTERVAL = { 'poll-interval-seconds': '300' }
const AFTER_5_MINUTES = { ...UNMARKED, createdAt: '2025-12-31T23:54:30Z', author: ANN }
const of = (pullRequest: typeof PULL_REQUEST) => ({ ...noMark(pullRequest), ...knowing(ANN) })
/** @param looks how many look-ups find no mark */
const markedAfter = (looks: number) => {
  const unmarked = Array<typeof PULL_REQUEST>(looks).fill({ ...UNMARKED, author: ANN })
  return { ...noMark(...unmarked, { ...PULL_REQUEST, author: ANN }), ...knowing(ANN) }
}
const UNMARKED_MERGE = (account: typeof BOT): Responses => ({
  ...brings([{ ...MERGED, labels: [], author: account }]),
  ...NEVER,
})
const PUSHED_BY = { skip: 'pushed the branch, which has no pull request yet' }
/** The third look-up finds a pull request of the branch with these labels. */
const openedLate = (...labels: readonly string[]) => ({
  ...NEVER,
  ...knowing(ANN),
  findPullRequestsOfBranch: resolveInOrder<readonly ListedPullRequest[]>(...[[], []], [
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
  listPullRequestCommits: resolveInOrder(
    pullCommits({ sha: commit('1'), account }, { sha: commit('c'), account: ANN }),
  ),
})
const NO_LIST = { ...NEVER, listNewestPullRequests: rejectWith(createGitHubError('service-error')) }
const OLD = { createdAt: PULL_REQUEST.createdAt }
const soon = () => ({ ...YOUNG, ...noMark(UNMARKED, PULL_REQUEST) })
const [MERGED_HEAD, MERGE_BASE] = [commit('c'), commit('a')]
const mergeCommit = (message: string) => {
  const parents = [MERGE_BASE, MERGED_HEAD]
  return { readCommit: () => Promise.resolve(pullCommit({ sha: commit('b'), message, parents })) }
}
/** GitHub knows the head commit of the pull request, but not its test merge. */
const TEST_MERGE = {
  ...mergeCommit(`Merge ${MERGED_HEAD} into ${MERGE_BASE}`),
  findPullRequestsOfCommit: (_repository: string, sha: string) =>
    Promise.resolve(sha === MERGED_HEAD ? [{ ...OPEN, labels: [] }] : []),
}
const MERGE_BY_PERSON = { ...TEST_MERGE, ...mergeCommit("Merge branch 'main' into next") }
const DOWN_READ = rejectWith(createGitHubError('service-error'))
const THEIRS = { ...brings([{ ...mergedBy(8, 'docs'), author: ANN }]), ...NEVER }
const OF_BRANCH = {
  findPullRequestsOfBranch: (_repository: string, branch: string) =>
    Promise.resolve(branch === 'agent/guide' ? [OPEN] : []),
}
const comparingCommits = (...shas: readonly string[]) =>
  comparing({
    commits: shas.map((sha) => ({ sha: commit(sha), message: 'Guide', author: '' })),
    totalCommits: shas.length,
  })
const comparingCommitsBy = (account: typeof BOT, ...shas: readonly string[]) =>
  comparing({
    commits: shas.map((sha) => ({ sha: commit(sha), message: 'Guide', author: '', account })),
    totalCommits: shas.length,
  })
const ITS_MERGE = {
  ...brings([MERGED]),
  ...comparing({}),
  listTags: () => Promise.resolve([{ name: 'v1', sha: commit('a') }]),
}
const CUT = comparing({ fileList: 'truncated' })
const PART = comparing({ totalCommits: 501 })
const PUSHED_2048 = { ...PUSH, commits: Array.from({ length: 2048 }, () => PUSH.commits[0]) }
const ELSEWHERE = { ...FILES, 'change-range': 'acme/code@v1...v2' }
const FOLLOW_UP = { 'on-open-pr': 'follow-up' }
const ON_HERE = { ...FOLLOW_UP, 'pr-repository': 'ACME/docs' }
const ON_ELSEWHERE = { ...FOLLOW_UP, 'pr-repository': 'acme/code' }

test.each<Row>([
  // GitHub may not know the pull request of a commit yet.
  ['a merge of a pull request that ends with the commit', MERGE, ENDS, OWN],
  [
    'a merge whose commit GitHub rejects, of a pull request that ends with it',
    MERGE,
    { ...brings(REFUSED), ...ENDS },
    OWN,
  ],
  ['a known merge if the search by head commit fails', MERGE, { ...brings([MERGED]), ...NO_ENDS }, OWN],
  ['a merge that GitHub knows after a lag', MERGE, brings([], REFUSED, [MERGED]), { ...OWN, sleptMs: 6_000 }],
  ['a merge of two commits, one of them known after a lag', TWO, { ...brings([], [], [MERGED]), ...ENDS }, OWN_SOON],
  ['a merge whose pull request still looks open', MERGE, { findPullRequestsEndingWith: SOON_MERGED }, OWN_SOON],
  ['a merge without a known pull request', MERGE, {}, { sleptMs: 60_000 }],
  [
    'a merge without a known pull request, with half of 40 s',
    MERGE,
    {},
    { sleptMs: 14_000 },
    { 'timeout-minutes': '0.667' },
  ],
  ['a push by the author of the commits', PUSHED, {}, RUNS],
  ['a push by an app of commits by a person', by({ ...ANN, type: 'Bot' }, 'push', PUSH), {}, { sleptMs: 60_000 }],
  [
    'a push whose commit GitHub rejects for a minute',
    PUSHED,
    brings(REFUSED),
    { sleptMs: 60_000, warnings: 'was not skipped' },
  ],
  [
    'a push that the token cannot look up',
    PUSHED,
    brings(FORBIDDEN),
    { warnings: 'not skipped: GitHub said forbidden. Grant' },
  ],
  ['a push by an app that cannot be looked up', by(BOT, 'push', PUSH), DOWN, SKIPPED],
  ['a push by an app without a token', by(BOT, 'push', PUSH), null, A_BOT],

  // The pull request of an app gets its label when the job has ended.
  ['a push by an app to its new pull request', toBranch(BOT), soon(), OWN_LATE],
  ['a run on the new pull request of an app', runOn('agent/guide', 'c', BOT), soon(), OWN_LATE],
  ['a push by another app to its new pull request', toBranch(BOT), { ...YOUNG, ...NEVER }, RUNS_LATE],
  ['a run on the new pull request of another app', runOn('agent/guide', 'c', BOT), { ...YOUNG, ...NEVER }, RUNS_LATE],
  [
    'a push by an app to its old pull request',
    toBranch(BOT),
    { ...young(OLD), ...noMark(UNMARKED, PULL_REQUEST) },
    OWN_LATE,
  ],
  ['a run by an app on its old pull request', runOn('agent/guide', 'c', BOT), { ...young(OLD), ...NEVER }, RUNS],
  [
    'a push by an app to a pull request with the label',
    toBranch(BOT),
    { ...young({ labels: ['docs-agent'] }), ...NEVER },
    OWN,
  ],
  ['a push by a person to their pull request', toBranch(ANN), { ...young({ author: ANN }), ...NEVER }, RUNS],
  ['a push by an app of a new merge without a mark', toBranch(BOT), { ...YOUNG_MERGE, ...NEVER }, RUNS_LATE],
  ['a push by an app of an old merge without a mark', toBranch(BOT), { ...OLD_MERGE, ...NEVER }, RUNS],
  ['a new merge that gets its label', PUSHED, { ...YOUNG_MERGE, ...noMark(UNMARKED, PULL_REQUEST) }, OWN_LATE],
  ['a new pull request that gets its label', opened(BOT), noMark(UNMARKED, UNMARKED, PULL_REQUEST), OWN_LATE],
  ['a new pull request of another app', opened(BOT), NEVER, RUNS_LATE],
  [
    'a new pull request of another app, with a long poll interval',
    opened(BOT),
    NEVER,
    { sleptMs: 360_000 },
    LONG_POLL_INTERVAL,
  ],
  ['a new pull request of a person', opened(ANN), noMark({ ...UNMARKED, author: ANN }), RUNS],
  ['a pull request with the label, without a token', OPENED, null, OWN],

  // Authors of earlier pull requests of this action.
  ["a new pull request of the agent's bot", opened(BOT), { ...NEVER, ...knowing(BOT) }, OWN],
  ["an old pull request of the agent's bot", opened(BOT), { ...noMark({ ...UNMARKED, ...OLD }), ...knowing(BOT) }, OWN],
  ["a push by the agent's bot to its pull request", toBranch(BOT), { ...YOUNG, ...NEVER, ...knowing(BOT) }, OWN],
  ['a new pull request of another bot', opened(BOT), { ...NEVER, ...knowing(WORKFLOWS) }, RUNS_LATE],
  ['a new pull request of a workflow', opened(WORKFLOWS), { ...OF_WORKFLOW, ...knowing(WORKFLOWS) }, RUNS_LATE],
  ['a new pull request of a bot, if GitHub does not list earlier ones', opened(BOT), NO_LIST, RUNS_LATE],
  ["a new pull request of the agent's user account", opened(ANN), OF_USER, RUNS_LATER],
  [
    'a new pull request of that account that is marked after two minutes',
    opened(ANN),
    markedAfter(7),
    { ...OWN, sleptMs: 120_000 },
  ],
  [
    'a new pull request of that account, with a timeout of two minutes',
    opened(ANN),
    OF_USER,
    RUNS_LATE,
    { 'timeout-minutes': '2' },
  ],
  [
    'a new pull request of that account, with a long poll interval',
    opened(ANN),
    OF_USER,
    { sleptMs: 360_000 },
    LONG_POLL_INTERVAL,
  ],
  [
    'a new pull request of that account that is marked after a long poll interval',
    opened(ANN),
    markedAfter(10),
    { ...OWN, sleptMs: 210_000 },
    LONG_POLL_INTERVAL,
  ],
  [
    'a pull request of that account after 5.5 minutes, with a long poll interval',
    opened(ANN),
    of(AFTER_5_MINUTES),
    { sleptMs: 360_000 },
    LONG_POLL_INTERVAL,
  ],
  ['a pull request of that account after 5.5 minutes', opened(ANN), of(AFTER_5_MINUTES), RUNS],
  ["an old pull request of the agent's user account", opened(ANN), OF_OLD_USER, RUNS],

  // Merges and pushes without a mark.
  ["a merge of the agent's bot", PUSHED, { ...UNMARKED_MERGE(BOT), ...knowing(BOT) }, OWN],
  ['a merge of another bot', PUSHED, { ...UNMARKED_MERGE(BOT), ...knowing(ANN) }, RUNS],
  ['a merge of a workflow', PUSHED, { ...UNMARKED_MERGE(WORKFLOWS), ...knowing(WORKFLOWS) }, RUNS],
  ["a merge of the agent's user account", PUSHED, { ...UNMARKED_MERGE(ANN), ...knowing(ANN) }, RUNS],
  [
    'a merge of a bot, if GitHub does not list earlier ones',
    PUSHED,
    { ...UNMARKED_MERGE(BOT), ...NO_LIST },
    NOT_SKIPPED,
  ],
  ["a push by the agent's bot before its pull request", toBranch(BOT), knowing(BOT), { ...PUSHED_BY, sleptMs: 60_000 }],
  [
    'the first push by a bot before its pull request',
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
  ['a push by another bot without a pull request', toBranch(BOT), knowing(WORKFLOWS), { sleptMs: 150_000 }],
  ['a push by a workflow without a pull request', toBranch(WORKFLOWS), knowing(WORKFLOWS), { sleptMs: 60_000 }],
  [
    'a push by a bot with an empty `label`',
    toBranch(BOT),
    openedLate('docs-agent'),
    { sleptMs: 60_000 },
    { label: '' },
  ],
  [
    "a run on two pushes by the agent's bot before its pull request",
    runOn('agent/guide', 'c', BOT),
    { ...knowing(BOT), ...comparingCommitsBy(BOT, '9', 'c') },
    { ...PUSHED_BY, sleptMs: 60_000 },
    FILES,
  ],
  [
    "a run on a push by the agent's bot after a push by a person",
    runOn('agent/guide', 'c', BOT),
    { ...knowing(BOT), ...comparingCommitsBy(ANN, '9', 'c') },
    { sleptMs: 60_000 },
    FILES,
  ],
  ['a push by a person without a pull request', pushBy(ANN), knowing(BOT), RUNS],
  [
    "a push by the agent's user account before its pull request",
    pushBy(ANN),
    openedLate('docs-agent'),
    { ...OWN, sleptMs: 30_000 },
  ],
  ["a push by the agent's user account without a pull request", pushBy(ANN), knowing(ANN), RUNS_LATER],
  ["a push by the agent's user account with an unmarked pull request", pushBy(ANN), openedLate(), { sleptMs: 210_000 }],
  [
    "a run on a push by the agent's user account",
    runOn('agent/guide', 'c'),
    openedLate('docs-agent'),
    { ...OWN, sleptMs: 6_000 },
  ],
  [
    "a run on a push by the agent's user account without a pull request",
    runOn('agent/guide', 'c'),
    knowing(ANN),
    { sleptMs: 240_000 },
  ],
  [
    "a new branch by the agent's user account",
    by(ANN, 'create', NEW_BRANCH),
    openedLate('docs-agent'),
    { ...OWN, sleptMs: 15_000 },
  ],
  ['a new branch by a person', by(ANN, 'create', NEW_BRANCH), knowing(BOT), RUNS],
  ["a push by the agent's user account to the default branch", PUSHED, knowing(ANN), RUNS],
  [
    "a push by the agent's user account with commits by others in the range",
    pushBy(ANN),
    { ...openedLate('docs-agent'), ...comparingCommits('9', 'c') },
    RUNS,
    SINCE,
  ],

  // The agent may push commits with another account than the one that opens its pull request.
  ['a push by the author of the first commit', pushBy(ANN), { ...YOUNG_LABELLED, ...firstBy(ANN) }, OWN],
  ['a push by the author of a later commit', pushBy(ANN), { ...YOUNG_LABELLED, ...firstBy(BOT) }, RUNS],

  ['a status of the head commit of a pull request', ['status', STATUS], ENDS, OWN],
  [
    'a status of a commit that GitHub knows after a lag',
    ['status', STATUS],
    brings([], REFUSED, [MERGED]),
    { ...OWN, sleptMs: 6_000 },
  ],
  ['a status of an unknown commit, with one look-up', ['status', STATUS], comparing({}), { sleptMs: 60_000 }, FILES],
  ['a status that cannot be looked up', ['status', STATUS], DOWN, NOT_SKIPPED],
  ['a status by an app that cannot be looked up', by(BOT, 'status', STATUS), DOWN, SKIPPED],
  ['a status by an app without a token', by(BOT, 'status', STATUS), null, A_BOT],
  ['a status by an app for a commit by others', by(BOT, 'status', STATUS), THEIRS, RUNS],
  ["a status of GitHub's test merge of the agent's pull request", ['status', STATUS], TEST_MERGE, OWN],
  ["a status of GitHub's test merge of another pull request", ['status', STATUS], { ...TEST_MERGE, ...NEVER }, RUNS],
  ['a status of a merge commit by a person', ['status', STATUS], MERGE_BY_PERSON, { sleptMs: 60_000 }],
  ['a status of a commit that cannot be read', ['status', STATUS], { readCommit: DOWN_READ }, NOT_SKIPPED],
  [
    "checks of a merge that also name a person's pull request from the default branch",
    CHECKS,
    { ...ENDS, ...OF_ANN },
    OWN,
  ],

  // Each follow-up to an event of the open pull request would cause the next one.
  [
    'a push to the branch of the open pull request with `on-open-pr: follow-up`',
    onBranch('agent/guide'),
    OF_BRANCH,
    OWN,
    FOLLOW_UP,
  ],
  ['a push to that branch if `pr-repository` is the own repository', onBranch('agent/guide'), OF_BRANCH, OWN, ON_HERE],
  [
    'a push to that branch if `pr-repository` is another repository',
    onBranch('agent/guide'),
    OF_BRANCH,
    RUNS,
    ON_ELSEWHERE,
  ],
  ['a push to the default branch with `on-open-pr: follow-up`', onBranch('main'), OF_BRANCH, RUNS, FOLLOW_UP],

  ['a release by a person', ['release', RELEASE], ITS_MERGE, RUNS],
  ["a schedule after a merge of the agent's work", ['schedule'], ITS_MERGE, OWN, FILES],
  ["a schedule after a commit of the agent's open pull request", ['schedule'], brings([OPEN]), RUNS, FILES],
  ['a schedule with an incomplete list of files', ['schedule'], { ...ITS_MERGE, ...CUT }, RUNS, FILES],
  ['a schedule with an incomplete list of commits', ['schedule'], { ...ITS_MERGE, ...PART }, RUNS, FILES],
  [
    'a release by a bot with an incomplete list of commits',
    by(BOT, 'release', RELEASE),
    { ...ITS_MERGE, ...PART },
    RUNS,
  ],
  ['a push by a bot of as many commits as a payload can contain', by(BOT, 'push', PUSHED_2048), ITS_MERGE, RUNS],
  [
    'a manual run by an app that cannot be looked up',
    by(BOT, 'workflow_dispatch'),
    { ...ITS_MERGE, ...DOWN },
    NOT_SKIPPED,
    FILES,
  ],
  ['a schedule about another repository', ['schedule'], ITS_MERGE, RUNS, ELSEWHERE],
  ["a comment by an app on a person's pull request", by(BOT, 'issue_comment', COMMENT), OF_ANN, A_BOT],
  ["a review by an app of a person's pull request", by(BOT, 'pull_request_review', REVIEW), OF_ANN, A_BOT],
  ["a comment by an app on the agent's pull request", by(BOT, 'issue_comment', COMMENT), {}, A_BOT],
  ["a comment by a person on the agent's commits", ['issue_comment', COMMENT], ITS_MERGE, RUNS, FILES],
  [
    "a run on a merge of the agent's work, without earlier commits",
    runOn('main', 'b'),
    { ...ENDS, ...comparingCommits() },
    OWN,
    FILES,
  ],
  [
    "a run on a merge of the agent's work, after a push by others",
    runOn('main', 'b'),
    { ...ENDS, ...comparingCommits('9') },
    RUNS,
    FILES,
  ],
])('%s', async (_what, event, responses, { skip, warnings, sleptMs = 0 }, given = {}) => {
  const found = await playChange(given, event, responses)
  expect(found).toMatchObject({ skip: containing(skip), warnings: containing(warnings), sleptMs })
})

test('does not look up the accounts of the agent for a deleted author', async () => {
  const deleted = noMark({ ...UNMARKED, author: { login: '', type: '' } })
  const { skip, calls, sleptMs } = await playChange({}, opened(ANN), { ...deleted, ...knowing(ANN) })
  expect([skip, sleptMs]).toEqual([undefined, 0])
  expect(calls).not.toContain('listNewestPullRequests')
})

test("logs that it waits for the mark of a pull request by the agent's user account", async () => {
  const read = noMark(...Array<typeof PULL_REQUEST>(7).fill({ ...UNMARKED, author: ANN }), {
    ...PULL_REQUEST,
    author: ANN,
  })
  const given = { 'poll-interval-seconds': '300' }
  const { skip, log, sleptMs } = await playChange(given, opened(ANN), {
    ...OF_USER,
    readPullRequest: read.readPullRequest,
  })
  expect([skip, sleptMs]).toEqual([expect.stringContaining('#7'), 120_000])
  const what = 'the label or the marker comment of pull request #7, which an account of the agent opened.'
  expect(log).toContain(`Waiting for ${what}`)
  expect(log).toContain(`Still waiting for ${what}`)
})

test.each(['label', 'milestone', 'gollum', 'issues', 'discussion', 'an-event-of-the-future'])(
  'skips the event %s by a bot, and runs for the same event by a person',
  async (name) => {
    expect(await playChange({}, by(BOT, name))).toMatchObject({ skip: containing(A_BOT.skip) })
    expect(await playChange({}, by(ANN, name))).toMatchObject({ skip: undefined })
  },
)

const UNKNOWN = 'pull_request_target issue_comment issues label check_run deployment_status workflow_run release'

test.each(UNKNOWN.split(' '))(
  'skips a run after a workflow run of `%s` with a notice, or runs it without a range',
  async (event) => {
    const workflow_run = { event, head_sha: commit('b'), head_branch: 'main', pull_requests: [{ number: 7 }] }
    for (const sender of [ANN, BOT])
      for (const given of [{}, FILES, FOLLOW_UP, { ...FILES, ...ON_ELSEWHERE }]) {
        const run = by(sender, 'workflow_run', { workflow_run })
        const skipped = await playChange(given, run)
        expect(skipped.skip).toContain('GitHub does not record what that run was about')
        expect(skipped).toMatchObject({ notices: [skipped.skip], calls: [], warnings: undefined })
      }
  },
)

test.each(['schedule', 'workflow_dispatch', 'repository_dispatch'])(
  "runs after a workflow run of `%s`, unless the complete range is the agent's own",
  async (event) => {
    const run = runOn('main', 'b', ANN, event)
    expect(await playChange({}, run, ITS_MERGE)).toMatchObject({ skip: undefined, calls: [] })
    expect(await playChange(FILES, run, ITS_MERGE)).toMatchObject({ skip: containing('#7') })
    expect(await playChange(FILES, run)).toMatchObject({ skip: undefined })
  },
)
