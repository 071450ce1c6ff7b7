import { expect, test } from '@jest/globals'
import { ACTIONS, type CheckRun, type CheckSuite, type WorkflowRun } from '../../src/github/check-answers.ts'
import { judgeChecks, type Check, type CommitAnswers } from '../../src/github/commit-checks.ts'
import { refusal, RUN_FACTS } from '../support/fake-github.ts'

const listed = <T>(items: readonly T[], total = items.length) => ({
  ...{ items, missing: total - items.length, isFull: items.length >= 100 },
})

/** A check run in the suite of that number, of which it is the job. */
const run = (
  suite: number,
  name: string,
  conclusion: string | undefined,
  fields: Partial<CheckRun> = {},
): CheckRun => ({
  ...{ id: suite * 10, name, app: ACTIONS, check_suite: { id: suite } },
  ...{ status: conclusion === undefined ? 'in_progress' : 'completed', conclusion },
  details_url: `https://github.com/acme/docs/actions/runs/${suite * 100}/job/${suite * 10}`,
  ...fields,
})
const suite = (id: number, conclusion: string | undefined, count = 1, app = ACTIONS): CheckSuite => ({
  ...{ id, app, conclusion, latest_check_runs_count: count },
  status: conclusion === undefined ? 'in_progress' : 'completed',
})
const workflowRun = (id: number, workflow: string, event: string, conclusion: string | undefined): WorkflowRun => ({
  ...{ id: id * 100, check_suite_id: id, path: `.github/workflows/${workflow}`, event },
  ...{ status: conclusion === undefined ? 'in_progress' : 'completed', conclusion },
})

function judge(fields: Partial<CommitAnswers>): string[] {
  const none = listed([])
  const usual = { repository: 'acme/docs', suites: none, checkRuns: none, statuses: none, workflowRuns: [] }
  const checks = judgeChecks({ ...usual, combinedStatus: 'pending', ...fields }, RUN_FACTS)
  const stateOf = ({ state, waitsForApproval }: Check): string => (waitsForApproval === true ? 'approval' : state)
  return checks.map((check) => `${check.name}: ${stateOf(check)}${check.doubt === undefined ? '' : '?'}`)
}

test('a failure of one event counts beside a newer success of another', () => {
  const answers = {
    suites: listed([suite(1, 'failure'), suite(2, 'success')]),
    checkRuns: listed([run(1, 'build', 'failure'), run(2, 'build', 'success')]),
  }
  const runs = (event: string) => [
    workflowRun(1, 'ci.yml', 'push', 'failure'),
    workflowRun(2, 'ci.yml', event, 'success'),
  ]
  expect(judge({ ...answers, workflowRuns: runs('pull_request') })).toEqual(['build: failure', 'build: success'])
  expect(judge({ ...answers, workflowRuns: runs('push') })).toEqual(['build: success'])
  expect(judge({ ...answers, workflowRuns: runs('push').slice(0, 1) })).toEqual(['build: failure', 'build: success'])
})

test('without `actions: read` all of it counts, and what may have been replaced says so', () => {
  const workflowRuns = refusal('forbidden')
  const suites = listed([suite(1, 'failure'), suite(2, 'success')])
  const checkRuns = listed([run(1, 'build', 'failure'), run(2, 'build', 'success')])
  expect(judge({ suites, checkRuns, workflowRuns })).toEqual(['build: failure?', 'build: success'])
  const alone = { suites: listed([suite(1, 'failure')]), checkRuns: listed([run(1, 'build', 'failure')]) }
  expect(judge({ ...alone, workflowRuns })).toEqual(['build: failure'])
  const ofApp = listed([run(1, 'links', 'failure', { app: 'links' })])
  expect(
    judge({ suites: listed([suite(1, 'success'), suite(2, 'success')]), checkRuns: ofApp, workflowRuns }),
  ).toContain('links: failure')
})

test('two jobs of one run may have one name, and two suites of another app too', () => {
  const twice = (app: string) =>
    listed([run(1, 'build', 'failure', { app }), run(1, 'build', 'success', { app, id: 99 })])
  for (const app of [ACTIONS, 'links'])
    expect(judge({ suites: listed([suite(1, 'failure', 2, app)]), checkRuns: twice(app) })).toEqual([
      'build: failure',
      'build: success',
    ])
})

