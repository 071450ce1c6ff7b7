import { expect, test } from '@jest/globals'
import {
  ACTIONS,
  type Check,
  checkRunSchema,
  checkSuiteSchema,
  commitStatusSchema,
  classifyChecks,
  workflowRunSchema,
} from '../../src/github/checks.ts'
import { RUN_FACTS } from '../../testing/given-run.ts'

/** GitHub's lists for a commit, as text. A row can end with fields, such as `status=waiting`. `-` is a missing value. */
interface Lists {
  /** Rows of id, conclusion, the number of check runs (by default 1) and app. */
  readonly suites?: string
  /** Rows of suite, name and conclusion. */
  readonly runs?: string
  /** Rows of suite, file, event and conclusion. */
  readonly workflows?: string
  readonly statuses?: string
  /** GitHub's totals, if they differ from the lists. */
  readonly totals?: { readonly suites?: number; readonly runs?: number; readonly statuses?: number }
  readonly combinedState?: string
  /** The name of an ignored check. */
  readonly ignored?: string
}

function parseRows<T>(
  text: string,
  toFields: (...values: string[]) => object,
  item: { parse(fields: unknown): T },
): T[] {
  const parseValue = (value: string) => (/^\d+$/.test(value) ? Number(value) : value || undefined)
  const rows = text === '' ? [] : text.split(', ')
  return rows.map((row) => {
    const fields = [...row.matchAll(/(\w+)=(\S*)/g)].map(
      ([, name = '', value = '']) => [name, parseValue(value)] as const,
    )
    const values = row.split(' ').filter((part) => !part.includes('='))
    const { app, ...rest }: Record<string, unknown> = { ...toFields(...values), ...Object.fromEntries(fields) }
    return item.parse({ ...rest, app: { slug: app } })
  })
}

const getText = (value: string | undefined) => (value === '-' ? undefined : value)
const progress = (conclusion?: string) => ({
  status: getText(conclusion) === undefined ? 'in_progress' : 'completed',
  conclusion: getText(conclusion),
})
const page = <T>(items: readonly T[], total = items.length) => ({
  items,
  missing: total - items.length,
  isFull: items.length >= 100,
})
const ROWS = {
  suite: (id?: string, conclusion?: string, count = '1', app = ACTIONS) => ({
    id: Number(id),
    ...progress(conclusion),
    latest_check_runs_count: Number(count),
    app: getText(app),
  }),
  run: (suite = '', name?: string, conclusion?: string) => ({
    id: Number(suite) * 10,
    name,
    app: ACTIONS,
    check_suite: { id: Number(suite) },
    ...progress(conclusion),
    details_url: `https://github.com/acme/docs/actions/runs/${suite}00/job/1`,
  }),
  workflow: (suite?: string, file?: string, event?: string, conclusion?: string) => ({
    id: Number(suite) * 100,
    check_suite_id: Number(suite),
    path: `.github/workflows/${file ?? ''}@main`,
    event,
    ...progress(conclusion),
  }),
  status: (state?: string) => ({ context: 'ci', state: getText(state) }),
}

/** Returns the checks that count as text, in order. */
function select(given: Lists): string {
  const {
    suites = '',
    runs = '',
    workflows = '',
    statuses = '',
    totals = {},
    combinedState = 'pending',
    ignored,
  } = given
  const lists = {
    suites: page(parseRows(suites, ROWS.suite, checkSuiteSchema), totals.suites),
    checkRuns: page(parseRows(runs, ROWS.run, checkRunSchema), totals.runs),
    statuses: {
      ...page(parseRows(statuses, ROWS.status, commitStatusSchema), totals.statuses),
      combinedState: getText(combinedState),
    },
    workflowRuns: parseRows(workflows, ROWS.workflow, workflowRunSchema),
  }
  const getState = ({ state, waitsForApproval, needsPerson }: Check): string =>
    waitsForApproval === true ? 'approval' : needsPerson === true ? 'person' : state
  const isIgnored = ({ name }: Check): boolean => name === ignored
  return classifyChecks(lists, RUN_FACTS, isIgnored)
    .filter((check) => !isIgnored(check))
    .map((check) => `${check.name}: ${getState(check)}`)
    .join(' | ')
}

