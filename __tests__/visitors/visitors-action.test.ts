import { expect, test } from '@jest/globals'
import { ActionError } from '../../src/runtime/errors.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { visitorsReport } from '../support/visitors-run.ts'

const present = (report: Parameters<typeof visitorsAction.render>[0]) =>
  visitorsAction.render(report, undefined, (text) => text)

test('until the export has an end, nobody takes it for whole', () => {
  expect(visitorsAction.firstOutputs).toEqual({ complete: 'false' })
})

test('a step that was stopped by wrong inputs is red, and has exported nothing', () => {
  const { conclusion, outputs, text } = present(
    visitorsAction.notRun(new ActionError('invalid-input', '`days` is wrong.', { hint: 'Correct it.' }), 100),
  )
  expect(conclusion).toMatchObject({ isGreen: false, title: 'The inputs are wrong' })
  expect(outputs).toMatchObject({ complete: 'false', rows: '0', file: '' })
  expect(text).toBe('`days` is wrong. Correct it.')
})

test('a step without a key that may be missing is skipped, and green', () => {
  const { conclusion, outputs } = present(visitorsAction.notRun(undefined, 100))
  expect([conclusion.isGreen, outputs['complete']]).toEqual([true, 'false'])
})

test('an export is told in all its forms, and the service is quoted', () => {
  const { conclusion, outputs, summary } = present(visitorsReport())
  expect(conclusion.isGreen).toBe(true)
  expect(outputs).toMatchObject({ complete: 'true', rows: '3' })
  expect(summary()).toContain('The visitors are exported')
  const error = new ActionError('rejected', 'It was rejected.', { quote: 'No.' })
  expect(present(visitorsReport({ ending: 'error', error })).text).toContain('The service says: “No.”')
})
