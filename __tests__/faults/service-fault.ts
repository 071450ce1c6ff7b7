import type { Conduct } from './conduct.ts'

/** What has to become of a prompt that fares so, where all that comes after it fares well. `any`: the network decides. */
export type PromptFate = 'accepted' | 'again' | 'stop' | 'unknown' | 'any'
/** What has to become of a read: heard, or tried again, or the end of it. */
export type ReadFate = 'heard' | 'passing' | 'final'

export interface ServiceFault {
  /** `refuse`: nobody listens. `untrusted`: TLS with a certificate that nobody knows. */
  readonly conduct: ((job: string) => Conduct) | 'refuse' | 'untrusted'
  /** Whether the service works on the prompt. */
  readonly takes: boolean
  readonly prompt: PromptFate
  readonly read: ReadFate
}

/** The service accepted the prompt, and this is all that it answers. */
export function afterTaking(conduct: (job: string) => Conduct, fate: 'heard' | 'lost' | 'any'): ServiceFault {
  const fates = {
    heard: { prompt: 'accepted', read: 'heard' },
    lost: { prompt: 'unknown', read: 'passing' },
    any: { prompt: 'any', read: 'passing' },
  } as const
  return { conduct, takes: true, ...fates[fate] }
}

/** The service never gets to work on the prompt. */
export function beforeTaking(conduct: ServiceFault['conduct'], prompt: PromptFate, read: ReadFate): ServiceFault {
  return { conduct, takes: false, prompt, read }
}

/** One of these for each of the values, with the value in its name. */
export function forEach<Name extends string, Value extends string | number>(
  name: Name,
  values: readonly Value[],
  fault: (value: Value) => ServiceFault,
): Record<`${Name}${Value}`, ServiceFault> {
  return Object.fromEntries(values.map((value) => [`${name}${value}`, fault(value)])) as Record<
    `${Name}${Value}`,
    ServiceFault
  >
}
