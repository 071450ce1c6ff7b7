import { expect, test } from '@jest/globals'
import { ActionError } from '../../src/runtime/errors.ts'
import { field, inputNames, parseFields } from '../../src/action/input-table.ts'
import { choiceInput, wholeNumberInput } from '../../src/action/parse-inputs.ts'

const FIELDS = {
  size: field('max-size', '3', wholeNumberInput(1, 9)),
  colour: field('colour', '', choiceInput(['red', 'green'])),
  shade: field('shade', 'light', (text, { colour }) => `${text} ${colour ?? ''}`),
}

const parse = (given: Readonly<Record<string, string>>) =>
  parseFields(FIELDS, { 'max-size': '', colour: 'red', shade: '', ...given })

test('the names are those of the file, in its order', () => {
  expect(inputNames(FIELDS)).toEqual(['max-size', 'colour', 'shade'])
})

test('gives what was read, by the names of the code, where one input may look at another', () => {
  expect(parse({ 'max-size': '7', colour: 'green', shade: 'dark' })).toEqual({
    size: 7,
    colour: 'green',
    shade: 'dark green',
  })
})

test.each(['', '  ', '\n'])('an input left as %j means its default, also where it looks at another one', (empty) => {
  expect(parse({ 'max-size': empty, shade: empty })).toEqual({ size: 3, colour: 'red', shade: 'light red' })
})

test('all problems are named in one error, by the names of the file', () => {
  let error: unknown
  try {
    parse({ 'max-size': '10', colour: '' })
  } catch (caught) {
    error = caught
  }
  expect(error).toBeInstanceOf(ActionError)
  expect(error).toMatchObject({
    code: 'invalid-input',
    message: expect.stringMatching(/^2 inputs are wrong:\n- `max-size` .+\n- `colour` .+$/) as unknown,
  })
})
