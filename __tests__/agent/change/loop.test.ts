import { expect, test } from '@jest/globals'
import { decideLoop, type LoopFacts } from '../../../src/agent/change/loop.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { ListedPullRequest, PullRequest } from '../../../src/github/pull-requests.ts'
import {
  comparing,
  createGitHubError,
  MARKER,
  mergedBy,
  PULL_REQUEST,
  PUSH,
  pullCommits,
  rejectWith,
} from '../../../testing/fake-github.ts'
import { commit } from '../../../testing/github-state.ts'
import { containing, type Given, type GivenEvent, playChange, type Responses } from '../../../testing/play-change.ts'

const RUNS: LoopFacts = {
  ownPullRequests: undefined,
  isByBot: false,
  hasWorkOfPerson: false,
  agentAccount: undefined,
  isCauseUnknown: false,
}

const ALL: LoopFacts = { ...RUNS, ownPullRequests: [7], isByBot: true, agentAccount: 'ann', isCauseUnknown: true }

const [IS_OWN, IS_BOT, IS_ACCOUNT, IS_UNKNOWN] = [
  "Skipped: this is the agent's own work",
  'Skipped: a bot started this run',
  'Skipped: the agent may have opened this pull request',
  'Skipped: the cause of this run is unknown',
]

test.each<[what: string, facts: LoopFacts, title: string | undefined]>([
  ['nothing', RUNS, undefined],
  ['own work', { ...RUNS, ownPullRequests: [7] }, IS_OWN],
  ['a bot without work of a person', { ...RUNS, isByBot: true }, IS_BOT],
  ['a bot with work of a person', { ...RUNS, isByBot: true, hasWorkOfPerson: true }, undefined],
  ["the agent's account", { ...RUNS, agentAccount: 'ann' }, IS_ACCOUNT],
  ['an unknown cause', { ...RUNS, isCauseUnknown: true }, IS_UNKNOWN],
  ['all of them', ALL, IS_OWN],
  ['all but own work', { ...ALL, ownPullRequests: undefined }, IS_BOT],
  ['an account and an unknown cause', { ...ALL, ownPullRequests: undefined, isByBot: false }, IS_ACCOUNT],
  [
    'an account and an unknown cause, and a bot with work of a person',
    { ...ALL, ownPullRequests: undefined, hasWorkOfPerson: true },
    IS_ACCOUNT,
  ],
])('decides by the first rule that applies: %s', (_what, facts, title) => {
  expect(decideLoop(facts)?.title).toBe(title)
})

test('names the pull requests and the account, and neither mentions nor links anybody', () => {
  expect(decideLoop({ ...RUNS, ownPullRequests: [7, 8] })?.text).toContain('#7, #8')
  expect(decideLoop({ ...RUNS, agentAccount: 'an`n' })?.text).toContain("The account `an'n` opened")
  expect(decideLoop({ ...RUNS, agentAccount: 'ann' })?.text).toContain('the agent needs an account of its own')
})

type Account = PullRequest['author']
const AGENT = PULL_REQUEST.author
const MERGER: Account = { login: 'merge[bot]', type: 'Bot' }
const ANN: Account = { login: 'ann', type: 'User' }
const [OWN, BOT, ACCOUNT, UNKNOWN] = ['#7', 'A bot caused the event', 'needs an account of its own', 'does not record']
const NO_MARK: Responses = { listComments: () => Promise.resolve([]) }
const MARKED = mergedBy(7)
const OF_ANN: ListedPullRequest = { ...mergedBy(8, 'docs'), author: ANN }
const OF_BOT: ListedPullRequest = { ...mergedBy(9), author: MERGER }

const by = (sender: Account, [name, payload = {}]: GivenEvent): GivenEvent => [name, { ...(payload as object), sender }]

/** Commits with their authors, and the committer `web-flow`, oldest first. */
const pushOf = (commits: Readonly<Record<string, string>>, fields: object = {}): GivenEvent => [
  'push',
  {
    ...PUSH,
    commits: Object.entries(commits).map(([digit, username]) => ({
      id: commit(digit),
      message: 'Change',
      author: { username },
      committer: { username: 'web-flow' },
    })),
    ...fields,
  },
]
const MERGE = pushOf({ b: AGENT.login })

