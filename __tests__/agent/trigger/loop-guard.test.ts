import { expect, test } from '@jest/globals'
import { openLoopGuard, type LoopGuard } from '../../../src/agent/trigger/loop-guard.ts'
import type { Compared } from '../../../src/agent/trigger/compare-range.ts'
import type { AgentInputs } from '../../../src/agent/inputs/agent-inputs.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { formatShortfalls } from '../../../src/agent/report/shortfalls.ts'
import type { GitHub } from '../../../src/github/github.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import {
  fakeGitHub,
  inTurn,
  mergedBy,
  PULL_REQUEST,
  PUSH,
  refusal,
  rejecting,
  RUN_FACTS,
  type GivenRun,
} from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

interface Asked {
  readonly reason: string | undefined
  readonly sleptMs: number
  readonly notice: string | undefined
}

type Ask = (guard: LoopGuard) => Promise<string | undefined>

/** @param answers null without a token */
async function ask(
  facts: Partial<GivenRun>,
  answers: Partial<GitHub> | null,
  question: Ask,
  fields: Partial<AgentInputs> = {},
): Promise<Asked> {
  const clock = fakeClock()
  const inputs = agentInputs({ label: 'docs-agent', ...fields })
  const github = answers === null ? undefined : fakeGitHub(answers)
  const step = fakeStep({ clock, github, context: { ...RUN_FACTS, ...facts } })
  const journal = new Journal(inputs, step)
  const reason = await question(openLoopGuard(inputs, step, journal))
  return { reason, sleptMs: clock.passed(), notice: formatShortfalls(journal.shortfalls) }
}

const ofItsCommits: Ask = (guard) => guard.ofChange('commits of the event')
const ofEvent: Ask = (guard) => guard.ofEvent()

const PUSHED = { eventName: 'push', payload: PUSH }
const OWN = [mergedBy(7, 'docs-agent')]
const UNMARKED = { ...PULL_REQUEST, labels: [], createdAt: '2025-12-31T23:57:00Z' }
const noComments = () => Promise.resolve([])

/** As GitHub commits what it merges, or what is written on its pages. */
const byGitHub = (...ids: readonly string[]) => {
  const commits = ids.map((id) => ({ id, author: { username: 'ann' }, committer: { username: 'web-flow' } }))
  return { ...PUSHED, payload: { ...PUSH, commits } }
}
const MERGE = byGitHub(commit('b'))
const ending = (sha: string) => ({
  findPullRequestsEndingWith: (_repository: string, asked: string) => Promise.resolve(asked === sha ? OWN : []),
})

test('a push that GitHub does not know yet is known by the pull request that was merged as it', async () => {
  const refused = { findPullRequestsOfCommit: rejecting(refusal('rejected')), ...ending(commit('b')) }
  for (const answers of [ending(commit('b')), refused]) {
    const { reason, sleptMs } = await ask(MERGE, answers, ofItsCommits)
    expect(reason).toContain('#7')
    expect(sleptMs).toBe(0)
  }
})

test('where one answer is enough, a failure of the other is none', async () => {
  const findPullRequestsEndingWith = rejecting(refusal('forbidden'))
  const { reason } = await ask(
    MERGE,
    { findPullRequestsOfCommit: inTurn(OWN), findPullRequestsEndingWith },
    ofItsCommits,
  )
  expect(reason).toContain('#7')
})

test('what a merge brought is asked again until GitHub knows it', async () => {
  const findPullRequestsOfCommit = inTurn([], refusal('rejected'), OWN)
  const { reason, sleptMs, notice } = await ask(MERGE, { findPullRequestsOfCommit }, ofItsCommits)
  expect(reason).toContain('#7')
  expect(sleptMs).toBe(6_000)
  expect(notice).toBeUndefined()
  const others = { findPullRequestsOfCommit: inTurn([], [], OWN), ...ending(commit('b')) }
  expect(await ask(byGitHub(commit('9'), commit('b')), others, ofItsCommits)).toMatchObject({ sleptMs: 2_000 })
})

test('a pull request that ends with it and is not merged yet is asked again, as its merge may come', async () => {
  const open = { ...mergedBy(7, 'docs-agent'), state: 'open' as const }
  const findPullRequestsEndingWith = inTurn([open], OWN)
  expect(await ask(MERGE, { findPullRequestsEndingWith }, ofItsCommits)).toMatchObject({ sleptMs: 2_000 })
})

