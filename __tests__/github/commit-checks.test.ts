import { expect, test } from '@jest/globals'
import {
  ACTIONS,
  type Check,
  checkRunSchema,
  checkSuiteSchema,
  commitStatusSchema,
  judgeChecks,
  workflowRunSchema,
} from '../../src/github/checks.ts'
import { refusal, RUN_FACTS } from '../support/fake-github.ts'

/** What GitHub says of a commit. A row ends with fields, such as `status=waiting`; `-` is what is not there. */
interface Answers {
  /** Rows of id, conclusion, how many check runs GitHub counts in it (one if left out) and app. */
  readonly suites?: string
  /** Rows of suite, name and conclusion. */
  readonly runs?: string
  /** Runs of workflows, as rows of suite, file, event and conclusion; undefined if the token may not read them. */
  readonly flows?: string | undefined
  readonly statuses?: string
  /** How many of each GitHub counts, where it is not as many as it lists. */
  readonly counts?: { readonly suites?: number; readonly runs?: number; readonly statuses?: number }
  readonly combined?: string
}

function rowsOf<T>(text: string, toFields: (...values: string[]) => object, item: { parse(fields: unknown): T }): T[] {
  const valueOf = (value: string) => (/^\d+$/.test(value) ? Number(value) : value || undefined)
  const rows = text === '' ? [] : text.split(', ')
  return rows.map((row) => {
    const fields = [...row.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, valueOf(value)] as const)
    const values = row.split(' ').filter((part) => !part.includes('='))
    const { app, ...said }: Record<string, unknown> = { ...toFields(...values), ...Object.fromEntries(fields) }
    return item.parse({ ...said, app: { slug: app } })
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
  flow: (suite?: string, file?: string, event?: string, conclusion?: string) => ({
    id: Number(suite) * 100,
    check_suite_id: Number(suite),
    path: `.github/workflows/${file ?? ''}@main`,
    event,
    ...progress(conclusion),
  }),
  status: (state?: string) => ({ context: 'ci', state: getText(state) }),
}

/** The checks as text, in their order. */
function judge(answers: Answers): string {
  const { suites = '', runs = '', statuses = '', counts = {}, combined = 'pending' } = answers
  const { flows } = { flows: '', ...answers }
  const said = {
    suites: page(rowsOf(suites, ROWS.suite, checkSuiteSchema), counts.suites),
    checkRuns: page(rowsOf(runs, ROWS.run, checkRunSchema), counts.runs),
    statuses: {
      ...page(rowsOf(statuses, ROWS.status, commitStatusSchema), counts.statuses),
      combinedState: getText(combined),
    },
    workflowRuns: flows === undefined ? refusal('forbidden') : rowsOf(flows, ROWS.flow, workflowRunSchema),
  }
  const getState = ({ state, waitsForApproval, isGuarded, needsPerson }: Check): string =>
    isGuarded === true
      ? 'environment'
      : waitsForApproval === true
        ? 'approval'
        : needsPerson === true
          ? 'person'
          : state
  return judgeChecks(said, RUN_FACTS)
    .map((check) => `${check.name}: ${getState(check)}${check.doubt === undefined ? '' : '?'}`)
    .join(' | ')
}

test.each([
  ['success', 'success'],
  ['neutral', 'success'],
  ['skipped', 'success'],
  ['failure', 'failure'],
  ['cancelled', 'failure'],
  ['timed_out', 'failure'],
  ['action_required', 'person'],
  ['startup_failure', 'failure'],
  ['a-word-of-tomorrow', 'failure'],
  ['- status=completed', 'pending'],
  ['success status=queued', 'pending'],
  ['success status=in_progress', 'pending'],
  ['success status=', 'pending'],
])('a check run with %s is a %s', (said, state) => {
  expect(judge({ runs: `1 build ${said}` })).toBe(`build: ${state}`)
})

test.each([
  ['success', 'success'],
  ['pending', 'pending'],
  ['failure', 'failure'],
  ['error', 'failure'],
  ['-', 'pending'],
])('a commit status that is %s is a %s', (statuses, state) => {
  expect(judge({ statuses })).toBe(`ci: ${state}`)
})

const BOTH: Answers = { suites: '1 failure, 2 success', runs: '1 build failure, 2 build success' }
const ALONE = 'build: success'
const BESIDE = 'build: failure | build: success'
const AGAIN = 'run_started_at=2026-01-01T00:00:01Z'
const EARLIER = 'run_started_at=2026-01-01T00:00:00Z'
const BY_ADDRESS = 'check_suite_id= check_suite_url=https://x.example/check-suites/2'

test.each([
  ['of the same workflow and event', '1 ci.yml push failure, 2 ci.yml push success', ALONE],
  ['of another event', '1 ci.yml push failure, 2 ci.yml pull_request success', BESIDE],
  ['of another workflow', '1 ci.yml push failure, 2 other.yml push success', BESIDE],
  ['of a workflow with its number', '1 a.yml push failure workflow_id=5, 2 b.yml push success workflow_id=5', ALONE],
  ['of one with another number', '1 a.yml push failure workflow_id=5, 2 a.yml push success workflow_id=6', BESIDE],
  ['that is not known', '1 ci.yml push failure', BESIDE],
  ['of a workflow that is not known', '1 ci.yml push failure path=, 2 ci.yml push success path=', BESIDE],
  ['of an event that is not known', '1 ci.yml push failure event=, 2 ci.yml push success event=', BESIDE],
  ['that failed', '2 ci.yml push success, 1 ci.yml push failure id=300', 'build: failure'],
  ['that has not ended', '1 ci.yml push failure, 2 ci.yml push -', `${ALONE} | ci.yml, which has not ended: pending`],
  ['that was skipped as a whole', '1 ci.yml push failure, 2 ci.yml push skipped', BESIDE],
  ['that began at the same time', `1 ci.yml push failure ${AGAIN}, 2 ci.yml push success ${AGAIN}`, ALONE],
  ['that began before the older did anew', `1 a.yml push failure ${AGAIN}, 2 a.yml push success ${EARLIER}`, BESIDE],
  ['whose suite is known by an address', `1 ci.yml push failure, 2 ci.yml push success ${BY_ADDRESS}`, ALONE],
])('a later run %s: whether it takes the place of the older', (_what, flows, told) => {
  expect(judge({ ...BOTH, flows })).toBe(told)
})

test.each([
  ['-', 'success', ' | ci.yml, which has not ended: pending'],
  ['success', 'failure', ' | ci.yml, which ended with failure: failure'],
  ['failure', 'success', ' | ci.yml, which ended with failure: failure'],
  ['success', 'action_required', ' | ci.yml: approval'],
  ['-', 'action_required', ' | ci.yml: approval'],
  ['- status=waiting', '- status=waiting', ' | ci.yml: environment'],
  ['success', 'success', ''],
])('of a suite (%s) and its run (%s) the worse counts, beside a job that has passed', (said, ran, told) => {
  expect(judge({ suites: `1 ${said}`, runs: '1 build success', flows: `1 ci.yml push ${ran}` })).toBe(ALONE + told)
})

const OWN = 'https://github.com/acme/docs/actions/runs/42'
const WAITING = '- status=waiting'
const CANCELLED = { suites: '1 cancelled 0, 2 success', runs: '2 build success' }
const UNENDED = { suites: '1 - 0', flows: '1 docs.yml push - id=42' }

test.each<[string, Answers, string]>([
  ['a token without `actions: read`', { ...BOTH, flows: undefined }, 'build: failure? | build: success'],
  ['that token, one workflow', { suites: '1 failure, 2 - 0 x', runs: '1 a failure', flows: undefined }, 'a: failure'],
  [
    'that token, and a check that is no workflow’s',
    { suites: '1 success 0, 2 success 0', runs: '3 links failure app=links', flows: undefined },
    'links: failure',
  ],
  ['jobs with one name', { suites: '1 failure 2', runs: '1 build failure, 1 build success id=99' }, BESIDE],
  [
    'a job that waits for somebody, and its run',
    { suites: `1 ${WAITING}`, runs: `1 deploy ${WAITING}`, flows: `1 ci.yml push ${WAITING}` },
    'deploy: environment',
  ],
  [
    'one known as a run only',
    { suites: '1 success 0', flows: '2 a.yml push -' },
    'a.yml, which has not ended: pending',
  ],
  [
    'one without a number, beside a check and a run without one',
    { suites: '1 bad 0 id=', runs: '1 a bad check_suite=', flows: '1 a.yml push - check_suite_id=' },
    'a: failure | github-actions, which ended with bad: failure | a.yml, which has not ended: pending',
  ],
  ['one that cannot start', { suites: '1 broken 0' }, 'github-actions, which ended with broken: failure'],
  ['a workflow that is queued', { suites: '1 - 0' }, 'github-actions, which has not ended: pending'],
  ['a workflow that was skipped', { suites: '1 skipped 0' }, ''],
  ['an app that never had a check', { suites: '1 - 0 links' }, ''],
  ['an app that never had a check, and failed', { suites: '1 failure 0 links' }, ''],
  [
    'an app that needs a person',
    { suites: '1 action_required 0 dco' },
    'dco, which ended with action_required: person',
  ],
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
  ['an app without a name', { suites: '1 timed_out 1 -' }, 'an app, which ended with timed_out: failure'],
  ['an app whose checks ended', { suites: '1 - 1 links', runs: '1 links success app=links' }, 'links: success'],
  [
    'what was cancelled for a later run',
    { ...CANCELLED, flows: '1 ci.yml push cancelled, 2 ci.yml push success' },
    'build: success',
  ],
  [
    'what was cancelled for something else',
    CANCELLED,
    'build: success | github-actions, which ended with cancelled: failure',
  ],
  [
    'a later run that skips a job of an older one',
    {
      suites: '1 failure 2, 2 success 2',
      flows: '1 ci.yml push failure, 2 ci.yml push success',
      runs: '1 build failure, 1 links failure, 2 build skipped, 2 links success',
    },
    'build: failure | build: success | links: success',
  ],
  [
    'another job of the run that asks',
    { suites: '1 - 2', runs: `1 docs - details_url=${OWN}/job/1, 1 report failure` },
    'report: failure',
  ],
  ['the run that asks', UNENDED, ''],
  [
    'an older run, replaced by the one that asks',
    { suites: '0 failure, 1 - 0', runs: '0 docs failure', flows: `0 docs.yml push failure id=41, ${UNENDED.flows}` },
    '',
  ],
  [
    'a check run that is not listed',
    { suites: '1 success 0', runs: '1 a success', counts: { runs: 2 } },
    'a: success | 1 check run that GitHub does not list: pending',
  ],
  [
    'check suites that are not listed',
    { suites: '1 skipped 0', counts: { suites: 4 } },
    '3 check suites that GitHub does not list: pending',
  ],
  [
    'commit statuses that are not listed',
    { counts: { statuses: 2 }, combined: 'success' },
    '2 commit statuses that GitHub does not list: pending',
  ],
])('what counts: %s', (_what, answers, told) => {
  expect(judge(answers)).toBe(told)
})

const hundred = (row: string): string => Array<string>(100).fill(row).join(', ')
const LISTED = { runs: hundred('1 page success'), counts: { runs: 250 } }
const statuses = (listed: string, combined: string) => ({ statuses: listed, counts: { statuses: 120 }, combined })
const PASSED = hundred('success')
const UNKNOWN = '20 commit statuses past the first 100: pending'

test.each<[string, Answers, string]>([
  [
    'checks that have passed',
    { ...LISTED, suites: '1 success 150, 2 success 100 links' },
    '50 more checks of github-actions: success | 100 more checks of links: success',
  ],
  [
    'checks that have not',
    { ...LISTED, suites: '1 failure 150, 2 - 100 links' },
    'github-actions, which ended with failure: failure | links, which has not ended: pending',
  ],
  [
    'checks that run, as those before',
    { runs: hundred('1 page -'), counts: { runs: 250 }, suites: '1 - 150, 2 - 100 links' },
    '50 more checks of github-actions: pending | links, which has not ended: pending',
  ],
  [
    'checks beside those of the run that asks',
    { suites: '1 - 150', runs: hundred(`1 docs - details_url=${OWN}`), counts: { runs: 150 } },
    '50 check runs past the first 100: pending',
  ],
  [
    'check suites',
    { suites: hundred('1 skipped 0'), counts: { suites: 350 } },
    '250 check suites past the first 100: pending',
  ],
  ['commit statuses that have passed', statuses(PASSED, 'success'), '20 more commit statuses: success'],
  ['commit statuses that failed', statuses(PASSED, 'failure'), '20 more commit statuses: failure'],
  ['commit statuses that may have', statuses(hundred('failure'), 'failure'), UNKNOWN],
  ['those that may have, as one has', statuses(PASSED.replace('success', 'failure'), 'failure'), UNKNOWN],
  ['commit statuses that have not ended', statuses(PASSED, 'pending'), UNKNOWN],
  ['commit statuses without a sum', statuses(PASSED, '-'), UNKNOWN],
])('past the first page there are %s', (_what, answers, told) => {
  expect(judge(answers).replace(/^.*(?:page: \w+|ci: \w+) \| /, '')).toBe(told)
})

test.each([
  ['the run that asks', `details_url=${OWN}/job/1`, false],
  ['the run that asks, in other letters', `details_url=${OWN.replace('acme', 'Acme')}`, false],
  ['the run that asks, without details', `details_url= html_url=${OWN}/job/1`, false],
  ['an app that names it', `details_url=${OWN} app=links`, true],
  [
    'the run that asks, after its repository was renamed',
    'details_url=https://github.com/acme/new/actions/runs/42',
    false,
  ],
  ['a page below no repository', 'details_url=https://github.com/actions/runs/42', true],
  ['a page deeper down', 'details_url=https://github.com/acme/docs/x/actions/runs/42', true],
  ['another host', 'details_url=https://git.example.com/acme/docs/actions/runs/42/job/1', true],
  ['a run whose number begins so', `details_url=${OWN}1/job/1`, true],
  ['a page that names it', `details_url=https://links.example/?${OWN}`, true],
])('a check of %s counts: %3$s', (_whose, fields, counts) => {
  expect(judge({ runs: `1 docs failure ${fields}` })).toBe(counts ? 'docs: failure' : '')
})
