import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { PULL_REQUEST } from '../../../testing/fake-github.ts'
import { playChange } from '../../../testing/play-change.ts'

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
type Row = readonly [range: string, context: string, decision: 'run' | 'skip']

const LOOKING_BACK =
  'branch_protection_rule fork gollum label milestone public repository_dispatch watch workflow_dispatch'

const TABLE: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(LOOKING_BACK.split(' ').map((row): [string, Row] => [row, [LAST_SUCCESS, '', 'skip']])),
  discussion: ['about a discussion', 'Discussion #', 'run'],
  'discussion given up': ['the discussion was deleted or transferred', 'none', 'skip'],
  discussion_comment: ['about a discussion', '\nComment:\n', 'run'],
  issue_comment: ['about an issue', '\nComment:\n', 'run'],
  issues: ['about an issue', 'Issue #', 'run'],
  'issues given up': ['the issue was deleted or transferred', 'none', 'skip'],
  'issues of a pull request': [PULL, 'Pull request #2', 'skip'],
  merge_group: ['the merge group, from', '', 'skip'],
  pull_request: [PULL, 'Pull request #2: Update the README with', 'skip'],
  'pull_request closed': ['closed without a merge', 'none', 'skip'],
  pull_request_review: [PULL, '\nReview: https://', 'skip'],
  pull_request_review_comment: [PULL, '\nDiff hunk:\n', 'skip'],
  push: ['first push to the branch', '', 'run'],
  'push of a tag': ['no lower version with the same prefix', '', 'run'],
  'push deleted': ['a branch or a tag was deleted', 'none', 'skip'],
  'release given up': ['the release was deleted or unpublished', 'none', 'skip'],
  release: ['no lower version with the same prefix', 'Release 0.0.1', 'run'],
  'workflow_run not ended': ['the triggering workflow run has not ended yet', 'none', 'skip'],
  'workflow_run of a pull request': [RAN_ON, 'Pull request #', 'skip'],
  workflow_run: [LAST_SUCCESS, 'Branch: master', 'skip'],
  'workflow_run of main': [RAN_ON, 'Branch: main', 'skip'],
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

const resolve = (name: string, payload: unknown, paths = '') =>
  playChange({ 'change-context': 'diff', paths }, [name, payload], {
    readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, author: { login: 'ann', type: 'User' }, labels: [] }),
    listComments: () => Promise.resolve([]),
  })

test.each(Object.entries(TABLE))('%s: %j', async (row, [range, context, decision]) => {
  const examples = EXAMPLES.filter((example) => example.row === row)
  expect(examples.length).toBeGreaterThan(0)
  for (const { name, payload } of examples) {
    const { skip, change, prompt, warnings } = await resolve(name, payload)
    expect(warnings).toBeUndefined()
    expect(change ?? skip).toContain(range)
    expect(prompt ?? 'none').toContain(context)
    expect((await resolve(name, payload, 'src/**')).skip === undefined ? 'run' : 'skip').toBe(decision)
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
  for (const { name, examples } of DEFINITIONS) {
    const playing = playChange({ 'change-context': 'diff' }, [name, replaceLeaves(kind, other, examples[0])])
    const [played] = await Promise.allSettled([playing])
    if (played.status === 'fulfilled') expect(played.value.warnings).toBeUndefined()
    // If the change is missing, nothing is sent.
    else expect(String(played.reason)).toMatch(/is incomplete\.|does not contain the pushed commits\./)
  }
})
