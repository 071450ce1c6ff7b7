import { httpAnswer } from '../support/socket-server.ts'
import type { Conduct } from './conduct.ts'
import { afterTaking, type ServiceFault } from './service-fault.ts'

const raw = (text: string | ((job: string) => string), more: Partial<Conduct> = {}) => {
  return (job: string): Conduct => ({ writes: typeof text === 'string' ? text : text(job), then: 'close', ...more })
}

/** An answer by its lines; the last one is the body. */
const lines = (...parts: readonly string[]): string => parts.join('\r\n')

const length = (job: string, plus = 0): string => `content-length: ${job.length + plus}`
const CHUNKED = 'transfer-encoding: chunked'
const OK = 'HTTP/1.1 200 OK'
const hex = (job: string, plus = 0): string => (job.length + plus).toString(16)

const heard = (text: string | ((job: string) => string), more: Partial<Conduct> = {}): ServiceFault =>
  afterTaking(raw(text, more), 'heard')
const lost = (text: string | ((job: string) => string), more: Partial<Conduct> = {}): ServiceFault =>
  afterTaking(raw(text, more), 'lost')
const withHead = (...head: readonly string[]) => lost((job) => lines(...head, '', job))

const MANY_HEADERS = Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)

/** How an answer is no good HTTP. */
export const ANSWER_FAULTS = {
  'length-is-too-long': lost((job) => lines(OK, length(job, 9), '', job)),
  'length-is-too-long-and-it-stays': lost((job) => lines(OK, length(job, 9), '', job), { then: 'stay' }),
  'length-is-too-short': lost((job) => lines(OK, length(job, -9), '', job)),
  'length-is-negative': withHead(OK, 'content-length: -5'),
  'length-is-no-number': withHead(OK, 'content-length: many'),
  'length-is-beyond-all-numbers': withHead(OK, `content-length: ${'9'.repeat(40)}`),
  'length-is-zero': withHead(OK, 'content-length: 0'),
  'two-lengths': lost((job) => lines(OK, length(job), length(job, -9), '', job)),
  'length-and-chunks': lost((job) => lines(OK, length(job), CHUNKED, '', hex(job), job, '0', '', '')),
  'no-length': heard((job) => lines(OK, '', job)),
  'no-length-and-it-stays': lost((job) => lines(OK, '', job), { then: 'stay' }),
  chunked: heard((job) => lines(OK, CHUNKED, '', hex(job), job, '0', '', '')),
  'chunked-byte-by-byte': heard((job) => lines(OK, CHUNKED, '', hex(job), job, '0', '', ''), { pace: 'bytes' }),
  'chunks-without-end': lost((job) => lines(OK, CHUNKED, '', hex(job), job, '')),
  'chunk-is-too-short': lost((job) => lines(OK, CHUNKED, '', hex(job, 9), job, '0', '', '')),
  'chunk-is-too-long': lost((job) => lines(OK, CHUNKED, '', hex(job, -9), job, '0', '', '')),
  'chunk-size-is-garbage': lost((job) => lines(OK, CHUNKED, '', 'zz', job, '0', '', '')),
  'chunk-size-is-beyond-all-numbers': lost((job) => lines(OK, CHUNKED, '', 'f'.repeat(40), job, '0', '', '')),
  'chunks-trickle-without-end': lost(lines(OK, CHUNKED, '', ''), { repeats: '1\r\n \r\n', pace: 'slow', then: 'stay' }),
  'unknown-encoding-of-transfer': lost((job) => lines(OK, 'transfer-encoding: fancy', '', job), { then: 'stay' }),
  'two-answers-at-once': heard((job) => httpAnswer(200, job) + httpAnswer(200, '{"id":"job_2","status":"failed"}')),
  'garbage-after-answer': heard((job) => `${httpAnswer(200, job)}\x00\x01garbage`, { then: 'stay' }),
  'body-is-too-large': lost(httpAnswer(200, ' '.repeat(5 * 1024 * 1024))),
  'body-floods-without-end': lost(lines(OK, '', ''), { repeats: ' '.repeat(200_000), then: 'stay' }),
  'body-trickles-without-end': lost(lines(OK, 'content-length: 99999', '', ''), {
    repeats: ' ',
    pace: 'slow',
    then: 'stay',
  }),
  'header-is-too-large': lost((job) => lines(OK, `x: ${'y'.repeat(70_000)}`, length(job), '', job)),
  'too-many-headers': lost((job) => lines(OK, ...MANY_HEADERS, length(job), '', job)),
  'headers-flood-without-end': lost(`${OK}\r\n`, { repeats: `x: ${'y'.repeat(5_000)}\r\n`, then: 'stay' }),
  'headers-trickle-without-end': lost(`${OK}\r\n`, { repeats: 'x: y\r\n', pace: 'slow', then: 'stay' }),
  'header-holds-a-zero-byte': withHead(OK, 'x: a\x00b'),
  'header-has-no-colon': withHead(OK, 'no colon here'),
  'header-has-a-blank-name': heard((job) => lines(OK, ': x', length(job), '', job)),
  'reason-is-missing': heard((job) => lines('HTTP/1.1 200', length(job), '', job)),
  'reason-is-long': heard((job) => lines(`HTTP/1.1 200 ${'Fine. '.repeat(500)}`, length(job), '', job)),
  'early-hints-first': heard((job) => `${lines('HTTP/1.1 103 x', 'link: </a>', '', '')}${httpAnswer(200, job)}`),
  'processing-first': heard((job) => `HTTP/1.1 102 x\r\n\r\n`.repeat(9) + httpAnswer(200, job)),
  'processing-without-end': lost('', { repeats: 'HTTP/1.1 102 x\r\n\r\n', pace: 'slow', then: 'stay' }),
  'continue-first': lost((job) => `HTTP/1.1 100 Continue\r\n\r\n${httpAnswer(200, job)}`),
  'switches-protocols': lost(lines('HTTP/1.1 101 x', 'upgrade: websocket', 'connection: upgrade', '', '')),
  'http-1.0': heard((job) => lines('HTTP/1.0 200 OK', length(job), '', job)),
  'http-0.9': lost((job) => job),
  'http-2': lost('\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80'),
  'http-9.9': lost((job) => lines('HTTP/9.9 200 OK', length(job), '', job)),
  'protocol-is-another-one': lost((job) => lines('ICY 200 OK', length(job), '', job)),
  'protocol-is-in-small-letters': lost((job) => lines('http/1.1 200 OK', length(job), '', job)),
  'speaks-ssh': lost('SSH-2.0-x\r\n', { then: 'stay' }),
  'speaks-tls': lost('\x15\x03\x01\x00\x02\x02\x46'),
  'says-only-zeros': lost('\x00'.repeat(1_000)),
  'says-only-line-ends': lost('\r\n'.repeat(1_000)),
} satisfies Record<string, ServiceFault>
