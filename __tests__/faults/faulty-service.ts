import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../scripts/start/untrusted-tls.ts'
import { act, readEnough, type Conduct } from './conduct.ts'
import { openPeer, type FaultyPeer } from './faulty-peer.ts'
import type { ServiceFault } from './service-fault.ts'
import type { StillClock } from './still-clock.ts'

export interface FaultyService extends FaultyPeer {
  /** What becomes of the connections from now on. */
  play(fault: ServiceFault): Promise<void>
}

/** Whoever knows the job: hears how the service read a request, and gives the job as it then is. */
export type TellJob = (isWhole: boolean, takes: boolean) => string

const CERTIFICATE = makeCertificate()

const ALL: Conduct = { writes: '', then: 'close' }

/** A service that treats each connection as its script says, and knows what it has read. */
export async function openFaultyService(tellJob: TellJob, clock: StillClock): Promise<FaultyService> {
  let fault: ServiceFault | undefined

  function serve(socket: Socket, { conduct, takes }: ServiceFault): void {
    if (conduct === 'untrusted') {
      const secure = new TLSSocket(socket, { isServer: true, ...CERTIFICATE })
      secure.on('error', () => undefined)
      secure.resume()
      return
    }
    if (conduct === 'refuse') return
    // What it reads does not depend on the job.
    const { readsBytes, isDeaf = false } = conduct('{}')
    let came = ''
    let hasActed = false
    const begin = (read: string): void => {
      hasActed = true
      const isWhole = readEnough(read, undefined) !== undefined
      const isAnswer = conduct('{}').writes !== ''
      const job = tellJob(isWhole, takes && (isWhole || isAnswer))
      void act(socket, { ...ALL, ...conduct(job) }, clock)
    }
    if (readsBytes === 0) begin('')
    if (isDeaf) return void socket.pause()
    socket.on('data', (chunk: Buffer) => {
      if (hasActed) return
      came += chunk.toString('latin1')
      const read = readEnough(came, readsBytes)
      if (read !== undefined) begin(read)
    })
  }

  const peer = await openPeer((socket) => {
    if (fault !== undefined) serve(socket, fault)
  }, clock)
  return {
    ...peer,
    port: peer.port,
    async play(next) {
      fault = next
      await peer.listen(next.conduct !== 'refuse')
    },
  }
}
