import { expect, test } from '@jest/globals'
import { MAINTAINER } from '../../../src/emulator/github/demo-state.ts'
import { mergePull, openPull, pushCommit } from '../../../src/emulator/github/repository-changes.ts'
import {
  createWorld,
  playEvent,
  pullOf,
  type ComparedWorld,
  type Given,
  type GivenEvent,
} from '../../../testing/compared-world.ts'
import { PUSH } from '../../../testing/given-run.ts'
import { commit } from '../../../testing/github-state.ts'
import { respondWith, type PlayStepOptions } from '../../../testing/play-step.ts'

const SKIP = { 'skip-labels': 'no-docs\ninternal', 'change-context': 'files' }
const SCHEDULE: GivenEvent = ['schedule']

const EXEMPT = { 12: pullOf('a', 'b', { labels: ['No-Docs'] }) }
const BOTH_EXEMPT = { ...EXEMPT, 13: pullOf('b', 'cd', { labels: ['internal', 'bug'] }) }
const COUNTED = { 14: pullOf('d', 'ef', { labels: ['bug'] }) }
const message = (sha: string): string => `Change ${sha.charAt(0)}`
const MIXED: ComparedWorld = { line: 'bcdef', pulls: { ...BOTH_EXEMPT, ...COUNTED }, message }
const ONE: ComparedWorld = { pulls: EXEMPT, message }
const OPEN = { state: 'open', merge: undefined, closedBaseSha: undefined } as const
/** Pull requests 12 and 13 are open, and have commit `b`. */
const labelled = (...labels: readonly string[]): ComparedWorld => ({
  line: '',
  beside: 'b',
  pulls: Object.fromEntries(labels.map((label, index) => [12 + index, pullOf('a', 'b', { ...OPEN, labels: [label] })])),
  more: { tags: { v1: commit('a'), v2: commit('b') } },
})

const ALL_EXEMPT = 'These pull requests need no documentation: #12, #13.'
const ONE_EXEMPT = 'These pull requests need no documentation: #12.'

const push = (after: string, ref = PUSH.ref): GivenEvent => ['push', { ...PUSH, ref, after }]
const pull = (label: string): GivenEvent => {
  const ends = { base: { sha: commit('a') }, head: { sha: commit('b') } }
  return ['pull_request', { pull_request: { number: 12, labels: [{ name: label }], ...ends } }]
}
const QUEUED: GivenEvent = [
  'merge_group',
  {
    merge_group: {
      base_sha: commit('a'),
      head_sha: commit('b'),
      head_ref: 'refs/heads/gh-readonly-queue/main/pr-12-abc',
    },
  },
]
const BUILT: GivenEvent = [
  'workflow_run',
  {
    workflow_run: {
      event: 'push',
      head_sha: commit('b'),
      head_branch: 'release',
      pull_requests: [12, 13].map((number) => ({ number, base: { sha: commit('a'), repo: { id: 1 } } })),
    },
    repository: { id: 1, default_branch: 'main' },
  },
]
const COMMENTED: GivenEvent = [
  'issue_comment',
  { issue: { number: 12, pull_request: {} }, comment: { id: 1, body: 'Hi.' } },
]

test.each<[what: string, event: GivenEvent, world: ComparedWorld, numbers: string]>([
  ['a push', push(commit('b')), ONE, '#12.'],
  ['a range', SCHEDULE, { line: 'bcd', pulls: BOTH_EXEMPT }, '#12, #13.'],
  ['the event of a pull request', pull('internal'), labelled('internal'), '#12.'],
  ['a merge queue run', QUEUED, labelled('no-docs'), '#12.'],
  ['an event of two pull requests', BUILT, labelled('no-docs', 'internal'), '#12, #13.'],
])('skips %s if every pull request is exempt', async (_what, event, world, numbers) => {
  const { isGreen, skip, acceptedPrompts } = await playEvent(SKIP, event, world)
  expect([isGreen, acceptedPrompts]).toEqual([true, []])
  expect(skip).toBe(`Every pull request of the change has a label from \`skip-labels\`: ${numbers}`)
})

const shas = (length: number): readonly string[] =>
  Array.from({ length }, (_, index) => `${String(index).padStart(3, '0')}${'0'.repeat(36)}f`)
const MANY = shas(600)
/** GitHub lists the newest 500 of these commits. */
const UNLISTED: ComparedWorld = {
  line: MANY,
  pulls: Object.fromEntries(
    [0, 200, 400].map((from, index) => [
      12 + index,
      pullOf(MANY[from - 1] ?? 'a', MANY.slice(from, from + 200), { labels: ['no-docs'] }),
    ]),
  ),
}
const ALSO_BY_OTHER: ComparedWorld = { ...ONE, pulls: { ...EXEMPT, 16: pullOf('a', 'b') } }
const WITH_DIRECT: ComparedWorld = { line: 'bcd9', pulls: BOTH_EXEMPT, message }
const EVERYTHING = ['Change b', 'docs/guide.md']