test.each([
  ['while its run goes on', undefined, 'ci.yml, which has not ended: pending'],
  ['if its run failed otherwise', 'failure', 'ci.yml, which ended with failure: failure'],
  ['if its run waits for somebody', 'action_required', 'ci.yml: approval'],
])('a job that has passed is not all %s', (_when, conclusion, told) => {
  const suites = listed([suite(1, conclusion)])
  const workflowRuns = [workflowRun(1, 'ci.yml', 'push', conclusion)]
  const checkRuns = listed([run(1, 'build', 'success')])
  expect(judge({ suites, checkRuns, workflowRuns })).toEqual(['build: success', told])
})

test('a job that waits for somebody is told, and its run not beside it', () => {
  const waiting = { status: 'waiting', conclusion: undefined }
  const suites = listed([{ ...suite(1, undefined), ...waiting }])
  const workflowRuns = [{ ...workflowRun(1, 'ci.yml', 'push', undefined), ...waiting }]
  const checkRuns = listed([run(1, 'deploy', undefined, waiting)])
  expect(judge({ suites, checkRuns, workflowRuns })).toEqual(['deploy: approval'])
  expect(judge({ suites, workflowRuns })).toEqual(['ci.yml: approval'])
})

test.each([
  [
    'a workflow that cannot start',
    ACTIONS,
    'startup_failure',
    ['github-actions, which ended with startup_failure: failure'],
  ],
  ['a workflow that is queued', ACTIONS, undefined, ['github-actions, which has not ended: pending']],
  ['a workflow that was skipped', ACTIONS, 'skipped', []],
  ['an app that never had a check', 'links', undefined, []],
  ['an app that never had a check, and failed', 'links', 'failure', []],
  ['an app that waits for somebody', 'links', 'action_required', ['links: approval']],
] as const)('a suite without check runs, of %s', (_whose, app, conclusion, told) => {
  expect(judge({ suites: listed([suite(1, conclusion, 0, app)]) })).toEqual(told)
})

test('what was cancelled for a later run of the same workflow and event is nothing', () => {
  const suites = listed([suite(1, 'cancelled', 0), suite(2, 'success')])
  const workflowRuns = [workflowRun(1, 'ci.yml', 'push', 'cancelled'), workflowRun(2, 'ci.yml', 'push', 'success')]
  const checkRuns = listed([run(2, 'build', 'success')])
  expect(judge({ suites, checkRuns, workflowRuns })).toEqual(['build: success'])
  expect(judge({ suites, checkRuns, workflowRuns: workflowRuns.slice(1) })).toContain(
    'github-actions, which ended with cancelled: failure',
  )
})

test('a later run that skips a job does not take the place of one that did it', () => {
  const suites = listed([suite(1, 'failure', 2), suite(2, 'success', 2)])
  const workflowRuns = [workflowRun(1, 'ci.yml', 'push', 'failure'), workflowRun(2, 'ci.yml', 'push', 'success')]
  const older = [run(1, 'build', 'failure'), run(1, 'links', 'failure')]
  const checkRuns = listed([...older, run(2, 'build', 'skipped'), run(2, 'links', 'success')])
  expect(judge({ suites, checkRuns, workflowRuns })).toEqual(['build: failure', 'build: success', 'links: success'])
})

test('what is past the first page is told by the suites', () => {
  const first = Array.from({ length: 100 }, (_, index) => run(1, `page ${index}`, 'success'))
  const rest = (...conclusions: readonly (string | undefined)[]) =>
    judge({
      suites: listed([suite(1, conclusions[0], 150), suite(2, conclusions[1], 100, 'links')]),
      checkRuns: listed(first, 250),
    }).slice(100)
  expect(rest('success', 'success')).toEqual([
    '50 more checks of github-actions: success',
    '100 more checks of links: success',
  ])
  expect(rest('failure', undefined)).toEqual([
    'github-actions, which ended with failure: failure',
    'links, which has not ended: pending',
  ])
})

test.each([
  [
    { checkRuns: listed([run(1, 'a', 'success')], 3), suites: listed([suite(1, 'success')]) },
    '2 check runs that GitHub does not list',
  ],
  [{ suites: listed([suite(1, 'success', 0)], 4) }, '3 check suites that GitHub does not list'],
  [
    {
      suites: listed(
        Array.from({ length: 100 }, () => suite(1, 'success', 0)),
        350,
      ),
    },
    '250 check suites past the first 100',
  ],
  [{ statuses: listed([], 2), combinedStatus: 'success' }, '2 commit statuses that GitHub does not list'],
])('what is counted and not told of is pending, and named (%#)', (answers, name) => {
  expect(judge(answers)).toContain(`${name}: pending`)
})