/** The pull requests of each commit. Only number 7 has a history comment, and `mergedBy` merged each. */
const from = (
  commits: Readonly<Record<string, readonly ListedPullRequest[]>>,
  { mergedBy: merger = MERGER, ...read }: Partial<PullRequest> = {},
): Responses => ({
  findPullRequestsOfCommit: (_repository, sha) => Promise.resolve(commits[sha.charAt(0)] ?? []),
  listComments: ({ number }) => Promise.resolve(number === 7 ? [MARKER] : []),
  listPullRequestCommits: () => Promise.resolve([]),
  readPullRequest: ({ number }) =>
    Promise.resolve({ ...PULL_REQUEST, number, state: 'merged', labels: [], mergedBy: merger, ...read }),
})

const reading = (pullRequest: Partial<PullRequest>, responses: Responses = NO_MARK): Responses => ({
  ...responses,
  readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, labels: [], ...pullRequest }),
})

const opened = (sender: Account, name = 'pull_request'): GivenEvent => [
  name,
  { action: 'opened', sender, pull_request: { number: 7, head: { sha: commit('c') }, base: { sha: commit('a') } } },
]
const ofRun = (fields: object, sender = ANN): GivenEvent => [
  'workflow_run',
  {
    sender,
    repository: { id: 1, default_branch: 'main' },
    workflow_run: {
      id: 30,
      workflow_id: 51,
      event: 'push',
      head_sha: commit('b'),
      head_branch: 'main',
      pull_requests: [],
      ...fields,
    },
  },
]
/** The base branch is merged into the agent's branch: a merge commit, and a commit of a person that the base had before. */
const updated = (sender: Account, ref = 'refs/heads/agent/guide'): GivenEvent => {
  const commits = [
    { id: commit('a'), distinct: false, author: { username: 'bea' }, committer: { username: 'bea' } },
    { id: commit('b'), distinct: true, author: { username: sender.login }, committer: { username: 'web-flow' } },
  ]
  return by(sender, pushOf({}, { ref, commits }))
}
/** A person moves a release branch to a commit that the default branch has already. */
const promoted = by(
  ANN,
  pushOf(
    {},
    {
      ref: 'refs/heads/release',
      commits: [{ id: commit('b'), distinct: false, author: { username: 'bea' }, committer: { username: 'web-flow' } }],
    },
  ),
)
const approvedBy = (...logins: readonly string[]): Responses => ({ listApprovers: () => Promise.resolve(logins) })
const QUEUED: GivenEvent = [
  'merge_group',
  {
    merge_group: {
      head_ref: `refs/heads/gh-readonly-queue/main/pr-7-${commit('a')}`,
      base_sha: commit('a'),
      head_sha: commit('b'),
    },
  },
]
const FILES = { 'change-context': 'files' }
const SINCE = { ...FILES, 'change-range': 'since-last-success' }
const SAME = { 'skip-own-changes': 'same-label' }
const SCHEDULE: GivenEvent = ['schedule']
const COMPARED = (...commits: readonly (readonly [digit: string, account: Account])[]) =>
  comparing({
    commits: commits.map(([digit, account]) => ({
      sha: commit(digit),
      message: 'Change',
      author: account.login,
      account,
      committerLogin: 'web-flow',
    })),
    totalCommits: commits.length,
  })
const EMPTY = comparing({ relation: 'identical', commits: [], totalCommits: 0, files: [] })

/** An account opened pull request 3 with the label. */
const opensEarlier = (author: Account, hasHistory = true): Responses => ({
  listNewestPullRequests: () =>
    Promise.resolve([{ repository: 'acme/docs', number: 3, labels: ['docs-agent'], author }]),
  listComments: ({ number }) => Promise.resolve(number === 3 && hasHistory ? [MARKER] : []),
})

