/** The events that cannot start the agent. A list by name, so that events that GitHub adds later still start it. */
import { ActionError } from '../../runtime/errors.ts'
import type { Acts } from '../record.ts'

/** The agent's own commits and branches cause these events too, often under another account, and nothing in them shows it. */
export const UNSUPPORTED_EVENTS = [
  'check_run',
  'check_suite',
  'create',
  'delete',
  'deployment',
  'deployment_status',
  'page_build',
  'registry_package',
  'status',
] as const
export type UnsupportedEvent = (typeof UNSUPPORTED_EVENTS)[number]

export const isUnsupportedEvent = (name: string): name is UnsupportedEvent =>
  UNSUPPORTED_EVENTS.some((event) => event === name)

/**
 * Rejects an event that cannot start the agent. A step that only attaches sends no prompt, so any event may start it.
 * @throws ActionError `invalid-input`
 */
export function rejectUnsupportedEvent({ context: { eventName }, inputs }: Pick<Acts, 'context' | 'inputs'>): void {
  const isAttaching = inputs.command === '' && inputs.task.kind === 'attach'
  if (isAttaching || !isUnsupportedEvent(eventName)) return
  throw new ActionError(
    'invalid-input',
    `The event \`${eventName}\` cannot start the agent: the agent's own work causes this event too, and the event does not show it.`,
    {
      hint: 'Nothing was sent. In `on:` of the workflow, use `push` (also for new branches and tags), `pull_request`, `release`, `workflow_run`, `schedule` or `workflow_dispatch` instead.',
    },
  )
}
