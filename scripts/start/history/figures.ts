import type { Prompt } from './open-runs.ts'
import type { Ending, Replayed } from './replay.ts'

/** What `--json` prints about one trigger. */
export interface Counts {
  readonly not_started: number
  /** Runs that sent no prompt and are green. */
  readonly skipped: number
  /** Jobs and follow-ups. */
  readonly prompts: number
  readonly follow_ups: number
  readonly pull_requests: number
  readonly red: number
  /** The first day with a red run, such as `2026-11-03`. */
  readonly first_red: string | null
  /** Null without a price. */
  readonly cost: number | null
}

/** What `--json` prints. */
export interface Figures extends Counts {
  readonly days: number
  readonly pushes: number
  readonly alternative: Counts & { readonly event: 'push' | 'schedule' }
}

export const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export const listPrompts = ({ endings }: Replayed): readonly Prompt[] => endings.flatMap(({ prompts }) => prompts)

const roundToCents = (amount: number): number => Math.round(amount * 100) / 100

export function count(replayed: Replayed, price: number | undefined): Counts {
  const countKind = (kind: Ending['kind']): number => replayed.endings.filter((one) => one.kind === kind).length
  const prompts = listPrompts(replayed)
  const firstRed = replayed.endings.find(({ kind }) => kind === 'red')
  return {
    not_started: countKind('not-started'),
    skipped: countKind('skipped'),
    prompts: prompts.length,
    follow_ups: prompts.filter(({ isFollowUp }) => isFollowUp).length,
    pull_requests: replayed.pullRequests,
    red: countKind('red'),
    first_red: firstRed === undefined ? null : formatDay(firstRed.atMs),
    cost: price === undefined ? null : roundToCents(prompts.length * price),
  }
}

/** Groups endings by their reason, the most frequent first. */
export function groupByReason(
  endings: readonly Ending[],
  kind: Ending['kind'],
): readonly (readonly [reason: string, endings: readonly Ending[]])[] {
  const groups = new Map<string, Ending[]>()
  for (const ending of endings) {
    if (ending.kind !== kind) continue
    const group = groups.get(ending.reason) ?? []
    groups.set(ending.reason, group)
    group.push(ending)
  }
  return [...groups].sort(([, one], [, other]) => other.length - one.length)
}

/** The day with the most prompts, and their number. */
export function findBusiestDay(replayed: Replayed): readonly [day: string, prompts: number] | undefined {
  const days = new Map<string, number>()
  for (const { atMs } of listPrompts(replayed)) days.set(formatDay(atMs), (days.get(formatDay(atMs)) ?? 0) + 1)
  return [...days].sort(([, one], [, other]) => other - one)[0]
}

/** The folder of a path in which most code of its kind is, at most two levels deep. */
const getFolder = (path: string): string => path.split('/').slice(0, -1).slice(0, 2).join('/') || '.'

/** The folders that most of the pushes changed. */
export function listChangedFolders(endings: readonly Ending[]): readonly (readonly [folder: string, pushes: number])[] {
  const folders = new Map<string, number>()
  for (const { push } of endings)
    for (const folder of new Set(Array.from(push?.files.keys() ?? [], getFolder)))
      folders.set(folder, (folders.get(folder) ?? 0) + 1)
  return [...folders].sort(([, one], [, other]) => other - one)
}

/** Sizes are computed for so many of the largest changes only. */
const MAX_MEASURED = 20

/** The largest prompts, largest first, with line counts and hunks. */
export async function measureLargest(
  replayed: Replayed,
): Promise<readonly (Prompt['size'] & { readonly atMs: number })[]> {
  const weigh = ({ size }: Prompt): number => size.files + size.commits
  const largest = listPrompts(replayed)
    .toSorted((one, other) => weigh(other) - weigh(one))
    .slice(0, MAX_MEASURED)
  const measured = await Promise.all(largest.map(async ({ atMs, measure }) => ({ ...(await measure()), atMs })))
  return measured.sort((one, other) => other.bytes - one.bytes || other.files - one.files)
}

/**
 * Whether a push is the better trigger: it costs about as much as a schedule, and no run is red. The docs are then up to date
 * sooner.
 */
export const isPushBetter = (push: Counts, schedule: Counts): boolean =>
  push.red === 0 && push.prompts <= schedule.prompts * 1.25