test.each([
  ['success', 'success'],
  ['neutral', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'person'],
  ['timed_out', 'failure'],
  ['action_required', 'person'],
  ['startup_failure', 'person'],
  ['an-unknown-conclusion', 'failure'],
  ['- status=completed', 'pending'],
  ['success status=queued', 'pending'],
  ['success status=in_progress', 'pending'],
  ['success status=', 'pending'],
])('a check run with %s is a %s', (value, state) => {
  expect(select({ runs: `1 build ${value}` })).toBe(`build: ${state}`)
})

test.each([
  ['success', 'success'],
  ['pending', 'pending'],
  ['failure', 'failure'],
  ['error', 'failure'],
  ['-', 'pending'],
])('a commit status that is %s is a %s', (statuses, state) => {
  expect(select({ statuses })).toBe(`ci: ${state}`)
})

const BOTH: Lists = { suites: '1 failure, 2 success', runs: '1 build failure, 2 build success' }
const ALONE = 'build: success'
const BOTH_COUNT = 'build: failure | build: success'
const BY_URL = 'check_suite_id= check_suite_url=https://x.example/check-suites/2'

test.each([
  ['of the same workflow and event', '1 ci.yml push failure, 2 ci.yml push success', ALONE],
  ['of another event', '1 ci.yml push failure, 2 ci.yml pull_request success', BOTH_COUNT],
  ['of another workflow', '1 ci.yml push failure, 2 other.yml push success', BOTH_COUNT],
  ['of a workflow with the same id', '1 a.yml push failure workflow_id=5, 2 b.yml push success workflow_id=5', ALONE],
  [
    'of a workflow with another id',
    '1 a.yml push failure workflow_id=5, 2 a.yml push success workflow_id=6',
    BOTH_COUNT,
  ],
  ['that is unknown, as without `actions: read`', '1 ci.yml push failure', BOTH_COUNT],
  ['of an unknown workflow', '1 ci.yml push failure path=, 2 ci.yml push success path=', BOTH_COUNT],
  ['of an unknown event', '1 ci.yml push failure event=, 2 ci.yml push success event=', BOTH_COUNT],
  ['that has not ended', '1 ci.yml push failure, 2 ci.yml push -', `${ALONE} | ci.yml, which has not ended: pending`],
  ['whose suite is known by a URL', `1 ci.yml push failure, 2 ci.yml push success ${BY_URL}`, ALONE],
])('a later run %s: whether it replaces the older run', (_what, workflows, expected) => {
  expect(select({ ...BOTH, workflows })).toBe(expected)
})

test.each([
  ['-', 'success', ' | ci.yml, which has not ended: pending'],
  ['success', 'failure', ' | ci.yml: failure'],
  ['failure', 'success', ' | ci.yml: failure'],
  ['success', 'action_required', ' | ci.yml: approval'],
  ['-', 'action_required', ' | ci.yml: approval'],
  ['- status=waiting', '- status=waiting', ' | ci.yml: approval'],
  ['success', 'success', ''],
])('the worse of a suite (%s) and its run (%s) counts, besides a job that has passed', (suite, run, expected) => {
  expect(select({ suites: `1 ${suite}`, runs: '1 build success', workflows: `1 ci.yml push ${run}` })).toBe(
    ALONE + expected,
  )
})

const OWN = 'https://github.com/acme/docs/actions/runs/42'
const WAITING = '- status=waiting'
const CANCELLED = { suites: '1 cancelled 0, 2 success', runs: '2 build success' }
const UNENDED = { suites: '1 - 0', workflows: '1 docs.yml push - id=42' }

