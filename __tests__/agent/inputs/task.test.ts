import { expect, test } from '@jest/globals'
import { toTask, withContext } from '../../../src/agent/inputs/task.ts'

const CREATE = toTask('Fix it.', '')
const FOLLOW_UP = toTask('Fix it.', 'job_1')
const ATTACH = toTask(undefined, 'job_1')

test('a prompt creates a job or follows up on one, and a job alone is waited for', () => {
  expect([CREATE, FOLLOW_UP, ATTACH]).toEqual([
    { kind: 'create', prompt: 'Fix it.' },
    { kind: 'follow-up', prompt: 'Fix it.', jobId: 'job_1' },
    { kind: 'attach', jobId: 'job_1' },
  ])
})

test('what goes along stands behind the prompt, and attaching sends nothing', () => {
  expect([CREATE, FOLLOW_UP, ATTACH].map((task) => withContext(task, ' And more.'))).toEqual([
    { ...CREATE, prompt: 'Fix it. And more.' },
    { ...FOLLOW_UP, prompt: 'Fix it. And more.' },
    ATTACH,
  ])
  const replaceable = { ...FOLLOW_UP, fallback: 'Begin.' } as const
  expect(withContext(replaceable, ' And more.')).toMatchObject({ fallback: 'Begin. And more.' })
})
