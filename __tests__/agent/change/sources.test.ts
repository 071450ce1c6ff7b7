import { expect, test } from '@jest/globals'
import { rankAuthors } from '../../../src/agent/features/reviewers.ts'
import { AGENT_USER } from '../../../src/emulator/github/demo-state.ts'
import type { PullState } from '../../../src/emulator/github/pull-state.ts'
import type { ComparedCommit } from '../../../src/github/commits.ts'
import { playEvent, pullOf, type GivenEvent, type PlayedEvent } from '../../../testing/compared-world.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { commit } from '../../../testing/github-state.ts'
import { respondWith, type Responder } from '../../../testing/play-step.ts'

const by = (login: string, type = 'User'): ComparedCommit => ({
  sha: login,
  message: 'Change',
  author: 'Anybody',
  account: { login, type },
})

test('ranks authors by their number of commits, then by their newest commit', () => {
  // GitHub reports `actions-user` as a person.
  const others = [by('bot[bot]', 'Bot'), by('actions-user'), by('', '')]
  const commits = [by('ann'), by('bob'), by('ann'), by('cid'), ...others, by('bob'), by('dan')]
  expect(rankAuthors(commits)).toEqual(['bob', 'ann', 'dan', 'cid'])
})

const COMPARE = 'repos/compare-commits-with-basehead'
const LOOK_UP = 'repos/list-pull-requests-associated-with-commit'
const REVIEWS = 'pulls/list-reviews'
const AUTHORS = { reviewers: 'change-authors' }
const APPROVERS = { reviewers: 'change-reviewers' }
const SCHEDULE: GivenEvent = ['schedule']
const PUSHED: GivenEvent = ['push', PUSH]

const count = (names: readonly string[], name: string): number => names.filter((one) => one === name).length
const listWarnings = ({ report }: PlayedEvent): readonly string[] => report.warnings.map(({ message }) => message)
const listRequests = ({ log }: PlayedEvent): readonly string[] =>
  log.filter((line) => line.startsWith('Requested a review from '))
const listSources = ({ report }: PlayedEvent): readonly string[] =>
  (report.sources ?? []).map(({ repository, number, sha = '' }) =>
    number === undefined ? `${repository}@${sha.charAt(0)}` : `${repository}#${number}`,
  )

test.each([
  ['no reviewers', {}, 0, []],
  ['authors', AUTHORS, 1, ['Requested a review from `mona`.']],
  ['authors and context', { ...AUTHORS, 'change-context': 'commits' }, 1, ['Requested a review from `mona`.']],
])('compares the range at most once before the prompt: %s', async (_what, given, comparisons, requests) => {
  const played = await playEvent(given, PUSHED)
  expect([count(played.before, COMPARE), listRequests(played), listWarnings(played)]).toEqual([
    comparisons,
    requests,
    [],
  ])
})

test('requests no review if there is nothing to compare', async () => {
  const played = await playEvent(AUTHORS, ['workflow_dispatch'], { runs: [] }, { facts: { refName: 'next' } })
  expect([played.isGreen, listRequests(played), listWarnings(played)]).toEqual([true, [], []])
})

test('warns if GitHub does not provide the change of the authors', async () => {
  const played = await playEvent(AUTHORS, PUSHED, {}, { responses: { [COMPARE]: respondWith(403) } })
  expect([played.isGreen, listRequests(played)]).toEqual([true, []])
  expect(listWarnings(played)).toEqual([
    'Could not determine who wrote or approved the change, so no review was requested from these people',
  ])
})

const [A, B, C] = [commit('1'), commit('2'), commit('3')]
const OPEN: Partial<PullState> = { state: 'open', merge: undefined, closedBaseSha: undefined, branch: 'topic' }
const OF_THREE = { line: '123', pulls: { 5: pullOf('a', '1'), 7: pullOf('2', '3') } }

