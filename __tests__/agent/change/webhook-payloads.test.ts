import { createRequire } from 'node:module'
import { expect, test } from '@jest/globals'
import { PULL_REQUEST } from '../../support/fake-github.ts'
import { lookAtChange } from '../../support/look-at-change.ts'

type Payload = object

/** What GitHub really sent, collected by the authors of its client: every event that starts workflows, but for schedules. */
const DEFINITIONS = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly name: string
  readonly examples: readonly Payload[]
}[]

const LAST_SUCCESS = 'everything since the last successful run'
const RAN_ON = 'the commits of the run before this one'
const PULL = 'the pull request, from'

/** What the range is, what the context says besides, and what becomes of it where only `src/**` counts. */
type Row = readonly [range: string, context: string, decision: 'ask' | 'skip']

const LOOKING_BACK =
  'branch_protection_rule deployment deployment_status fork gollum label milestone page_build public ' +
  'repository_dispatch status watch workflow_dispatch check_run check_suite'

const TABLE: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(LOOKING_BACK.split(' ').map((row): [string, Row] => [row, [LAST_SUCCESS, '', 'skip']])),
  'check_run of a pull request': [RAN_ON, '', 'skip'],
  'check_suite of a pull request': [RAN_ON, '', 'skip'],
  create: ['no tag of the same kind', '', 'ask'],
  delete: ['a branch or a tag was deleted', 'none', 'skip'],
  discussion: ['about a discussion', 'Discussion #', 'ask'],
  discussion_comment: ['about a discussion', '\nComment:\n', 'ask'],
  issue_comment: ['about an issue', '\nComment:\n', 'ask'],
  issues: ['about an issue', 'Issue #', 'ask'],
  'issues of a pull request': [PULL, 'Pull request #2', 'skip'],
  merge_group: ['the merge group, from', '', 'skip'],
  pull_request: [PULL, 'Pull request #2: Update the README with', 'skip'],
  'pull_request closed': ['closed without a merge', 'none', 'skip'],
  pull_request_review: [PULL, '\nReview: https://', 'skip'],
  pull_request_review_comment: [PULL, '\nPart of the diff:\n', 'skip'],
  push: ['first push to the branch', '', 'ask'],
  'push of a tag': ['no tag of the same kind', '', 'ask'],
  'push deleted': ['a branch or a tag was deleted', 'none', 'skip'],
  release: ['no tag of the same kind', 'Release 0.0.1', 'ask'],
  'workflow_run of a pull request': [RAN_ON, 'Pull request #', 'skip'],
  workflow_run: [LAST_SUCCESS, 'Its branch: master', 'skip'],
  'workflow_run of main': [RAN_ON, 'Its branch: main', 'skip'],
}

/** What an example of such a row has in it. */
const MARKS: Readonly<Record<string, RegExp>> = {
  deleted: /"deleted":true/,
  closed: /"action":"closed"/,
  'of a tag': /"ref":"refs\/tags\//,
  'of a pull request': /"pull_request":\{|"pull_requests":\[\{/,
  'of main': /"head_branch":"main"/,
}

function rowOf(name: string, payload: Payload): string {
  const text = JSON.stringify(payload)
  const marks = Object.keys(MARKS).map((mark) => `${name} ${mark}`)
  return marks.find((row) => row in TABLE && MARKS[row.slice(name.length + 1)]?.test(text)) ?? name
}

const EXAMPLES = DEFINITIONS.flatMap(({ name, examples }) =>
  examples.map((payload) => ({ name, payload, row: rowOf(name, payload) })),
).filter(({ row }) => row in TABLE)

const look = (name: string, payload: unknown, paths = '') =>
  lookAtChange({ 'change-context': 'diff', paths }, [name, payload], {
    readPullRequest: () => Promise.resolve({ ...PULL_REQUEST, labels: [] }),
    listComments: () => Promise.resolve([]),
  })

test.each(Object.entries(TABLE))('%s: %j', async (row, [range, context, decision]) => {
  const examples = EXAMPLES.filter((example) => example.row === row)
  expect(examples.length).toBeGreaterThan(0)
  for (const { name, payload } of examples) {
    const { skip, said, prompt, lost } = await look(name, payload)
    expect(lost).toBeUndefined()
    expect(said ?? skip).toContain(range)
    expect(prompt ?? 'none').toContain(context)
    expect((await look(name, payload, 'src/**')).skip === undefined ? 'ask' : 'skip').toBe(decision)
  }
})

test('no example of an event of the table is left out', () => {
  const events = new Set(Object.keys(TABLE).map((row) => row.split(' ')[0] ?? ''))
  const examples = DEFINITIONS.filter(({ name }) => events.has(name)).flatMap((definition) => definition.examples)
  expect(EXAMPLES).toHaveLength(examples.length)
})

type Leaf = 'string' | 'number' | 'boolean' | 'object' | 'list'
const leafOf = (value: unknown): Leaf | undefined => {
  if (Array.isArray(value)) return 'list'
  return value === null ? undefined : (typeof value as Leaf)
}

/** Every part of one kind, below the event itself, is something else. */
function withOther(kind: Leaf, other: unknown, value: unknown, isEvent = true): unknown {
  if (!isEvent && leafOf(value) === kind) return other
  if (Array.isArray(value)) return value.map((one) => withOther(kind, other, one, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withOther(kind, other, one, false)]))
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
])('whatever an event has in the place of a %s (%j) costs that and nothing else', async (kind, other) => {
  for (const { name, examples } of DEFINITIONS) {
    const { lost } = await lookAtChange({ 'change-context': 'diff' }, [name, withOther(kind, other, examples[0])])
    expect(lost).toBeUndefined()
  }
})