test.each<[string, Lists, string]>([
  [
    'two jobs with the same name',
    { suites: '1 failure 2', runs: '1 build failure, 1 build success id=99' },
    BOTH_COUNT,
  ],
  [
    'a job that waits for approval, and its run',
    { suites: `1 ${WAITING}`, runs: `1 deploy ${WAITING}`, workflows: `1 ci.yml push ${WAITING}` },
    'deploy: approval',
  ],
  [
    'a run whose suite is not listed',
    { suites: '1 success 0', workflows: '2 a.yml push -' },
    'a.yml, which has not ended: pending',
  ],
  [
    'a suite, a check run and a workflow run without ids',
    { suites: '1 bad 0 id=', runs: '1 a bad check_suite=', workflows: '1 a.yml push - check_suite_id=' },
    'a: failure | github-actions: failure | a.yml, which has not ended: pending',
  ],
  ['a workflow that cannot start', { suites: '1 broken 0' }, 'github-actions: failure'],
  ['a workflow that is queued', { suites: '1 - 0' }, 'github-actions, which has not ended: pending'],
  ['a workflow that was skipped', { suites: '1 skipped 0' }, ''],
  ['an app that never had a check', { suites: '1 - 0 links' }, ''],
  ['an app that never had a check, and failed', { suites: '1 failure 0 links' }, ''],
  ['an app that needs a person', { suites: '1 action_required 0 dco' }, 'dco: person'],
  [
    'the check of an app that needs a person',
    { suites: '1 action_required 1 dco', runs: '1 DCO action_required app=dco' },
    'DCO: person',
  ],
  [
    'an app that waits for a deployment',
    { suites: '1 - 1 links status=waiting' },
    'links, which has not ended: pending',
  ],
  ['an app without a name', { suites: '1 timed_out 1 -' }, 'an app: failure'],
  ['an app whose checks ended', { suites: '1 - 1 links', runs: '1 links success app=links' }, 'links: success'],
  [
    'a run that was cancelled for a later run',
    { ...CANCELLED, workflows: '1 ci.yml push cancelled, 2 ci.yml push success' },
    'build: success',
  ],
  ['a run that was cancelled for another reason', CANCELLED, 'build: success | github-actions: person'],
  [
    'a run that was cancelled for a later one of another event',
    { ...CANCELLED, workflows: '1 ci.yml push cancelled, 2 ci.yml pull_request success' },
    'build: success',
  ],
  [
    'a run that was cancelled before a later one of another event failed',
    {
      suites: '1 cancelled 0, 2 failure',
      workflows: '1 ci.yml push cancelled, 2 ci.yml pull_request failure',
      runs: '2 build failure',
    },
    'build: failure | ci.yml: person',
  ],
  [
    'a cancelled job beside a later success of another event',
    {
      suites: '1 cancelled, 2 failure 2',
      workflows: '1 ci.yml push cancelled, 2 ci.yml pull_request failure',
      runs: '1 build cancelled, 2 build success, 2 links failure',
    },
    'build: success | links: failure',
  ],
  [
    'a cancelled job after a success of another event',
    {
      suites: '1 success, 2 cancelled',
      workflows: '1 ci.yml push success, 2 ci.yml pull_request cancelled',
      runs: '1 build success, 2 build cancelled',
    },
    'build: success | build: person',
  ],
  [
    'a job of an older run, started again after a later run',
    {
      suites: '1 failure, 2 success',
      workflows: '1 ci.yml push failure, 2 ci.yml push success',
      runs: '1 build failure id=99, 2 build success',
    },
    'build: failure',
  ],
  [
    'jobs that a later run has not registered yet',
    {
      suites: '1 cancelled 2, 2 -',
      workflows: '1 ci.yml pull_request cancelled, 2 ci.yml pull_request -',
      runs: '1 build cancelled, 1 deploy cancelled, 2 build -',
    },
    'build: pending',
  ],
  [
    'an older run that has not ended',
    {
      suites: '1 - 2, 2 success',
      workflows: '1 ci.yml push -, 2 ci.yml push success',
      runs: '1 build success, 2 build success',
    },
    'build: success | ci.yml, which has not ended: pending',
  ],
  [
    'a job that a later run no longer has',
    {
      suites: '1 failure 2, 2 success',
      workflows: '1 ci.yml push failure, 2 ci.yml push success',
      runs: '1 build failure, 1 links failure, 2 build success',
    },
    'links: failure | build: success',
  ],
  [
    'a later run that skips all jobs, such as for a label',
    {
      suites: '1 failure, 2 skipped',
      workflows: '1 ci.yml pull_request failure, 2 ci.yml pull_request skipped',
      runs: '1 build failure, 2 build skipped',
    },
    'build: failure | build: success',
  ],
  [
    'a later run that skips a job of an older one',
    {
      suites: '1 failure 2, 2 success 2',
      workflows: '1 ci.yml push failure, 2 ci.yml push success',
      runs: '1 build failure, 1 links failure, 2 build skipped, 2 links success',
    },
    'build: failure | build: success | links: success',
  ],
  [
    'another job in the suite of this run',
    { suites: '1 - 2', runs: `1 docs - details_url=${OWN}/job/1, 1 report failure` },
    'report: failure',
  ],
  ['this run', UNENDED, ''],
  [
    'an older run that this run replaces',
    {
      suites: '0 failure, 1 - 0',
      runs: '0 docs failure',
      workflows: `0 docs.yml push failure id=41, ${UNENDED.workflows}`,
    },
    '',
  ],
  [
    'a check run that is not listed',
    { suites: '1 success 0', runs: '1 a success', totals: { runs: 2 } },
    'a: success | 1 check run that GitHub does not list: pending',
  ],
  [
    'check suites that are not listed',
    { suites: '1 skipped 0', totals: { suites: 4 } },
    '3 check suites that GitHub does not list: pending',
  ],
  [
    'commit statuses that are not listed',
    { totals: { statuses: 2 }, combinedState: 'success' },
    '2 commit statuses that GitHub does not list: pending',
  ],
])('selects the checks that count: %s', (_what, given, expected) => {
  expect(select(given)).toBe(expected)
})

