import { expect, test } from '@jest/globals'
import { Journal } from '../../../src/agent/report/journal.ts'
import { CREATE } from '../../support/agent-run.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { refusal, rejecting } from '../../support/fake-github.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const [host, clock] = [fakeHost(), fakeClock()]
const open = (): Journal =>
  new Journal(agentInputs({ task: CREATE, waitForChecks: true }), fakeStep({ core: host, clock }))

test('what is noted is in the log and in the time line, and the step has its origin and its time', () => {
  const journal = open()
  clock.advance(1_000)
  journal.note('The job is active.')
  clock.advance(1_000)
  journal.add({ change: 'the push' })
  expect(host.said).toEqual(['log: The job is active.'])
  expect(journal.recorded()).toEqual({
    asked: ['checks'],
    change: 'the push',
    durationMs: 2_000,
    origin: { projectId: 'docs-demo', stepId: 'agent' },
    shortfalls: [],
    timeline: [{ at: new Date('2026-01-01T00:00:01Z'), elapsedMs: 1_000, event: 'The job is active.' }],
  })
})

test('a notice is seen without opening the log, and is in the time line', () => {
  const journal = open()
  journal.notice('Look', 'There are two.')
  expect(host.said).toContain('notice: Look | There are two.')
  expect(journal.recorded().timeline).toMatchObject([{ event: 'There are two.' }])
})

test('what cannot be done on GitHub is told and costs nothing else', async () => {
  const journal = open()
  const error = refusal('forbidden', 'Grant it.')
  const label = await journal.bestEffort<unknown>('The label', rejecting(error))
  const state = await journal.bestEffort('The state', () => Promise.resolve('open'))
  expect([label, state]).toEqual([undefined, 'open'])
  expect(host.said).toContain('log: The label: GitHub said forbidden.')
  expect(journal.shortfalls).toEqual([{ lost: 'The label', error }])
})

test('a cancelled run is nothing to do without, and neither is a defect', async () => {
  const journal = open()
  await expect(journal.bestEffort('x', rejecting(refusal('cancelled')))).rejects.toMatchObject({ code: 'cancelled' })
  await expect(journal.bestEffort('x', () => Promise.reject(new RangeError()))).rejects.toBeInstanceOf(RangeError)
  expect(journal.shortfalls).toEqual([])
})
