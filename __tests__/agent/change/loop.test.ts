import { expect, test } from '@jest/globals'
import { decideLoop, type LoopFacts } from '../../../src/agent/change/loop.ts'
import {
  AGENT_PERSON,
  AGENT_USER as AGENT,
  BOT,
  MAINTAINER as MONA,
  OUTSIDER,
  REVIEWER as LISA,
} from '../../../src/emulator/github/demo-state.ts'
import { comment, release, review, schedule } from '../../../src/emulator/github/trigger-events.ts'
import { type Act, type GivenPull, NOBODY, playAct } from '../../../testing/github-world.ts'
import { type PlayStepOptions, respondWith, respondForbidden } from '../../../testing/play-step.ts'

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

type Given = Readonly<Record<string, string>>
type Row = readonly [what: string, act: Act, given?: Given]

/** Runs a step. Returns the notice with which it was skipped, if it was. */
async function play(act: Act, given: Given = {}, options: Partial<PlayStepOptions> = {}) {
  const played = await playAct(act, given, options)
  const { isGreen, report, warnings, acceptedPrompts, hostCalls } = played
  const [skip] = hostCalls.filter((call) => call.startsWith('notice: Skipped: '))
  expect([isGreen, warnings]).toEqual([true, []])
  expect([report.outcome === 'skipped', acceptedPrompts.length]).toEqual(skip === undefined ? [false, 1] : [true, 0])
  return { ...played, skip: skip?.slice('notice: '.length) }
}

const sends = async (_what: string, act: Act, given: Given = {}) => {
  expect((await play(act, given)).skip).toBeUndefined()
}
const skipsFor =
  (title: string, more: Given = {}) =>
  async (_what: string, act: Act, given: Given = {}) => {
    expect((await play(act, { ...more, ...given })).skip).toContain(title)
  }

const FILES = { 'change-context': 'files' }
const SINCE = { ...FILES, 'change-range': 'since-last-success' }
const BETWEEN = { ...FILES, 'change-range': 'v1...v2' }

const HISTORY = { history: 'docs-agent' }
const LABEL = { labels: ['Docs-Agent'] }
/** The agent opens pull request 7, which its history comment marks. */
const OURS = [7, AGENT, HISTORY] as const
const mergeOurs: Act = (world) => world.open(...OURS).merge(7, MONA, 'rebase')
const mergeMarked =
  (mark: GivenPull, user = AGENT): Act =>
  (world) =>
    world.open(7, user, mark).merge(7, MONA)
const FORK = `${OUTSIDER}/docs`
const ON_NEXT = { ...HISTORY, base: 'next' }
/** Pull request 8 is open, and ours is merged into its branch. */
const mergeIntoOpen: Act = (world) =>
  world.open(8, MONA, { branch: 'next', base: 'main' }).open(7, AGENT, ON_NEXT).merge(7, MONA, 'rebase')
const pushToRelease =
  (user: string, mark: GivenPull): Act =>
  (world) =>
    world.move('release', 'main', MONA).open(7, user, mark).merge(7, MONA).move('release', 'main', MONA)