type Row = [what: string, event: GivenEvent, responses: Responses, skip: string | undefined, given?: Given]
test.each<Row>([
  // 1. Own.
  ['a merge of a pull request with a history comment', MERGE, from({ b: [MARKED] }), OWN],
  [
    'a merge of a pull request with the label of a bot',
    MERGE,
    { ...from({ b: [mergedBy(7, 'Docs-Agent')] }), ...NO_MARK },
    OWN,
  ],
  [
    "a merge of a person's pull request with the label",
    MERGE,
    { ...from({ b: [{ ...OF_ANN, labels: ['docs-agent'] }] }), ...NO_MARK },
    undefined,
  ],
  ["a merge of a person's pull request with a history comment", MERGE, from({ b: [{ ...MARKED, author: ANN }] }), OWN],
  ['a merge of a pull request without a mark', MERGE, { ...from({ b: [MARKED] }), ...NO_MARK }, undefined],
  ...(['bot', 'untrusted'] as const).map((author): Row => [
    `a merge of a pull request with a history comment by an author who is ${author}`,
    MERGE,
    { ...from({ b: [MARKED] }), listComments: () => Promise.resolve([{ ...MARKER, author }]) },
    undefined,
  ]),
  ['a push that only brings a merge of ours to another branch', promoted, from({ b: [MARKED] }), OWN],
  ["a push that only brings a person's merge to another branch", promoted, from({ b: [OF_ANN] }), undefined],
  ['a history comment with any label', MERGE, { ...from({ b: [MARKED] }), listComments: history('other') }, OWN],
  ['two merges of ours', pushOf({ a: AGENT.login, b: AGENT.login }), from({ a: [MARKED], b: [MARKED] }), OWN],
  ['a merge of ours after a commit of others', pushOf({ a: 'bea', b: AGENT.login }), from({ b: [MARKED] }), undefined],
  ['a merge of ours before a commit of others', pushOf({ a: AGENT.login, b: 'bea' }), from({ a: [MARKED] }), undefined],
  ['a commit of two pull requests', MERGE, from({ b: [MARKED, OF_ANN] }), undefined],
  [
    'a push to the branch of our open pull request',
    pushOf({ b: 'bea' }, { ref: 'refs/heads/agent/guide' }),
    from({ b: [{ ...MARKED, state: 'open' }] }),
    OWN,
  ],
  [
    'a push to another branch that our open pull request contains',
    pushOf({ b: 'bea' }, { ref: 'refs/heads/next' }),
    from({ b: [{ ...MARKED, state: 'open' }] }),
    undefined,
  ],
  [
    "a push to a branch with the name of a fork's branch",
    pushOf({ b: 'bea' }, { ref: 'refs/heads/agent/guide' }),
    from({ b: [{ ...MARKED, state: 'open', isOfFork: true }] }),
    undefined,
  ],
  [
    'our merge into the branch of an open release pull request',
    pushOf({ b: AGENT.login }, { ref: 'refs/heads/develop' }),
    from({ b: [MARKED, { ...OF_ANN, state: 'open', branch: 'develop' }] }),
    OWN,
  ],
  ['a push without commits', pushOf({}), {}, undefined],
  ['a push without commits, with paths', pushOf({}), EMPTY, 'Nothing changed', { paths: '**' }],
  ['a push without commits, with context', pushOf({}), EMPTY, undefined, FILES],
  ['our open pull request', opened(ANN), reading({ author: ANN }, {}), OWN],
  [
    'a workflow run on the branch of our pull request',
    ofRun({ event: 'pull_request', pull_requests: [{ number: 7 }] }),
    {},
    OWN,
  ],
  ['a workflow run on our merge', ofRun({}), from({ b: [MARKED] }), OWN],
  [
    'a workflow run on our merge, which an open pull request from the default branch contains',
    ofRun({ pull_requests: [{ number: 5, head: { ref: 'main' } }] }),
    from({ b: [MARKED] }),
    OWN,
  ],
  [
    'a workflow run on our merge into the branch of an open pull request',
    ofRun({ head_branch: 'develop', pull_requests: [{ number: 5 }] }),
    from({ b: [MARKED, { ...OF_ANN, state: 'open' }] }, { author: ANN }),
    OWN,
    FILES,
  ],
  ['a new branch without a commit', pushOf({}, { ref: 'refs/heads/next' }), {}, undefined],
  ['a new branch without a commit, by a bot', by(MERGER, pushOf({}, { ref: 'refs/heads/next' })), {}, BOT],

  // The labels of `same-label`.
  [
    'same-label, with the label and a bot',
    MERGE,
    { ...from({ b: [mergedBy(7, 'docs-agent')] }), ...NO_MARK },
    OWN,
    SAME,
  ],
  [
    'same-label, with the label and a history',
    MERGE,
    { ...from({ b: [{ ...mergedBy(7, 'docs-agent'), author: ANN }] }), listComments: history('other') },
    OWN,
    SAME,
  ],
  [
    'same-label, with the label in the history',
    MERGE,
    { ...from({ b: [MARKED] }), listComments: history('Docs-Agent') },
    OWN,
    SAME,
  ],
  [
    'same-label, with another label',
    MERGE,
    { ...from({ b: [mergedBy(7, 'other')] }), listComments: history('other') },
    undefined,
    SAME,
  ],

  // Schedules and manual runs.
  ['a schedule about our work', SCHEDULE, { ...from({ b: [MARKED] }), ...COMPARED(['b', AGENT]) }, OWN, FILES],
  [
    'a schedule about our work, with paths',
    SCHEDULE,
    { ...from({ b: [MARKED] }), ...COMPARED(['b', AGENT]) },
    OWN,
    { paths: '**' },
  ],
  [
    'a schedule about our work, with skip-labels',
    SCHEDULE,
    { ...from({ b: [MARKED] }), ...COMPARED(['b', AGENT]) },
    OWN,
    { 'skip-labels': 'x' },
  ],
  [
    'a manual run about our work',
    ['workflow_dispatch'],
    { ...from({ b: [MARKED] }), ...COMPARED(['b', AGENT]) },
    OWN,
    SINCE,
  ],
  [
    'a dispatch about our work',
    ['repository_dispatch'],
    { ...from({ b: [MARKED] }), ...COMPARED(['b', AGENT]) },
    OWN,
    FILES,
  ],
  ['a schedule without an input about the change', SCHEDULE, from({ b: [MARKED] }), undefined],
  [
    'a schedule about our work and that of others',
    SCHEDULE,
    { ...from({ b: [MARKED] }), ...COMPARED(['a', ANN], ['b', AGENT]) },
    undefined,
    FILES,
  ],
  [
    'a manual run with an explicit range of our work',
    ['workflow_dispatch'],
    { ...from({ b: [MARKED] }), ...COMPARED(['b', AGENT]) },
    undefined,
    { ...FILES, 'change-range': 'v1...v2' },
  ],
  ['a manual run about our pull request', ['workflow_dispatch'], {}, undefined, { ...FILES, 'change-range': 'pull/7' }],
  [
    'a push of our work with an explicit range',
    MERGE,
    from({ b: [MARKED] }),
    OWN,
    { ...FILES, 'change-range': 'v1...v2' },
  ],

  // 2. Bots.
  ['a push by a bot', by(MERGER, pushOf({ b: MERGER.login })), from({}), BOT],
  [
    "a merge by a bot of a person's pull request",
    by(MERGER, pushOf({ b: MERGER.login })),
    from({ b: [OF_ANN] }),
    undefined,
  ],
  [
    "a merge by a person of a bot's pull request",
    by(MERGER, pushOf({ b: MERGER.login })),
    from({ b: [OF_BOT] }, { mergedBy: ANN }),
    undefined,
  ],
  ["a merge by a bot of a bot's pull request", by(MERGER, pushOf({ b: MERGER.login })), from({ b: [OF_BOT] }), BOT],
  ["a push by a bot of a person's commit", by(MERGER, pushOf({ b: 'bea' })), from({}), undefined],
  ['a push by a bot of a commit without an account', by(MERGER, pushOf({ b: '' })), from({}), BOT],
  [
    'a push by a bot of our work, which a bot merged, and of its own commit',
    by(MERGER, pushOf({ a: AGENT.login, b: MERGER.login })),
    from({ a: [MARKED] }),
    BOT,
  ],
  [
    'a push by a bot of our work, which a person merged, and of its own commit',
    by(MERGER, pushOf({ a: AGENT.login, b: MERGER.login })),
    from({ a: [MARKED] }, { mergedBy: ANN }),
    undefined,
  ],
  ["a push by a person of a bot's commit", pushOf({ b: MERGER.login }), from({}), undefined],
  ["a bot's pull request", opened(MERGER), reading({ author: MERGER }), BOT],
  ["a label of a bot on a person's pull request", opened(MERGER), reading({ author: ANN }), undefined],
  [
    "an event of a person about a bot's pull request",
    opened(ANN),
    {
      ...reading({ author: MERGER }),
      listPullRequestCommits: () => Promise.resolve(pullCommits({ sha: commit('c'), account: MERGER })),
    },
    BOT,
  ],
  [
    "a bot's pull request with a person's commit",
    opened(MERGER),
    {
      ...reading({ author: MERGER }),
      listPullRequestCommits: () =>
        Promise.resolve(pullCommits({ sha: commit('c'), account: ANN, committerLogin: 'web-flow' })),
    },
    undefined,
  ],
  [
    "a bot's pull request that a person merged",
    opened(MERGER),
    reading({ author: MERGER, state: 'merged', mergedBy: ANN }),
    undefined,
  ],
  ['a schedule by a bot', by(MERGER, SCHEDULE), COMPARED(['b', MERGER]), undefined, FILES],
  ['a manual run by a bot', by(MERGER, ['workflow_dispatch']), COMPARED(['b', MERGER]), undefined, FILES],
  ['a dispatch by a bot', by(MERGER, ['repository_dispatch']), COMPARED(['b', MERGER]), undefined, FILES],
  [
    'a workflow run after a schedule, which GitHub shows as by a bot',
    ofRun({ event: 'schedule' }, MERGER),
    COMPARED(['b', MERGER]),
    undefined,
    FILES,
  ],
  ['an issue that a bot opened', by(MERGER, ['issues', { issue: { number: 3, user: MERGER } }]), {}, BOT],
  ['a discussion that a bot opened', by(MERGER, ['discussion', { discussion: { number: 3, user: AGENT } }]), {}, BOT],
  ["a person's issue that a bot labelled", by(MERGER, ['issues', { issue: { number: 3, user: ANN } }]), {}, undefined],
  ["a bot's issue that a person labelled", by(ANN, ['issues', { issue: { number: 3, user: MERGER } }]), {}, undefined],
  ["a bot's merge of the base into the branch of a pull request", updated(MERGER), from({}), BOT],
  [
    "a bot's merge of the base into the branch of a pull request, without a token",
    updated(MERGER),
    null,
    BOT,
    { 'github-token': '' },
  ],
  [
    "a person's merge of the base into the branch of our open pull request",
    updated(ANN),
    from({ a: [OF_ANN], b: [{ ...MARKED, state: 'open' }] }),
    OWN,
  ],
  [
    'a merge by a bot into the default branch, whose commits another branch had',
    updated(MERGER, PUSH.ref),
    from({}),
    undefined,
  ],
  [
    "a merge by a bot of a bot's pull request that a person approved",
    by(MERGER, pushOf({ b: MERGER.login })),
    { ...from({ b: [OF_BOT] }), ...approvedBy('ann') },
    undefined,
  ],
  [
    "a push by a bot to a bot's open pull request that a person approved",
    by(MERGER, pushOf({ b: MERGER.login }, { ref: 'refs/heads/agent/guide' })),
    { ...from({ b: [{ ...OF_BOT, state: 'open' }] }), ...approvedBy('ann') },
    BOT,
  ],
  [
    "a merge group with a bot's pull request that a person approved",
    by(MERGER, QUEUED),
    { ...reading({ author: MERGER }), ...approvedBy('ann') },
    undefined,
  ],
  [
    "a merge group with a bot's pull request that nobody approved",
    by(MERGER, QUEUED),
    reading({ author: MERGER }),
    BOT,
  ],
  [
    'a push by a bot to its pull request that a person approved, on `pull_request`',
    opened(MERGER),
    { ...reading({ author: MERGER }), ...approvedBy('ann') },
    BOT,
  ],
  [
    'a comment by a bot',
    by(MERGER, ['issue_comment', { issue: { number: 5, pull_request: {} }, comment: { id: 1, body: 'Hi.' } }]),
    {},
    BOT,
  ],
  [
    'a review by a bot',
    by(MERGER, ['pull_request_review', { pull_request: { number: 5 }, review: { id: 1, body: 'Hi.' } }]),
    {},
    BOT,
  ],
  [
    'our own comment',
    ['issue_comment', { issue: { number: 5, pull_request: {} }, comment: { id: 1, body: MARKER.body }, sender: ANN }],
    {},
    'This action wrote the comment',
  ],
  [
    'a comment by a person',
    ['issue_comment', { issue: { number: 7, pull_request: {} }, comment: { id: 1, body: 'Hi.' }, sender: ANN }],
    {},
    undefined,
  ],
  [
    'a release by a bot of the work of persons',
    by(MERGER, ['release', { release: { tag_name: 'v2.0.0' } }]),
    {
      ...from({}),
      ...COMPARED(['a', ANN], ['b', MERGER]),
      listTags: () => Promise.resolve(['v1.0.0']),
    },
    undefined,
  ],

  // 3. Accounts.
  [
    "a pull request of the agent's account",
    opened(ANN),
    { ...reading({ author: ANN }), ...opensEarlier(ANN) },
    ACCOUNT,
  ],
  [
    "a pull request of the agent's account, on the base branch",
    opened(ANN, 'pull_request_target'),
    { ...reading({ author: ANN }), ...opensEarlier(ANN) },
    ACCOUNT,
  ],
  [
    'a pull request of another account',
    opened(ANN),
    { ...reading({ author: ANN }), ...opensEarlier({ ...ANN, login: 'agent' }) },
    undefined,
  ],
  [
    'a pull request of an account without a history',
    opened(ANN),
    { ...reading({ author: ANN }), ...opensEarlier(ANN, false) },
    undefined,
  ],
  [
    'a pull request of an account without a history, but with a label that the token has added',
    opened(ANN),
    {
      ...reading({ author: ANN }),
      ...opensEarlier(ANN, false),
      hasAddedLabel: ({ number }) => Promise.resolve(number === 3),
    },
    ACCOUNT,
  ],
  [
    "a push to a pull request of the agent's account",
    pushOf({ b: 'ann' }),
    { ...from({}), ...opensEarlier(ANN) },
    undefined,
  ],

  // 4. Unknown cause.
  ['a workflow run after a comment', ofRun({ event: 'issue_comment' }), {}, UNKNOWN],
  ['a workflow run after pull_request_target', ofRun({ event: 'pull_request_target' }, MERGER), {}, UNKNOWN],
  ['a workflow run after a schedule', ofRun({ event: 'schedule' }), {}, undefined],
  ['a workflow run after a manual run', ofRun({ event: 'workflow_dispatch' }), {}, undefined],
])('%s', async (_what, event, responses, skip, given = {}) => {
  const found = await playChange(given, event, responses)
  expect(found.warnings).toBeUndefined()
  expect(found.skip).toEqual(skip === undefined ? undefined : containing(skip))
  if (skip === undefined || skip === 'Nothing changed') expect(found.notices).toEqual([])
  else expect(found.notices).toEqual([found.skip])
})

