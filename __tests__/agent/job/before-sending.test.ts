import { expect, test } from '@jest/globals'
import { lookAgain, prepare, type BeforeSending } from '../../../src/agent/job/before-sending.ts'
import { JobWatch } from '../../../src/agent/job/job-watch.ts'
import { Journal } from '../../../src/agent/report/journal.ts'
import { Course } from '../../../src/agent/report/turns.ts'
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
  const looked: Job[] = []
  const sending: BeforeSending = async (before, stands) => {
    looked.push(before)
    return (await stands()) ? 'send' : 'again'
  }
  return {
    ...{ client, looked },
    prepare: (beforeSending?: BeforeSending) => prepare(TASK, inputs, step, watch, beforeSending),
    lookAgain: (before: Job) => lookAgain(before, sending, step, watch),
    sending,
  }
}

test.each<[string, readonly Job[], readonly Job[]]>([
  ['that stands', [completed, completed], [completed]],
  ['that changes while it is looked at', [completed, OTHER], [completed, OTHER]],
  ['that gets another prompt while it is looked at', [completed, active, OTHER], [completed, OTHER]],
  ['that is archived while it is looked at', [completed, archived], [completed, archived]],
])('a job %s is read once more before the message, and looked at anew if it changed', async (_what, reads, looks) => {
  const { prepare, looked, sending } = open(reads)
  expect(await prepare(sending)).toMatchObject({ before: looks.at(-1) })
  expect(looked).toEqual(looks)
})

test('a job that changes each time that it is looked at is sent nothing', async () => {
  const { prepare, looked, sending } = open([completed, OTHER, completed, OTHER, completed])
  await expect(prepare(sending)).rejects.toMatchObject({ code: 'not-sent' })
  expect(looked).toHaveLength(3)
})

test('a job that was named by hand is not looked at', async () => {
  const { prepare, client } = open([completed])
  expect(await prepare()).toMatchObject({ before: completed })
  expect(client.calls).toEqual(['get'])
})

test('what takes its place gets the prompt, with words of its own behind it', async () => {
  const { prepare, sending } = open([completed])
  const task = { kind: 'create', prompt: 'And the index.' }
  expect(await prepare(() => Promise.resolve('create'))).toEqual({ task })
  const instead = { jobId: 'job_2', words: ' It is another one.', beforeSending: sending }
  expect(await prepare(() => Promise.resolve(instead))).toEqual({
    task: {
      kind: 'follow-up',
      jobId: 'job_2',
      prompt: 'And the index. It is another one.',
      fallback: 'And the index.',
    },
    beforeSending: sending,
  })
})

test.each([OTHER, active, archived])('a prompt that was put off is not sent to a job that changed: %j', async (now) => {
  const { lookAgain, looked } = open([now])
  await expect(lookAgain(completed)).rejects.toMatchObject({ code: 'not-sent' })
  expect(looked).toEqual([])
})

test('a prompt that was put off is sent to a job that stands, and not to one that cannot be read', async () => {
  const { lookAgain, looked } = open([completed])
  await lookAgain(completed)
  expect(looked).toEqual([completed])
  await expect(open([failure('not-found')]).lookAgain(completed)).rejects.toMatchObject({ code: 'not-found' })
})
