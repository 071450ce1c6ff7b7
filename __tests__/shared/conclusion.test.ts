import { expect, test } from '@jest/globals'
import { tellConclusion } from '../../src/shared/conclusion.ts'

const CONCLUSION = { isGreen: false, title: 'A', text: 'It broke.', advice: ['Mend it.', 'Try again.'] }

test('tells what happened, what the service says and what to do, in this order', () => {
  expect(tellConclusion(CONCLUSION, 'No.')).toBe('It broke. The service says: “No.” Mend it. Try again.')
})

test('leaves out what nobody said', () => {
  expect(tellConclusion({ ...CONCLUSION, advice: [] }, undefined)).toBe('It broke.')
})

test('what follows on a list begins a line of its own', () => {
  expect(tellConclusion({ ...CONCLUSION, text: '- a.\n- b.' }, undefined)).toBe('- a.\n- b.\nMend it.\nTry again.')
})
