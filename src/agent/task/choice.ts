import type { Task } from '../inputs/task.ts'
import type { BeforeSending } from '../job/before-sending.ts'

/** What to ask of the service. */
export type Choice =
  | { readonly kind: 'ask'; readonly task: Task; readonly beforeSending?: BeforeSending }
  /** @property reason as a full sentence */
  | { readonly kind: 'skip'; readonly reason: string }
