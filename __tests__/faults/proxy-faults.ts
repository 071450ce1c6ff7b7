import { httpAnswer } from '../support/socket-server.ts'
import { type Conduct, type Fault, forEach, type PromptFate, type ReadFate, type Tunnel } from './fault.ts'

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'

type More = Partial<Conduct>

const faultOf = (prompt: PromptFate, read: ReadFate, writes: string, more: More = {}): Fault => ({
  conduct: { writes, then: 'close', ...more },
  prompt,
  read,
  takes: true,
})
/** It breaks off, before there is a tunnel or after it. That is not listed as harmless, so nothing is proven. */
const broken = (writes: string, more?: More): Fault => faultOf('unknown', 'passing', writes, more)
/** Whether that is seen while the connection is still being made is a matter of chance. */
const atOnce = (then: Conduct['then']): Fault => faultOf('any', 'passing', '', { then, readsBytes: 0 })
/** The time runs out before there is a tunnel: nothing was sent, and there is no time left. */
const hanging = (writes: string, more?: More): Fault => faultOf('stop', 'passing', writes, { then: 'stay', ...more })
const tunnel = (how: Tunnel, prompt: PromptFate, read: ReadFate, more?: More): Fault => ({
  ...faultOf(prompt, read, ESTABLISHED, { then: 'stay', ...more }),
  tunnel: how,
})
export const TUNNEL = tunnel({}, 'accepted', 'heard')
const ALERT = '\x15\x03\x01\x00\x02\x02\x46'

export const PROXY_FAULTS: Readonly<Record<string, Fault>> = {
  'proxy-works': TUNNEL,
  'proxy-answers-byte-by-byte': tunnel({}, 'accepted', 'heard', { pace: 'bytes' }),
  'proxy-refuses-connection': { conduct: 'refuse', prompt: 'again', read: 'passing', takes: false },
  'proxy-closes-at-once': atOnce('close'),
  'proxy-resets-at-once': atOnce('reset'),
  'proxy-closes-inside-connect': broken('', { readsBytes: 9 }),
  'proxy-closes-after-connect': broken(''),
  'proxy-resets-after-connect': broken('', { then: 'reset' }),
  'proxy-never-answers': hanging(''),
  'proxy-never-reads': hanging('', { readsBytes: 0, isDeaf: true }),
  'proxy-answers-slowly': hanging(ESTABLISHED, { pace: 'slow' }),
  'proxy-stalls-in-answer': hanging(ESTABLISHED, { writesBytes: 12 }),
  'proxy-headers-without-end': hanging('HTTP/1.1 200 x\r\n', { repeats: 'x: y\r\n', pace: 'slow' }),
  'proxy-resets-inside-answer': broken(ESTABLISHED, { writesBytes: 12, then: 'reset' }),
  'proxy-closes-inside-answer': broken(ESTABLISHED, { writesBytes: 12 }),
  'proxy-answers-garbage': broken(ALERT),
  'proxy-header-too-large': broken(`HTTP/1.1 200 x\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`),
  // There is no tunnel and never will be one: nothing was sent.
  ...forEach('proxy-', [302, 401, 403, 404, 407, 429], (status) =>
    faultOf('stop', 'final', httpAnswer(status, 'No.', { 'proxy-authenticate': 'Basic realm="x"' })),
  ),
  // It does not get through to the service: nothing was sent.
  ...forEach('proxy-', [500, 502, 503, 504], (status) =>
    faultOf('again', 'passing', httpAnswer(status, '<html>No way.')),
  ),
  'tunnel-to-garbage': broken(`${ESTABLISHED}SSH-2.0-x\r\n`),
  'tunnel-to-silence': broken(ESTABLISHED, { then: 'stay' }),
  'tunnel-closes-at-once': broken(ESTABLISHED),
  'tunnel-resets-at-once': broken(ESTABLISHED, { then: 'reset' }),
  'tunnel-resets-inside-request': tunnel({ upBytes: 20 }, 'unknown', 'passing'),
  'tunnel-resets-before-answer': tunnel({ downBytes: 0 }, 'unknown', 'passing'),
  'tunnel-resets-inside-head': tunnel({ downBytes: 9 }, 'unknown', 'passing'),
  'tunnel-resets-inside-body': tunnel({ downBytes: 80 }, 'unknown', 'passing'),
}
