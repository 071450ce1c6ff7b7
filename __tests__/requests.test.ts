import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { startHistory } from '../src/agent/history/state.ts'
import { renderHistory } from '../src/agent/history/render.ts'
import { DEFAULT_START_MS } from '../src/emulator/embedded-service.ts'
import { AGENT_USER, createDemoState, GITHUB_TOKEN, MAINTAINER } from '../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../src/emulator/github/github-scenarios.ts'
import type { CheckPlan } from '../src/emulator/github/check-plan.ts'
import { ENDLESS } from '../src/emulator/github/check-scenarios.ts'
import { createPullState, type PullState } from '../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../src/emulator/github/repository-state.ts'
import { createPushEvent } from '../src/emulator/github/webhook-events.ts'
import { BASE_URL } from '../testing/in-process-github.ts'
import { playStep, type PlayStepOptions } from '../testing/play-step.ts'
import { PUSH, type GivenRun } from '../testing/given-run.ts'
import { agentInputs } from '../testing/agent-inputs.ts'
import { changedRepository, commit, madeCommit } from '../testing/github-state.ts'
import { root } from '../testing/markdown-files.ts'

/** A step that meets a large number of something. */
interface Row {
  readonly given?: Readonly<Record<string, string>>
  readonly plays?: readonly GitHubScenarioName[]
  readonly prepare?: (docs: RepositoryState, count: number) => void
  readonly repository?: (count: number) => RepositoryState
  readonly checks?: true
  /** How the step ends for each number, if that is not with a pull request. */
  readonly ends?: readonly string[]
}

const COUNTS = [1, 10, 100, 1_000]
const ROLLING = { 'on-open-pr': 'follow-up' }

const numbers = (count: number, first = 1): number[] => Array.from({ length: count }, (_, index) => first + index)

/** Adds comments to the pull request that exists from the start. */
const comments =
  (body: string) =>
  ({ pulls }: RepositoryState, count: number): void => {
    for (const id of numbers(count, 50_000))
      pulls[1]?.comments.push({ id, body, user: `outsider-${id}`, createdAtMs: 0, reactions: [] })
  }

const openPullsWith =
  (fields: Partial<PullState>) =>
  ({ pulls }: RepositoryState, count: number): void => {
    const opened = { headSha: commit('a'), createdAtMs: DEFAULT_START_MS }
    for (const number of numbers(count, 100))
      pulls[number] = createPullState({ branch: `b${number}`, ...opened, ...fields })
  }
const openPulls = (...labels: string[]) => openPullsWith({ labels })

const getSha = (index: number): string => index.toString(16).padStart(40, '0')

const getParent = (index: number): string => (index === 1 ? commit('a') : getSha(index - 1))

const merged = (headSha: string, mergeSha: string, closedBaseSha = commit('a')): PullState =>
  createPullState({
    branch: 'agent/guide',
    headSha,
    user: AGENT_USER,
    labels: ['docs-agent'],
    state: 'closed',
    closedBaseSha,
    merge: { sha: mergeSha, atMs: 0 },
  })

/** A push of a number of consecutive commits to the main branch, and of a last commit. */
const pushing = (
  last: string,
  author: string,
  getMessage: (index: number) => string,
  getPulls: (count: number) => RepositoryState['pulls'] = () => ({}),
  ends: readonly string[] = [],
): Row => ({
  repository: (count) => {
    const row = numbers(count).map((index) =>
      madeCommit({ sha: getSha(index), parents: [getParent(index)], author, message: getMessage(index) }),
    )
    const end = madeCommit({ sha: commit('b'), parents: [getSha(count)], message: last })
    const commits = [madeCommit({ sha: commit('a') }), ...row, end]
    return createRepositoryState({ commits, branches: { main: commit('b') }, pulls: getPulls(count) })
  },
  ends,
})

const eachMerged = (count: number): RepositoryState['pulls'] => ({
  ...Object.fromEntries(numbers(count).map((index) => [index, merged(getSha(index), getSha(index), getParent(index))])),
  2001: merged(commit('b'), commit('b'), getSha(count)),
})

