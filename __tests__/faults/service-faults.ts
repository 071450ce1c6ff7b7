import { UNLISTED_STATUS } from '../../src/emulator/service/job-machine.ts'
import { KEY } from '../model/planted-key.ts'
import { formatResponse } from '../../testing/socket-server.ts'
import { type Behaviour, type Fault, createFaults, type PromptOutcome, type ReadOutcome } from './fault.ts'

/** The job in every response of the service. */
const FIELDS = { id: 'job_1', status: 'active', model: KEY }
const JOB = JSON.stringify(FIELDS)
const GOOD = formatResponse(200, JOB)

type More = Partial<Behaviour>

/** The service does not process the prompt. */
const unprocessed = (behaviour: Fault['behaviour'], prompt: PromptOutcome, read: ReadOutcome): Fault => ({
  behaviour,
  prompt,
  read,
  processesPrompt: false,
})
const processed = (prompt: PromptOutcome, read: ReadOutcome, writes: string, more: More): Fault => ({
  behaviour: { writes, then: 'close', ...more },
  prompt,
  read,
  processesPrompt: true,
})
/**
 * The service processes the prompt. What the client receives proves this, leaves it open, or depends on the network.
 */
const confirmed = (writes: string, more: More = {}): Fault => processed('accepted', 'success', writes, more)
const unconfirmed = (writes: string, more: More = {}): Fault => processed('unknown', 'retry', writes, more)
const dependsOnNetwork = (more: More): Fault => processed('any', 'any', GOOD, more)

export const NO_FAULT = confirmed(GOOD)

/** The service sends no response. */
const withoutResponse = (then: Behaviour['then'], more: More, prompt: PromptOutcome = 'unknown'): Fault =>
  unprocessed({ writes: '', then, ...more }, prompt, 'retry')

/** Positions in a response of about a hundred bytes: in each of its parts, and between them. */
const RESPONSE_POSITIONS = [0, 1, 9, 16, 38, 39, 40, -30, -1] as const
/** Positions in a request. */
const REQUEST_POSITIONS = [0, 1, 40, 120, -10, -1] as const

const CONNECTIONS: Readonly<Record<string, Fault>> = {
  good: NO_FAULT,
  'stays-open': confirmed(GOOD, { then: 'stay' }),
  'resets-after-response': dependsOnNetwork({ then: 'reset' }),
  'responds-before-reading': dependsOnNetwork({ readsBytes: 0 }),
  'responds-inside-request': confirmed(GOOD, { readsBytes: 60 }),
  'responds-byte-by-byte': confirmed(GOOD, { pace: 'bytes' }),
  // The whole response arrives before the timeout of a prompt, unless the deadline is earlier.
  'responds-slowly': processed('any', 'retry', GOOD, { pace: 'slow' }),
  'refuses-connection': unprocessed('refuse', 'again', 'retry'),
  'never-reads': withoutResponse('stay', { readsBytes: 0, neverReads: true }),
  'never-responds': unconfirmed('', { then: 'stay' }),
  'closes-after-reading': unconfirmed(''),
  ...createFaults('closes-at-request-byte', REQUEST_POSITIONS, (readsBytes) =>
    withoutResponse('close', { readsBytes }),
  ),
  // An immediate reset can arrive while the client still connects.
  ...createFaults('resets-at-request-byte', REQUEST_POSITIONS, (readsBytes) =>
    withoutResponse('reset', { readsBytes }, readsBytes === 0 ? 'any' : 'unknown'),
  ),
  ...createFaults('resets-at-response-byte', RESPONSE_POSITIONS, (writesBytes) =>
    unconfirmed(GOOD, { writesBytes, then: 'reset' }),
  ),
  ...createFaults('closes-at-response-byte', RESPONSE_POSITIONS, (writesBytes) => unconfirmed(GOOD, { writesBytes })),
  ...createFaults('stalls-at-response-byte', RESPONSE_POSITIONS, (writesBytes) =>
    unconfirmed(GOOD, { writesBytes, then: 'stay' }),
  ),
}

