import type { CheckPlan } from './check-plan.ts'

const BUILD = { kind: 'job', name: 'build', afterMs: 2_000, takesMs: 12_000 } as const
const LINKS = { kind: 'app', name: 'links', afterMs: 3_000, takesMs: 6_000 } as const
const PREVIEW = { kind: 'status', name: 'preview', afterMs: 1_000, takesMs: 5_000, conclusion: 'success' } as const

const addTimestamps = (lines: readonly string[]): string =>
  lines.map((line, second) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.1234567Z ${line}\n`).join('')

export const PASSED: readonly CheckPlan[] = [
  {
    ...BUILD,
    result: { conclusion: 'success', log: addTimestamps(['##[group]Run npm run build', 'Built 31 pages.']) },
  },
  { ...LINKS, result: { conclusion: 'success', title: 'All links work', summary: '31 pages, 214 links.' } },
  PREVIEW,
]

/** Failures with an annotation, a log, and the report of an app. */
export const FAILED: readonly CheckPlan[] = [
  {
    ...BUILD,
    result: {
      conclusion: 'failure',
      log: addTimestamps([
        '##[group]Run npm run build',
        '\u001b[31mdocs/index.md:4: the page "setup.md" is not there\u001b[0m',
        '##[error]Process completed with exit code 1.',
      ]),
      annotations: [
        {
          path: 'docs/index.md',
          start_line: 4,
          end_line: 4,
          annotation_level: 'failure',
          title: 'Missing page',
          message: 'The page "setup.md" is not there.',
        },
      ],
    },
  },
  {
    ...LINKS,
    result: { conclusion: 'failure', title: 'One link is broken', summary: 'docs/index.md:4: setup.md (404)' },
  },
  PREVIEW,
]

/** The build is fixed, the link is not. */
const FIXED_IN_PART: readonly CheckPlan[] = [...PASSED.slice(0, 1), ...FAILED.slice(1)]

export const ENDLESS: readonly CheckPlan[] = [{ ...BUILD, takesMs: Infinity, result: { conclusion: 'success' } }]

const DEPLOY = { kind: 'job', name: 'deploy', afterMs: 3_000, takesMs: 10_000 } as const
const FAILURE = { conclusion: 'failure', log: addTimestamps(['##[error]Process completed with exit code 1.']) } as const

export const WITH_NEEDS: readonly CheckPlan[] = [...PASSED, { ...DEPLOY, needs: true, result: FAILURE }]

export const AWAITING_ENVIRONMENT: readonly CheckPlan[] = [
  ...PASSED,
  { ...DEPLOY, workflow: 'deploy.yml', guardedMs: Infinity, result: { conclusion: 'success' } },
]

export const TWO_EVENTS: readonly CheckPlan[] = [
  { ...BUILD, result: FAILURE, event: 'push' },
  { ...BUILD, result: { conclusion: 'success' }, event: 'pull_request' },
]

/** More than one page of GitHub's lists. */
export const MANY: readonly CheckPlan[] = Array.from({ length: 250 }, (_, index) => ({
  ...BUILD,
  name: `page ${index + 1}`,
  workflow: index < 50 ? 'ci.yml' : 'pages.yml',
  result: { conclusion: 'success' },
}))

export const RERUN: readonly CheckPlan[] = [
  { ...BUILD, result: FAILURE, again: { afterMs: 20_000, takesMs: 12_000, result: { conclusion: 'success' } } },
]

export interface PlannedChecks {
  /** The checks of the first, the second, … commit pushed to the agent's pull request. The last entry is repeated. */
  readonly checks: readonly (readonly CheckPlan[])[]
  /** The checks of the newest commit of the branch that the agent starts from. */
  readonly checksBefore: readonly CheckPlan[]
}

/** The scenarios that differ only in their checks. */
export const CHECK_SCENARIOS = {
  'checks-pass': { description: 'Two checks and a commit status pass after some seconds.' },
  'checks-fail': {
    description: 'Two checks of every commit fail, with annotations and a log.',
    checks: [FAILED],
  },
  'checks-fixed': {
    description: 'The checks of the first commit of each pull request fail, and those of the next one pass.',
    checks: [FAILED, PASSED],
  },
  'checks-fixed-late': {
    description:
      'The first commit of each pull request fails two checks, the second one fails one of them, and the third one passes.',
    checks: [FAILED, FIXED_IN_PART, PASSED],
  },
  'checks-fail-once': {
    description: 'The checks of the second commit of each pull request fail, and those of all others pass.',
    checks: [PASSED, FAILED, PASSED],
  },
  'checks-red-before': {
    description: 'The checks fail, and did so before the agent changed anything.',
    checks: [FAILED],
    checksBefore: FAILED,
  },
  'checks-late': {
    description: 'The checks are registered only 40 seconds after the push.',
    checks: [PASSED.map((plan) => ('afterMs' in plan ? { ...plan, afterMs: plan.afterMs + 40_000 } : plan))],
  },
  'checks-none': { description: 'No check is ever registered.', checks: [[]] },
  'checks-pending': {
    description: 'A check begins and never ends.',
    checks: [ENDLESS],
  },
  'checks-wait-for-approval': {
    description: 'The workflow run waits for approval, so no check is registered.',
    checks: [[{ kind: 'unstarted', conclusion: 'action_required' }]],
  },
  'checks-wait-for-environment': {
    description: 'All checks pass except one, which waits for the protection rules of its environment.',
    checks: [AWAITING_ENVIRONMENT],
  },
  'checks-in-turn': {
    description: 'A workflow’s second job needs the first one, is registered only when that one has passed, and fails.',
    checks: [WITH_NEEDS],
  },
  'checks-of-two-events': {
    description: 'A workflow runs for the push and for the pull request, and one of the two runs fails.',
    checks: [TWO_EVENTS],
  },
  'checks-of-one-name': {
    description: 'Two jobs of one run have the same name: the first fails, and the second passes.',
    checks: [
      [
        { ...BUILD, result: FAILURE },
        { ...BUILD, result: { conclusion: 'success' } },
      ],
    ],
  },
  'checks-many': { description: 'All of 250 checks pass, more than GitHub lists on a page.', checks: [MANY] },
  'checks-cannot-start': {
    description: 'One workflow passes, and another one cannot start.',
    checks: [[...PASSED, { kind: 'unstarted', conclusion: 'startup_failure', workflow: 'broken.yml' }]],
  },
  'checks-again': {
    description: 'A job fails, which ends the step, and passes when it is started again later.',
    checks: [RERUN],
  },
} as const satisfies Record<`checks-${string}`, Partial<PlannedChecks> & { description: string }>
