import { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../scripts/start/untrusted-tls.ts'
import { act } from './conduct.ts'
import { openPeer, readEnough, whenRead, type FaultyPeer } from './faulty-peer.ts'
import type { ServiceFault } from './service-fault.ts'
import type { StillClock } from './still-clock.ts'

/** Whoever knows the job: hears how the service read a request, and gives the job as it then is. */
export type TellJob = (isWhole: boolean, takes: boolean) => string

const CERTIFICATE = makeCertificate()

/** A service that treats each connection as its script says, and knows what it has read. */
export function openFaultyService(tellJob: TellJob, clock: StillClock): Promise<FaultyPeer<ServiceFault>> {
  return openPeer((socket, { conduct, takes }) => {
    if (conduct === 'untrusted') {
      const secure = new TLSSocket(socket, { isServer: true, ...CERTIFICATE })
      secure.on('error', () => undefined)
      secure.resume()
    } else if (conduct !== 'refuse') {
      // What it reads, and whether it answers, does not depend on the job.
      const planned = conduct('{}')
      whenRead(socket, planned, (read) => {
        const isWhole = readEnough(read) !== undefined
        const job = tellJob(isWhole, takes && (isWhole || planned.writes !== ''))
        void act(socket, conduct(job), clock)
      })
    }
  }, clock)
}
