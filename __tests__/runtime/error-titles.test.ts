import { expect, test } from '@jest/globals'
import type { FailureCause } from '../../src/http/failure-cause.ts'
import { errorOfAnswer, errorOfFailure } from '../../src/docs-service/answer-error.ts'
import { ERROR_TITLES } from '../../src/runtime/error-titles.ts'

const CAUSES: readonly FailureCause[] = [
  'no-connection',
  'untrusted',
  'not-tls',
  'proxy-refused',
  'invalid',
  'timeout',
  'broken',
]
const STATUSES = [302, 400, 401, 402, 403, 404, 405, 408, 413, 415, 422, 425, 429, 500]

test('no title says what the message behind it says', () => {
  const operation = { kind: 'create', projectId: 'docs' } as const
  const errors = [
    ...STATUSES.map((status) =>
      errorOfAnswer({ kind: 'answer', status, body: '', retryAfterMs: undefined }, operation, (text) => text),
    ),
    ...CAUSES.map((cause) => errorOfFailure({ kind: 'failure', cause, code: undefined, sent: false })),
  ]
  const plain = (text: string): string => text.toLowerCase().replace(/^the |\.$/g, '')
  const repeated = errors.filter(({ code, message }) => plain(message).includes(plain(ERROR_TITLES[code])))
  expect(repeated.map(({ message }) => message)).toEqual([])
})

test('every title is a few words, without a period', () => {
  expect(Object.values(ERROR_TITLES).filter((title) => !/^[A-Z][^.]{5,50}[^.]$/.test(title))).toEqual([])
})
