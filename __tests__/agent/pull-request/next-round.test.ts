import { expect, test } from '@jest/globals'
import { nextRound } from '../../../src/agent/pull-request/next-round.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { RoundRefused } from '../../../src/agent/report/fixing.ts'
import type { Report } from '../../../src/agent/report/report.ts'
import { Course, reportOf, stoppedBy } from '../../../src/agent/report/turns.ts'
import type { Check } from '../../../src/github/commit-checks.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { CREATE } from '../../support/agent-run.ts'
import { completed, job, LINK, withoutLink } from '../../support/fake-client.ts'
import { fakeClock, type FakeClock } from '../../support/fake-clock.ts'
import {
  fakeGitHub,
  inTurn,
  PULL_REQUEST,
  refusal,
  rejecting,
  RUN_FACTS,
  type FakeGitHub,
} from '../../support/fake-github.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'
import { commit } from '../../support/github-state.ts'

interface Prompted {
  readonly prompt: string | undefined
  readonly report: Report
  readonly github: FakeGitHub
  /** The deadline of the questions about details, since the step's beginning. */
  readonly detailsMs: number | undefined
}

const jobCheck = (name: string, id: number): Check => ({
  ...{ name, id, state: 'failure', app: 'github-actions' },
  detailsUrl: `https://github.com/acme/docs/actions/runs/1/job/${id}`,
})

async function promptWith(
  answers: Partial<GitHub>,
  failed: readonly Check[] = [jobCheck('build', 1)],
  {
    hasToken = true,
    clock = fakeClock(),
    seen = '',
    before = completed,
  }: { hasToken?: boolean; clock?: FakeClock; seen?: string; before?: Job } = {},
): Promise<Prompted> {
  const inputs = agentInputs({ waitForChecks: true, fixRounds: 1 })
  const github = fakeGitHub({ readChecks: () => Promise.resolve([]), ...answers })
  const facts = { ...RUN_FACTS, serverUrl: `https://${completed.prLink?.host ?? ''}` }
  const step = fakeStep({ clock, context: facts, ...(hasToken ? { github } : {}) })
  const journal = new Journal(inputs, step)
  const course = new Course(CREATE)
  for (const headSha of Array.from(seen, commit)) await journal.heads.read(inTurn({ ...PULL_REQUEST, headSha }))
  const pullRequest = { state: 'open', checks: 'failure', headSha: commit('c'), checkList: failed } as const
  course.see({ result: { outcome: 'pull-request', job: completed }, pullRequest })
  const round = await nextRound(course.turns, inputs, step, journal)
  let prompt: string | undefined
  if (typeof round !== 'object') course.see({ stop: round })
  else {
    course.begin(round.task)
    try {
      await round.preflight?.check(before)
      prompt = round.task.kind === 'follow-up' ? round.task.prompt : undefined
    } catch (error) {
      if (!(error instanceof RoundRefused)) throw error
      course.see({ stopped: stoppedBy(error, false) })
    }
  }
  const endsAt = github.deadlines.at(-1)
  return {
    prompt,
    report: reportOf(course.turns, journal.recorded()),
    github,
    detailsMs: endsAt === undefined ? undefined : endsAt - step.startedAt,
  }
}

const count = (asked: readonly string[], name: string): number => asked.filter((one) => one === name).length

test.each(['rejected', 'not-found', 'bad-answer', 'redirected'] as const)(
  'a log that is lost (%s) costs that log, which is said once, and the others are told',
  async (code) => {
    const readJobLog = inTurn<string>(refusal(code), refusal(code), 'the third log')
    const checks = [jobCheck('build', 1), jobCheck('links', 2), jobCheck('spelling', 3)]
    const { prompt, report } = await promptWith({ readJobLog }, checks)
    expect(prompt).toContain('the third log')
    expect(report.shortfalls.map(({ lost }) => lost)).toEqual(['The agent was not told all logs of failing checks'])
  },
)

test('what is refused is asked once, said once, and all else is told', async () => {
  const answers = {
    readJobLog: rejecting(refusal('forbidden')),
    listAnnotations: inTurn([{ path: 'a.md', line: 3, title: '', message: 'It is gone.' }]),
  }
  const { prompt, report, github } = await promptWith(answers, [jobCheck('build', 1), jobCheck('links', 2)])
  expect(prompt?.match(/a\.md:3: It is gone\./g)).toHaveLength(2)
  expect(count(github.asked, 'readJobLog')).toBe(1)
  expect(report.shortfalls.map(({ lost }) => lost)).toEqual(['The agent was not told all logs of failing checks'])
})