const eachExempt = (count: number): RepositoryState['pulls'] =>
  Object.fromEntries(
    Object.entries(eachMerged(count)).map(([number, pull]) => [number, { ...pull, user: 'ann', labels: ['no-docs'] }]),
  )

const withOpenPull = (prepare: Row['prepare'] & {}): Row => ({ given: ROLLING, plays: ['open-pull-request'], prepare })
const TOO_MANY = ['pull-request', 'pull-request', 'error', 'error']
const TOO_MANY_COMMITS = ['skipped', 'skipped', 'error', 'error']
const NOT_EXEMPTED = ['skipped', 'skipped', 'pull-request', 'pull-request']

/** The rows of the page, by what a step meets many of. */
const ROWS: readonly (readonly [many: string, row: Row])[] = [
  ['comments on the pull request of a follow-up', withOpenPull(comments('Looks good.'))],
  ['history comments on it by outsiders', withOpenPull(comments(renderHistory(startHistory('job_finished'))))],
  ['open pull requests of people without the label', { given: ROLLING, prepare: openPulls() }],
  ['open pull requests of bots without the label', { given: ROLLING, prepare: openPullsWith({ user: AGENT_USER }) }],
  ['open pull requests with the label, the oldest of them the agent’s', withOpenPull(openPulls('docs-agent'))],
  [
    'open pull requests with the label that are not the agent’s',
    { given: ROLLING, prepare: openPulls('docs-agent'), ends: TOO_MANY },
  ],
  [
    'commits of a push, all from one pull request of the agent',
    pushing(
      'Merge pull request #5 from acme/agent',
      AGENT_USER,
      () => 'Work',
      (count) => ({ 5: merged(getSha(count), commit('b')) }),
      ['skipped', 'skipped', 'skipped', 'error'],
    ),
  ],
  [
    'commits of a push, each from another pull request of the agent',
    pushing('Work (#2001)', AGENT_USER, (index) => `Work (#${index})`, eachMerged, TOO_MANY_COMMITS),
  ],
  [
    'commits of a push, each from another pull request that is exempt',
    {
      ...pushing('Work (#2001)', 'Ann', (index) => `Work (#${index})`, eachExempt, NOT_EXEMPTED),
      given: { 'skip-labels': 'no-docs' },
    },
  ],
  ['commits of a push by people', pushing('Work', 'Ann', () => 'Work')],
  ['checks that are waited for', { given: { 'wait-for-checks': 'true' }, checks: true }],
]

const createCheck = (index: number) => ({
  kind: 'job' as const,
  name: `check ${index}`,
  afterMs: 1_000,
  takesMs: 20_000,
  result: { conclusion: 'success' },
})

/** A push of all commits but the first. */
function parsePush({ commits }: RepositoryState): Partial<GivenRun> {
  const listed = commits.slice(1).map(({ sha, message }) => ({
    id: sha,
    message,
    author: { username: 'ann' },
    committer: { username: 'ann' },
  }))
  return { eventName: 'push', payload: { ...PUSH, commits: listed } }
}

const readPage = (path: string): string => readFileSync(join(root, path), 'utf8')
const costs = readPage('docs/costs.md')
const tables = `${costs}\n${readPage('docs/internals/requests.md')}`

/** The numbers of a table's row on the two pages. */
function parseCells(many: string): readonly number[] {
  const line = tables.split('\n').find((text) => text.startsWith(`| ${many} `))
  return (line ?? '').split('|').slice(2, -1).map(Number)
}

/** Expects no more requests than the row of the page says. A row that is missing has no numbers. */
function expectAtMost(counts: readonly number[], row: string): void {
  const cells = parseCells(row)
  expect(cells).toHaveLength(counts.length)
  counts.forEach((count, index) => {
    expect(count).toBeLessThanOrEqual(cells[index] ?? NaN)
  })
}

test.each(ROWS)(
  'a step sends at most as many requests to GitHub as the page says: %s',
  async (many, { given, plays = [], ...row }) => {
    const counts: number[] = []
    const ended: string[] = []
    for (const count of COUNTS) {
      const repository = row.repository?.(count)
      const played = await playStep({
        inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
        github: { ...combineScenarios(plays), ...(row.checks && { checks: [numbers(count).map(createCheck)] }) },
        prepare: (docs) => row.prepare?.(docs, count),
        repository,
        facts: repository && parsePush(repository),
      })
      counts.push(played.operations.length)
      ended.push(played.report.outcome)
    }
    expect(ended).toEqual(COUNTS.map((_, index) => row.ends?.[index] ?? 'pull-request'))
    expectAtMost(counts, many)
  },
)

