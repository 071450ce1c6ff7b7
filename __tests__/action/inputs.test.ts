import { describe, expect, test } from '@jest/globals'
import { field, type Fields, inputNames, parseFields, SERVICE_FIELDS } from '../../src/action/input-table.ts'
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  choiceInput,
  type Input,
  onMissingKeyInput,
  pollIntervalInput,
  projectIdInput,
  refuse,
  timeoutInput,
  wholeNumberInput,
} from '../../src/action/parse-inputs.ts'
import { isSkipped, readInputs, wantsSummary } from '../../src/action/read-inputs.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { fakeHost } from '../support/fake-host.ts'

const NAMES = ['prompt', 'api-key', 'base-url'] as const

test('masks the key, as given and trimmed, before it reads anything else', () => {
  const host = fakeHost({ 'api-key': ' docs_key\n', prompt: 'Fix it.' })
  readInputs(NAMES, host, {})
  expect(host.said.slice(0, 3)).toEqual(['input: api-key', 'mask:  docs_key\n', 'mask: docs_key'])
})

test('takes inputs as they are', () => {
  const host = fakeHost({ prompt: ' Fix it.\n', 'api-key': 'docs_key', 'base-url': 'https://docs.example.com' })
  expect(readInputs(NAMES, host, { DOCS_AGENT_BASE_URL: 'https://other.example.com' })).toEqual({
    prompt: ' Fix it.\n',
    'api-key': 'docs_key',
    'base-url': 'https://docs.example.com',
  })
})

test.each(['', '  '])('takes the address from the environment where the input is %j', (given) => {
  const inputs = readInputs(NAMES, fakeHost({ 'base-url': given }), { DOCS_AGENT_BASE_URL: 'https://env.example.com' })
  expect(inputs['base-url']).toBe('https://env.example.com')
})

test('leaves the address empty where nobody gives one', () => {
  expect(readInputs(NAMES, fakeHost(), {})['base-url']).toBe('')
})

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

