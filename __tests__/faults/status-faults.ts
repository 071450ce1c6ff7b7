import { KEY } from '../model/planted-key.ts'
import { httpAnswer } from '../support/socket-server.ts'
import { afterTaking, beforeTaking, forEach, type ReadFate, type ServiceFault } from './service-fault.ts'

const ERROR = JSON.stringify({ error: `No. You are ${KEY}, are you?` })

const answer = (status: number, headers: Readonly<Record<string, string>> = {}, body = ERROR) => {
  return () => ({ writes: httpAnswer(status, body, headers), then: 'close' as const })
}

/** The service may have taken the prompt, and here it has. */
const doubtful = (status: number, read: ReadFate, headers?: Record<string, string>): ServiceFault => ({
  conduct: answer(status, headers),
  takes: true,
  prompt: 'unknown',
  read,
})
/** The same answer where it has not. */
const doubtfulForNothing = (status: number): ServiceFault =>
  beforeTaking(answer(status), 'unknown', status >= 500 ? 'passing' : 'final')
const rateLimit = (headers: Readonly<Record<string, string>>): ServiceFault =>
  beforeTaking(answer(429, headers), 'again', 'passing')
/** Longer than any script lasts. */
const tooLong = (headers: Readonly<Record<string, string>>): ServiceFault =>
  beforeTaking(answer(429, headers), 'stop', 'final')

const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT'

/** What the service says by its status, and how it asks for patience. */
export const STATUS_FAULTS = {
  ...forEach('status-', [400, 401, 402, 403, 404, 405, 413, 415, 422], (status) =>
    beforeTaking(answer(status), 'stop', 'final'),
  ),
  ...forEach('status-', [406, 409, 410, 418, 451], (status) => doubtful(status, 'final')),
  ...forEach('status-', [408, 500, 502, 503, 504, 521, 599], (status) => doubtful(status, 'passing')),
  ...forEach('not-taken-', [409, 500, 502, 503], doubtfulForNothing),
  ...forEach('redirect-', [300, 301, 302, 303, 304, 307, 308], (status) =>
    doubtful(status, 'final', { location: 'http://127.0.0.1:9/elsewhere', ...(status === 304 && { etag: 'x' }) }),
  ),
  'redirect-without-location': doubtful(302, 'final'),
  'status-204': afterTaking(answer(204, {}, ''), 'lost'),
  'status-205': afterTaking(answer(205, {}, ''), 'lost'),
  'status-206': afterTaking(
    (job) => ({ writes: httpAnswer(206, job.slice(0, 9), { 'content-range': 'bytes 0-8/99' }), then: 'close' }),
    'lost',
  ),
  'status-202': afterTaking((job) => ({ writes: httpAnswer(202, job), then: 'close' }), 'heard'),
  'status-999': doubtful(999, 'passing'),
  'status-has-two-digits': afterTaking(answer(20), 'lost'),
  'refusal-breaks-off': beforeTaking(
    () => ({ writes: httpAnswer(401, ERROR), writesBytes: -9, then: 'close' }),
    'stop',
    'final',
  ),
  'refusal-never-ends': beforeTaking(
    () => ({ writes: httpAnswer(403, ERROR), writesBytes: -9, then: 'stay' }),
    'stop',
    'final',
  ),
  'refusal-is-reset': beforeTaking(
    () => ({ writes: httpAnswer(422, ERROR), writesBytes: -9, then: 'reset' }),
    'stop',
    'final',
  ),
  'refusal-before-reading': beforeTaking(
    () => ({ writes: httpAnswer(413, ''), readsBytes: 60, then: 'close' }),
    'stop',
    'final',
  ),
  'status-425': beforeTaking(answer(425), 'again', 'passing'),
  'status-429': rateLimit({}),
  ...forEach('retry-after-', ['0', '2', '-3', '', '2.5', '1e400', '5, 7', 'soon', '0x10', DATE], (value) =>
    rateLimit({ 'retry-after': value }),
  ),
  'retry-after-is-a-date': rateLimit({ 'retry-after': 'Thu, 01 Jan 2026 00:00:07 GMT', date: DATE }),
  'retry-after-is-a-past-date': rateLimit({ 'retry-after': 'Thu, 01 Jan 2015 00:00:07 GMT', date: DATE }),
  'retry-after-is-too-long': tooLong({ 'retry-after': '99999' }),
  'retry-after-is-beyond-all-numbers': tooLong({ 'retry-after': '9'.repeat(400) }),
  'retry-after-is-a-far-date': tooLong({ 'retry-after': 'Fri, 01 Jan 2049 00:00:07 GMT', date: DATE }),
  'unavailable-with-retry-after': doubtful(503, 'passing', { 'retry-after': '3' }),
} satisfies Record<string, ServiceFault>
