import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { isUnsupportedEvent } from '../../../src/agent/change/loop.ts'
import { GITHUB_TOKEN } from '../../../src/emulator/github/demo-state.ts'
import { createPullState } from '../../../src/emulator/github/pull-state.ts'
import { createRepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { agentInputs } from '../../../testing/agent-inputs.ts'
import { madeCommit } from '../../../testing/github-state.ts'
import { playStep } from '../../../testing/play-step.ts'

type Payload = object

/** Real payloads, collected by Octokit's authors: every event that can start the agent, except schedules. */
const DEFINITIONS = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly Payload[]
}[]

const LAST_SUCCESS = 'everything since the last successful run'
const RAN_ON = 'the commits of the triggering run'
const PULL = 'the pull request, from'

/** The range, a text in the context, and whether a step with `paths: src/**` runs. */
type Row = readonly [range: string, context: string, decision: 'run' | 'skipped']

const LOOKING_BACK =
  'branch_protection_rule fork gollum label milestone public repository_dispatch watch workflow_dispatch'

const TABLE: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(LOOKING_BACK.split(' ').map((row): [string, Row] => [row, [LAST_SUCCESS, '', 'skipped']])),
  discussion: ['about a discussion', 'Discussion #', 'run'],
  'discussion given up': ['the discussion was deleted or transferred', 'none', 'skipped'],
  discussion_comment: ['about a discussion', '\nComment:\n', 'run'],
  issue_comment: ['about an issue', '\nComment:\n', 'run'],
  issues: ['about an issue', 'Issue #', 'run'],
  'issues given up': ['the issue was deleted or transferred', 'none', 'skipped'],
  'issues of a pull request': [PULL, 'Pull request #2', 'skipped'],
  merge_group: ['the merge group, from', '', 'skipped'],
  pull_request: [PULL, 'Pull request #2: Update the README with', 'skipped'],
  'pull_request closed': ['closed without a merge', 'none', 'skipped'],
  pull_request_review: [PULL, '\nReview: https://', 'skipped'],
  pull_request_review_comment: [PULL, '\nDiff hunk:\n', 'skipped'],
  push: ['first push to the branch', '', 'run'],
  'push of a tag': ['no lower version with the same prefix', '', 'run'],
  'push deleted': ['a branch or a tag was deleted', 'none', 'skipped'],
  'release given up': ['the release was deleted or unpublished', 'none', 'skipped'],
  release: ['no lower version with the same prefix', 'Release 0.0.1', 'run'],
  'workflow_run not ended': ['the triggering workflow run has not ended yet', 'none', 'skipped'],
  'workflow_run of a pull request': [RAN_ON, 'Pull request #', 'skipped'],
  workflow_run: [LAST_SUCCESS, 'Branch: master', 'skipped'],
  'workflow_run of main': [RAN_ON, 'Branch: main', 'skipped'],
}

/** Recognizes the examples of a row by their payloads. */
const MARKS: Readonly<Record<string, RegExp>> = {
  deleted: /"deleted":true/,
  'not ended': /"action":"(?:requested|in_progress)"/,
  closed: /"action":"closed"/,
  'given up': /"action":"(?:deleted|transferred|unpublished)"/,
  'of a tag': /"ref":"refs\/tags\//,
  'of a pull request': /"pull_request":\{|"pull_requests":\[\{/,
  'of main': /"head_branch":"main"/,
}

function getRow(name: string, payload: Payload): string {
  const text = JSON.stringify(payload)
  const marks = Object.keys(MARKS).map((mark) => `${name} ${mark}`)
  return marks.find((row) => row in TABLE && MARKS[row.slice(name.length + 1)]?.test(text)) ?? name
}

const EXAMPLES = DEFINITIONS.flatMap(({ name, examples }) =>
  examples.map((payload) => ({ name, payload, row: getRow(name, payload) })),
).filter(({ row }) => row in TABLE)

/** Creates the repository of an event: its commits, which change the guide, its pull requests, and an earlier success. */
function createRepository(payload: Payload) {
  const text = JSON.stringify(payload)
  const list = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))]
  const [defaultBranch = 'main'] = list(/"default_branch":"([^"]+)"/g)
  const [workflow = 'docs.yml'] = list(/"workflow_id":(\d+)/g)
  // A payload names the head before the base.
  const shas = ['a'.repeat(40), ...list(/"((?!0{40})[0-9a-f]{40})"/g).toReversed()]
  const commits = shas.map((sha, index) =>
    madeCommit({ sha, parents: shas.slice(Math.max(0, index - 1), index), files: [{ filename: 'docs/guide.md' }] }),
  )
  const head = shas.at(-1) ?? ''
  const numbers = list(/(?:"number":|\/pull\/|\/pulls\/|\/pr-)(\d+)/g)
  const pulls = Object.fromEntries(
    numbers.map((number) => [number, createPullState({ branch: 'changes', base: defaultBranch, headSha: head })]),
  )
  const passed = { status: 'completed', conclusion: 'success', event: 'push', createdAtMs: 0 } as const
  const run = { ...passed, branch: defaultBranch, headSha: shas[0] ?? '' }
  const workflowRuns = ['docs.yml', workflow].map((name, id) => ({ ...run, id, workflow: name }))
  return createRepositoryState({ defaultBranch, commits, branches: { [defaultBranch]: head }, pulls, workflowRuns })
}