const [FAILS, PASSES] = combineScenarios(['checks-fixed']).checks

test.each<[string, Record<string, string>, Partial<PlayStepOptions>]>([
  ['push that opens a pull request', {}, {}],
  [
    'follow-up with one fix round',
    { 'on-open-pr': 'follow-up', 'wait-for-checks': 'true', 'fix-rounds': '1' },
    { github: { ...combineScenarios(['open-pull-request']), checks: [PASSES, FAILS, PASSES].map((one = []) => one) } },
  ],
])('a complete step sends at most as many requests as the page says: a %s', async (story, given, more) => {
  const { 'acme/docs': docs = createRepositoryState() } = createDemoState(
    combineScenarios([]),
    DEFAULT_START_MS,
  ).repositories
  const facts = parsePush({ ...docs, commits: docs.commits.slice(-2) })
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given })
  const played = await playStep({ inputs, facts, ...more })
  const { report, operations } = played
  expect(report).toMatchObject({ outcome: 'pull-request', warnings: [] })
  expect(report.rounds.length).toBe(Number(given['fix-rounds'] ?? 0))
  const [, most] = new RegExp(`a ${story} sends at most (\\d+) requests`).exec(costs) ?? []
  expect(operations.length).toBeLessThanOrEqual(Number(most))
})

const FILES = { 'change-context': 'files' }
const FOLLOW_UP = { ...FILES, ...ROLLING }
const SINCE_SUCCESS = { 'change-range': 'since-last-success' }

/** The most requests to GitHub that common steps may send. `npm run bench` measures them, and their times. */
test.each<[most: number, step: string, given: Record<string, string>, plays: readonly GitHubScenarioName[]]>([
  [5, 'a prompt alone, pushed by its author', {}, []],
  [11, 'a push that opens a pull request', FOLLOW_UP, []],
  [13, 'a push that is a follow-up', FOLLOW_UP, ['open-pull-request']],
  [
    15,
    "the README's workflow, a follow-up",
    { ...FOLLOW_UP, ...SINCE_SUCCESS, paths: 'src/**' },
    ['open-pull-request'],
  ],
  [10, "an edit on GitHub's web page", FILES, ['web-edit']],
  [10, "a colleague's commit", FILES, ['colleague-commit']],
  [1, 'a step that `paths` skips', { paths: 'guides/**' }, []],
  [3, 'a step that `paths` skips, since the last success', { paths: 'guides/**', ...SINCE_SUCCESS }, []],
])('at most %d requests: %s', async (most, _step, given, plays) => {
  const github = combineScenarios(plays)
  const at = { baseUrl: BASE_URL, branch: 'main' }
  const { payload } = createPushEvent(createDemoState(github, DEFAULT_START_MS), 'acme/docs', at)
  const { after: sha } = payload as { readonly after: string }
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    github,
    facts: { eventName: 'push', payload, actor: MAINTAINER, sha, runId: 99 },
  })
  const outcome = 'paths' in given && plays.length === 0 ? 'skipped' : 'pull-request'
  expect(played.report).toMatchObject({ outcome, warnings: [] })
  expect(played.operations.length).toBeLessThanOrEqual(most)
})

/** An hour in which a check ends every 36 seconds, each by itself. */
const ONE_AFTER_THE_OTHER = numbers(100).map((index) => ({
  ...createCheck(index),
  kind: 'app' as const,
  takesMs: index * 36_000,
}))

test.each<[string, readonly CheckPlan[]]>([
  ['nothing changes', ENDLESS],
  ['nothing changes of thirty checks', numbers(30).map((index) => ({ ...createCheck(index), takesMs: Infinity }))],
  ['a check ends every 36 seconds', ONE_AFTER_THE_OTHER],
])('an hour of waiting for checks in which %s sends less than 400 requests', async (_what, plans) => {
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, 'wait-for-checks': 'true' }),
    github: { checks: [plans] },
  })
  expect(played.report.pullRequest.checks).toBe('pending')
  expect(played.operations.length).toBeLessThan(400)
})

