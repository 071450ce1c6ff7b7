import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { createDemoState, GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import { commentFacts } from '../../testing/comment-events.ts'
import {
  changeResponse,
  playStep,
  respondWith,
  type PlayedStep,
  type PlayStepOptions,
} from '../../testing/play-step.ts'
import { PUSH, type GivenRun } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { changedRepository, commit } from '../../testing/github-state.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import { MUST_VARY, SEED } from '../../testing/seed.ts'

type Given = Readonly<Record<string, string>>

const DRY: Given = { 'dry-run': 'true' }
const KEYLESS: Given = { ...DRY, 'api-key': '', 'base-url': '' }
const TOKEN: Given = { 'github-token': GITHUB_TOKEN, label: 'docs-agent' }
const ROLLING: Given = { ...TOKEN, 'on-open-pr': 'follow-up' }
const COMMAND: Given = { ...TOKEN, command: '/docs', prompt: '' }

interface Scene extends Partial<PlayStepOptions> {
  readonly plays?: readonly GitHubScenarioName[]
}

function play(given: Given, { plays = [], ...options }: Scene = {}): Promise<PlayedStep> {
  return playStep({ inputs: agentInputs({}, given), github: combineScenarios(plays), ...options })
}

/** Lists the prompts in the log. */
const listShownPrompts = ({ hostCalls }: PlayedStep): readonly string[] =>
  hostCalls.flatMap((line) => (line.startsWith('quote: ') ? [line.slice('quote: '.length)] : []))

/** Lists the prompts to the service and the writes to GitHub. */
const listWrites = ({ acceptedPrompts, observed }: PlayedStep): readonly unknown[] => [
  ...acceptedPrompts,
  ...observed.writes,
]

const OPEN: Scene = { plays: ['open-pull-request'] }
const MONA = { login: 'mona', id: 11, type: 'User' }
const COMMENT: Partial<GivenRun> = commentFacts({ number: 1, author: MONA })
/** The events of the newest change of the code. */
function eventsIn(plays: readonly GitHubScenarioName[] = []): Readonly<Record<string, Partial<GivenRun>>> {
  const docs = createDemoState(combineScenarios(plays), DEFAULT_START_MS).repositories['acme/docs']
  const { tags, branches, commits } = docs ?? createRepositoryState()
  const [before, sha = ''] = [tags['v1.1.0'], branches['main']]
  const pushed = commits.slice(commits.findIndex((one) => one.sha === before) + 1).map((one) => ({ id: one.sha }))
  return {
    push: { eventName: 'push', payload: { ...PUSH, before, after: sha, commits: pushed }, sha },
    schedule: { eventName: 'schedule', payload: {}, sha },
    manual: { eventName: 'workflow_dispatch', payload: {}, sha },
  }
}
const EVENTS = eventsIn()

test.each([
  ['with a key', DRY],
  ['without a key', KEYLESS],
])('a dry run of a new job %s shows the prompt and sends nothing', async (_name, dry) => {
  const played = await play({ ...dry, ...TOKEN })
  const nothing = { status: '', changed: 'false', 'job-id': '', 'pr-link': '' }
  expect(played.outputs).toMatchObject({ outcome: 'previewed', ...nothing })
  expect([played.isGreen, listWrites(played), listShownPrompts(played)]).toEqual([true, [], ['Fix the guide.']])
  expect(played.line).toMatch(/ would send a prompt of 14 bytes to a new job\.$/)
  expect(played.summary).toMatch(/Dry run, the prompt would start a new job[^]*Fix the guide\./)
})

test('a dry run names the pull request of a follow-up, and does not count the follow-up', async () => {
  const played = await play({ ...ROLLING, ...DRY }, OPEN)
  expect(played.outputs).toMatchObject({ outcome: 'previewed', continued: '', 'job-id': '', 'pr-link': '' })
  expect(listWrites(played)).toEqual([])
  expect(played.text).toMatch(/ to job job_finished, which belongs to pull request #1\.$/)
})

test('a dry run names the pull request of the job in `job-id`, if the job names one', async () => {
  const { text, title } = await play({ ...DRY, 'job-id': 'job_finished' }, OPEN)
  expect(text).toMatch(/ to job job_finished, which belongs to pull request #1\.$/)
  // The pull request may be merged or closed.
  expect(title).toBe('Dry run, the prompt would go to an existing job')
  const keyless = await play({ ...KEYLESS, 'job-id': 'job_finished' }, OPEN)
  expect(keyless.text).toMatch(/ to job job_finished \(not confirmed by the service/)
})

test.each([
  ['a follow-up', {}, 'previewed'],
  ['a skipped step', { 'on-open-pr': 'skip' }, 'skipped'],
])(
  'without a key, states that the service did not confirm the rolling pull request: %s',
  async (_name, given, outcome) => {
    const played = await play({ ...ROLLING, ...given, ...KEYLESS }, OPEN)
    expect([played.outputs['outcome'], listWrites(played), played.service.requests]).toEqual([outcome, [], []])
    expect(played.text).toContain('not confirmed by the service')
  },
)

test('a dry run fails if the follow-up would exceed the maximum, even without a key', async () => {
  for (const dry of [DRY, KEYLESS]) {
    const played = await play({ ...ROLLING, ...dry }, { plays: ['follow-ups-used-up'] })
    expect([played.isGreen, played.outputs['outcome'], listWrites(played)]).toEqual([false, 'error', []])
    expect(played.text).toContain('has reached the limit of 20 follow-ups')
  }
})

test('a dry run of a comment writes no reaction and no reply', async () => {
  const real = await play(COMMAND, { ...OPEN, facts: COMMENT })
  expect(real.observed.writes).toEqual(expect.arrayContaining(['reactions/create-for-issue-comment']))
  const played = await play({ ...COMMAND, ...DRY }, { ...OPEN, facts: COMMENT })
  expect([played.outputs['outcome'], listWrites(played)]).toEqual(['previewed', []])
  expect(listShownPrompts(played)).toEqual(real.messages)
})

const SINCE: Given = { 'change-range': 'since-last-success' }
const SCHEDULE: PlayStepOptions['facts'] = EVENTS['schedule']

test.each<[what: string, given: Given, facts: PlayStepOptions['facts'], isMoved: boolean]>([
  ['a scheduled dry run', { ...SINCE, ...DRY }, SCHEDULE, true],
  ['a scheduled rehearsal', SINCE, { ...SCHEDULE, isRehearsal: true }, true],
  ['a scheduled dry run with the range of the event', { 'change-context': 'files', ...DRY }, SCHEDULE, true],
  ['a scheduled dry run without a change', DRY, SCHEDULE, false],
  ['a dry run of an explicit range', { 'change-range': 'v1.0.0...main', ...DRY }, EVENTS['manual'], false],
  ['a scheduled run', SINCE, SCHEDULE, false],
])('warns once if the run moves the base of the next range: %s', async (_what, given, facts, isMoved) => {
  const { outputs, hostCalls } = await play({ ...TOKEN, ...given }, { facts })
  expect(outputs['outcome']).toBe('dry-run' in given ? 'previewed' : 'pull-request')
  const notices = hostCalls.filter((line) => line.startsWith('notice: The base of the next range moves'))
  expect(notices).toEqual(isMoved ? [expect.stringContaining('earlier changes are not sent')] : [])
})

test('does not warn if a dry run runs after another workflow, because no later range begins at such a run', async () => {
  const ci = { workflow: '51', event: 'push', branch: 'main', status: 'completed', conclusion: 'success' } as const
  const [base, head] = [commit('a'), commit('b')]
  const { outputs, hostCalls } = await play(
    { ...TOKEN, 'change-context': 'commits', ...DRY },
    {
      repository: changedRepository(
        { from: 'a', files: [] },
        {
          workflowRuns: [
            { ...ci, id: 29, headSha: base, createdAtMs: 0 },
            { ...ci, id: 30, headSha: head, createdAtMs: 1 },
          ],
        },
      ),
      facts: {
        eventName: 'workflow_run',
        sha: head,
        payload: {
          repository: PUSH.repository,
          workflow_run: {
            id: 30,
            workflow_id: 51,
            event: 'push',
            head_sha: head,
            head_branch: 'main',
            pull_requests: [],
          },
        },
      },
    },
  )
  expect(outputs['outcome']).toBe('previewed')
  expect(hostCalls.join('\n')).toContain(
    'everything since the last successful run of the workflow that started this one',
  )
  expect(hostCalls.join('\n')).not.toContain('The base of the next range moves')
})

test('shows long prompts completely in the log and the summary', async () => {
  const prompt = `${'Explain `<T>` & more.\n'.repeat(4_000)}The end.`
  const played = await play({ prompt, ...DRY })
  expect(listShownPrompts(played)).toEqual([prompt])
  expect(played.summary).toContain('The end.')
  expect(played.summary).not.toContain('cut here')
})

const pick = fc.constantFrom
const READ = 'read job_finished'
const busyUntil = (ms: number): NonNullable<PlayStepOptions['responses']>[string] => {
  const busy = changeResponse(() => ({ status: 'active', prLink: null }))
  return (request) => (request.nowMs < DEFAULT_START_MS + ms ? busy(request) : request.respond())
}
const JOBS: Readonly<Record<string, () => NonNullable<PlayStepOptions['responses']>[string]>> = {
  usual: () => (request) => request.respond(),
  busy: () => busyUntil(60_000),
  failed: () => changeResponse(() => ({ status: 'failed' })),
  archived: () => changeResponse(() => ({ status: 'archived' })),
  foreign: () => changeResponse(() => ({ prLink: `${BASE_URL}/acme/docs/pull/77` })),
  gone: () => respondWith(404),
}
const PLAYS: readonly (readonly GitHubScenarioName[])[] = [
  [],
  ['open-pull-request'],
  ['follow-ups-used-up'],
  ['marker-by-outsider'],
  ['no-docs-label'],
  ['no-docs-label-in-part', 'open-pull-request'],
  ['open-pull-request', 'github-lagging'],
  ['open-pull-request', 'no-permission'],
]

/** A history for several steps that differ only in `dry-run` and in the key. */
const histories = fc.record({
  plays: pick(...PLAYS),
  jobName: pick(...Object.keys(JOBS)),
  asks: pick<Given>(
    TOKEN,
    ROLLING,
    { ...TOKEN, 'on-open-pr': 'skip' },
    { ...TOKEN, 'job-id': 'job_finished' },
    COMMAND,
  ),
  eventName: pick('push', 'schedule', 'manual'),
  context: pick('none', 'commits', 'files', 'diff'),
  paths: pick('', 'src/**', 'lib/**'),
  range: pick('', '', 'since-last-success', 'v1.0.0...main', 'main...main', 'pull/1', 'pull/101'),
  skipLabels: pick('', 'no-docs'),
  attempt: pick(1, 2),
})
const RUNS = 90
const UNCONFIRMED = 'not confirmed by the service'

test('a dry run that waits for a busy job does not say that it sends the prompt', async () => {
  const played = await play(
    { ...DRY, 'job-id': 'job_finished' },
    { responses: { 'read job_finished': busyUntil(60_000) } },
  )
  expect(played.report.outcome).toBe('previewed')
  expect(played.log.join('\n')).toContain('The job is busy.')
  expect(played.log.join('\n')).not.toContain('sends the prompt')
})

test('a real run sends exactly the prompt that a dry run of the same history shows, to the same job', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(histories, async ({ plays, jobName, asks, eventName, attempt, ...inputs }) => {
      const { context, paths, range, skipLabels } = inputs
      fc.pre(asks['on-open-pr'] !== 'skip' || range !== 'since-last-success')
      const more = { 'change-context': context, paths, 'change-range': range, 'skip-labels': skipLabels }
      const given = { ...asks, ...more }
      const event = 'command' in asks ? COMMENT : eventsIn(plays)[eventName]
      const scene = (): Scene => ({
        plays,
        facts: { ...event, runAttempt: attempt },
        responses: { [READ]: JOBS[jobName]?.() ?? respondWith(404) },
      })
      const [dry, keyless, real] = [
        await play({ ...given, ...DRY }, scene()),
        await play({ ...given, ...KEYLESS }, scene()),
        await play(given, scene()),
      ]
      const [to, prompt] = real.acceptedPrompts[0] ?? []
      const place = to === undefined ? undefined : to === 'create' ? 'to a new job' : `to job ${to}`
      seen.add(`${dry.outputs['outcome'] ?? ''} ${to === undefined || to === 'create' ? (to ?? '') : 'follow-up'}`)

      expect([listWrites(dry), listWrites(keyless), keyless.service.requests]).toEqual([[], [], []])
      const isConfirmed = ![...keyless.hostCalls, keyless.text].some((line) => line.includes(UNCONFIRMED))
      for (const shown of isConfirmed ? [dry, keyless] : [dry]) {
        expect(listShownPrompts(shown)).toEqual(prompt === undefined ? [] : [prompt])
        if (place === undefined) expect(shown.outputs['outcome']).toBe(real.outputs['outcome'])
        else expect([shown.outputs['outcome'], shown.text]).toEqual(['previewed', expect.stringContaining(place)])
      }
      expect([...dry.hostCalls, dry.text].join('\n')).not.toContain(UNCONFIRMED)
      // An unconfirmed dry run still shows the right prompt if the service would confirm it.
      if (keyless.text.includes(place ?? UNCONFIRMED) && to !== undefined)
        expect(listShownPrompts(keyless)).toEqual([prompt])
      seen.add(`${keyless.outputs['outcome'] ?? ''}, ${isConfirmed ? 'confirmed' : 'unconfirmed'}`)
    }),
    { seed: SEED, numRuns: RUNS },
  )
  const outcomes = ['previewed create', 'previewed follow-up', 'skipped ', 'error ']
  const withoutKey = ['previewed', 'skipped', 'error'].flatMap((one) => [`${one}, confirmed`, `${one}, unconfirmed`])
  expect(MUST_VARY ? [...outcomes, ...withoutKey].filter((one) => !seen.has(one)) : []).toEqual([])
}, 180_000)
