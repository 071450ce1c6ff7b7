/** How a connection goes wrong, and what has to become of the request. */
export interface Fault {
  /** `refuse`: nobody listens. `untrusted`: TLS with a certificate that nobody knows. */
  readonly conduct: Conduct | 'refuse' | 'untrusted'
  /** Of a proxy: that it connects both sides after its conduct, and what it does then. */
  readonly tunnel?: Tunnel
  /** Whether the service works on the prompt as soon as it has read it. */
  readonly takes: boolean
  readonly prompt: PromptFate
  readonly read: ReadFate
}

export interface Conduct {
  /** How much it reads before it acts, in bytes; negative: how much it leaves unread. All of the request, if undefined. */
  readonly readsBytes?: number
  /** Whether it reads nothing at all, so that even the end of the connection passes it by. */
  readonly isDeaf?: boolean
  /** One character a byte. */
  readonly writes: string
  /** How much of that it really writes, in bytes; negative: how much it leaves out. */
  readonly writesBytes?: number
  readonly pace?: Pace
  /** What it writes after that, over and over for ever. */
  readonly repeats?: string
  readonly then: 'close' | 'reset' | 'stay'
}

/** `bytes`: each byte on its own. `slow`: and two seconds for each. */
export type Pace = 'at-once' | 'bytes' | 'slow'

export interface Tunnel {
  /** It lets so many bytes of the request through, or of the answer, before it resets both sides. */
  readonly upBytes?: number
  readonly downBytes?: number
}

/** Accepted, or sent again, or not sent again because nothing was taken or nobody knows. `any`: the network decides. */
export type PromptFate = 'accepted' | 'again' | 'stop' | 'unknown' | 'any'
/** Heard, or read again, or the end of reading. */
export type ReadFate = 'heard' | 'passing' | 'final' | 'any'

/** One fault for each of the values, with the value in its name. */
export function forEach<Value extends string | number>(
  name: string,
  values: readonly Value[],
  fault: (value: Value) => Fault,
): Record<string, Fault> {
  return Object.fromEntries(values.map((value) => [`${name}${value}`, fault(value)]))
}