describe('parse inputs', () => {
  function errorOf(fields: Fields, raw: Readonly<Record<string, string>>): ActionError {
    try {
      parseFields(fields, raw)
    } catch (error) {
      expect(error).toBeInstanceOf(ActionError)
      return error as ActionError
    }
    throw new Error('These inputs were taken.')
  }

  /** The problems of one value, as the user reads them. */
  function problemOf(input: Input<unknown>, value: string): string {
    return errorOf({ input: field('field', '', input) }, { field: value }).message
  }

  const parse = <T>(input: Input<T>, value: string): T =>
    parseFields({ input: field('field', '', input) }, { field: value }).input

  test('one problem is one sentence, with the name of the input', () => {
    const error = errorOf(SERVICE_FIELDS, {
      'project-id': 'a b',
      'api-key': 'key',
      'base-url': 'https://docs.example.com',
    })

    expect(error.code).toBe('invalid-input')
    expect(error.message).toMatch(/^`project-id` must be 1 to 128 letters.*\.$/)
    expect(error.hint).toContain('Nothing was sent.')
  })

  test('all problems are in one error', () => {
    const { message } = errorOf(SERVICE_FIELDS, { 'project-id': '', 'api-key': ' ', 'base-url': 'nowhere' })

    expect(message).toMatch(/^3 inputs are wrong:\n- `project-id` .*\.\n- `api-key` .*\.\n- `base-url` .*\.$/)
  })

  test('of an input with many problems, the first few are told, and how many there are', () => {
    const lines = Array.from({ length: 80 }, (_, index) => `line ${index + 1} is wrong`)
    const fields = (count: number): Fields => ({ a: field('a', '', () => refuse(...lines.slice(0, count))) })
    const ofThree = 'An input is wrong:\n- `a` line 1 is wrong.\n- `a` line 2 is wrong.\n- `a` line 3 is wrong.'
    expect(errorOf(fields(3), { a: 'x' }).message).toBe(ofThree)
    expect(errorOf(fields(4), { a: 'x' }).message).toBe(`${ofThree}\n- \`a\` has 1 more problem.`)
    const { message } = errorOf({ ...fields(80), b: field('b', '', () => refuse('is wrong')) }, { a: 'x', b: 'x' })
    expect(message).toMatch(
      /^2 inputs are wrong:\n(?:- `a` line . is wrong\.\n){3}- `a` has 77 more .+\n- `b` is wrong\.$/,
    )
  })

  test('a problem that is a question gets no period behind its mark', () => {
    const asks = () => refuse('cannot be read; is it there?')
    expect(problemOf(asks, 'x')).toBe('`field` cannot be read; is it there?')
    expect(errorOf({ a: field('a', '', asks), b: field('b', '', asks) }, { a: 'x', b: 'x' }).message).toMatch(
      /\?\n- .*\?$/,
    )
  })

  test.each([
    [' 60m ', '`60m`'],
    ['x\n::error::`<b>', "`x ::error::'<b>`"],
    ['a`b`c', "`a'b'c`"],
    ['\u202e\u001b[31m1', '`1`'],
    ['dk_0123456789abcdef0123', '`dk_01234…`'],
  ])('a wrong number, choice or switch %j is shown as %s', (value, shown) => {
    const expected: unknown = expect.stringMatching(/, not `[^`\n]+`\.$/)
    for (const input of [timeoutInput, booleanInput, onMissingKeyInput]) {
      expect(problemOf(input, value)).toEqual(expected)
      expect(problemOf(input, value)).toContain(`, not ${shown}.`)
    }
  })

  const PASSWORD = 'pa55word'

  test.each([
    `https://user:${PASSWORD}@docs.example.com`,
    `https://docs.example.com/?token=${PASSWORD}`,
    `https://docs.example.com/#${PASSWORD}`,
    `ftp://docs.example.com/${PASSWORD}`,
    `http://docs.example.com/${PASSWORD}`,
    PASSWORD,
    `https://docs example.com/${PASSWORD}`,
  ])('neither an address nor a key is repeated in an error: %s', (address) => {
    const { message, hint, stack } = errorOf(SERVICE_FIELDS, {
      'project-id': 'project',
      'api-key': `${PASSWORD} ${PASSWORD}`,
      'base-url': address,
    })

    expect(message).toContain('2 inputs')
    expect(`${message} ${String(hint)} ${String(stack)}`).not.toContain(PASSWORD)
  })

  test.each(['a', 'docs-demo', 'A_9', ' padded\n', 'x'.repeat(128)])('project-id takes %j', (value) => {
    expect(parse(projectIdInput, value)).toBe(value.trim())
  })

  test.each(['', ' ', '.', '..', 'a/b', 'a%2eb', 'a b', 'a\nb', 'ü', 'x'.repeat(129)])(
    'project-id refuses %j',
    (value) => {
      expect(problemOf(projectIdInput, value)).toContain('must be 1 to 128')
    },
  )

  test('api-key is trimmed', () => {
    expect(parse(apiKeyInput, ' dk_~!key\n')).toBe('dk_~!key')
  })

  test('an api-key that is far too long is refused', () => {
    expect(parse(apiKeyInput, 'k'.repeat(4_096))).toHaveLength(4_096)
    expect(problemOf(apiKeyInput, 'k'.repeat(4_097))).toContain('is longer than 4096 characters')
  })

  test.each(['', '  \n'])('api-key %j: forks and Dependabot get no secrets', (value) => {
    expect(problemOf(apiKeyInput, value)).toMatch(/is empty.*forks and Dependabot get no secrets/)
  })

  test.each(['a b', 'a\nb', 'a\r\nx: y', 'a\u0000b', 'kéy', 'a\u200bb', 'a\u007fb'])('api-key refuses %j', (value) => {
    expect(problemOf(apiKeyInput, value)).toContain('must not contain')
  })

  test.each([
    ['https://docs.example.com', 'https://docs.example.com'],
    ['https://docs.example.com/', 'https://docs.example.com'],
    [' HTTPS://Docs.Example.com:443/api/v0// ', 'https://docs.example.com/api/v0'],
    ['https://docs.example.com:8443/a%20b', 'https://docs.example.com:8443/a%20b'],
    ['https://docs.example.com/@v1/a@b', 'https://docs.example.com/@v1/a@b'],
    ['https://docs.example.com/a/../b/%2e%2e/c', 'https://docs.example.com/c'],
    ['https://docs.example.com//elsewhere.example', 'https://docs.example.com//elsewhere.example'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:8080/x', 'http://127.0.0.1:8080/x'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('base-url takes %j as %s', (value, expected) => {
    expect(parse(baseUrlInput, value)).toBe(expected)
  })

  test.each([
    ['', 'DOCS_AGENT_BASE_URL'],
    ['docs.example.com', 'must be an address such as'],
    ['https://', 'must be an address such as'],
    ['https://docs.example.com:99999', 'must be an address such as'],
    ['http://docs.example.com', '`http://` is for loopback only'],
    ['http://127.0.0.1.example.com', '`http://` is for loopback only'],
    ['ftp://docs.example.com', 'must begin with `https://`'],
    ['file:///etc/hosts', 'must begin with `https://`'],
    ['javascript:alert(1)', 'must begin with `https://`'],
    ['https://user@docs.example.com', 'must not contain user information'],
    ['https://@docs.example.com', 'must not contain user information'],
    ['https://docs.example.com?', 'must not contain a query or a fragment'],
    ['https://docs.example.com/?a=b', 'must not contain a query or a fragment'],
    ['https://docs.example.com/#', 'must not contain a query or a fragment'],
    ['https://docs.example.com\\@elsewhere.example', 'without spaces or control characters'],
    ['https://docs.exa\nmple.com', 'without spaces or control characters'],
    ['https://docs.example.com/a\tb', 'without spaces or control characters'],
    ['https://döcs.example.com', 'without spaces or control characters'],
  ])('base-url refuses %j: %s', (value, problem) => {
    expect(problemOf(baseUrlInput, value)).toContain(problem)
  })

  test.each([
    ['true', true],
    ['True', true],
    [' TRUE ', true],
    ['false', false],
    ['FALSE\n', false],
  ])('a switch takes %j', (value, expected) => {
    expect(parse(booleanInput, value)).toBe(expected)
  })

  test.each(['', 'yes', 'no', '1', '0', 'tRuE', 'true false'])('a switch refuses %j', (value) => {
    expect(problemOf(booleanInput, value)).toMatch(/^`field` must be `true` or `false`(, not `.+`)?\.$/)
  })

  test.each([
    ['60', 3_600_000],
    [' 0.5 ', 30_000],
    ['360', 21_600_000],
    ['0.001', 60],
  ])('timeout-minutes takes %j', (value, expectedMs) => {
    expect(parse(timeoutInput, value)).toBe(expectedMs)
  })

  const NO_NUMBERS = ['', '-1', '+1', '1e2', '1e400', 'Infinity', 'NaN', '0x10', '5m', '1,5', '.5', '5.', '1 2', '５']

  test.each([...NO_NUMBERS, '0', '0.0', '360.001', '361', '9'.repeat(400)])('timeout-minutes refuses %j', (value) => {
    expect(problemOf(timeoutInput, value)).toContain('`field` must be a number of minutes, more than 0 and at most 360')
  })

  test.each([
    ['0.1', 100],
    ['5', 5_000],
    ['2.5', 2_500],
    ['300', 300_000],
  ])('poll-interval-seconds takes %j', (value, expectedMs) => {
    expect(parse(pollIntervalInput, value)).toBe(expectedMs)
  })

  test.each([...NO_NUMBERS, '0', '0.09', '300.1'])('poll-interval-seconds refuses %j', (value) => {
    expect(problemOf(pollIntervalInput, value)).toContain('`field` must be a number of seconds from 0.1 to 300')
  })

  test.each(['fail', 'skip', ' skip\n'])('on-missing-key takes %j', (value) => {
    expect(parse(onMissingKeyInput, value)).toBe(value.trim())
  })

  test.each(['', 'Skip', 'ignore'])('on-missing-key refuses %j', (value) => {
    expect(problemOf(onMissingKeyInput, value)).toMatch(/^`field` must be `fail` or `skip`(, not `.+`)?\.$/)
  })

  test.each([
    ['', 'skip', true],
    [' \n', ' skip ', true],
    ['', 'fail', false],
    ['', '', false],
    ['key', 'skip', false],
  ])('with the key %j and on-missing-key %j, skipped is %j', (apiKey, onMissingKey, expected) => {
    expect(isSkipped({ 'api-key': apiKey, 'on-missing-key': onMissingKey })).toBe(expected)
  })

  test.each([
    ['true', true],
    ['', true],
    ['nonsense', true],
    ['false', false],
    [' FALSE ', false],
  ])('with summary %j, a summary is wanted: %j', (summary, expected) => {
    expect(wantsSummary({ summary })).toBe(expected)
  })
})
