import { KEY } from '../model/planted-key.ts'
import { httpAnswer } from '../support/socket-server.ts'
import { type Conduct, type Fault, forEach, type PromptFate, type ReadFate } from './fault.ts'

/** The job as the service tells of it, whatever it is asked. */
const FIELDS = { id: 'job_1', status: 'active', model: KEY }
const JOB = JSON.stringify(FIELDS)
const GOOD = httpAnswer(200, JOB)

type More = Partial<Conduct>

/** The service never gets to work on the prompt. */
const untaken = (conduct: Fault['conduct'], prompt: PromptFate, read: ReadFate): Fault => ({
  conduct,
  prompt,
  read,
  takes: false,
})
const taken = (prompt: PromptFate, read: ReadFate, writes: string, more: More): Fault => ({
  conduct: { writes, then: 'close', ...more },
  prompt,
  read,
  takes: true,
})
/** The service has accepted the prompt, and what it says then proves it, or proves nothing, or depends on the network. */
const heard = (writes: string, more: More = {}): Fault => taken('accepted', 'heard', writes, more)
const lost = (writes: string, more: More = {}): Fault => taken('unknown', 'passing', writes, more)
const chancy = (more: More): Fault => taken('any', 'any', GOOD, more)

export const WELL = heard(GOOD)

/** Sooner than its answer, if it gives any, the service leaves. */
const leaving = (then: Conduct['then'], more: More, prompt: PromptFate = 'unknown'): Fault =>
  untaken({ writes: '', then, ...more }, prompt, 'passing')

/** Where in an answer of some hundred bytes something can happen: in each of its parts, and at the seams between them. */
const PLACES = [0, 1, 9, 16, 38, 39, 40, -30, -1] as const
/** The same for a request. */
const REQUEST_PLACES = [0, 1, 40, 120, -10, -1] as const

const CONNECTIONS: Readonly<Record<string, Fault>> = {
  good: WELL,
  'stays-open': heard(GOOD, { then: 'stay' }),
  'resets-after-answer': chancy({ then: 'reset' }),
  'answers-before-reading': chancy({ readsBytes: 0 }),
  'answers-inside-request': heard(GOOD, { readsBytes: 60 }),
  'answers-byte-by-byte': heard(GOOD, { pace: 'bytes' }),
  'answers-slowly': lost(GOOD, { pace: 'slow' }),
  'refuses-connection': untaken('refuse', 'again', 'passing'),
  'never-reads': leaving('stay', { readsBytes: 0, isDeaf: true }),
  'never-answers': lost('', { then: 'stay' }),
  'closes-after-reading': lost(''),
  ...forEach('closes-at-request-byte', REQUEST_PLACES, (readsBytes) => leaving('close', { readsBytes })),
  // A reset at once may come while the connection is still being made.
  ...forEach('resets-at-request-byte', REQUEST_PLACES, (readsBytes) =>
    leaving('reset', { readsBytes }, readsBytes === 0 ? 'any' : 'unknown'),
  ),
  ...forEach('resets-at-answer-byte', PLACES, (writesBytes) => lost(GOOD, { writesBytes, then: 'reset' })),
  ...forEach('closes-at-answer-byte', PLACES, (writesBytes) => lost(GOOD, { writesBytes })),
  ...forEach('stalls-at-answer-byte', PLACES, (writesBytes) => lost(GOOD, { writesBytes, then: 'stay' })),
}

/** An answer by its lines; the last one is the body. */
const lines = (...parts: readonly string[]): string => parts.join('\r\n')
const OK = 'HTTP/1.1 200 OK'
const CHUNKED = 'transfer-encoding: chunked'
const length = (plus = 0): string => `content-length: ${JOB.length + plus}`
const hex = (plus = 0): string => (JOB.length + plus).toString(16)
const MANY_HEADERS = Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)
const STAYS = { then: 'stay' } as const
const SLOW = { pace: 'slow', then: 'stay' } as const