test('after a minute it is believed to be of somebody else', async () => {
  const answer = await ask(MERGE, {}, ofItsCommits)
  expect(answer).toEqual({ reason: undefined, sleptMs: 60_000, notice: undefined })
})

test('what a person wrote and pushed waits for nothing, and what an app pushed does not pass for that', async () => {
  expect(await ask(PUSHED, {}, ofItsCommits)).toEqual({ reason: undefined, sleptMs: 0, notice: undefined })
  const byApp = { ...PUSHED, payload: { ...PUSH, sender: { login: 'ann', type: 'Bot' } } }
  expect(await ask(byApp, {}, ofItsCommits)).toMatchObject({ sleptMs: 60_000 })
})

test('what GitHub refuses for a minute is not known, and is told', async () => {
  const findPullRequestsOfCommit = rejecting(refusal('rejected'))
  const { reason, notice } = await ask(PUSHED, { findPullRequestsOfCommit }, ofItsCommits)
  expect(reason).toBeUndefined()
  expect(notice).toContain('was not skipped')
})

test('another refusal is not asked again', async () => {
  const findPullRequestsOfCommit = rejecting(refusal('forbidden'))
  expect(await ask(PUSHED, { findPullRequestsOfCommit }, ofItsCommits)).toMatchObject({ sleptMs: 0 })
})

const pushedBranch = (type: string, labels: readonly string[] = []) => {
  const sender = { login: 'docs-agent[bot]', type }
  const payload = { ...PUSH, ref: 'refs/heads/agent/guide', sender, commits: [{ id: commit('c') }] }
  const run = { head_sha: commit('c'), head_branch: 'agent/guide', pull_requests: [], actor: { ...sender, id: 21 } }
  return {
    facts: [
      { eventName: 'push', payload },
      { eventName: 'workflow_run', payload: { workflow_run: run } },
    ],
    answers: {
      findPullRequestsOfCommit: inTurn([
        { ...mergedBy(7, ...labels), state: 'open' as const, author: sender, createdAt: UNMARKED.createdAt },
      ]),
      listMarkerComments: noComments,
    },
  }
}

test('an open pull request that an app pushes to is looked at until it has its label', async () => {
  const { facts, answers } = pushedBranch('Bot')
  for (const one of facts) {
    const readPullRequest = inTurn(UNMARKED, PULL_REQUEST)
    const { reason, sleptMs } = await ask(one, { ...answers, readPullRequest }, ofItsCommits)
    expect(reason).toContain('#7')
    expect(sleptMs).toBe(15_000)
    const others = await ask(one, { ...answers, readPullRequest: inTurn(UNMARKED) }, ofItsCommits)
    expect(others).toEqual({ reason: undefined, sleptMs: 90_000, notice: undefined })
  }
})

test('what a person pushes to one, and what an app pushes to one with its label, waits for nothing', async () => {
  const readPullRequest = inTurn(UNMARKED)
  for (const [{ facts, answers }, reason] of [
    [pushedBranch('User'), undefined],
    [pushedBranch('Bot', ['docs-agent']), expect.stringContaining('#7') as unknown],
  ] as const)
    for (const one of facts)
      expect(await ask(one, { ...answers, readPullRequest }, ofItsCommits)).toMatchObject({ reason, sleptMs: 0 })
})

test('a merged pull request without a mark gets none any more, whoever pushed its merge', async () => {
  const { facts, answers } = pushedBranch('Bot')
  const merged = { ...answers, findPullRequestsOfCommit: inTurn([mergedBy(7)]), readPullRequest: inTurn(UNMARKED) }
  for (const one of facts) expect(await ask(one, merged, ofItsCommits)).toMatchObject({ reason: undefined, sleptMs: 0 })
})

const opened = (type: string, labels: readonly string[] = []) => {
  const pull_request = { number: 7, user: { login: 'x', type }, labels: labels.map((name) => ({ name })) }
  return { eventName: 'pull_request', payload: { action: 'opened', pull_request } }
}

test('a pull request that an app has just opened is looked at until it has its label', async () => {
  const readPullRequest = inTurn(UNMARKED, UNMARKED, PULL_REQUEST)
  const { reason, sleptMs } = await ask(opened('Bot'), { readPullRequest, listMarkerComments: noComments }, ofEvent)
  expect(reason).toContain('#7')
  expect(sleptMs).toBe(15_000)
})