/** Joins the lines of a response, of which the last is the body. */
const joinLines = (...parts: readonly string[]): string => parts.join('\r\n')
const OK = 'HTTP/1.1 200 OK'
const CHUNKED = 'transfer-encoding: chunked'
const length = (plus = 0): string => `content-length: ${JOB.length + plus}`
const hex = (plus = 0): string => (JOB.length + plus).toString(16)
const MANY_HEADERS = Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)
const STAYS = { then: 'stay' } as const
const SLOW = { pace: 'slow', then: 'stay' } as const

/** Responses that are invalid or unusual HTTP. */
const RESPONSES: Readonly<Record<string, Fault>> = {
  'length-is-too-long': unconfirmed(joinLines(OK, length(9), '', JOB)),
  'length-is-too-long-and-it-stays': unconfirmed(joinLines(OK, length(9), '', JOB), STAYS),
  'length-is-too-short': unconfirmed(joinLines(OK, length(-9), '', JOB)),
  'length-is-no-number': unconfirmed(joinLines(OK, 'content-length: many', '', JOB)),
  'length-is-zero': unconfirmed(joinLines(OK, 'content-length: 0', '', JOB)),
  'two-lengths': unconfirmed(joinLines(OK, length(), length(-9), '', JOB)),
  'length-and-chunks': unconfirmed(joinLines(OK, length(), CHUNKED, '', hex(), JOB, '0', '', '')),
  'no-length': confirmed(joinLines(OK, '', JOB)),
  'no-length-and-it-stays': unconfirmed(joinLines(OK, '', JOB), STAYS),
  chunked: confirmed(joinLines(OK, CHUNKED, '', hex(), JOB, '0', '', '')),
  'chunked-byte-by-byte': confirmed(joinLines(OK, CHUNKED, '', hex(), JOB, '0', '', ''), { pace: 'bytes' }),
  'chunks-without-end': unconfirmed(joinLines(OK, CHUNKED, '', hex(), JOB, '')),
  'chunk-is-too-short': unconfirmed(joinLines(OK, CHUNKED, '', hex(9), JOB, '0', '', '')),
  'chunk-size-is-garbage': unconfirmed(joinLines(OK, CHUNKED, '', 'zz', JOB, '0', '', '')),
  'chunks-trickle-without-end': unconfirmed(joinLines(OK, CHUNKED, '', ''), { ...SLOW, repeats: '1\r\n \r\n' }),
  'unknown-encoding-of-transfer': unconfirmed(joinLines(OK, 'transfer-encoding: fancy', '', JOB), STAYS),
  'two-responses': confirmed(GOOD + formatResponse(200, '{"id":"job_2","status":"failed"}')),
  'garbage-after-response': confirmed(`${GOOD}\x00\x01garbage`, STAYS),
  'body-is-too-large': unconfirmed(formatResponse(200, ' '.repeat(5 * 1024 * 1024))),
  'body-floods-without-end': unconfirmed(joinLines(OK, '', ''), { ...STAYS, repeats: ' '.repeat(200_000) }),
  'body-trickles-without-end': unconfirmed(joinLines(OK, 'content-length: 99999', '', ''), { ...SLOW, repeats: ' ' }),
  'header-is-large': confirmed(joinLines(OK, `x: ${'y'.repeat(40_960)}`, length(), '', JOB)),
  'header-is-too-large': unconfirmed(joinLines(OK, `x: ${'y'.repeat(270_000)}`, length(), '', JOB)),
  'many-headers': confirmed(joinLines(OK, ...MANY_HEADERS, length(), '', JOB)),
  'headers-flood-without-end': unconfirmed(`${OK}\r\n`, { ...STAYS, repeats: `x: ${'y'.repeat(5_000)}\r\n` }),
  'headers-trickle-without-end': unconfirmed(`${OK}\r\n`, { ...SLOW, repeats: 'x: y\r\n' }),
  'header-contains-a-zero-byte': unconfirmed(joinLines(OK, 'x: a\x00b', '', JOB)),
  'early-hints-first': confirmed(`${joinLines('HTTP/1.1 103 x', 'link: </a>', '', '')}${GOOD}`),
  'processing-without-end': unconfirmed('', { ...SLOW, repeats: 'HTTP/1.1 102 x\r\n\r\n' }),
  'continue-first': unconfirmed(`HTTP/1.1 100 Continue\r\n\r\n${GOOD}`),
  'switches-protocols': unconfirmed(joinLines('HTTP/1.1 101 x', 'upgrade: websocket', 'connection: upgrade', '', '')),
  'http-1.0': confirmed(joinLines('HTTP/1.0 200 OK', length(), '', JOB)),
  'http-0.9': unconfirmed(JOB),
  'http-2': unconfirmed('\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80'),
  'speaks-ssh': unconfirmed('SSH-2.0-x\r\n', STAYS),
  'speaks-tls': unconfirmed('\x15\x03\x01\x00\x02\x02\x46'),
  'says-only-zeros': unconfirmed('\x00'.repeat(1_000)),
}

