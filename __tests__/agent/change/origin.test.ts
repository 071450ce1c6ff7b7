import { expect, test } from '@jest/globals'
import {
  AGENT_PERSON,
  AGENT_USER as AGENT,
  BOT,
  MAINTAINER as MONA,
  REVIEWER as LISA,
} from '../../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../../src/emulator/github/github-scenarios.ts'
import { DEFAULT_LAG, type Lag } from '../../../src/emulator/github/state.ts'
import { release, schedule } from '../../../src/emulator/github/trigger-events.ts'
import { type Act, type GivenPull, NOBODY, playAct } from '../../../testing/github-world.ts'
import { type PlayStepOptions, respondWith } from '../../../testing/play-step.ts'

const LIST = 'repos/list-pull-requests-associated-with-commit'
const LIST_COMMITS = 'pulls/list-commits'

type Given = Readonly<Record<string, string>>

/** Runs a step. Returns the number of the pull request as whose work it was skipped, and the requests about pull requests. */
async function play(act: Act, given: Given = {}, options: Partial<PlayStepOptions> = {}) {
  const played = await playAct(act, given, options)
  const skip = played.hostCalls.find((call) => call.startsWith('notice: Skipped: '))
  expect([played.isGreen, played.acceptedPrompts.length]).toEqual([true, skip === undefined ? 1 : 0])
  const count = (operation: string) => played.operations.filter((name) => name === operation).length
  return { ...played, skip, lists: count(LIST), commitLists: count(LIST_COMMITS) }
}

const OURS = { history: 'docs-agent' }
const many = (count: number): readonly string[] => Array.from({ length: count }, () => AGENT)

/** GitHub connects commits and pull requests only after this time. */
const lagging = (commitPullsMs: number, lag: Partial<Lag> = {}): Partial<PlayStepOptions> => ({
  github: { ...combineScenarios([]), lag: { ...DEFAULT_LAG, commitPullsMs, ...lag } },
})

/** A rebase keeps the messages of the commits, so that only GitHub's list names the pull request. */
const rebase =
  (user: string, by: string, pull: GivenPull = {}): Act =>
  (world) =>
    world.open(7, user, { ...OURS, ...pull }).merge(7, by, 'rebase')

test.each<[what: string, act: Act, lagMs: number, waitedMs: number, lag?: Partial<Lag>]>([
  ["a bot's merge at once", rebase(AGENT, MONA), 0, 0],
  ["the pusher's own rebase at once", rebase(MONA, MONA), 0, 0],
  ['after 3 s', rebase(AGENT_PERSON, MONA), 3_000, 3_000],
  ['after GitHub did not know the commit', rebase(AGENT_PERSON, MONA), 3_000, 3_000, { commitPulls: 'unprocessable' }],
  ["a bot's commit after 8 s", rebase(AGENT, MONA), 8_000, 8_000],
  ['a commit that a bot committed after 8 s', rebase(AGENT_PERSON, BOT), 8_000, 8_000],
])(
  'finds the pull request of a pushed commit, which GitHub lists %s',
  async (_what, act, lagMs, expected, lag = {}) => {
    const { skip, waitedMs, commitLists } = await play(act, {}, lagging(lagMs, lag))
    expect(skip).toContain('#7')
    expect([waitedMs, commitLists]).toEqual([expected, 0])
  },
)

test.each<[what: string, act: Act, waitedMs: number]>([
  ["the pusher's own", (world) => world.push('main', MONA), 0],
  ["a colleague's", (world) => world.push('main', MONA, LISA), 3_000],
  [
    "a colleague's that the pusher amended",
    (world) => world.push('main', MONA, { author: LISA, committer: MONA }),
    3_000,
  ],
  [
    "the pusher's that somebody else committed",
    (world) => world.push('main', MONA, { author: MONA, committer: LISA }),
    3_000,
  ],
  ['one without an account', (world) => world.push('main', MONA, NOBODY), 3_000],
  ["a bot's", (world) => world.push('main', MONA, BOT), 8_000],
  ['one that a bot pushes', (world) => world.push('main', BOT), 8_000],
  ['four that a bot pushes', (world) => world.push('main', BOT, BOT, BOT, BOT, BOT), 8_000],
  [
    'one after a merge of others, whose message names its pull request',
    (world) =>
      world
        .move('next', 'main', MONA)
        .open(8, MONA, { base: 'next' })
        .merge(8, MONA)
        .push('next', BOT)
        .move('main', 'next', MONA),
    0,
  ],
  [
    'one that is released',
    (world) => world.push('main', BOT).trigger((scene) => release(scene, { id: 5, tag: 'v2', by: BOT })),
    0,
  ],
  ['one among them that is the pusher’s own', (world) => world.push('main', MONA, BOT, MONA, LISA), 0],
])('waits for the pull request of a commit that has none: %s', async (_what, act, expected) => {
  expect((await play(act)).waitedMs).toBe(expected)
})