test.each([
  ['success', 'success', '20 more commit statuses: success'],
  ['success', 'failure', '20 more commit statuses: failure'],
  ['failure', 'failure', '20 commit statuses past the first 100: pending'],
  ['success', 'pending', '20 commit statuses past the first 100: pending'],
  ['success', undefined, '20 commit statuses past the first 100: pending'],
])('of statuses past the first page (%s) GitHub’s sum counts, %s', (state, combinedStatus, told) => {
  const status = { context: 'ci', state, description: undefined, target_url: undefined }
  const statuses = listed(
    Array.from({ length: 100 }, () => status),
    120,
  )
  expect(judge({ statuses, combinedStatus }).at(-1)).toBe(told)
})

const OWN = 'https://github.com/acme/docs/actions/runs/42'

test.each([
  ['the run that asks', {}, false],
  ['the run that asks, in other letters', { details_url: OWN.replace('acme', 'Acme') }, false],
  ['the run that asks, without details', { details_url: undefined, html_url: `${OWN}/job/1` }, false],
  ['an app that names it', { app: 'links' }, true],
  ['another repository', { details_url: 'https://github.com/acme/code/actions/runs/42/job/1' }, true],
  ['another host', { details_url: 'https://git.example.com/acme/docs/actions/runs/42/job/1' }, true],
  ['a run whose number begins so', { details_url: `${OWN}1/job/1` }, true],
  ['a page that names it', { details_url: `https://links.example/?of=${OWN}` }, true],
])('a check of %s counts: %3$s', (_whose, fields, counts) => {
  const checkRuns = listed([run(1, 'docs', 'failure', { details_url: `${OWN}/job/1`, ...fields })])
  expect(judge({ checkRuns })).toEqual(counts ? ['docs: failure'] : [])
})

test('the suite of the run that asks is not waited for, and what else is in it counts', () => {
  const suites = listed([suite(1, undefined, 2)])
  const own = run(1, 'docs', undefined, { details_url: `${OWN}/job/1` })
  const report = run(1, 'report', 'failure', { details_url: 'https://github.com/acme/docs/runs/9' })
  expect(judge({ suites, checkRuns: listed([own, report]) })).toEqual(['report: failure'])
  const workflowRuns = [{ ...workflowRun(1, 'docs.yml', 'push', undefined), id: RUN_FACTS.runId }]
  expect(judge({ suites: listed([suite(1, undefined, 0)]), workflowRuns })).toEqual([])
  expect(judge({ suites: listed([suite(1, undefined, 0)]), workflowRuns, repository: 'acme/code' })).toHaveLength(1)
})

test('what is in that suite and past the first page is not known', () => {
  const own = Array.from({ length: 100 }, (_, index) => run(1, `docs ${index}`, undefined, { details_url: OWN }))
  const answers = { suites: listed([suite(1, undefined, 150)]), checkRuns: listed(own, 150) }
  expect(judge(answers)).toEqual(['50 check runs past the first 100: pending'])
})

test('what an app has all ended is over, whatever its suite says', () => {
  const checkRuns = listed([run(1, 'links', 'success', { app: 'links' })])
  expect(judge({ suites: listed([suite(1, undefined, 1, 'links')]), checkRuns })).toEqual(['links: success'])
})

test('the run that asks takes the place of an older one of its workflow', () => {
  const suites = listed([suite(0, 'failure'), suite(1, undefined, 0)])
  const older = { ...workflowRun(0, 'docs.yml', 'push', 'failure'), id: 41 }
  const workflowRuns = [older, { ...workflowRun(1, 'docs.yml', 'push', undefined), id: RUN_FACTS.runId }]
  expect(judge({ suites, checkRuns: listed([run(0, 'docs', 'failure')]), workflowRuns })).toEqual([])
  expect(judge({ suites: listed([suite(0, 'cancelled', 0)]), workflowRuns })).toEqual([])
})

test('a check without a name counts under a name of ours', () => {
  const nameless = { ...run(1, '', 'failure'), name: undefined, output: undefined }
  const statuses = listed([{ context: undefined, state: 'error', description: undefined, target_url: undefined }])
  expect(judge({ checkRuns: listed([nameless]), statuses })).toEqual([
    'a check without a name: failure',
    'a commit status without a name: failure',
  ])
})
