import { httpAnswer } from '../support/socket-server.ts'
import type { Conduct } from './conduct.ts'
import { afterTaking, beforeTaking, forEach, type ServiceFault } from './service-fault.ts'

const good = (job: string, more: Partial<Conduct> = {}): Conduct => ({
  writes: httpAnswer(200, job),
  then: 'close',
  ...more,
})

/** Sooner than its answer, if it gives any, the service leaves. */
const leaves = (then: Conduct['then'], more: Partial<Conduct> = {}): (() => Conduct) => {
  return () => ({ writes: '', then, ...more })
}

/** Where in an answer of some hundred bytes something can happen: in each of its parts, and at the seams between them. */
const PLACES = [0, 1, 5, 9, 12, 16, 30, 38, 39, 40, -30, -1] as const
/** The same for a request. */
const REQUEST_PLACES = [0, 1, 40, 120, -10, -1] as const

const untrusted = beforeTaking('untrusted', 'stop', 'final')

/** How connections go wrong, whatever is said over them. */
export const CONNECTION_FAULTS = {
  good: afterTaking(good, 'heard'),
  'stays-open': afterTaking((job) => good(job, { then: 'stay' }), 'heard'),
  'resets-after-answer': afterTaking((job) => good(job, { then: 'reset' }), 'any'),
  'answers-before-reading': afterTaking((job) => good(job, { readsBytes: 0 }), 'any'),
  'answers-inside-request': afterTaking((job) => good(job, { readsBytes: 60 }), 'heard'),
  'answers-byte-by-byte': afterTaking((job) => good(job, { pace: 'bytes' }), 'heard'),
  'answers-slowly': afterTaking((job) => good(job, { pace: 'slow' }), 'lost'),
  'refuses-connection': beforeTaking('refuse', 'again', 'passing'),
  'never-reads': beforeTaking(leaves('stay', { readsBytes: 0, isDeaf: true }), 'unknown', 'passing'),
  'never-answers': afterTaking(leaves('stay'), 'lost'),
  'closes-after-reading': afterTaking(leaves('close'), 'lost'),
  ...forEach('closes-at-request-byte', REQUEST_PLACES, (readsBytes) =>
    beforeTaking(leaves('close', { readsBytes }), 'unknown', 'passing'),
  ),
  ...forEach('resets-at-request-byte', REQUEST_PLACES, (readsBytes) =>
    // A reset at once may come while the connection is still being made.
    beforeTaking(leaves('reset', { readsBytes }), readsBytes === 0 ? 'any' : 'unknown', 'passing'),
  ),
  ...forEach('resets-at-answer-byte', PLACES, (writesBytes) =>
    afterTaking((job) => good(job, { writesBytes, then: 'reset' }), 'lost'),
  ),
  ...forEach('closes-at-answer-byte', PLACES, (writesBytes) =>
    afterTaking((job) => good(job, { writesBytes, then: 'close' }), 'lost'),
  ),
  ...forEach('stalls-at-answer-byte', PLACES, (writesBytes) =>
    afterTaking((job) => good(job, { writesBytes, then: 'stay' }), 'lost'),
  ),
} satisfies Record<string, ServiceFault>

/** How TLS goes wrong. Nobody here has a certificate that is trusted, so these are for scripts of their own. */
export const TLS_FAULTS = {
  'certificate-is-untrusted': untrusted,
  'speaks-no-tls': beforeTaking(() => ({ readsBytes: 1, writes: httpAnswer(400, ''), then: 'close' }), 'stop', 'final'),
  'handshake-is-garbage': beforeTaking(
    () => ({ readsBytes: 1, writes: '\x15\x03\x01\x00\x02\x02\x46', then: 'close' }),
    'stop',
    'final',
  ),
  'handshake-never-ends': beforeTaking(leaves('stay', { readsBytes: 1 }), 'stop', 'passing'),
  'handshake-is-reset': beforeTaking(leaves('reset', { readsBytes: 1 }), 'unknown', 'passing'),
  'handshake-is-closed': beforeTaking(leaves('close', { readsBytes: 1 }), 'unknown', 'passing'),
} satisfies Record<string, ServiceFault>
