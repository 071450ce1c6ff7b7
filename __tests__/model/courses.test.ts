import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import type { CheckPlan } from '../../src/emulator/github/check-plan.ts'
import { IS_SOAK, SEED } from '../support/seed.ts'
import { arbitraryCourse } from './arbitrary-course.ts'
import { docsOf } from './course-truth.ts'
import { FORMER_NAME, playCourse, type Course, type CourseStep, type CourseTrace } from './course.ts'
import { problemsOf } from './course-invariants.ts'

jest.setTimeout(3_600_000)

const runs = Number(process.env['COURSES'] ?? (IS_SOAK ? 1_000 : 25))
const path = process.env['MODEL_PATH']

async function problemsIn(course: Course, onEnd: (trace: CourseTrace) => void = () => undefined): Promise<string[]> {
  try {
    const trace = await playCourse(course)
    onEnd(trace)
    return problemsOf(trace)
  } catch (error) {
    return [`It crashed. ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`]
  }
}

async function describeFailure(details: fc.RunDetails<[Course]>): Promise<string> {
  const [course] = details.counterexample ?? []
  if (course === undefined) return 'No course was played to its end.'
  const said: string[] = []
  const problems = await problemsIn(course, (trace) => {
    said.push(...trace.runs.map(({ log, text }) => [...log, text].join('\n')))
  })
  return [
    ...problems,
    `Replay: SEED=${details.seed} MODEL_PATH=${details.counterexamplePath ?? ''} npm test -- __tests__/model/courses -t '<this test>'`,
    `Found after ${details.numRuns} courses, shrunk ${details.numShrinks} times to:`,
    JSON.stringify(course, (_key, value: unknown) => (value === Infinity ? 'never' : value)),
    ...said,
  ].join('\n')
}

const ASKS = { rolling: ['created', 'updated', 'unchanged'], 'follow-up': ['updated', 'unchanged'] } as const

test.each(['rolling', 'follow-up'] as const)(`over ${runs} %s courses nothing false is said`, async (asks) => {
  const seen = new Set<string>()
  const note = ({ runs: played }: CourseTrace): void => {
    for (const { conclusion, outputs } of played) {
      if (conclusion.isGreen) seen.add(outputs['pr-operation'] ?? '')
      seen.add(`checks ${outputs['checks'] ?? ''}`)
    }
  }
  const property = fc.asyncProperty(
    arbitraryCourse(asks),
    async (course) => (await problemsIn(course, note)).length === 0,
  )
  const details = await fc.check(property, { numRuns: runs, seed: SEED, ...(path === undefined ? {} : { path }) })
  expect(details.failed ? await describeFailure(details) : '').toBe('')
  // A proof about courses that all end alike would prove nothing.
  const common = [...ASKS[asks], 'checks success', 'checks failure']
  expect(path === undefined && runs >= 500 ? common.filter((one) => !seen.has(one)) : []).toEqual([])
})

const TURN = { startDelayMs: 0, durationMs: 20_000, ending: 'pull-request', linkDelayMs: 0, pause: undefined } as const
const IDLE = { ...TURN, durationMs: 60_000, ending: 'no-changes' } as const
const step = (asks: CourseStep['asks'], gapMs: number, given: Record<string, string> = {}): CourseStep => ({
  ...{ asks, gapMs, begins: 'after', leavesDocs: false, given },
})
const [ROLLING, FOLLOW_UP] = [step('rolling', 60_000), step('follow-up', 60_000)]
const CALM: Course = {
  service: { turns: [TURN] },
  github: { checks: [[]] },
  gitHubLags: [{ headMs: 0, runsMs: 0 }],
  latenciesMs: [100],
  steps: [ROLLING, ROLLING],
}
test('ten pushes leave one pull request whose comment names each of them', async () => {
  const trace = await playCourse({ ...CALM, steps: Array.from({ length: 10 }, () => ROLLING) })
  expect(problemsOf(trace)).toEqual([])
  const opened = Object.values(docsOf(trace).pulls).filter(({ labels }) => labels.includes('docs-agent'))
  expect(opened).toHaveLength(1)
  const [comment, ...others] = opened[0]?.comments ?? []
  expect(others).toEqual([])
  const shown = (comment?.body ?? '')
    .replaceAll(/<!--.*?-->|<\/?\w[^>]*>/g, '')
    .replaceAll('&#64;', '@')
    .replaceAll('&#45;', '-')
  const push = (index: number) => `push to main by @writer-${index}: ${index + 1} commit${index === 0 ? '' : 's'}`
  const rows = Array.from(shown.matchAll(/^\| \d{4}-\d\d-\d\d \d\d:\d\d \| (.*) \| (.*) +\|$/gm), ([, by, end]) => [
    by,
    end?.trim(),
  ])
  expect(rows).toEqual(
    Array.from({ length: 10 }, (_, index) => [
      push(index),
      `${index === 0 ? 'opened: 1 file' : '1 new commit'}, step agent`,
    ]),
  )
  expect(shown).toContain('- Review it, and merge it.')
  expect(shown).toContain('Follow-ups by `on-open-pr`: 9 of 20 used.')
})

