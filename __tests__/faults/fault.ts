/** How a connection fails, and the result that is expected for the request. */
export interface Fault {
  /** `refuse`: no server listens. `untrusted`: TLS with a certificate that is not trusted. */
  readonly behaviour: Behaviour | 'refuse' | 'untrusted'
  /** For a proxy: opens a tunnel after the behaviour. */
  readonly tunnel?: Tunnel
  /** Whether the service processes the prompt as soon as it has read it. */
  readonly processesPrompt: boolean
  readonly prompt: PromptOutcome
  readonly read: ReadOutcome
}

export interface Behaviour {
  /** The bytes to read before it acts. Negative: the bytes to leave unread. Undefined: the complete request. */
  readonly readsBytes?: number
  /** Whether it reads nothing at all, so that it does not even notice the end of the connection. */
  readonly neverReads?: boolean
  /** One character per byte. */
  readonly writes: string
  /** The bytes of `writes` to write. Negative: the bytes to leave out. */
  readonly writesBytes?: number
  readonly pace?: Pace
  /** Written after that, endlessly. */
  readonly repeats?: string
  readonly then: 'close' | 'reset' | 'stay'
}

/** `bytes`: each byte separately. `slow`: with a pause of two seconds after each byte. */
export type Pace = 'immediate' | 'bytes' | 'slow'

export interface Tunnel {
  /** The bytes of the request, or of the response, that pass before both sides are reset. */
  readonly upBytes?: number
  readonly downBytes?: number
}

/** `again`: resent. `stop`: not processed. `unknown`: delivery unknown. `any`: depends on the network. */
export type PromptOutcome = 'accepted' | 'again' | 'stop' | 'unknown' | 'any'
/** `retry`: read again. `stop`: no further read. `any`: depends on the network. */
export type ReadOutcome = 'success' | 'retry' | 'stop' | 'any'

/** Creates a fault for each value, with the value in its name. */
export function createFaults<Value extends string | number>(
  name: string,
  values: readonly Value[],
  fault: (value: Value) => Fault,
): Record<string, Fault> {
  return Object.fromEntries(values.map((value) => [`${name}${value}`, fault(value)]))
}
