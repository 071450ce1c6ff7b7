import { describe, expect, test } from '@jest/globals'
import {
  apiKeyInput,
  baseUrlInput,
  booleanInput,
  choiceInput,
  field,
  type Fields,
  hashInputs,
  type Input,
  inputNames,
  parseFields,
  pollIntervalInput,
  projectIdInput,
  rejectInput,
  SERVICE_FIELDS,
  timeoutInput,
  wholeNumberInput,
} from '../../src/action/inputs.ts'
import { ActionError } from '../../src/runtime/errors.ts'

type Given = Readonly<Record<string, string>>

const FIELDS = {
  size: field('max-size', '3', wholeNumberInput(1, 9)),
  colour: field('colour', '', choiceInput(['red', 'green'])),
  shade: field('shade', 'light', (text, { colour }) => `${text} ${colour ?? ''}`),
}

const parse = (given: Given) => parseFields(FIELDS, { 'max-size': '', colour: 'red', shade: '', ...given }, '.')

function getError(fields: Fields, raw: Given): ActionError {
  try {
    parseFields(fields, raw, '.')
  } catch (error) {
    expect(error).toBeInstanceOf(ActionError)
    return error as ActionError
  }
  throw new Error('These inputs are valid.')
}

test('returns the values by their names in the code; an input can read another input', () => {
  const given = { 'max-size': '7', colour: 'green', shade: 'dark' }
  expect(inputNames(FIELDS)).toEqual(Object.keys(given))
  expect(parse(given)).toEqual({ size: 7, colour: 'green', shade: 'dark green' })
})

test.each(['', '  ', '\n'])('the empty input %j means its default, even if the input reads another one', (empty) => {
  expect(parse({ 'max-size': empty, shade: empty })).toEqual({ size: 3, colour: 'red', shade: 'light red' })
})

test('the hash changes with every input except secrets', async () => {
  const fields = { ...FIELDS, ...SERVICE_FIELDS }
  const given = { 'max-size': '7', colour: 'green', 'api-key': 'docs_one' }
  const hash = await hashInputs(fields, given)
  expect(hash).toMatch(/^[\da-f]{16}$/)
  expect(await hashInputs(fields, { ...given, 'api-key': 'docs_two', 'github-token': 'ghs_x' })).toBe(hash)
  expect(await hashInputs(fields, { ...given, 'max-size': '8' })).not.toBe(hash)
  expect(await hashInputs(fields, { ...given, 'base-url': 'https://docs.example.com' })).not.toBe(hash)
})

const SERVICE = { 'project-id': 'docs', 'api-key': 'docs_key', 'base-url': 'https://docs.example.com' }

test('reports one problem as a sentence, and several as a list, with the names of the inputs', () => {
  const one = getError(SERVICE_FIELDS, { ...SERVICE, 'project-id': 'a b' })
  expect(one).toMatchObject({
    code: 'invalid-input',
    hint: expect.stringMatching(/^Nothing was sent\..* or the secrets and variables that it uses\.$/) as unknown,
  })
  expect(one.message).toMatch(/^`project-id` must be 1 to 128 letters.*\.$/)
  const { message } = getError(SERVICE_FIELDS, { 'project-id': '', 'api-key': ' ', 'base-url': 'nowhere' })
  expect(message).toMatch(/^3 inputs are invalid:\n- `project-id` .*\.\n- `api-key` .*\.\n- `base-url` .*\.$/)
})

test('reports the first three problems of an input, and the number of the others', () => {
  const lines = Array.from({ length: 80 }, (_, index) => `line ${index + 1} is wrong`)
  const fields = (count: number): Fields => ({ a: field('a', '', () => rejectInput(...lines.slice(0, count))) })
  const threeProblems = 'An input is invalid:\n- `a` line 1 is wrong.\n- `a` line 2 is wrong.\n- `a` line 3 is wrong.'
  expect(getError(fields(3), { a: 'x' }).message).toBe(threeProblems)
  expect(getError(fields(4), { a: 'x' }).message).toBe(`${threeProblems}\n- \`a\` has 1 more problem.`)
  const question = field('b', '', () => rejectInput('cannot be read; is it there?'))
  expect(getError({ ...fields(80), b: question }, { a: 'x', b: 'x' }).message).toMatch(
    /^2 inputs are invalid:\n(?:- `a` line . is wrong\.\n){3}- `a` has 77 more .+\.\n- `b` cannot be read; is it there\?$/,
  )
})

test.each(['https://user:pa55word@docs.example.com', 'ftp://docs.example.com/pa55word', 'pa55word'])(
  'quotes neither a URL nor a key in an error: %s',
  (url) => {
    const raw = { ...SERVICE, 'api-key': 'pa55word pa55word', 'base-url': url }
    const { message, hint, stack } = getError(SERVICE_FIELDS, raw)
    expect(message).toContain('2 inputs')
    expect(`${message} ${String(hint)} ${String(stack)}`).not.toContain('pa55word')
  },
)