/** Runs a step for an event, in the repository of the real event. */
async function play(name: string, payload: unknown, given: Readonly<Record<string, string>> = {}, real = payload) {
  const repository = createRepository(real as Payload)
  const refName = repository.defaultBranch
  const wait = String(name === 'pull_request')
  const access = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', wait, 'change-context': 'diff' }
  const facts = { eventName: name, payload, refName, sha: repository.branches[refName] ?? '' }
  const played = await playStep({ inputs: agentInputs({}, { ...access, ...given }), repository, facts })
  expect(played.warnings).toEqual([])
  return played
}

test.each(Object.entries(TABLE))('%s: %j', async (row, [range, context, decision]) => {
  const examples = EXAMPLES.filter((example) => example.row === row)
  expect(examples.length).toBeGreaterThan(0)
  for (const { name, payload } of examples) {
    const { acceptedPrompts, line, report } = await play(name, payload)
    expect(report.change ?? line).toContain(range)
    expect(acceptedPrompts[0]?.[1] ?? 'none').toContain(context)
    const filtered = await play(name, payload, { paths: 'src/**' })
    expect(filtered.acceptedPrompts.length === 1 ? 'run' : filtered.report.outcome).toBe(decision)
  }
})

test('uses every example of the events in the table', () => {
  const events = new Set(Object.keys(TABLE).map((row) => row.split(' ')[0] ?? ''))
  const examples = DEFINITIONS.filter(({ name }) => events.has(name)).flatMap((definition) => definition.examples)
  expect(EXAMPLES).toHaveLength(examples.length)
})

type Leaf = 'string' | 'number' | 'boolean' | 'object' | 'list'
const getLeaf = (value: unknown): Leaf | undefined => {
  if (Array.isArray(value)) return 'list'
  return value === null ? undefined : (typeof value as Leaf)
}

/** Replaces every part of one type, except the event itself. */
function replaceLeaves(kind: Leaf, other: unknown, value: unknown, isEvent = true): unknown {
  if (!isEvent && getLeaf(value) === kind) return other
  if (Array.isArray(value)) return value.map((one) => replaceLeaves(kind, other, one, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceLeaves(kind, other, one, false)]))
}

test.each<[Leaf, unknown]>([
  ['string', 7],
  ['string', null],
  ['string', { text: 'x' }],
  ['number', 'seven'],
  ['number', 0.5],
  ['boolean', 'no'],
  ['object', null],
  ['object', 'x'],
  ['list', {}],
])('warns of nothing if each %s of an event is %j', async (kind, other) => {
  for (const { name, examples } of DEFINITIONS.filter((definition) => !isUnsupportedEvent(definition.name))) {
    const payload = replaceLeaves(kind, other, examples[0])
    const { report } = await play(name, payload, { 'dry-run': 'true' }, examples[0])
    // If the change is missing, the step is red.
    if (report.error === undefined) continue
    expect(report.error.message).toMatch(/is incomplete\.|does not contain the pushed commits\./)
  }
})