test('asks for approvals newest first, until one is found, and only where everything else says that a bot did it', async () => {
  const commits = { a: MERGER.login, b: MERGER.login, c: MERGER.login }
  const pulls = { a: [{ ...OF_BOT, number: 11 }], b: [{ ...OF_BOT, number: 12 }], c: [{ ...OF_BOT, number: 13 }] }
  const play = async (read: Partial<PullRequest>) => {
    const asked: number[] = []
    const listApprovers: GitHub['listApprovers'] = ({ number }) => {
      asked.push(number)
      return Promise.resolve(number === 12 ? ['ann'] : [])
    }
    const { skip } = await playChange({}, by(MERGER, pushOf(commits)), { ...from(pulls, read), listApprovers })
    expect(skip).toBeUndefined()
    return asked
  }
  expect(await play({})).toEqual([13, 12])
  expect(await play({ mergedBy: ANN })).toEqual([])
})

test('says how to cover the changes of bots', async () => {
  const { skip } = await playChange({}, by(MERGER, pushOf({ b: MERGER.login })), from({}))
  expect(skip).toContain('A schedule covers such changes: run a workflow file of its own on `schedule`')
})

test('does not look up the commits that a push brought from another branch', async () => {
  const looked: string[] = []
  const findPullRequestsOfCommit: GitHub['findPullRequestsOfCommit'] = (_repository, sha) => {
    looked.push(sha)
    return Promise.resolve([])
  }
  await playChange({}, updated(MERGER), { findPullRequestsOfCommit })
  expect(new Set(looked)).toEqual(new Set([commit('b')]))
})

