import type { ProxyFaultName } from './proxy-faults.ts'
import type { ServiceFaultName } from './service-faults.ts'

/** What has to become of a run, where one fault alone decides it. */
export type Expected = 'pull-request' | 'red' | 'unknown-fate'

/** All that decides how a run over real sockets goes. */
export interface FaultScript {
  /** Says it all in short, and picks this script alone: `FAULT=<name>`. */
  readonly name: string
  readonly task: 'create' | 'follow-up' | 'attach'
  readonly timeoutMs: number
  /** What the service does with one request after the other; what comes after the last one is answered well. */
  readonly posts: readonly ServiceFaultName[]
  readonly reads: readonly ServiceFaultName[]
  /** With a proxy before the service: what that does, in the same way. */
  readonly proxy?: { readonly posts: readonly ProxyFaultName[]; readonly reads: readonly ProxyFaultName[] }
  /** Whether the service is asked over TLS. It has none that anybody trusts. */
  readonly isSecure?: boolean
  readonly expected?: Expected
}