test("lists merged pull requests except the agent's, and commits that came without one, newest first", async () => {
  const ofAgent = pullOf('3', '4', { user: AGENT_USER, labels: ['docs-agent'] })
  const pulls = { ...OF_THREE.pulls, 6: pullOf('1', '2', OPEN), 8: ofAgent }
  const played = await playEvent(APPROVERS, SCHEDULE, { line: '1234', pulls })
  expect(listSources(played)).toEqual(['acme/docs#7', 'acme/docs@2', 'acme/docs#5'])
  const { comments = [] } = played.docs.pulls[Number(played.outputs['pr-number'])] ?? {}
  expect(comments[0]?.body).toContain(', about #7, #5 and 2222222')
})

const toShas = (length: number): readonly string[] =>
  Array.from({ length }, (_, index) => `${String(index).padStart(3, '0')}${'0'.repeat(36)}f`)

test('lists each source of a long change once', async () => {
  const line = toShas(60)
  const pulls = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      100 + index,
      pullOf(line[2 * index - 1] ?? 'a', line.slice(2 * index, 2 * index + 2)),
    ]),
  )
  expect(listSources(await playEvent(APPROVERS, SCHEDULE, { line, pulls }))).toHaveLength(30)
})

test('names the commits that are too many to look up, except those that a found pull request lists', async () => {
  const line = toShas(120)
  const pulls = { 5: pullOf('a', line.slice(0, 10), { merge: { sha: line.at(-1) ?? '', atMs: 0 } }) }
  const played = await playEvent({ ...APPROVERS, label: '' }, SCHEDULE, { line, pulls })
  // 100 of them at most.
  const sources = (played.report.sources ?? []).map(({ number, sha }) => number ?? sha)
  expect(sources).toEqual([5, ...line.slice(20, -1).toReversed()])
  expect(listWarnings(played)).toEqual([
    'Could not determine all pull requests that the change came from, so some people who approved these pull requests may not have been asked for a review',
  ])
  expect(played.report.warnings[0]?.error.message).toContain('more than 100 commits to look up')
  expect(count(played.requests, LOOK_UP)).toBe(100)
})

test('keeps the sources that were found if GitHub fails, and warns once', async () => {
  const lookUp: Responder = ({ request, respond }) => (request.target.includes(B) ? respondWith(500)() : respond())
  const given = { 'change-range': 'v1...v2', reviewers: '', 'change-context': 'commits' }
  const more = { tags: { v1: commit('a'), v2: C } }
  const played = await playEvent(given, SCHEDULE, { ...OF_THREE, more }, { responses: { [LOOK_UP]: lookUp } })
  expect(listSources(played)).toEqual(['acme/docs#7', 'acme/docs@2', 'acme/docs#5'])
  expect(listWarnings(played)).toEqual([
    'Could not determine all pull requests that the change came from, so the history names commits instead',
  ])
})

/** A push of these commits. @param login of their author, who need not be the pusher `ann` */
const push = (login: string, ...shas: readonly string[]): GivenEvent => [
  'push',
  { ...PUSH, after: shas.at(-1), commits: shas.map((id) => ({ id, ...toPeople(login) })) },
]
const toPeople = (username: string) => ({ author: { username }, committer: { username } })

test('after the turn, looks up no commit again, and names those without a pull request', async () => {
  const played = await playEvent({ 'skip-labels': 'no-docs' }, push('ann', A, B, C), { line: '123' })
  expect(listSources(played)).toEqual(['acme/docs@3', 'acme/docs@2', 'acme/docs@1'])
  expect([count(played.before, LOOK_UP), count(played.requests, LOOK_UP)]).toEqual([3, 3])
})

test('after the turn, does not wait for the list of a commit that its author did not push', async () => {
  const played = await playEvent(APPROVERS, push('dora', A, B), { line: '12' })
  expect(listSources(played)).toEqual(['acme/docs@2', 'acme/docs@1'])
  // Before the prompt, the newest commit is looked up a second time.
  expect([count(played.before, LOOK_UP), count(played.requests, LOOK_UP)]).toEqual([2, 3])
})

