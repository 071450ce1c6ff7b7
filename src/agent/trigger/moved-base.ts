import type { Context } from '../../action/context.ts'
import type { RawInputs } from '../../action/parse-inputs.ts'
import { countsAsBase } from '../../github/workflow-runs.ts'
import { findChangeRange } from './change-range.ts'

const MOVED =
  'This run ends green, so the next range since the last successful run begins after it, and no later run sends what changed before. `change-range: BASE...HEAD` sends it.'

/**
 * What a run that ends green without having sent anything does to later runs. The other inputs are taken as they are written:
 * without a key none of them has been checked.
 * @returns undefined if no later run looks back to this one
 */
export function describeMovedBase(raw: RawInputs, context: Context): string | undefined {
  const { event, eventName, actor } = context
  const given = (name: string): string => raw[name]?.trim() ?? ''
  if (event.kind === 'tag' || !countsAsBase({ event: eventName, actor })) return undefined
  if (given('change-range') === 'since-last-success') return MOVED
  const isWanted = ['paths', 'paths-ignore', 'skip-labels'].some((name) => given(name) !== '')
  const isTold = !['', 'none'].includes(given('change-context'))
  const looksBack = findChangeRange(context, { kind: 'event' }).kind === 'since-last-success'
  return given('change-range') === '' && (isWanted || isTold) && looksBack ? MOVED : undefined
}
