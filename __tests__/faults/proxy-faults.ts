import { httpAnswer } from '../support/socket-server.ts'
import type { Conduct } from './conduct.ts'
import type { PromptFate, ReadFate } from './service-fault.ts'

export interface ProxyFault {
  /** What it does with CONNECT. */
  readonly conduct: Conduct | 'refuse'
  /** Whether it connects both sides after that, and what it does then. */
  readonly tunnel?: Tunnel
  readonly prompt: PromptFate
  readonly read: ReadFate
}

export interface Tunnel {
  /** It lets so many bytes of the request through, or of the answer, before it resets both sides. */
  readonly upBytes?: number
  readonly downBytes?: number
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'

const answers = (writes: string, more: Partial<Conduct> = {}): Conduct => ({ writes, then: 'close', ...more })
const stays = (writes: string, more: Partial<Conduct> = {}): Conduct => answers(writes, { then: 'stay', ...more })

/** There is no tunnel and never will be one: nothing was sent. */
const refusal = (status: number): ProxyFault => ({
  conduct: answers(httpAnswer(status, 'No.', { 'proxy-authenticate': 'Basic realm="x"' })),
  prompt: 'stop',
  read: 'final',
})
/** The proxy does not get through to the service: nothing was sent. */
const gateway = (status: number): ProxyFault => ({
  conduct: answers(httpAnswer(status, '<html>No way.')),
  prompt: 'again',
  read: 'passing',
})
/** It breaks off before there is a tunnel. That is not listed as harmless, so nothing is proven. */
const broken = (conduct: Conduct): ProxyFault => ({ conduct, prompt: 'unknown', read: 'passing' })
/** Whether that is seen while the connection is still being made is a matter of chance. */
const atOnce = (then: Conduct['then']): ProxyFault => ({
  conduct: { writes: '', then, readsBytes: 0 },
  prompt: 'any',
  read: 'passing',
})
/** The time runs out before there is a tunnel: nothing was sent, and there is no time left. */
const hanging = (conduct: Conduct): ProxyFault => ({ conduct, prompt: 'stop', read: 'passing' })
const tunnel = (how: Tunnel, prompt: PromptFate, read: ReadFate, more: Partial<Conduct> = {}): ProxyFault => ({
  conduct: stays(ESTABLISHED, more),
  tunnel: how,
  prompt,
  read,
})

const FAULTS = {
  'proxy-works': tunnel({}, 'accepted', 'heard'),
  'proxy-answers-byte-by-byte': tunnel({}, 'accepted', 'heard', { pace: 'bytes' }),
  'proxy-refuses-connection': { conduct: 'refuse', prompt: 'again', read: 'passing' },
  'proxy-closes-at-once': atOnce('close'),
  'proxy-resets-at-once': atOnce('reset'),
  'proxy-closes-inside-connect': broken(answers('', { readsBytes: 9 })),
  'proxy-closes-after-connect': broken(answers('')),
  'proxy-resets-after-connect': broken({ writes: '', then: 'reset' }),
  'proxy-never-answers': hanging(stays('')),
  'proxy-never-reads': hanging(stays('', { readsBytes: 0, isDeaf: true })),
  'proxy-answers-slowly': hanging(stays(ESTABLISHED, { pace: 'slow' })),
  'proxy-stalls-in-answer': hanging(stays(ESTABLISHED, { writesBytes: 12 })),
  'proxy-headers-without-end': hanging(stays('HTTP/1.1 200 x\r\n', { repeats: 'x: y\r\n', pace: 'slow' })),
  'proxy-resets-inside-answer': broken({ writes: ESTABLISHED, writesBytes: 12, then: 'reset' }),
  'proxy-closes-inside-answer': broken(answers(ESTABLISHED, { writesBytes: 12 })),
  'proxy-answers-garbage': broken(answers('\x15\x03\x01\x00\x02\x02\x46')),
  'proxy-header-too-large': broken(answers(`HTTP/1.1 200 x\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`)),
  'proxy-401': refusal(401),
  'proxy-403': refusal(403),
  'proxy-404': refusal(404),
  'proxy-407': refusal(407),
  'proxy-429': refusal(429),
  'proxy-302': refusal(302),
  'proxy-500': gateway(500),
  'proxy-502': gateway(502),
  'proxy-503': gateway(503),
  'proxy-504': gateway(504),
  'tunnel-to-garbage': { conduct: answers(`${ESTABLISHED}SSH-2.0-x\r\n`), prompt: 'unknown', read: 'passing' },
  'tunnel-to-silence': { conduct: stays(ESTABLISHED), prompt: 'unknown', read: 'passing' },
  'tunnel-closes-at-once': { conduct: answers(ESTABLISHED), prompt: 'unknown', read: 'passing' },
  'tunnel-resets-at-once': { conduct: answers(ESTABLISHED, { then: 'reset' }), prompt: 'unknown', read: 'passing' },
  'tunnel-resets-inside-request': tunnel({ upBytes: 20 }, 'unknown', 'passing'),
  'tunnel-resets-before-answer': tunnel({ downBytes: 0 }, 'unknown', 'passing'),
  'tunnel-resets-inside-head': tunnel({ downBytes: 9 }, 'unknown', 'passing'),
  'tunnel-resets-inside-body': tunnel({ downBytes: 80 }, 'unknown', 'passing'),
} satisfies Record<string, ProxyFault>

export type ProxyFaultName = keyof typeof FAULTS
export const PROXY_FAULTS: Readonly<Record<ProxyFaultName, ProxyFault>> = FAULTS
export const PROXY_FAULT_NAMES = Object.keys(FAULTS) as ProxyFaultName[]
