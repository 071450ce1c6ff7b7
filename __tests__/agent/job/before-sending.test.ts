import { expect, test } from '@jest/globals'
import { lookAgain, prepare } from '../../../src/agent/job/before-sending.ts'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { Course, type Preflight } from '../../../src/agent/report/turns.ts'
import type { Job } from '../../../src/docs-service/schemas.ts'
import { active, archived, completed, failure, fakeClient, job, LINK } from '../../support/fake-client.ts'
import { agentInputs, fakeStep } from '../../support/fake-step.ts'

const OTHER = job({ status: 'completed', prLink: LINK.replace(/7$/, '8') })
const TASK = {
  kind: 'follow-up',
  jobId: 'job_1',
  prompt: 'And the index. It is open.',
  fallback: 'And the index.',
} as const

/** Before a follow-up to a job that reads like this, one reading after the other. */
function open(reads: readonly (Job | Error)[]) {
  const inputs = agentInputs()
  const client = fakeClient({ reads })
  const step = fakeStep({ client })
  const journal = new Journal(inputs, step)
  const watch = new JobWatch(inputs, step, journal, new Course(TASK))
  const [claimed, checked]: [Job[], Job[]] = [[], []]
  const preflight: Preflight = {
    claim: (before) => Promise.resolve((claimed.push(before), 'send')),
    check: (before) => Promise.resolve((checked.push(before), 'send')),
  }
  return {
    ...{ client, claimed, checked, preflight },
    prepare: (given?: Preflight) => prepare(TASK, inputs, step, watch, given),
    lookAgain: (before: Job) => lookAgain(before, preflight, step, watch),
  }
}

test.each<[string, readonly Job[], Job]>([
  ['that stands', [completed, completed], completed],
  ['that changes while it is looked at', [completed, OTHER], OTHER],
  ['that gets another prompt while it is looked at', [completed, active, OTHER], OTHER],
  ['that is archived while it is looked at', [completed, archived], archived],
])('a job %s is claimed once, and checked as it reads directly before the message', async (_what, reads, last) => {
  const { prepare, claimed, checked, preflight } = open(reads)
  expect(await prepare(preflight)).toMatchObject({ before: last })
  expect([claimed, checked]).toEqual([[completed], [last]])
})

test('a job that changes each time that it is looked at is sent nothing', async () => {
  const { prepare, checked, client, preflight } = open([completed, OTHER, completed, OTHER, completed])
  await expect(prepare(preflight)).rejects.toMatchObject({ code: 'not-sent' })
  expect([client.calls.length, checked.length]).toEqual([4, 0])
})

test('a job that was named by hand is not looked at', async () => {
  const { prepare, client } = open([completed])
  expect(await prepare()).toMatchObject({ before: completed })
  expect(client.calls).toEqual(['get'])
})

test.each(['claim', 'check'] as const)('what takes its place begins with the prompt alone: %s', async (refuses) => {
  const { prepare, preflight } = open([completed])
  const verdict = { reason: 'It was merged', passedOver: [7] }
  const refused = await prepare({ ...preflight, [refuses]: () => Promise.resolve(verdict) })
  expect(refused).toMatchObject({ outdated: { ...verdict, prompt: 'And the index.' } })
})

test.each([OTHER, active, archived])('a prompt that was put off is not sent to a job that changed: %j', async (now) => {
  const { lookAgain, checked } = open([now])
  await expect(lookAgain(completed)).rejects.toMatchObject({ code: 'not-sent' })
  expect(checked).toEqual([])
})

test('a prompt that was put off is sent to a job that stands, and not to one that cannot be read', async () => {
  const { lookAgain, checked } = open([completed])
  await lookAgain(completed)
  expect(checked).toEqual([completed])
  await expect(open([failure('not-found')]).lookAgain(completed)).rejects.toMatchObject({ code: 'not-found' })
})
