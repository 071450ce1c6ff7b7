import { formatResponse } from '../../testing/socket-server.ts'
import { type Behaviour, type Fault, createFaults, type PromptOutcome, type ReadOutcome, type Tunnel } from './fault.ts'

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n'

type More = Partial<Behaviour>

const createFault = (prompt: PromptOutcome, read: ReadOutcome, writes: string, more: More = {}): Fault => ({
  behaviour: { writes, then: 'close', ...more },
  prompt,
  read,
  processesPrompt: true,
})
/** The connection breaks before the tunnel is open: nothing was sent. */
const broken = (writes: string, more?: More): Fault => createFault('again', 'retry', writes, more)
/** The connection breaks when the tunnel is open. Whether the client has sent anything by then is random. */
const brokenTunnel = (more?: More): Fault => createFault('any', 'retry', ESTABLISHED, more)
/** The timeout expires before the tunnel is open: nothing was sent, and no time is left. */
const hanging = (writes: string, more?: More): Fault => createFault('stop', 'retry', writes, { then: 'stay', ...more })
const openTunnel = (how: Tunnel, prompt: PromptOutcome, read: ReadOutcome, more?: More): Fault => ({
  ...createFault(prompt, read, ESTABLISHED, { then: 'stay', ...more }),
  tunnel: how,
})
export const WORKING_TUNNEL = openTunnel({}, 'accepted', 'success')
const ALERT = '\x15\x03\x01\x00\x02\x02\x46'

export const PROXY_FAULTS: Readonly<Record<string, Fault>> = {
  'proxy-works': WORKING_TUNNEL,
  'proxy-responds-byte-by-byte': openTunnel({}, 'accepted', 'success', { pace: 'bytes' }),
  'proxy-refuses-connection': { behaviour: 'refuse', prompt: 'again', read: 'retry', processesPrompt: false },
  'proxy-closes-immediately': broken('', { readsBytes: 0 }),
  'proxy-resets-immediately': broken('', { readsBytes: 0, then: 'reset' }),
  'proxy-closes-inside-connect': broken('', { readsBytes: 9 }),
  'proxy-closes-after-connect': broken(''),
  'proxy-resets-after-connect': broken('', { then: 'reset' }),
  'proxy-never-responds': hanging(''),
  'proxy-never-reads': hanging('', { readsBytes: 0, neverReads: true }),
  'proxy-responds-slowly': createFault('unknown', 'retry', ESTABLISHED, { then: 'stay', pace: 'slow' }),
  'proxy-stalls-in-response': hanging(ESTABLISHED, { writesBytes: 12 }),
  'proxy-headers-without-end': hanging('HTTP/1.1 200 x\r\n', { repeats: 'x: y\r\n', pace: 'slow' }),
  'proxy-resets-inside-response': broken(ESTABLISHED, { writesBytes: 12, then: 'reset' }),
  'proxy-closes-inside-response': broken(ESTABLISHED, { writesBytes: 12 }),
  'proxy-responds-with-garbage': broken(ALERT),
  'proxy-header-too-large': broken(`HTTP/1.1 200 x\r\nx: ${'y'.repeat(270_000)}\r\n\r\n`),
  // The proxy rejects the tunnel: nothing was sent.
  ...createFaults('proxy-', [302, 401, 403, 404, 407, 429], (status) =>
    createFault('stop', 'stop', formatResponse(status, 'No.', { 'proxy-authenticate': 'Basic realm="x"' })),
  ),
  // The proxy cannot reach the service: nothing was sent.
  ...createFaults('proxy-', [500, 502, 503, 504], (status) =>
    createFault('again', 'retry', formatResponse(status, '<html>No way.')),
  ),
  'tunnel-to-garbage': broken(`${ESTABLISHED}SSH-2.0-x\r\n`),
  'tunnel-to-silence': createFault('unknown', 'retry', ESTABLISHED, { then: 'stay' }),
  'tunnel-closes-immediately': brokenTunnel(),
  'tunnel-resets-immediately': brokenTunnel({ then: 'reset' }),
  'tunnel-resets-inside-request': openTunnel({ upBytes: 20 }, 'unknown', 'retry'),
  'tunnel-resets-before-response': openTunnel({ downBytes: 0 }, 'unknown', 'retry'),
  'tunnel-resets-inside-head': openTunnel({ downBytes: 9 }, 'unknown', 'retry'),
  'tunnel-resets-inside-body': openTunnel({ downBytes: 80 }, 'unknown', 'retry'),
}