function history(label: string): GitHub['listComments'] {
  const body = MARKER.body.replace('"docs-agent"', JSON.stringify(label))
  return () => Promise.resolve([{ ...MARKER, body }])
}

test('does not examine a comment, a review or a comment event with `command`', async () => {
  const comment = { issue: { number: 7, pull_request: {} }, comment: { id: 1, body: MARKER.body }, sender: MERGER }
  expect(await playChange({ command: '/docs' }, ['issue_comment', comment])).toMatchObject({
    skip: undefined,
    calls: [],
  })
})

test('does not examine the change of a step that only waits for a job', async () => {
  const attach = { prompt: '', 'job-id': 'job_1' }
  expect(await playChange(attach, MERGE, from({ b: [MARKED] }))).toMatchObject({ skip: undefined, calls: [] })
})

const DOWN: Responses = { findPullRequestsOfCommit: rejectWith(createGitHubError('service-error')) }
const FORBIDDEN = rejectWith(createGitHubError('forbidden', 'Grant `pull-requests: read`.'))

test.each<[what: string, event: GivenEvent, responses: Responses]>([
  ['a push', MERGE, DOWN],
  ['a push by a bot', by(MERGER, MERGE), DOWN],
  ['a pull request', opened(ANN), { readPullRequest: rejectWith(createGitHubError('service-error')) }],
  ['a pull request whose comments cannot be read', opened(ANN), reading({}, { listComments: FORBIDDEN })],
  [
    'a release by a bot',
    by(MERGER, ['release', { release: { tag_name: 'v2.0.0' } }]),
    { ...from({}), listTags: rejectWith(createGitHubError('service-error')) },
  ],
  [
    'the list of earlier pull requests',
    opened(ANN),
    { ...reading({ author: ANN }), listNewestPullRequests: FORBIDDEN },
  ],
])('fails if GitHub does not say whether %s is our own work', async (_what, event, responses) => {
  const error = {
    code: 'not-sent',
    message: containing("Could not determine whether the change is the agent's own work"),
  }
  await expect(playChange({}, event, responses)).rejects.toMatchObject(error)
})