test.each<[what: string, event: GivenEvent, world: ComparedWorld, texts: readonly string[]]>([
  ['a commit came from another pull request', SCHEDULE, MIXED, [ALL_EXEMPT, '5 commits', 'Change f', ...EVERYTHING]],
  ['a commit was pushed directly', SCHEDULE, WITH_DIRECT, [ALL_EXEMPT, '4 commits', 'Change 9', ...EVERYTHING]],
  ['a commit also came from another pull request', SCHEDULE, ALSO_BY_OTHER, [ONE_EXEMPT, ...EVERYTHING]],
  ['only the first pull request of an event is', BUILT, labelled('no-docs', 'bug'), [ONE_EXEMPT, 'docs/guide.md']],
  ['GitHub does not list all commits', SCHEDULE, UNLISTED, ['600 commits', ALL_EXEMPT.replace('.', ', #14.')]],
])('sends everything and names the exempt pull requests if %s', async (_what, event, world, texts) => {
  const { prompt } = await playEvent(SKIP, event, world)
  for (const text of texts) expect(prompt).toContain(text)
})

test.each<[what: string, event: GivenEvent, world: ComparedWorld, given?: Given]>([
  ['a push without a pull request', push(commit('b')), {}],
  [
    'a push to an open pull request with the label',
    push(commit('b'), `refs/heads/${pullOf('a', 'b').branch}`),
    labelled('no-docs'),
  ],
  ['the event of another pull request', pull('bug'), labelled('bug')],
  ['a merge queue run of another pull request', QUEUED, labelled('bug')],
  ['a comment by a person on an exempt pull request', COMMENTED, labelled('no-docs')],
  ['a range after such a comment', COMMENTED, { ...labelled('no-docs'), ...ONE }, { 'change-range': 'v1...v2' }],
  ['an exempt pull request by number', ['workflow_dispatch'], ONE, { 'change-range': 'pull/12' }],
])('sends %s, and names no exempt pull request', async (_what, event, world, given = {}) => {
  const { prompt } = await playEvent({ ...SKIP, ...given }, event, world)
  expect(prompt).toContain('docs/guide.md')
  expect(prompt).not.toContain('need no documentation')
})

test('examines the complete change, whatever files match `paths`', async () => {
  const files = ['docs/guide.md', 'src/a.ts', 'src/b.ts']
  const { prompt } = await playEvent({ ...SKIP, paths: 'docs/**' }, SCHEDULE, { ...MIXED, files })
  expect(prompt).toContain(ALL_EXEMPT)
  expect(prompt).toContain('docs/guide.md')
  expect(prompt).not.toContain('src/')
})

test('sends a change of more than a hundred commits to look up, and says that no pull request was exempted', async () => {
  const line = shas(120)
  for (const event of [SCHEDULE, push(line.at(-1) ?? '')]) {
    const { prompt, hostCalls } = await playEvent(SKIP, event, { line })
    expect(prompt).toContain('120 commits')
    expect(prompt).toContain('Which pull requests need no documentation was not looked up')
    expect(hostCalls.join()).toContain('No pull request was exempted, because the change has more than 100 commits')
  }
})

const ELSEWHERE = { ...SKIP, 'change-range': 'acme/code@start...main' }

/** Runs a step with a range in the other repository. */
const playElsewhere = (event: GivenEvent, world: ComparedWorld) =>
  playEvent(
    ELSEWHERE,
    event,
    {},
    {
      prepare: (_docs, { repositories }) => {
        repositories['acme/code'] = createWorld({ ...world, more: { tags: { start: commit('a') } } })
      },
    },
  )

test.each<[what: string, event: GivenEvent]>([
  ['a repository dispatch', ['repository_dispatch']],
  ['a push to the own repository', push(commit('b'))],
])('looks up the commits of a range in another repository in that repository, after %s', async (_what, event) => {
  const { skip } = await playElsewhere(event, { line: 'bcd', pulls: BOTH_EXEMPT })
  expect(skip).toContain('`skip-labels`: `acme/code#12`, `acme/code#13`.')
})

test('names the exempt pull requests of another repository', async () => {
  const { prompt } = await playElsewhere(['repository_dispatch'], MIXED)
  expect(prompt).toContain('What changed in acme/code')
  expect(prompt).toContain(ALL_EXEMPT)
})

test.each(['merge', 'squash', 'rebase'] as const)(
  'recognizes the commits of a pull request that was merged by a %s',
  async (method) => {
    const repository = createWorld({ line: '' })
    for (const text of ['One', 'Two'])
      pushCommit(repository, 'topic', { message: text, author: MAINTAINER, files: [{ filename: text }] }, 0)
    openPull(repository, 12, { branch: 'topic', user: MAINTAINER, labels: ['no-docs'] }, 0)
    mergePull(repository, 12, MAINTAINER, 0, { method })
    expect((await playEvent(SKIP, SCHEDULE, repository)).skip).toContain('#12.')
  },
)

test.each<[what: string, responses: PlayStepOptions['responses'] & {}]>([
  ['the pull requests of a commit', { 'repos/list-pull-requests-associated-with-commit': respondWith(503) }],
  ['the commits of a pull request', { 'pulls/list-commits': respondWith(503) }],
])('sends nothing if GitHub does not provide %s', async (_what, responses) => {
  const { isGreen, report, acceptedPrompts } = await playEvent(SKIP, SCHEDULE, MIXED, { responses })
  expect([isGreen, acceptedPrompts, report.error?.code]).toEqual([false, [], 'not-sent'])
  expect(report.error?.message).toContain('`skip-labels`')
  expect(report.error?.hint).toBeDefined()
})