const MINUTE_MS = 60_000
const ON_PUSH = { facts: { eventName: 'push', payload: PUSH } }
const PUSHED_CHANGE = {
  ...ON_PUSH,
  repository: changedRepository({ files: [{ filename: 'docs/guide.md' }] }),
}

const LABELLED = { github: combineScenarios(['no-docs-label']) }
const PARTLY_LABELLED = { github: combineScenarios(['no-docs-label-in-part']) }
const FILES_OF_LABELLED = { 'change-context': 'files', 'change-range': 'v1.1.0...main' }
const ROUND = { 'wait-for-checks': 'true', 'fix-rounds': '1' }

/** A part of a step, as the page names it, and what it costs more than a step without it. */
interface Part {
  readonly part: string
  readonly given?: Readonly<Record<string, string>>
  readonly more?: Partial<PlayStepOptions>
  readonly without?: Omit<Part, 'part' | 'without'>
}

const PARTS: readonly Part[] = [
  { part: 'a prompt, with `wait: false`', given: { wait: 'false' }, without: {} },
  ...[1, 10, 60].map((minutes) => ({
    part: `a prompt, and a job of ${minutes} min`,
    more: { turns: [{ durationMs: minutes * MINUTE_MS }] },
    without: {},
  })),
  { part: '`label`', given: { label: 'docs-agent' } },
  { part: '`skip-own-changes` on a push', more: ON_PUSH },
  {
    part: '`change-context`',
    given: { 'change-context': 'diff' },
    more: PUSHED_CHANGE,
    without: { more: PUSHED_CHANGE },
  },
  {
    part: '`skip-labels` on a push of one pull request',
    given: { ...FILES_OF_LABELLED, 'skip-labels': 'other' },
    more: LABELLED,
    without: { given: { ...FILES_OF_LABELLED }, more: LABELLED },
  },
  {
    part: '`skip-labels`, one of two changes exempt',
    given: { ...FILES_OF_LABELLED, 'skip-labels': 'no-docs' },
    more: PARTLY_LABELLED,
    without: { given: { ...FILES_OF_LABELLED }, more: PARTLY_LABELLED },
  },
  { part: '`on-open-pr`, no pull request open', given: { ...ROLLING, label: 'docs-agent' } },
  {
    part: '`on-open-pr`, one open',
    given: { ...ROLLING, label: 'docs-agent' },
    more: { github: combineScenarios(['open-pull-request']) },
  },
  { part: '`allowed-paths`', given: { 'allowed-paths': '**' } },
  { part: '`reviewers`', given: { reviewers: 'ann' } },
  { part: '`wait-for-checks`, all done in 20 s', given: { 'wait-for-checks': 'true' } },
  {
    part: 'a round of `fix-rounds`',
    given: ROUND,
    more: { github: combineScenarios(['checks-fixed']) },
    without: { given: { ...ROUND, 'fix-rounds': '0' }, more: { github: combineScenarios(['checks-fixed']) } },
  },
]

async function countRequests({ given = {}, more = {} }: Omit<Part, 'part'>): Promise<readonly [number, number]> {
  const raw = { 'github-token': GITHUB_TOKEN, label: '', ...given }
  const played = await playStep({ inputs: agentInputs({ timeoutMs: 120 * MINUTE_MS }, raw), ...more })
  expect(played.isGreen || given['fix-rounds'] === '0').toBe(true)
  return [played.service.requests.length, played.operations.length]
}

test.each(PARTS)(
  'a part of a step sends at most as many requests as the page says: $part',
  async ({ part, without, ...own }) => {
    const [service, github] = await countRequests(own)
    // A part that is a complete step is compared with nothing.
    const isWholeStep = without !== undefined && Object.keys(without).length === 0
    const [less, lessGitHub] = isWholeStep ? [0, 0] : await countRequests(without ?? {})
    expectAtMost([service - less, github - lessGitHub], part)
  },
)