test('only jobs of GitHub Actions have logs, and commit statuses have no details at all', async () => {
  const status: Check = { name: 'preview', state: 'failure', summary: 'No preview.' }
  const { prompt, github } = await promptWith({}, [{ ...jobCheck('links', 2), app: 'link-checker' }, status])
  expect(prompt).toContain('Check: preview\nNo preview.\n')
  expect([count(github.asked, 'readJobLog'), count(github.asked, 'listAnnotations')]).toEqual([0, 1])
})

test('a check that says that it has no annotations is not asked for them', async () => {
  const { github } = await promptWith({}, [{ ...jobCheck('build', 1), annotations: 0 }, jobCheck('links', 2)])
  expect([count(github.asked, 'readJobLog'), count(github.asked, 'listAnnotations')]).toEqual([2, 1])
})

test('of very many checks the first ten are told in detail, and all are named', async () => {
  const failed = Array.from({ length: 12 }, (_, index) => jobCheck(`check ${index}`, index + 1))
  const { prompt, github } = await promptWith({}, failed)
  expect(prompt?.match(/^Check: /gm)).toHaveLength(12)
  expect([count(github.asked, 'readJobLog'), count(github.asked, 'listAnnotations')]).toEqual([10, 10])
})

test('details get two minutes', async () => {
  expect((await promptWith({})).detailsMs).toBe(120_000)
})

test.each([
  ['others', { ...PULL_REQUEST, headSha: commit('d') }],
  ['over', { ...PULL_REQUEST, state: 'merged' }],
  ['not-sent', refusal('unreachable')],
] as const)('what happens meanwhile is seen directly before the message: %s', async (stop, later) => {
  const { prompt, report } = await promptWith({ readPullRequest: inTurn<typeof PULL_REQUEST>(PULL_REQUEST, later) })
  expect([prompt, report.rounds, report.stop]).toEqual([undefined, [], stop])
})

test('an old copy of the pull request is read again', async () => {
  const old = { ...PULL_REQUEST, headSha: commit('b') }
  const readPullRequest = inTurn(old, PULL_REQUEST)
  expect((await promptWith({ readPullRequest }, undefined, { seen: 'bc' })).prompt).toBeDefined()
})

test('a pull request that the step has read is read once more, directly before the message', async () => {
  const { github, prompt } = await promptWith({}, undefined, { seen: 'c' })
  expect(prompt).toBeDefined()
  expect(count(github.asked, 'readPullRequest')).toBe(1)
})

test.each([withoutLink, job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })])(
  'a job that does not name the pull request any more is sent nothing: %j',
  async (before) => {
    const { prompt, report } = await promptWith({}, undefined, { before })
    expect([prompt, report.rounds, report.stop]).toEqual([undefined, [], 'elsewhere'])
  },
)

test('a round that would begin too late because of the details is not begun', async () => {
  const clock = fakeClock()
  const readJobLog = (): Promise<string> => {
    clock.advance(3_000_001)
    return Promise.resolve('')
  }
  expect((await promptWith({ readJobLog }, undefined, { clock })).report.stop).toBe('no-time')
})

test('the checks of the merge base decide which failures are of the change', async () => {
  const asked: string[] = []
  const readChecks = (_repository: string, sha: string): Promise<readonly Check[]> => {
    asked.push(sha)
    return Promise.resolve([{ name: 'build', state: 'failure' }])
  }
  const { prompt } = await promptWith({ readChecks }, [jobCheck('build', 1), jobCheck('links', 2)])
  expect(asked).toEqual([commit('a')])
  expect(prompt).not.toContain('Check: build')
})

test('nothing is sent where GitHub cannot be asked what is in the pull request', async () => {
  const { prompt, report } = await promptWith({ listPullRequestCommits: rejecting(refusal('forbidden', 'Grant it.')) })
  expect(prompt).toBeUndefined()
  expect(report).toMatchObject({
    rounds: [],
    stop: 'not-sent',
    shortfalls: [{ lost: 'The failing checks were not sent to the agent' }],
  })
  expect((await promptWith({}, undefined, { hasToken: false })).report.stop).toBe('not-sent')
})

test('a cancelled run is cancelled whatever is asked', async () => {
  for (const name of ['readPullRequest', 'compare', 'readJobLog', 'listAnnotations'] as const)
    await expect(promptWith({ [name]: rejecting(refusal('cancelled')) })).rejects.toMatchObject({ code: 'cancelled' })
})
