import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../src/emulator/github/github-scenarios.ts'
import { inOrder, playInWorld, refusing, type Asked, type World, type WorldOptions } from './support/embedded-world.ts'
import { agentInputs } from './support/fake-step.ts'
import { changedRepository } from './support/github-state.ts'
import { PUSH } from './support/fake-github.ts'

const PUSHED = { eventName: 'push', payload: PUSH }
const COMPARE = 'repos/compare-commits-with-basehead'
const ACCESS = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'change-context': 'files' }

type Given = Readonly<Record<string, string>>
const play = (given: Given, options: Partial<WorldOptions> = {}): Promise<World> =>
  playInWorld({
    inputs: agentInputs({}, { ...ACCESS, ...given }),
    repository: changedRepository({ files: [{ filename: 'src/flags.ts' }] }),
    facts: PUSHED,
    ...options,
  })
const answering = ({ answer }: Asked) => answer()
const slowly =
  (delayMs: number) =>
  ({ answer }: Asked) => ({ ...answer(), delayMs })
const limitedFor = (seconds: number) =>
  refusing(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(seconds) })
const elapsedS = ({ outputs }: World): number => Number(outputs['duration-seconds'])

/** Whatever is asked before the prompt takes almost as long as one answer may. */
const SLOW = Object.fromEntries(
  [
    ...[COMPARE, 'repos/list-pull-requests-associated-with-commit', 'pulls/list', 'pulls/list-commits', 'pulls/get'],
    ...['issues/list-for-repo', 'issues/list-comments', 'repos/get-collaborator-permission-level', 'graphql'],
  ].map((operation) => [operation, slowly(29_000)]),
)

test.each<[what: string, given: Given, mostS: number]>([
  ['two minutes', { 'on-open-pr': 'follow-up' }, 121],
  ['half of the time of a short step', { 'on-open-pr': 'follow-up', 'timeout-minutes': '3' }, 91],
])(
  'all questions before the prompt take at most %s together, and then nothing is sent',
  async (_what, given, mostS) => {
    const world = await play(given, { answers: SLOW, github: combineScenarios(['open-pull-request']) })
    expect([world.isGreen, world.taken]).toEqual([false, []])
    expect(elapsedS(world)).toBeLessThan(mostS)
    expect(elapsedS(world)).toBeGreaterThan(mostS / 2)
    expect(world.line).toContain('GitHub did not respond in time.')
  },
)

test('a rate limit of half an hour is waited for before the prompt, and leaves the time of the other questions', async () => {
  const world = await play(
    { 'on-open-pr': 'follow-up' },
    { answers: { [COMPARE]: inOrder(limitedFor(1_800), answering), 'issues/list-for-repo': slowly(20_000) } },
  )
  expect([world.isGreen, world.report.outcome]).toEqual([true, 'pull-request'])
  expect(world.taken[0]?.[1]).toContain('src/flags.ts')
  expect(elapsedS(world)).toBeGreaterThan(1_800)
})

test.each([60, 300])(
  'a rate limit of the service of %i s is waited for while a pull request is proven, and every minute the log says until when',
  async (seconds) => {
    const limited = refusing(429, { 'retry-after': String(seconds) })
    const world = await play(
      { 'on-open-pr': 'follow-up' },
      {
        answers: { 'read job_finished': inOrder(limited, answering) },
        github: combineScenarios(['open-pull-request']),
      },
    )
    expect([world.isGreen, world.report.outcome, world.messages.length]).toEqual([true, 'pull-request', 1])
    const [first = '', ...later] = world.log.filter((line) => line.includes('aiting until'))
    const [, until = 'unknown'] = /rate-limited the request.* Waiting until (.*)\.$/.exec(first) ?? []
    expect(later).toHaveLength(seconds / 60)
    for (const line of later) expect(line).toContain(`Still waiting until ${until}, for another `)
  },
)

test.each<[given: Given, answers: NonNullable<WorldOptions['answers']>]>([
  [{}, { [COMPARE]: limitedFor(3_600) }],
  [{}, { [COMPARE]: refusing(503) }],
  [{}, { [COMPARE]: refusing(404) }],
  [{ 'change-context': 'none', paths: 'docs/**' }, { [COMPARE]: refusing(503) }],
  [{ 'change-context': 'none', 'change-range': 'since-last-success' }, { 'actions/list-workflow-runs': refusing(503) }],
])('with %j and a change that GitHub does not provide, nothing is sent, whoever pushed', async (given, answers) => {
  for (const sender of [PUSH.sender, { login: 'merge-queue[bot]', type: 'Bot' }]) {
    const facts = { eventName: 'push', payload: { ...PUSH, sender } }
    const world = await play(given, { answers, facts })
    expect([world.isGreen, world.report.outcome, world.taken]).toEqual([false, 'error', []])
    expect(world.title).toBe('Nothing was sent')
    expect(elapsedS(world)).toBeLessThan(60)
  }
})