/** A valid response with status 200. */
const createOk = (body: string, headers: Readonly<Record<string, string>> = {}): string =>
  formatResponse(200, body, headers)
const createChanged = (change: object): string => createOk(JSON.stringify({ ...FIELDS, ...change }))

/** Unusual bodies. docs-service/schemas.test.ts tests malformed fields. */
const BODIES: Readonly<Record<string, Fault>> = {
  'body-is-html': unconfirmed(createOk(`<!doctype html><title>Sign in</title>${KEY}`, { 'content-type': 'text/html' })),
  'body-is-empty': unconfirmed(createOk('')),
  'body-is-an-error': unconfirmed(createOk(JSON.stringify({ error: KEY }))),
  'body-is-cut': unconfirmed(createOk(JOB.slice(0, -5))),
  'body-is-followed-by-more': unconfirmed(createOk(JOB + JOB)),
  'body-is-deeply-nested': unconfirmed(createOk('['.repeat(100_000))),
  'body-begins-with-a-byte-order-mark': confirmed(
    createOk(`\xef\xbb\xbf${JOB}`, { 'content-length': String(JOB.length + 3) }),
  ),
  'body-claims-to-be-compressed': confirmed(createOk(JOB, { 'content-encoding': 'gzip' })),
  'body-claims-to-be-a-picture': confirmed(createOk(JOB, { 'content-type': 'image/png' })),
  'body-has-blanks-around': confirmed(createOk(`\r\n\t ${JOB} \r\n`)),
  'body-has-more-fields': confirmed(
    createChanged({ other: { deep: [1, 2, 3] }, source: 7, model: null, createdAt: [] }),
  ),
  'id-leads-elsewhere': unconfirmed(createChanged({ id: '../../v1/x' })),
  'id-is-the-key': unconfirmed(createChanged({ id: KEY })),
  // The id proves that the prompt was accepted. A read needs the status, too.
  'status-is-missing': processed('accepted', 'retry', createChanged({ status: undefined }), {}),
  'status-is-unlisted': confirmed(createChanged({ status: UNLISTED_STATUS })),
}

const ERROR = JSON.stringify({ error: `No. You are ${KEY}, are you?` })
type Headers = Readonly<Record<string, string>>
const status = (code: number, headers: Headers = {}, body = ERROR): string => formatResponse(code, body, headers)
const refused = (code: number, more: More = {}): Fault =>
  unprocessed({ writes: status(code), then: 'close', ...more }, 'stop', 'stop')
/** The prompt may have been processed, and here it was. */
const doubtful = (code: number, read: ReadOutcome, headers?: Headers): Fault =>
  processed('unknown', read, status(code, headers), {})