/** How an answer is no good HTTP, or good HTTP that few send. */
const ANSWERS: Readonly<Record<string, Fault>> = {
  'length-is-too-long': lost(lines(OK, length(9), '', JOB)),
  'length-is-too-long-and-it-stays': lost(lines(OK, length(9), '', JOB), STAYS),
  'length-is-too-short': lost(lines(OK, length(-9), '', JOB)),
  'length-is-no-number': lost(lines(OK, 'content-length: many', '', JOB)),
  'length-is-zero': lost(lines(OK, 'content-length: 0', '', JOB)),
  'two-lengths': lost(lines(OK, length(), length(-9), '', JOB)),
  'length-and-chunks': lost(lines(OK, length(), CHUNKED, '', hex(), JOB, '0', '', '')),
  'no-length': heard(lines(OK, '', JOB)),
  'no-length-and-it-stays': lost(lines(OK, '', JOB), STAYS),
  chunked: heard(lines(OK, CHUNKED, '', hex(), JOB, '0', '', '')),
  'chunked-byte-by-byte': heard(lines(OK, CHUNKED, '', hex(), JOB, '0', '', ''), { pace: 'bytes' }),
  'chunks-without-end': lost(lines(OK, CHUNKED, '', hex(), JOB, '')),
  'chunk-is-too-short': lost(lines(OK, CHUNKED, '', hex(9), JOB, '0', '', '')),
  'chunk-size-is-garbage': lost(lines(OK, CHUNKED, '', 'zz', JOB, '0', '', '')),
  'chunks-trickle-without-end': lost(lines(OK, CHUNKED, '', ''), { ...SLOW, repeats: '1\r\n \r\n' }),
  'unknown-encoding-of-transfer': lost(lines(OK, 'transfer-encoding: fancy', '', JOB), STAYS),
  'two-answers-at-once': heard(GOOD + httpAnswer(200, '{"id":"job_2","status":"failed"}')),
  'garbage-after-answer': heard(`${GOOD}\x00\x01garbage`, STAYS),
  'body-is-too-large': lost(httpAnswer(200, ' '.repeat(5 * 1024 * 1024))),
  'body-floods-without-end': lost(lines(OK, '', ''), { ...STAYS, repeats: ' '.repeat(200_000) }),
  'body-trickles-without-end': lost(lines(OK, 'content-length: 99999', '', ''), { ...SLOW, repeats: ' ' }),
  'header-is-too-large': lost(lines(OK, `x: ${'y'.repeat(70_000)}`, length(), '', JOB)),
  'too-many-headers': lost(lines(OK, ...MANY_HEADERS, length(), '', JOB)),
  'headers-flood-without-end': lost(`${OK}\r\n`, { ...STAYS, repeats: `x: ${'y'.repeat(5_000)}\r\n` }),
  'headers-trickle-without-end': lost(`${OK}\r\n`, { ...SLOW, repeats: 'x: y\r\n' }),
  'header-holds-a-zero-byte': lost(lines(OK, 'x: a\x00b', '', JOB)),
  'early-hints-first': heard(`${lines('HTTP/1.1 103 x', 'link: </a>', '', '')}${GOOD}`),
  'processing-without-end': lost('', { ...SLOW, repeats: 'HTTP/1.1 102 x\r\n\r\n' }),
  'continue-first': lost(`HTTP/1.1 100 Continue\r\n\r\n${GOOD}`),
  'switches-protocols': lost(lines('HTTP/1.1 101 x', 'upgrade: websocket', 'connection: upgrade', '', '')),
  'http-1.0': heard(lines('HTTP/1.0 200 OK', length(), '', JOB)),
  'http-0.9': lost(JOB),
  'http-2': lost('\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80'),
  'speaks-ssh': lost('SSH-2.0-x\r\n', STAYS),
  'speaks-tls': lost('\x15\x03\x01\x00\x02\x02\x46'),
  'says-only-zeros': lost('\x00'.repeat(1_000)),
}

/** An answer that is good HTTP and says that all is well. */
const ok = (body: string, headers: Readonly<Record<string, string>> = {}): string => httpAnswer(200, body, headers)
const changed = (change: object): string => ok(JSON.stringify({ ...FIELDS, ...change }))

/** What it says then. Which fields are none is for the suite of the wire types. */
const BODIES: Readonly<Record<string, Fault>> = {
  'body-is-html': lost(ok(`<!doctype html><title>Sign in</title>${KEY}`, { 'content-type': 'text/html' })),
  'body-is-empty': lost(ok('')),
  'body-is-an-error': lost(ok(JSON.stringify({ error: KEY }))),
  'body-is-cut': lost(ok(JOB.slice(0, -5))),
  'body-is-followed-by-more': lost(ok(JOB + JOB)),
  'body-is-nested-without-need': lost(ok('['.repeat(100_000))),
  'body-begins-with-a-mark': heard(ok(`\xef\xbb\xbf${JOB}`, { 'content-length': String(JOB.length + 3) })),
  'body-claims-to-be-packed': heard(ok(JOB, { 'content-encoding': 'gzip' })),
  'body-claims-to-be-a-picture': heard(ok(JOB, { 'content-type': 'image/png' })),
  'body-has-blanks-around': heard(ok(`\r\n\t ${JOB} \r\n`)),
  'body-has-more-fields': heard(changed({ other: { deep: [1, 2, 3] }, source: 7, model: null, createdAt: [] })),
  'id-leads-elsewhere': lost(changed({ id: '../../v1/x' })),
  'id-is-the-key': lost(changed({ id: KEY })),
  // The id proves that the prompt was taken; a read has to say how the job stands.
  'status-is-missing': taken('accepted', 'passing', changed({ status: undefined }), {}),
  'status-is-in-no-list': heard(changed({ status: 'paused' })),
}

