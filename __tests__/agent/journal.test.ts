import { expect, test } from '@jest/globals'
import { formatWarnings, Journal } from '../../src/agent/journal.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { fakeClock } from '../../testing/fake-clock.ts'
import { createGitHubError } from '../../testing/github-values.ts'
import { fakeRunner } from '../../testing/fake-runner.ts'
import { RUN_FACTS } from '../../testing/given-run.ts'

function open() {
  const [runner, clock] = [fakeRunner(), fakeClock()]
  const journal = new Journal(agentInputs(), { runner, clock, context: RUN_FACTS, startedAt: clock.now() })
  return { runner, clock, journal }
}

test('logs each note and notice, and adds it to the timeline', () => {
  const { runner, clock, journal } = open()
  clock.advance(1_000)
  journal.note('The job is active.')
  clock.advance(1_000)
  journal.notice('Look', 'There are two.')
  expect(runner.calls).toEqual(['log: The job is active.', 'notice: Look | There are two.'])
  expect(journal.timeline).toEqual([
    { at: new Date('2026-01-01T00:00:01Z'), elapsedMs: 1_000, event: 'The job is active.' },
    { at: new Date('2026-01-01T00:00:02Z'), elapsedMs: 2_000, event: 'There are two.' },
  ])
})

test('logs the same warning once, and another one or another reason too', () => {
  const { runner, journal } = open()
  const warnings = [
    ['The log', 'forbidden'],
    ['The log', 'forbidden'],
    ['The label', 'forbidden'],
    ['The log', 'not-found'],
    ['The log', 'forbidden'],
  ] as const
  for (const [message, code] of warnings) journal.warn(message, createGitHubError(code))
  expect(runner.lines('log')).toEqual([
    'The log: GitHub said forbidden.',
    'The label: GitHub said forbidden.',
    'The log: GitHub said not-found.',
  ])
})

test('turns an error of GitHub into a warning, except for a cancelled run and an internal error', async () => {
  const { runner, journal } = open()
  const error = createGitHubError('forbidden', 'Grant it.')
  const label = await journal.orWarn<unknown>('The label', () => Promise.reject(error))
  const state = await journal.orWarn('The state', () => Promise.resolve('open'))
  expect([label, state]).toEqual([undefined, 'open'])
  expect(runner.lines('log')).toEqual(['The label: GitHub said forbidden.'])
  await expect(journal.orWarn('x', () => Promise.reject(createGitHubError('cancelled')))).rejects.toMatchObject({
    code: 'cancelled',
  })
  await expect(journal.orWarn('x', () => Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError)
  expect(journal.warnings).toEqual([{ message: 'The label', error }])
})

test('logs the cause of a warning only in the debug log', () => {
  const { runner, journal } = open()
  const cause = new Error('connect ECONNREFUSED')
  journal.warn('The label', new ActionError('unreachable', 'GitHub could not be reached.', { cause }))
  expect(runner.calls.filter((line) => line.includes('ECONNREFUSED'))).toEqual([
    expect.stringMatching(/^debug: Caused by Error: connect ECONNREFUSED/),
  ])
})

test('formats warnings as one text with each message, reason and hint once', () => {
  const [forbidden, missing] = [createGitHubError('forbidden', 'Grant it.'), createGitHubError('not-found')]
  const errors = { A: forbidden, B: missing, C: forbidden }
  const warnings = Object.entries(errors).map(([message, error]) => ({ message, error }))
  expect(formatWarnings([...warnings, { message: 'A', error: forbidden }])).toBe(
    'A. C: GitHub said forbidden. B: GitHub said not-found. Grant it.',
  )
  expect(formatWarnings([])).toBeUndefined()
})

test('leaves out the warnings that are in a text, and keeps their hints', () => {
  const errors = { A: createGitHubError('forbidden', 'Grant it.'), B: createGitHubError('not-found') }
  const warnings = Object.entries(errors).map(([message, error]) => ({ message, error }))
  expect(formatWarnings(warnings, 'Red. A: GitHub said forbidden.')).toBe('B: GitHub said not-found. Grant it.')
})