test.each<[what: string, given: Readonly<Record<string, string>>, event: GivenEvent]>([
  [
    'of the event',
    {},
    ['pull_request', { pull_request: { number: 12, base: { sha: commit('a') }, head: { sha: B } } }],
  ],
  ['of `change-range`', { 'change-range': 'pull/12' }, ['workflow_dispatch']],
])('lists the pull request %s without a look-up', async (_what, given, event) => {
  const played = await playEvent({ ...APPROVERS, ...given }, event, { line: '12', pulls: { 12: pullOf('a', '12') } })
  expect(listSources(played)).toEqual(['acme/docs#12'])
  expect(played.requests).not.toContain(LOOK_UP)
})

/** The reviews of three pull requests. */
const approvedBy = (...logins: readonly string[]): Partial<PullState> => ({
  user: 'ann',
  reviews: logins.map((user, id) => ({
    id,
    user,
    body: '',
    state: 'APPROVED',
    headSha: commit('b'),
    submittedAtMs: 0,
  })),
})

/** Runs a step after a build of three pull requests. */
function playApproved(fields: readonly Partial<PullState>[], responses: Readonly<Record<string, Responder>> = {}) {
  const pulls = Object.fromEntries(fields.map((one, index) => [index + 1, pullOf('a', 'b', one)]))
  const pull_requests = Object.keys(pulls).map((number) => ({ number: Number(number) }))
  const event: GivenEvent = ['workflow_run', { workflow_run: { event: 'push', head_sha: commit('b'), pull_requests } }]
  const collaborators = { mona: 'maintain', lisa: 'write', dora: 'write' } as const
  return playEvent(APPROVERS, event, { pulls, more: { collaborators } }, { responses })
}

const APPROVED = [approvedBy('mona'), approvedBy('lisa', 'dora'), approvedBy('lisa')]

test('ranks approvers by the number of pull requests that they approved, and reads them after the turn', async () => {
  const played = await playApproved(APPROVED)
  expect(listRequests(played)).toEqual(['Requested a review from `lisa`, `mona`, `dora`.'])
  expect([count(played.before, REVIEWS), count(played.requests, REVIEWS), listWarnings(played)]).toEqual([0, 3, []])
})

test.each<[who: string, fields: Partial<PullState>, requests: readonly string[]]>([
  [
    'the person who merged it',
    { merge: { sha: commit('b'), atMs: 0, by: 'dora' } },
    ['Requested a review from `dora`.'],
  ],
  ['nobody if a bot merged it', { merge: { sha: commit('b'), atMs: 0, by: 'link-checker[bot]' } }, []],
  ['nobody if it is not merged', OPEN, []],
])('asks for a pull request without an approval: %s', async (_who, fields, requests) => {
  const played = await playApproved([{ user: 'ann', ...fields }])
  expect([listRequests(played), listWarnings(played)]).toEqual([requests, []])
})

test('skips only the pull request whose reviews cannot be read', async () => {
  const reviews: Responder = ({ request, respond }) =>
    request.target.includes('/pulls/2/') ? respondWith(500)() : respond()
  const played = await playApproved(APPROVED, { [REVIEWS]: reviews })
  expect(listRequests(played)).toEqual(['Requested a review from `mona`, `lisa`.'])
  expect(listWarnings(played)).toEqual(['Could not determine who approved pull request #2, to request a review'])
})

test('warns once if the token cannot read reviews', async () => {
  const played = await playApproved(APPROVED, { [REVIEWS]: respondWith(403) })
  expect([listRequests(played), count(played.requests, REVIEWS)]).toEqual([[], 1])
  expect(listWarnings(played)).toEqual([
    'Could not determine everybody who approved the change to request their reviews',
  ])
})