const ERROR = JSON.stringify({ error: `No. You are ${KEY}, are you?` })
type Headers = Readonly<Record<string, string>>
const status = (code: number, headers: Headers = {}, body = ERROR): string => httpAnswer(code, body, headers)
const refusing = (code: number, more: More = {}): Fault =>
  untaken({ writes: status(code), then: 'close', ...more }, 'stop', 'final')
/** The service may have taken the prompt, and here it has. */
const doubtful = (code: number, read: ReadFate, headers?: Headers): Fault =>
  taken('unknown', read, status(code, headers), {})
const limited = (code: number, headers: Headers): Fault =>
  untaken({ writes: status(code, headers), then: 'close' }, 'again', 'passing')
/** Longer than any script lasts. */
const tooLong = (after: string): Fault => ({ ...limited(429, { 'retry-after': after }), prompt: 'stop', read: 'final' })

/** What it says by its status, and how it asks for patience. */
const STATUSES: Readonly<Record<string, Fault>> = {
  ...forEach('status-', [400, 401, 402, 403, 404, 405, 413, 415, 422], (code) => refusing(code)),
  ...forEach('status-', [406, 409, 410, 418, 451], (code) => doubtful(code, 'final')),
  ...forEach('status-', [408, 500, 502, 503, 504, 521, 599, 999], (code) => doubtful(code, 'passing')),
  ...forEach('not-taken-', [409, 503], (code) => ({
    ...doubtful(code, code < 500 ? 'final' : 'passing'),
    takes: false,
  })),
  ...forEach('redirect-', [300, 301, 302, 303, 304, 307, 308], (code) =>
    doubtful(code, 'final', { location: 'http://127.0.0.1:9/elsewhere', ...(code === 304 && { etag: 'x' }) }),
  ),
  'redirect-without-location': doubtful(302, 'final'),
  ...forEach('status-', [204, 205], (code) => lost(status(code, {}, ''))),
  'status-206': lost(status(206, { 'content-range': 'bytes 0-8/99' }, JOB.slice(0, 9))),
  'status-202': heard(status(202, {}, JOB)),
  'status-has-two-digits': lost(status(20)),
  'refusal-breaks-off': refusing(401, { writesBytes: -9 }),
  'refusal-never-ends': refusing(403, { writesBytes: -9, then: 'stay' }),
  'refusal-is-reset': refusing(422, { writesBytes: -9, then: 'reset' }),
  'refusal-before-reading': refusing(413, { readsBytes: 60 }),
  'status-425': limited(425, {}),
  'status-429': limited(429, {}),
  ...forEach('retry-after-', ['2', '-3', '1e400', 'soon'], (after) => limited(429, { 'retry-after': after })),
  'retry-after-is-too-long': tooLong('99999'),
  'retry-after-is-beyond-all-numbers': tooLong('9'.repeat(400)),
  'unavailable-with-retry-after': doubtful(503, 'passing', { 'retry-after': '3' }),
}

export const SERVICE_FAULTS: Readonly<Record<string, Fault>> = { ...CONNECTIONS, ...ANSWERS, ...BODIES, ...STATUSES }

/** How TLS goes wrong. Nobody here has a certificate that is trusted, so these are for scripts of their own. */
export const TLS_FAULTS: Readonly<Record<string, Fault>> = {
  'certificate-is-untrusted': untaken('untrusted', 'stop', 'final'),
  'speaks-no-tls': refusing(400, { readsBytes: 1 }),
  'handshake-is-garbage': refusing(0, { readsBytes: 1, writes: '\x15\x03\x01\x00\x02\x02\x46' }),
  'handshake-never-ends': leaving('stay', { readsBytes: 1 }, 'stop'),
  'handshake-is-reset': leaving('reset', { readsBytes: 1 }),
  'handshake-is-closed': leaving('close', { readsBytes: 1 }),
}
