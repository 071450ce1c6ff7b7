import { expect, test } from '@jest/globals'
import { agentAction } from '../../src/agent/run.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { completed, LINK } from '../../testing/jobs.ts'
import { accept, ATTACH, createReport, stopWith } from '../../testing/report.ts'
import { flattenResult } from '../../testing/flatten-result.ts'

const unredacted = (text: string): string => text

test('returns the outcome `error` before the end of the step and for invalid inputs', () => {
  const error = new ActionError('invalid-input', '`wait` is wrong.', { hint: 'Correct it.' })
  const { outputs, ...result } = agentAction.render(agentAction.createSkippedReport(error, 100), unredacted)
  expect(agentAction.initialOutputs).toEqual({ outcome: 'error' })
  expect(flattenResult(outputs)).toMatchObject({ outcome: 'error', changed: 'false', duration_seconds: '0.1' })
  expect(result).toMatchObject({
    isGreen: false,
    title: 'The inputs are invalid',
    text: '`wait` is wrong.',
    advice: 'Correct it.',
    last: undefined,
  })
})

test('returns a green result with the outcome `skipped` for a step whose key may be missing', () => {
  const { isGreen, outputs } = agentAction.render(agentAction.createSkippedReport(undefined, 100), unredacted)
  expect(isGreen).toBe(true)
  expect(outputs['outcome']).toBe('skipped')
})

test('names the pull request in the last line, and quotes the service', () => {
  const error = new ActionError('service-error', 'It failed.', { quote: 'No.' })
  const result = agentAction.render(
    createReport({ task: ATTACH, state: stopWith(error, accept(completed)) }),
    unredacted,
  )
  expect(result).toMatchObject({
    text: 'It failed.',
    quote: 'No.',
    last: `Pull request: ${LINK}`,
    notice: undefined,
  })
})