test.each<[given: Given, permissions: string]>([
  [{}, 'actions: read, contents: read, issues: write, pull-requests: write'],
  [{ 'change-range': 'v1...v2', ...FILES }, 'contents: read, issues: write, pull-requests: write'],
  [
    { 'change-range': 'v1...v2', 'wait-for-checks': 'true', ...FILES },
    'actions: read, checks: read, contents: read, issues: write, pull-requests: write, statuses: read',
  ],
])('names all permissions that %j needs if one is missing', async (given, permissions) => {
  const hint = `Grant the workflow's job these permissions: \`permissions: { ${permissions} }\`. If \`github-token\` is another token, that token needs them instead.`
  await expect(
    playChange(given, MERGE, { findPullRequestsOfCommit: FORBIDDEN, ...COMPARED(['b', AGENT]) }),
  ).rejects.toMatchObject({ hint })
})

test.each(['schedule', 'workflow_dispatch', 'repository_dispatch'])('only logs it on %s', async (name) => {
  const { skip, log } = await playChange(FILES, [name], { ...DOWN, ...COMPARED(['b', AGENT]) })
  expect(skip).toBeUndefined()
  expect(log).toContain("Could not determine whether the change is the agent's own work: GitHub said service-error.")
})

test.each<[what: string, event: GivenEvent, skip: string | undefined]>([
  ['a push of our work', MERGE, undefined],
  ['a push by a bot', by(MERGER, pushOf({ b: MERGER.login })), BOT],
  ["a push by a bot of a person's commit", by(MERGER, pushOf({ b: 'bea' })), undefined],
  ['a comment by a bot', by(MERGER, ['issue_comment', { issue: { number: 5 }, comment: { id: 1, body: 'Hi.' } }]), BOT],
])('without a token judges %s by the event alone', async (_what, event, skip) => {
  const found = await playChange({ 'github-token': '' }, event, null)
  expect(found.skip).toEqual(skip === undefined ? undefined : containing(skip))
  if (event[0] === 'push') expect(found.log).toContain('there is no `github-token`, so only the event was checked')
})

test('rejects if the run is cancelled', async () => {
  const cancelled = { findPullRequestsOfCommit: rejectWith(createGitHubError('cancelled')) }
  for (const event of [MERGE, SCHEDULE])
    await expect(playChange(FILES, event, { ...cancelled, ...COMPARED(['b', AGENT]) })).rejects.toMatchObject({
      code: 'cancelled',
    })
})