test('looks up first the commit that needs no second look, and then no other', async () => {
  const { lists } = await play((world) => world.push('main', MONA, BOT, MONA, LISA))
  expect(lists).toBe(1)
})

/** A schedule looks back to a rebase merge. */
const later =
  (commits: number): Act =>
  (world) =>
    rebase(AGENT, MONA, { commits: many(commits) })(world.succeed()).trigger((scene) => schedule(scene, '0 0 * * *'))

test('looks up an older commit of the range once', async () => {
  const { skip, waitedMs } = await play(later(1), { 'change-context': 'commits' }, lagging(3_000))
  expect([skip, waitedMs]).toEqual([undefined, 0])
})

test.each<[message: string, act: Act]>([
  ['Update the docs (#7)', (world) => world.open(7, AGENT, OURS).merge(7, MONA, 'squash')],
  [
    'Update the docs (#7)\n\n* Change',
    (world) => world.open(7, AGENT, { ...OURS, commits: many(2) }).merge(7, MONA, 'squash'),
  ],
  ['Merge pull request #7 from acme/change-7', (world) => world.open(7, AGENT, OURS).merge(7, MONA, 'merge')],
])('reads the pull request that the message “%s” names, which GitHub lists late', async (message, act) => {
  const { skip, docs, lists, waitedMs } = await play(act, {}, lagging(60_000))
  expect(docs.commits.at(-1)?.message).toContain(message)
  expect(skip).toContain('#7')
  expect([lists, waitedMs]).toEqual([0, 0])
})

test.each(['Undo (#7)', 'Like (#8)', 'See #7', 'Fix (#)', 'Fix (#99)'])(
  'does not take a pushed commit with the message “%s” for a merge',
  async (message) => {
    const { skip, lists } = await play((world) =>
      rebase(AGENT, MONA)(world).open(8, AGENT, OURS).push('main', MONA, { author: MONA, message }),
    )
    expect([skip, lists]).toEqual([undefined, 1])
  },
)

test('finds the pull request in the list if the message names an issue', async () => {
  const { skip } = await play(rebase(AGENT, MONA, { commits: [{ author: AGENT, message: 'Fix (#99)' }] }))
  expect(skip).toContain('#7')
})

test('looks up 120 commits that a pull request lists by the newest commit', async () => {
  const act: Act = (world) => world.open(7, AGENT, { ...OURS, commits: many(120) }).merge(7, MONA, 'merge')
  expect(await play(act)).toMatchObject({ skip: expect.stringContaining('#7'), lists: 0, commitLists: 2 })
})

test('looks up each commit of a rebase merge, which has a new id, and lists the pull request once', async () => {
  const { skip, lists, commitLists, waitedMs } = await play(rebase(AGENT, MONA, { commits: many(3) }))
  expect(skip).toContain('#7')
  expect({ lists, commitLists, waitedMs }).toEqual({ lists: 3, commitLists: 1, waitedMs: 0 })
})

test('fails after a hundred look-ups', async () => {
  expect((await play(rebase(AGENT, MONA, { commits: many(100) }))).skip).toContain('#7')
  const { report, acceptedPrompts } = await playAct(rebase(AGENT, MONA, { commits: many(101) }))
  expect(acceptedPrompts).toEqual([])
  expect(report.error).toMatchObject({
    code: 'not-sent',
    message: expect.stringContaining('the change has more than 100 commits to look up') as unknown,
    hint: expect.stringMatching(/^Run this workflow once by hand with `change-range: BASE\.\.\.HEAD`/) as unknown,
  })
})

test('looks up each commit once for the loop guard and `skip-labels`', async () => {
  const act: Act = (world) => world.open(7, LISA, { labels: ['no-docs'] }).merge(7, MONA, 'rebase')
  const { line, operations } = await playAct(act, { 'skip-labels': 'no-docs' })
  expect(line).toContain('Every pull request of the change has a label from `skip-labels`: #7.')
  expect(operations.filter((name) => name === LIST)).toHaveLength(1)
})

test('fails if a look-up fails', async () => {
  const { report, acceptedPrompts } = await playAct(
    rebase(AGENT, MONA),
    {},
    { responses: { [LIST]: respondWith(404) } },
  )
  expect([report.error?.code, acceptedPrompts]).toEqual(['not-sent', []])
})

test('sends no further look-up after one has failed', async () => {
  let count = 0
  const fail = () => {
    count += 1
    return respondWith(404)()
  }
  await playAct(later(2), { 'change-context': 'commits', wait: 'true' }, { responses: { [LIST]: fail } })
  expect(count).toBe(1)
})