const rateLimited = (code: number, headers: Headers): Fault =>
  unprocessed({ writes: status(code, headers), then: 'close' }, 'again', 'retry')
/** Longer than any script takes. */
const tooLong = (after: string): Fault => ({
  ...rateLimited(429, { 'retry-after': after }),
  prompt: 'stop',
  read: 'stop',
})

/** Error statuses, and `Retry-After`. */
const STATUSES: Readonly<Record<string, Fault>> = {
  ...createFaults('status-', [400, 401, 402, 403, 404, 405, 410, 413, 414, 415, 422, 426, 431, 451], (code) =>
    refused(code),
  ),
  ...createFaults('status-', [406, 409, 418], (code) => doubtful(code, 'stop')),
  ...createFaults('status-', [408, 500, 502, 503, 504, 521, 599, 999], (code) => doubtful(code, 'retry')),
  ...createFaults('status-', [501, 505], (code) => ({ ...refused(code), read: 'retry' })),
  ...createFaults('not-processed-', [409, 503], (code) => ({
    ...doubtful(code, code < 500 ? 'stop' : 'retry'),
    processesPrompt: false,
  })),
  ...createFaults('redirect-', [300, 301, 302, 303, 304, 307, 308], (code) =>
    doubtful(code, 'stop', { location: 'http://127.0.0.1:9/elsewhere', ...(code === 304 && { etag: 'x' }) }),
  ),
  'redirect-without-location': doubtful(302, 'stop'),
  ...createFaults('status-', [204, 205], (code) => unconfirmed(status(code, {}, ''))),
  'status-206': unconfirmed(status(206, { 'content-range': 'bytes 0-8/99' }, JOB.slice(0, 9))),
  'status-202': confirmed(status(202, {}, JOB)),
  'status-has-two-digits': unconfirmed(status(20)),
  'refusal-breaks-off': refused(401, { writesBytes: -9 }),
  'refusal-never-ends': refused(403, { writesBytes: -9, then: 'stay' }),
  'refusal-is-reset': refused(422, { writesBytes: -9, then: 'reset' }),
  'refusal-before-reading': refused(413, { readsBytes: 60 }),
  'status-425': rateLimited(425, {}),
  'status-429': rateLimited(429, {}),
  ...createFaults('retry-after-', ['2', '-3', '1e400', 'soon'], (after) => rateLimited(429, { 'retry-after': after })),
  'retry-after-is-too-long': tooLong('99999'),
  'retry-after-is-infinite': tooLong('9'.repeat(400)),
  'unavailable-with-retry-after': doubtful(503, 'retry', { 'retry-after': '3' }),
}

export const SERVICE_FAULTS: Readonly<Record<string, Fault>> = { ...CONNECTIONS, ...RESPONSES, ...BODIES, ...STATUSES }

/** Nothing of the prompt was sent. The next connection works, but its certificate is not trusted here. */
const cutHandshake = (then: Behaviour['then'], writes = ''): Fault =>
  unprocessed({ writes, then, readsBytes: 1 }, 'again', 'retry')

/** Faults of TLS. No certificate is trusted here, so these are not mixed with other faults. */
export const TLS_FAULTS: Readonly<Record<string, Fault>> = {
  'certificate-is-untrusted': unprocessed('untrusted', 'stop', 'stop'),
  'speaks-no-tls': refused(400, { readsBytes: 1 }),
  'handshake-needs-another-version': refused(0, { readsBytes: 1, writes: '\x15\x03\x01\x00\x02\x02\x46' }),
  'handshake-fails-at-the-server': cutHandshake('close', '\x15\x03\x03\x00\x02\x02\x50'),
  'handshake-never-ends': withoutResponse('stay', { readsBytes: 1 }, 'stop'),
  'handshake-is-reset': cutHandshake('reset'),
  'handshake-is-closed': cutHandshake('close'),
}
