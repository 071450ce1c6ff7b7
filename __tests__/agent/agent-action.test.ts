import { expect, test } from '@jest/globals'
import { agentAction } from '../../src/agent/agent-action.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { completed, LINK } from '../support/fake-client.ts'
import { PUSH, readRun, RUN_FACTS } from '../support/fake-github.ts'
import { accept, ATTACH, createReport, stopWith } from '../support/report.ts'

const plainly = (text: string): string => text

test('a step that has no end yet, or was stopped by wrong inputs, is an error', () => {
  const error = new ActionError('invalid-input', '`wait` is wrong.', { hint: 'Correct it.' })
  const { outputs, ...result } = agentAction.render(agentAction.createSkippedReport(error, 100), plainly, false)
  expect(agentAction.initialOutputs).toEqual({ outcome: 'error' })
  expect(outputs).toMatchObject({ outcome: 'error', changed: 'false', 'duration-seconds': '0.1' })
  const told = { text: '`wait` is wrong.', advice: 'Correct it.', last: undefined, summary: undefined }
  expect(result).toMatchObject({ isGreen: false, title: 'The inputs are invalid', ...told })
})

test('a step without a key that may be missing is skipped, and green', () => {
  const { isGreen, outputs } = agentAction.render(agentAction.createSkippedReport(undefined, 100), plainly, false)
  expect(isGreen).toBe(true)
  expect(outputs['outcome']).toBe('skipped')
})

test.each([
  ['since-last-success', 'This run succeeds, so the next range since the last successful run begins after it'],
  ['', undefined],
])('a step that is skipped without a key says that it moves the base of the next range: `%s`', (range, told) => {
  const said = agentAction.describeMissingKey?.(
    { 'change-range': range },
    readRun({ ...RUN_FACTS, eventName: 'push', payload: PUSH }),
  )
  expect(said?.slice(0, told?.length)).toBe(told)
})

test('the last line names the pull request, and what the service says', () => {
  const error = new ActionError('service-error', 'It failed.', { quote: 'No.' })
  const result = agentAction.render(
    createReport({ task: ATTACH, state: stopWith(error, accept(completed)) }),
    plainly,
    false,
  )
  const told = { text: 'It failed.', quote: 'No.', last: `Pull request: ${LINK}`, notice: undefined }
  expect(result).toMatchObject(told)
})