const CHECKED = step('rolling', 60_000, { 'wait-for-checks': 'true' })
const passes = (name: string, more: Partial<Extract<CheckPlan, { kind: 'job' }>> = {}): CheckPlan => ({
  ...{ kind: 'job', name, afterMs: 1_000, takesMs: 10_000, result: { conclusion: 'success' }, ...more },
})
const fails = { result: { conclusion: 'failure' } }
const checked = (...plans: readonly CheckPlan[]): Course => ({ ...CALM, github: { checks: [plans] }, steps: [CHECKED] })
const during = (act: 'person-commits' | 'bot-commits' | 'bot-merges-base'): Course => ({
  ...{ ...CALM, service: { turns: [TURN, IDLE] } },
  github: { checks: [[]], events: [{ after: 'follow-up', delayMs: 30_000, act }] },
})

/** The second follow-up comes while the agent works on the first, and servers are slow. */
const late = (minutes: string): Course => ({
  ...{ ...CALM, latenciesMs: [900] },
  steps: [
    FOLLOW_UP,
    step('follow-up', 60_000, { wait: 'false' }),
    step('follow-up', 0, { 'timeout-minutes': minutes }),
  ],
})

/** On each of these something false was said once, or two pull requests were open; with what must come of its last step now. */
const ONCE_FALSE: Readonly<Record<string, readonly [course: Course, outputs: Record<string, string>]>> = {
  'a repository that was renamed has one pull request': [
    { ...CALM, steps: [ROLLING, step('rolling', 60_000, { 'pr-repository': FORMER_NAME })] },
    { continued: 'pull-request', 'pr-operation': 'updated' },
  ],
  'a commit of a person is no update': [during('person-commits'), { changed: 'false', 'pr-operation': 'unchanged' }],
  'a commit of a bot is no update': [during('bot-commits'), { changed: 'false', 'pr-operation': 'unchanged' }],
  'a merge of main is no update': [during('bot-merges-base'), { changed: 'false', 'pr-operation': 'unchanged' }],
  'a push before the turn fails does not make it succeed': [
    {
      ...{ ...CALM, steps: [FOLLOW_UP, step('follow-up', 60_000, { 'poll-interval-seconds': '2' })] },
      service: {
        turns: [TURN, { ...TURN, startDelayMs: 1_000, durationMs: 300_000, ending: 'failed', pushesMs: [500] }],
        lagsMs: [0, 9_000],
      },
    },
    { outcome: 'failed', changed: 'true' },
  ],
  'the late push of a turn before is not of this one': [
    {
      ...{ ...CALM, service: { turns: [TURN, TURN, IDLE] }, gitHubLags: [{ headMs: 9_000, runsMs: 0 }] },
      steps: [FOLLOW_UP, step('follow-up', 60_000, { wait: 'false' }), step('follow-up', 5_000)],
    },
    { changed: 'false', 'pr-operation': 'unchanged' },
  ],
  'a deadline that passes while the head is read again is kept': [late('0.634'), { outcome: 'timed-out' }],
  'a deadline that passes when the head has stood is kept': [late('0.65'), { outcome: 'timed-out' }],
  'a job behind `needs` may fail after all that is there has passed': [
    checked(passes('build', { takesMs: 40_000 }), passes('deploy', { ...fails, needs: true, afterMs: 3_000 })),
    { checks: 'failure' },
  ],
  'a check of one event does not hide that of another': [
    checked(passes('build', { ...fails, event: 'push' }), passes('build', { event: 'pull_request' })),
    { checks: 'failure' },
  ],
  'two jobs of one name may end differently': [checked(passes('build', fails), passes('build')), { checks: 'failure' }],
  'a workflow that cannot start has failed': [
    checked(passes('build'), { kind: 'unstarted', conclusion: 'startup_failure', workflow: 'broken.yml' }),
    { checks: 'failure' },
  ],
  'a job that is started again counts as it ends then': [
    checked(passes('build', { takesMs: 40_000, again: { afterMs: 4_000, takesMs: 9_000, ...fails } })),
    { checks: 'failure' },
  ],
}

test.each(Object.entries(ONCE_FALSE))('%s', async (_name, [course, outputs]) => {
  const trace = await playCourse(course)
  expect(problemsOf(trace)).toEqual([])
  expect(trace.runs.at(-1)?.outputs).toMatchObject(outputs)
})
