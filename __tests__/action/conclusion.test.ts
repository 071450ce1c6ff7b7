import { expect, test } from '@jest/globals'
import { mostUrgent, formatConclusion } from '../../src/action/conclusion.ts'

const CONCLUSION = { isGreen: false, title: 'A', text: 'It broke.', advice: 'Mend it.' }

test('tells what happened, what the service says and what to do, in this order', () => {
  expect(formatConclusion(CONCLUSION, 'No.')).toBe('It broke. The service says: “No.” Mend it.')
})

test('leaves out what nobody said', () => {
  expect(formatConclusion({ ...CONCLUSION, advice: undefined }, undefined)).toBe('It broke.')
})

test('what follows on a list begins a line of its own', () => {
  expect(formatConclusion({ ...CONCLUSION, text: '- a.\n- b.' }, undefined)).toBe('- a.\n- b.\nMend it.')
})

test('of all advice only the most urgent is given', () => {
  expect(mostUrgent([undefined, '', 'Mend it.', 'Try again.'])).toBe('Mend it.')
  expect(mostUrgent([undefined, ''])).toBeUndefined()
})