test.each<Row>([
  ['a merge of a pull request', (world) => world.open(...OURS).merge(7, MONA, 'merge')],
  ['a squash of a pull request', (world) => world.open(...OURS).merge(7, MONA, 'squash')],
  ['a rebase of a pull request', mergeOurs],
  ['a merge of a pull request with a history of another label', mergeMarked({ history: 'other' })],
  ["a merge of a person's pull request with a history", mergeMarked(HISTORY, AGENT_PERSON)],
  ["a merge of a bot's pull request with the label", mergeMarked(LABEL)],
  [
    'two merges',
    (world) =>
      world
        .move('next', 'main', MONA)
        .open(7, AGENT, ON_NEXT)
        .merge(7, MONA, 'rebase')
        .open(9, AGENT, ON_NEXT)
        .merge(9, MONA, 'rebase')
        .move('main', 'next', MONA),
  ],
  ['a push that only brings a merge of ours to another branch', pushToRelease(AGENT, HISTORY)],
  ['our merge into the branch of an open pull request', mergeIntoOpen],
  ['a push to the branch of our open pull request', (world) => world.open(...OURS).push('change-7', LISA)],
  [
    "a person's merge of the base into the branch of our open pull request",
    (world) =>
      world
        .open(...OURS)
        .push('main', LISA)
        .update(7, MONA),
  ],
  ['our open pull request', (world) => world.open(7, AGENT_PERSON, HISTORY).pull(7, MONA, 'labeled')],
  ['a workflow run on our open pull request', (world) => world.open(...OURS).run('change-7', MONA, 'pull_request')],
  ['a workflow run on our merge', (world) => mergeOurs(world).run('main', MONA)],
  [
    'a workflow run on our merge, which an open pull request from the default branch contains',
    (world) => {
      mergeOurs(world.move('release', 'main', MONA))
      return world.open(8, MONA, { branch: 'main', base: 'release', commits: [] }).run('main', MONA)
    },
  ],
  [
    'a workflow run on our merge into the branch of an open pull request',
    (world) => mergeIntoOpen(world).run('next', MONA),
    FILES,
  ],
  [
    'a workflow run on our merge into another branch, on which others have worked before',
    (world) => world.push('next', LISA).open(7, AGENT, ON_NEXT).merge(7, MONA, 'rebase').run('next', MONA),
    FILES,
  ],
  [
    'a workflow run on our pull request from a fork, which GitHub does not list',
    (world) => world.open(7, AGENT, { ...HISTORY, branch: 'guide', fork: FORK }).run('guide', MONA, 'pull_request'),
  ],
  [
    'a push of our work with an explicit range of the work of others',
    (world) => mergeOurs(world.tag('v1').push('main', MONA).tag('v2')),
    BETWEEN,
  ],
])("skips %s as the agent's own work", async (_what, act, given = {}) => {
  const { skip, summary } = await play(act, given)
  expect(skip).toMatch(/^Skipped: this is the agent's own work \| All commits came from .*: (?:#9, )?#7/)
  expect(summary).toContain('#7')
})

test.each<Row>([
  ["a merge of a person's pull request with the label", mergeMarked(LABEL, MONA)],
  ["a merge of a bot's pull request without a mark", mergeMarked({})],
  ['a merge of a pull request with a history by any bot', mergeMarked({ ...HISTORY, historyBy: BOT })],
  ['a merge of a pull request with a history by an outsider', mergeMarked({ ...HISTORY, historyBy: OUTSIDER })],
  [
    'a merge of ours after a commit of others',
    (world) => world.push('next', LISA).open(7, AGENT, ON_NEXT).merge(7, MONA, 'rebase').move('main', 'next', MONA),
  ],
  [
    'a merge of ours before a commit of others',
    (world) =>
      world
        .move('next', 'main', MONA)
        .open(7, AGENT, ON_NEXT)
        .merge(7, MONA, 'rebase')
        .push('next', LISA)
        .move('main', 'next', MONA),
  ],
  ['a commit of two pull requests', (world) => mergeIntoOpen(world).merge(8, MONA, 'merge')],
  ["a push that only brings a person's merge to another branch", pushToRelease(MONA, {})],
  [
    'a push to another branch that our open pull request contains',
    (world) => world.open(...OURS).move('next', 'change-7', MONA),
  ],
  [
    "a push to a branch with the name of a fork's branch",
    (world) => {
      world.open(7, AGENT, { ...HISTORY, branch: 'guide', fork: FORK })
      return world.move('guide', world.docs.pulls[7]?.headSha ?? '', MONA)
    },
  ],
  ['a new branch without a commit', (world) => world.move('next', 'main', MONA)],
])('sends a prompt for %s', sends)

/** Since the last success, commits of others and a merge of ours were pushed. */
const later =
  (name: 'schedule' | 'workflow_dispatch' | 'repository_dispatch', ...others: readonly string[]): Act =>
  (world) => {
    world.tag('v1').succeed()
    for (const other of others) world.push('main', other)
    mergeOurs(world).tag('v2')
    return name === 'schedule' ? world.trigger((scene) => schedule(scene, '0 0 * * *')) : world.send(name, MONA)
  }

test.each<Row>([
  ['a schedule', later('schedule'), FILES],
  ['a schedule with `paths`', later('schedule'), { paths: '**' }],
  ['a schedule with `skip-labels`', later('schedule'), { 'skip-labels': 'x' }],
  ['a manual run', later('workflow_dispatch'), SINCE],
  ['a dispatch', later('repository_dispatch'), FILES],
])('skips %s if everything since the last success is our work', skipsFor(IS_OWN))

test.each<Row>([
  ['a schedule without an input about the change', later('schedule')],
  ['a schedule about our work and that of others', later('schedule', LISA), FILES],
  ['a manual run with an explicit range of our work', later('workflow_dispatch'), BETWEEN],
  ['a manual run about our pull request', later('workflow_dispatch'), { ...FILES, 'change-range': 'pull/7' }],
])('sends a prompt for %s', sends)

const SAME = { 'skip-own-changes': 'same-label' }

test.each<Row>([
  ['that a bot opened with the label', mergeMarked(LABEL)],
  ['with the label and any history', mergeMarked({ ...LABEL, history: 'other' }, AGENT_PERSON)],
  ['with the label in its history', mergeMarked({ history: 'Docs-Agent' })],
])('with `same-label`, skips a merge of a pull request %s', skipsFor(IS_OWN, SAME))

test('with `same-label`, sends a prompt for a merge of a pull request of another label', () =>
  sends('', mergeMarked({ labels: ['other'], history: 'other' }), SAME))

const APPROVED = { approvedBy: MONA }
const mergeByBot =
  (user: string, pull: GivenPull = {}): Act =>
  (world) =>
    world.open(9, user, pull).merge(9, BOT, 'rebase')
/** A bot pushes our work, which an account has merged, and a commit of its own. */
const pushOursAndOwn =
  (merger: string): Act =>
  (world) =>
    world
      .move('next', 'main', MONA)
      .open(7, AGENT, ON_NEXT)
      .merge(7, merger, 'rebase')
      .push('next', BOT)
      .move('main', 'next', BOT)
/** A bot merges a commit of a person from the base. */
const updateByBot: Act = (world) => world.open(9, BOT).push('main', LISA).update(9, BOT)
const label =
  (what: 'issue' | 'discussion', author: string, sender: string): Act =>
  (world) => {
    const user = { login: author, type: author === BOT ? 'Bot' : 'User' }
    return world.send(what === 'issue' ? 'issues' : what, sender, { action: 'labeled', [what]: { number: 3, user } })
  }
const commentBy =
  (user: string, body = 'Hi.'): Act =>
  (world) =>
    world.open(...OURS).trigger((scene) => comment(scene, 7, { user, body }))
const releaseByBot =
  (...authors: readonly string[]): Act =>
  (world) =>
    world
      .tag('v1.0.0')
      .push('main', BOT, ...authors)
      .trigger((scene) => release(scene, { id: 5, tag: 'v2.0.0', by: BOT }))

test.each<Row>([
  ['a push of its own commit', (world) => world.push('main', BOT)],
  ['a push of a commit without an account', (world) => world.push('main', BOT, NOBODY)],
  ['a push of a new branch without a commit', (world) => world.move('next', 'main', BOT)],
  ["a merge of a bot's pull request", mergeByBot(BOT)],
  ['a push of our work, which a bot merged, and of its own commit', pushOursAndOwn(BOT)],
  [
    'a push to its open pull request that a person approved',
    (world) => world.open(9, BOT, APPROVED).push('change-9', BOT),
  ],
  ["a bot's merge of the base into the branch of a pull request", updateByBot],
  ["a bot's merge of the base into the branch of a pull request, without a token", updateByBot, { 'github-token': '' }],
  ['a pull request', (world) => world.open(9, BOT)],
  ['a pull request that a person has approved', (world) => world.open(9, BOT, APPROVED)],
  [
    'a pull request that a person has approved, after its merge',
    (world) => world.open(9, BOT, APPROVED).merge(9, BOT).pull(9, BOT, 'closed'),
  ],
  ['a pull request that a person labels', (world) => world.open(9, BOT).pull(9, MONA, 'labeled')],
  ['a merge group with a pull request that nobody approved', (world) => world.open(9, BOT).queue(9)],
  ['a release of its own commits', releaseByBot(BOT)],
  ['an issue that a bot opened', label('issue', BOT, BOT)],
  ['a discussion that a bot opened', label('discussion', BOT, BOT)],
  ['a comment', commentBy(BOT)],
  ['a review', (world) => world.open(8, MONA).trigger((scene) => review(scene, 8, { user: BOT, body: 'Hi.' }))],
])('skips what is only the work of a bot: %s', skipsFor(IS_BOT))

test.each<Row>([
  ["a push by a bot of a person's commit", (world) => world.push('main', BOT, LISA)],
  ["a push by a person of a bot's commit", (world) => world.push('main', MONA, BOT)],
  [
    'a push by a bot to the default branch of commits that another branch had',
    (world) => world.push('next', LISA).move('main', 'next', BOT),
  ],
  ["a merge by a bot of a person's pull request without a known author", mergeByBot(MONA, { commits: [NOBODY] })],
  ["a merge by a bot of a bot's pull request that a person approved", mergeByBot(BOT, APPROVED)],
  ['a push by a bot of our work, which a person merged, and of its own commit', pushOursAndOwn(MONA)],
  ["a bot's pull request with a person's commit", (world) => world.open(9, BOT, { commits: [BOT, LISA] })],
  ["a bot's pull request that a person merged", (world) => world.open(9, BOT).merge(9, MONA).pull(9, BOT, 'closed')],
  ["a label of a bot on a person's pull request", (world) => world.open(8, MONA).pull(8, BOT, 'labeled')],
  ["a merge group with a bot's pull request that a person approved", (world) => world.open(9, BOT, APPROVED).queue(9)],
  ['a release by a bot of the work of persons', releaseByBot(LISA, BOT)],
  ["a person's issue that a bot labelled", label('issue', MONA, BOT)],
  ["a bot's issue that a person labelled", label('issue', BOT, MONA)],
  ['a comment by a person on our pull request', commentBy(MONA)],
  ...['schedule', 'workflow_dispatch', 'repository_dispatch'].map((name): Row => [
    `a ${name} by a bot about its own commit`,
    (world) => world.succeed().push('main', BOT).send(name, BOT),
    FILES,
  ]),
  [
    'a workflow run after a schedule, which GitHub shows as by a bot',
    (world) => world.push('main', BOT).run('main', BOT, 'schedule'),
    FILES,
  ],
])('sends a prompt for %s', sends)

test('skips the comments of this action', async () => {
  const { skip } = await play(commentBy(MONA, '<!-- docs-agent-action: reply -->\nDone.'))
  expect(skip).toBe(`${IS_OWN} | This action wrote the comment that started the run.`)
})

test('says how to cover the changes of bots', async () => {
  const { skip } = await play((world) => world.push('main', BOT))
  expect(skip).toContain('A schedule covers such changes: run a workflow file of its own on `schedule`')
})

const LIST = 'repos/list-pull-requests-associated-with-commit'

/** Plays a step, and lists the targets of its requests for an operation. */
async function listTargets(operation: string, act: Act) {
  const targets: string[] = []
  const onRequest: PlayStepOptions['onRequest'] = (what, { request }) => {
    if (what === operation) targets.push(request.target)
  }
  return { ...(await play(act, {}, { onRequest })), targets }
}

test('asks for approvals newest first, until one is found, and only where everything else says that a bot did it', async () => {
  const pushBy =
    (merger: string): Act =>
    (world) => {
      world.move('next', 'main', MONA)
      for (const number of [11, 12, 13])
        world.open(number, BOT, { base: 'next', ...(number === 12 && APPROVED) }).merge(number, merger)
      return world.move('main', 'next', BOT)
    }
  const byBot = await listTargets('pulls/list-reviews', pushBy(BOT))
  expect([byBot.skip, byBot.targets.map((target) => /pulls\/\d+/.exec(target)?.[0])]).toEqual([
    undefined,
    ['pulls/13', 'pulls/12'],
  ])
  expect(await listTargets('pulls/list-reviews', pushBy(MONA))).toMatchObject({ skip: undefined, targets: [] })
})

test('does not look up the commits that a push brought from another branch', async () => {
  const { docs, targets } = await listTargets(LIST, updateByBot)
  expect(targets.length).toBeGreaterThan(0)
  for (const target of targets) expect(target).toContain(docs.branches['change-9'])
})

/** An account opens pull request 7, and labels it itself. The agent has opened 3 under the account of a person. */
const opensLater =
  (user: string, earlier: GivenPull, name?: string): Act =>
  (world) =>
    world
      .open(3, AGENT_PERSON, { labels: ['docs-agent'], ...earlier })
      .open(7, user, { labels: ['docs-agent'] })
      .pull(7, user, 'opened', name)

test.each(['pull_request', 'pull_request_target'])("skips a pull request of the agent's account on `%s`", (name) =>
  skipsFor(IS_ACCOUNT)('', opensLater(AGENT_PERSON, HISTORY, name)),
)

test.each<Row>([
  ['a pull request of another account', opensLater(MONA, HISTORY)],
  ['a pull request of an account whose earlier one only has the label', opensLater(AGENT_PERSON, {})],
  [
    "a push to a pull request of the agent's account",
    (world) => opensLater(AGENT_PERSON, HISTORY)(world).push('change-7', AGENT_PERSON),
  ],
])('sends a prompt for %s', sends)

test.each(['issue_comment', 'pull_request_target'])(
  'skips a workflow run after `%s`, whose cause is unknown',
  (event) => skipsFor(IS_UNKNOWN)('', (world) => world.run('main', MONA, event)),
)

test.each(['schedule', 'workflow_dispatch'])('sends a prompt for a workflow run after `%s`', (event) =>
  sends('', (world) => world.run('main', MONA, event)),
)

test('does not examine the change of a step that only waits for a job', async () => {
  const { report, operations } = await playAct(mergeOurs, { prompt: '', 'job-id': 'job_finished', wait: 'true' })
  expect([report.outcome, operations.includes(LIST)]).toEqual(['pull-request', false])
})

const isDown = respondWith(503)

test.each<[what: string, act: Act, responses: NonNullable<PlayStepOptions['responses']>]>([
  ['a push', mergeOurs, { [LIST]: isDown }],
  ['a push by a bot', (world) => world.push('main', BOT), { [LIST]: isDown }],
  ['a pull request', (world) => world.open(7, MONA), { 'pulls/get': isDown }],
  [
    'a pull request whose comments cannot be read',
    (world) => world.open(7, MONA),
    { 'issues/list-comments': respondForbidden },
  ],
  ['a release by a bot', releaseByBot(BOT), { 'repos/list-tags': isDown }],
  ['a pull request, because of the earlier ones,', (world) => world.open(7, MONA), { 'pulls/list': respondForbidden }],
])('fails if GitHub does not say whether %s is our own work', async (_what, act, responses) => {
  const { isGreen, report, acceptedPrompts } = await playAct(act, {}, { responses })
  expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
  expect(report.error?.message).toContain("Could not determine whether the change is the agent's own work")
})

test.each<[given: Given, permissions: string]>([
  [{}, 'actions: read, contents: read, issues: write, pull-requests: write'],
  [BETWEEN, 'contents: read, issues: write, pull-requests: write'],
  [
    { ...BETWEEN, wait: 'true', 'wait-for-checks': 'true' },
    'actions: read, checks: read, contents: read, issues: write, pull-requests: write, statuses: read',
  ],
])('names all permissions that %j needs if one is missing', async (given, permissions) => {
  const act: Act = (world) => mergeOurs(world.tag('v1').push('main', MONA).tag('v2'))
  const { report } = await playAct(act, given, { responses: { [LIST]: respondForbidden } })
  expect(report.error?.hint).toBe(
    `Grant the workflow's job these permissions: \`permissions: { ${permissions} }\`. If \`github-token\` is another token, that token needs them instead.`,
  )
})

test.each(['schedule', 'workflow_dispatch', 'repository_dispatch'] as const)(
  'sends the prompt on %s if the look-ups fail, and logs that',
  async (name) => {
    const { skip, log } = await play(later(name), FILES, { responses: { [LIST]: isDown } })
    expect(skip).toBeUndefined()
    expect(log.join('\n')).toContain("Could not determine whether the change is the agent's own work: GitHub")
  },
)

test.each<[what: string, act: Act, title: string | undefined]>([
  ['a push of our work', mergeOurs, undefined],
  ['a push by a bot', (world) => world.push('main', BOT), IS_BOT],
  ["a push by a bot of a person's commit", (world) => world.push('main', BOT, LISA), undefined],
])('without a token judges %s by the event alone, and logs that', async (_what, act, title) => {
  const { skip, log } = await play(act, { 'github-token': '' })
  expect(skip?.split(' | ')[0]).toBe(title)
  expect(log.join('\n')).toContain('there is no `github-token`, so only the event was checked')
})

test.each<Row>([
  ['a push', mergeOurs],
  ['a schedule', later('schedule'), FILES],
])('ends as cancelled if the run is cancelled while the cause of %s is looked up', async (_what, act, given = {}) => {
  const options = { responses: { [LIST]: isDown }, cancelAfterMs: 1_000 }
  const { report, acceptedPrompts } = await playAct(act, given, options)
  expect([report.error?.code, acceptedPrompts]).toEqual(['cancelled', []])
})
