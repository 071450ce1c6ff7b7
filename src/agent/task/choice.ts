import type { Plan } from '../report/turns.ts'

/** What to ask of the service. */
export type Choice =
  | ({ readonly kind: 'ask' } & Plan)
  /** @property reason as a full sentence */
  | { readonly kind: 'skip'; readonly reason: string }