const repeatRow = (row: string): string => Array<string>(100).fill(row).join(', ')
const LISTED = { runs: repeatRow('1 page success'), totals: { runs: 250 } }
const statuses = (listed: string, combinedState: string) => ({
  statuses: listed,
  totals: { statuses: 120 },
  combinedState,
})
const PASSED = repeatRow('success')
const UNKNOWN = '20 commit statuses past the first 100: pending'

test.each<[string, Lists, string]>([
  [
    'checks that passed',
    { ...LISTED, suites: '1 success 150, 2 success 100 links' },
    '50 more checks of github-actions: success | 100 more checks of links: success',
  ],
  [
    'checks that did not pass',
    { ...LISTED, suites: '1 failure 150, 2 - 100 links' },
    'github-actions: failure | links, which has not ended: pending',
  ],
  [
    'running checks, like the listed ones',
    { runs: repeatRow('1 page -'), totals: { runs: 250 }, suites: '1 - 150, 2 - 100 links' },
    '50 more checks of github-actions: pending | links, which has not ended: pending',
  ],
  [
    'checks besides those of this run',
    { suites: '1 - 150', runs: repeatRow(`1 docs - details_url=${OWN}`), totals: { runs: 150 } },
    '50 check runs past the first 100: pending',
  ],
  [
    'check suites',
    { suites: repeatRow('1 skipped 0'), totals: { suites: 350 } },
    '250 check suites past the first 100: pending',
  ],
  ['commit statuses that passed', statuses(PASSED, 'success'), '20 more commit statuses: success'],
  ['commit statuses that failed', statuses(PASSED, 'failure'), '20 more commit statuses: failure'],
  ['commit statuses that may have failed', statuses(repeatRow('failure'), 'failure'), UNKNOWN],
  [
    'commit statuses that may have failed, after one that failed',
    statuses(PASSED.replace('success', 'failure'), 'failure'),
    UNKNOWN,
  ],
  [
    'commit statuses that may have failed, after an ignored one that failed',
    { ...statuses(PASSED.replace('success', 'failure context=flaky'), 'failure'), ignored: 'flaky' },
    UNKNOWN,
  ],
  ['commit statuses that have not ended', statuses(PASSED, 'pending'), UNKNOWN],
  ['commit statuses without a combined state', statuses(PASSED, '-'), UNKNOWN],
])('past the first page there are %s', (_what, given, expected) => {
  expect(select(given).replace(/^.*(?:page: \w+|ci: \w+) \| /, '')).toBe(expected)
})

test.each([
  ['this run', `details_url=${OWN}/job/1`, false],
  ['this run, with a query', `details_url=${OWN}?check_suite_focus=true`, false],
  ['this run, in another case', `details_url=${OWN.replace('acme', 'Acme')}`, false],
  ['this run, without a details URL', `details_url= html_url=${OWN}/job/1`, false],
  ['an app that links to this run', `details_url=${OWN} app=links`, true],
  ['this run, after its repository was renamed', 'details_url=https://github.com/acme/new/actions/runs/42', false],
  ['a page outside of a repository', 'details_url=https://github.com/actions/runs/42', true],
  ['a deeper page', 'details_url=https://github.com/acme/docs/x/actions/runs/42', true],
  ['another host', 'details_url=https://git.example.com/acme/docs/actions/runs/42/job/1', true],
  ['a run whose id begins like that of this run', `details_url=${OWN}1/job/1`, true],
  ['a page that contains the URL of this run', `details_url=https://links.example/?${OWN}`, true],
])('a check of %s counts: %3$s', (_what, fields, counts) => {
  expect(select({ runs: `1 docs failure ${fields}` })).toBe(counts ? 'docs: failure' : '')
})