test('one that stays without a mark for a minute and a half is of another app', async () => {
  const answers = { readPullRequest: inTurn(UNMARKED), listMarkerComments: noComments }
  expect(await ask(opened('Bot'), answers, ofEvent)).toMatchObject({ reason: undefined, sleptMs: 90_000 })
})

test('the pull request of a person is looked at once', async () => {
  const author = { login: 'ann', type: 'User' }
  const answers = { readPullRequest: inTurn({ ...UNMARKED, author }), listMarkerComments: noComments }
  expect(await ask(opened('User'), answers, ofEvent)).toMatchObject({ reason: undefined, sleptMs: 0 })
})

test('a label in the event needs no question, so not even a token', async () => {
  const { reason } = await ask(opened('Bot', ['docs-agent']), null, ofEvent)
  expect(reason).toContain('#7')
})

const since = (eventName: string, fields: Partial<Compared> = {}, payload = {}): Promise<Asked> => {
  const comparison = {
    ...({ relation: 'ahead', mergeBase: commit('a'), totalCommits: 1, files: [], fileList: 'whole' } as const),
    commits: [{ sha: commit('b'), message: 'Guide', author: '' }],
  }
  const compared = { repository: 'acme/docs', title: '', story: '', unlisted: undefined, comparison, ...fields }
  const answers = { findPullRequestsOfCommit: () => Promise.resolve(OWN) }
  return ask({ eventName, payload }, answers, (guard) => guard.ofChange(compared))
}

test('a schedule whose only change is the merge of its own pull request is skipped', async () => {
  expect((await since('schedule')).reason).toContain('#7')
})

test('a range that hides something, or that is of another repository, is never only its own', async () => {
  expect((await since('schedule', { unlisted: 'History was rewritten' })).reason).toBeUndefined()
  expect((await since('schedule', { repository: 'acme/code' })).reason).toBeUndefined()
})

test('what a person says on a pull request is for the agent, whoever’s commits are in it', async () => {
  const payload = { issue: { number: 5, pull_request: {} }, comment: { id: 1 } }
  expect((await since('issue_comment', {}, payload)).reason).toBeUndefined()
})

test('a run after the merge of its own pull request is skipped', async () => {
  const workflow_run = { head_sha: commit('b'), head_branch: 'main', pull_requests: [] }
  const facts = { eventName: 'workflow_run', payload: { workflow_run } }
  expect((await ask(facts, ending(commit('b')), ofItsCommits)).reason).toContain('#7')
})

const BOT = { login: 'ci[bot]', type: 'Bot' }
const down = { findPullRequestsOfCommit: rejecting(refusal('service-error')) }
const byBot = (eventName: string, payload: object = {}) => ({ eventName, payload: { ...payload, sender: BOT } })

test.each(['label', 'milestone', 'gollum', 'issues', 'discussion', 'an-event-of-the-future'])(
  'what a bot causes and nobody can look up (%s) asks nothing, and what a person causes does',
  async (eventName) => {
    expect((await ask(byBot(eventName), {}, ofEvent)).reason).toContain('A bot started this run')
    expect((await ask({ eventName, payload: {} }, {}, ofEvent)).reason).toBeUndefined()
    expect((await ask(byBot(eventName), {}, ofEvent, { skipOwnChanges: false })).reason).toBeUndefined()
  },
)

test('where GitHub does not tell, what a bot causes asks nothing, said in a notice; without a token, too', async () => {
  const status = byBot('status', { sha: commit('b') })
  expect(await ask(status, down, ofEvent)).toMatchObject({
    reason: expect.stringContaining('A bot started this run'),
    notice: expect.stringContaining('so it was skipped, as a bot started the run'),
  })
  expect((await ask(status, null, ofEvent)).reason).toContain('A bot')
  const push = { ...PUSHED, payload: { ...PUSH, sender: BOT } }
  for (const answers of [down, null]) expect((await ask(push, answers, ofItsCommits)).reason).toContain('A bot')
  expect((await ask({ ...status, payload: { sha: commit('b') } }, down, ofEvent)).reason).toBeUndefined()
})

test('what a bot says of the work of others is for the agent', async () => {
  const theirs = { ...mergedBy(8, 'docs'), author: { login: 'ann', type: 'User' } }
  const answers = { findPullRequestsOfCommit: inTurn([theirs]), listMarkerComments: noComments }
  expect((await ask(byBot('status', { sha: commit('b') }), answers, ofEvent)).reason).toBeUndefined()
})

