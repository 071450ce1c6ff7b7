import { expect, test } from '@jest/globals'
import { asSentence, joinSentences } from '../../src/text/sentences.ts'

test.each(['Done.', 'Is it there?', 'Stop!', 'One of:', 'It says: “No.”', 'Cut…'])('%s keeps its own mark', (text) => {
  expect(asSentence(text)).toBe(text)
})

test.each(['Done', 'It is `a.b`', 'It says: “No”'])('%s gets a period', (text) => {
  expect(asSentence(text)).toBe(`${text}.`)
})

test('sentences are joined, and what is not there is left out', () => {
  expect(joinSentences(['One', undefined, '', 'Two?', 'Three.'])).toBe('One. Two? Three.')
  expect(joinSentences([])).toBe('')
})

test('after a list each sentence has a line of its own', () => {
  expect(joinSentences(['Two are wrong:\n- a.\n- b.', 'Correct them'])).toBe(
    'Two are wrong:\n- a.\n- b.\nCorrect them.',
  )
})