describe('parse inputs', () => {
  /** Returns the message for one invalid value. */
  const getProblem = (input: Input<unknown>, text: string): string =>
    getError({ input: field('field', '', input) }, { field: text }).message

  test.each([
    [' 60m ', '`60m`'],
    ['x\n::error::`<b>', "`x ::error::'<b>`"],
    ['a`b`c', "`a'b'c`"],
    ['\u202e\u001b[31m1', '`1`'],
    ['dk_0123456789abcdef0123', '`dk_01234…`'],
  ])('quotes an invalid number, choice or boolean %j as %s', (value, shown) => {
    for (const input of [timeoutInput, booleanInput, choiceInput(['fail', 'skip'])]) {
      expect(getProblem(input, value)).toMatch(/, not `[^`\n]+`\.$/)
      expect(getProblem(input, value)).toContain(`, not ${shown}.`)
    }
  })

  test.each(['api-key', 'github-token'])(
    'never shows the %s in the error of another input, not even in part',
    (name) => {
      const secret = 'dk_0123456789abcdef0123'
      const fields = { input: field('field', '', timeoutInput), ...SERVICE_FIELDS }
      for (const [value, shown] of [
        [secret, '***'],
        [`${secret} ${secret}`, '*** ***'],
        [`${secret}-and-something-else`, '***-and-…'],
        [encodeURIComponent(`${secret}%`), '***%25'],
      ]) {
        const given = {
          'project-id': 'docs',
          'base-url': 'https://docs.example.com',
          'api-key': 'k',
          [name]: ` ${secret}\n`,
        }
        const { message } = getError(fields, { ...given, field: value ?? '' })
        expect(message).toContain(`, not \`${shown ?? ''}\`.`)
        expect(message).not.toContain('dk_')
      }
    },
  )

  const same = (...texts: readonly string[]) => Object.fromEntries(texts.map((text) => [text, text]))
  const at = (...ends: readonly string[]): string[] => ends.map((end) => `https://docs.example.com${end}`)
  const EMPTY_KEY = 'is empty: the secret that it is set from does not exist here'
  const NOT_NUMBERS = ['', '-1', '+1', '1e2', '1e400', 'Infinity', 'NaN', '0x10', '5m', '1,5', '.5', '5.', '1 2', '５']

  /** The values of valid texts, and the invalid texts by their problem. */
  type Row = readonly [Input<unknown>, values: Readonly<Record<string, unknown>>, invalid: Record<string, string[]>]
  const ROWS: Readonly<Record<string, Row>> = {
    'project-id': [
      projectIdInput,
      { ...same('a', 'docs-demo', 'A_9', 'x'.repeat(128)), ' padded\n': 'padded' },
      {
        "is empty: set it, for example from the repository's variable": ['', ' '],
        'must be 1 to 128': ['.', '..', 'a/b', 'a%2eb', 'a b', 'a\nb', 'ü', 'x'.repeat(129)],
      },
    ],
    'api-key': [
      apiKeyInput,
      { ...same('k'.repeat(4_096)), ' dk_~!key\n': 'dk_~!key' },
      {
        'is longer than 4096 characters': ['k'.repeat(4_097)],
        'is shorter than 8 characters': ['docs_ke'],
        [EMPTY_KEY]: ['', '  \n'],
        'must consist of printable ASCII': ['a b', 'a\nb', 'a\r\nx: y', 'a\u0000b', 'kéy', 'a\u200bb', 'a\u007fb'],
      },
    ],
    'base-url': [
      baseUrlInput,
      {
        'https://docs.example.com/': 'https://docs.example.com',
        ' HTTPS://Docs.Example.com:443/api/v0// ': 'https://docs.example.com/api/v0',
        'https://docs.example.com/a/../b/%2e%2e/c': 'https://docs.example.com/c',
        ...same(...at(':8443/a%20b', '/@v1/a@b', '/ns:a@b', '//elsewhere.example')),
        ...same('http://localhost:8080', 'http://127.0.0.1:8080/x', 'http://[::1]:8080'),
      },
      {
        DOCS_AGENT_BASE_URL: ['', ' '],
        'must be a URL such as': ['docs.example.com', 'https://', ...at(':99999')],
        '`http://` is allowed for loopback addresses only': ['http://docs.example.com', 'http://127.0.0.1.example.com'],
        'must begin with `https://`.': ['ftp://docs.example.com', 'file:///etc/hosts', 'javascript:alert(1)'],
        'a user name or a password': [
          ...['user', ':p', ''].map((user) => `https://${user}@docs.example.com`),
          'HTTPS://@docs.example.com',
        ],
        'query or a fragment': at('?', '/?a=b', '/#'),
        'spaces or control characters': [...at('\\@elsewhere.example', '/a\tb', '\n.org'), 'https://döcs.example.com'],
      },
    ],
    'a boolean': [
      booleanInput,
      { true: true, True: true, ' TRUE ': true, false: false, False: false, 'FALSE\n': false },
      { 'must be `true` or `false`': ['', 'yes', 'no', '1', '0', 'tRuE', 'true false'] },
    ],
    'timeout-minutes': [
      timeoutInput,
      { 60: 3_600_000, ' 0.5 ': 30_000, 360: 21_600_000, 0.001: 60 },
      {
        '`field` must be a number of minutes, more than 0 and at most 360': [
          ...NOT_NUMBERS,
          '0',
          '0.0',
          '360.001',
          '361',
          '9'.repeat(400),
        ],
      },
    ],
    'poll-interval-seconds': [
      pollIntervalInput,
      { 0.1: 100, 2.5: 2_500, 300: 300_000 },
      { '`field` must be a number of seconds from 0.1 to 300': [...NOT_NUMBERS, '0', '0.09', '300.1'] },
    ],
  }

  test.each(Object.entries(ROWS))('%s accepts valid texts, and explains why it rejects others', (_name, row) => {
    const [input, values, invalid] = row
    const value = (text: string) => parseFields({ input: field('field', '', input) }, { field: text }, '.').input
    expect(Object.fromEntries(Object.keys(values).map((text) => [text, value(text)]))).toEqual(values)
    for (const [problem, texts] of Object.entries(invalid))
      for (const text of texts)
        expect([text, getProblem(input, text)]).toEqual([text, expect.stringContaining(problem)])
  })
})