test('an event without a listed pull request is known by its commit, also right after the merge', async () => {
  const status = { eventName: 'status', payload: { sha: commit('b') } }
  expect(await ask(status, ending(commit('b')), ofEvent)).toMatchObject({
    reason: expect.stringContaining('#7'),
    sleptMs: 0,
  })
  const late = { findPullRequestsOfCommit: inTurn([], refusal('rejected'), OWN) }
  expect(await ask(status, late, ofEvent)).toMatchObject({ reason: expect.stringContaining('#7'), sleptMs: 6_000 })
})

test('checks that name a long-lived pull request of a person, too, are known by their commit', async () => {
  const check_suite = { head_sha: commit('b'), head_branch: 'main', pull_requests: [{ number: 5 }] }
  const facts = { eventName: 'check_suite', payload: { check_suite, repository: { default_branch: 'main' } } }
  const author = { login: 'ann', type: 'User' }
  const answers = {
    ...ending(commit('b')),
    readPullRequest: inTurn({ ...UNMARKED, number: 5, author }),
    listMarkerComments: noComments,
  }
  expect((await ask(facts, answers, ofEvent)).reason).toContain('#7')
})

const onBranch = (branch: string) => ({
  eventName: 'push',
  payload: { ...PUSH, ref: `refs/heads/${branch}`, sender: { login: 'ann', type: 'User' } },
})
const open = {
  findPullRequestsOfBranch: (_repository: string, branch: string) =>
    Promise.resolve(branch === 'agent/guide' ? [{ ...mergedBy(7, 'docs-agent'), state: 'open' as const }] : []),
}

test('a step that goes on with an open pull request hears nothing of what happens to it, whatever else it hears', async () => {
  for (const fields of [{ onOpenPr: 'follow-up' }, { onOpenPr: 'skip', skipOwnChanges: false }] as const) {
    expect((await ask(onBranch('agent/guide'), open, ofEvent, fields)).reason).toContain('#7')
    const elsewhere = { ...fields, prRepository: 'acme/code' }
    expect((await ask(onBranch('agent/guide'), open, ofEvent, elsewhere)).reason).toBeUndefined()
    // Also if the agent's is one from a fork whose branch has that name.
    expect((await ask(onBranch('main'), open, ofEvent, fields)).reason).toBeUndefined()
  }
  const letsThrough = { onOpenPr: 'follow-up', skipOwnChanges: false } as const
  const merged = { ...opened('Bot'), payload: { pull_request: { number: 7, labels: [{ name: 'docs-agent' }] } } }
  const answers = { readPullRequest: inTurn({ ...PULL_REQUEST, state: 'merged' as const }) }
  expect((await ask(merged, answers, ofEvent, letsThrough)).reason).toBeUndefined()
})

test('a release by a bot is decided by all that came since the tag before it, and one by a person is made by hand', () => {
  const guard = (payload: object) => {
    const inputs = agentInputs({ label: 'docs-agent' })
    const step = fakeStep({ context: { ...RUN_FACTS, eventName: 'release', payload } })
    return openLoopGuard(inputs, step, new Journal(inputs, step))
  }
  const release = { release: { tag_name: 'v2' } }
  expect(guard({ ...release, sender: BOT })).toMatchObject({ asksOfChange: true, needsRange: true })
  expect(guard(release)).toMatchObject({ asksOfChange: false, needsRange: false })
})

test('a run of another workflow is its own if both its commit and the range that it ends are', async () => {
  const workflow_run = { head_sha: commit('b'), head_branch: 'main', pull_requests: [] }
  const facts = { eventName: 'workflow_run', payload: { workflow_run } }
  const comparison = { ...(await fakeGitHub().compare('', '', '')), commits: [], totalCommits: 0 }
  const compared = { repository: 'acme/docs', title: '', story: '', unlisted: undefined, comparison }
  const older = { ...compared, comparison: { ...comparison, commits: [{ sha: commit('9'), message: '', author: '' }] } }
  const ofRange = (range: Compared) => ask(facts, ending(commit('b')), (guard) => guard.ofChange(range))
  expect((await ofRange(compared)).reason).toContain('#7')
  expect((await ofRange(older)).reason).toBeUndefined()
})
