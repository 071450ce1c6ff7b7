import { countsAsBase } from '../../../src/github/workflow-runs.ts'
import type { Concurrency, Trigger } from '../workflow/workflow-file.ts'
import type { Push } from './clone.ts'
import { openConversations } from './conversations.ts'
import { type CompletedRun, openRuns, type Stage } from './open-runs.ts'
import { listTriggerEvents, type TriggerEvent } from './list-trigger-events.ts'

/** What an event led to. `skipped`: the run sent no prompt. */
export interface Ending extends Pick<CompletedRun, 'kind' | 'reason' | 'prompts'> {
  readonly atMs: number
  /** Undefined for a schedule. */
  readonly push: Push | undefined
}

export interface Replayed {
  readonly endings: readonly Ending[]
  readonly pullRequests: number
}

export interface Replay extends Stage {
  readonly concurrency: Concurrency | undefined
  readonly sinceMs: number
  readonly untilMs: number
}

interface Success {
  readonly endMs: number
  readonly sha: string
  readonly event: string
  readonly actor: string
}

/** Runs the events of triggers, in the order in which their runs start. */
async function runEvents(
  replay: Replay,
  triggers: readonly Trigger[],
  runWorkflow: ReturnType<typeof openRuns>,
): Promise<Replayed> {
  const { concurrency, assumptions, history } = replay
  const conversations = openConversations(assumptions)
  const successes: Success[] = []
  const endings: Ending[] = []
  let runs = 0
  let busyUntilMs = -Infinity
  /** Runs that wait for the one before. */
  const waiting: TriggerEvent[] = []

  const leaveOut = ({ atMs, push }: TriggerEvent, reason: string): void => {
    endings.push({ atMs, kind: 'not-started', reason, prompts: [], push })
  }
  async function run(triggerEvent: TriggerEvent, startMs: number): Promise<void> {
    const { event, actor, sha, push } = triggerEvent
    const lastSuccess = successes.findLast((one) => one.endMs <= startMs && countsAsBase(one))?.sha ?? history.base
    const completed = await runWorkflow({ triggerEvent, id: ++runs, startMs, lastSuccess, conversations })
    const { kind, reason, prompts, endMs, isSuccess } = completed
    endings.push({ atMs: startMs, kind, reason, prompts, push })
    if (isSuccess) successes.push({ endMs, sha, event, actor })
    busyUntilMs = endMs
  }
  async function runWaiting(untilMs: number): Promise<void> {
    while (busyUntilMs <= untilMs) {
      const next = waiting.shift()
      if (next === undefined) return
      await run(next, busyUntilMs)
    }
  }

  for (const triggerEvent of listTriggerEvents(triggers, replay)) {
    const { atMs, notStarted } = triggerEvent
    if (notStarted !== undefined) {
      leaveOut(triggerEvent, notStarted)
      continue
    }
    if (concurrency !== undefined) await runWaiting(atMs)
    if (concurrency === undefined || busyUntilMs <= atMs) {
      await run(triggerEvent, atMs)
      continue
    }
    const reason = `a newer run took its place in the \`concurrency\` group (line ${concurrency.line}), and covers it`
    if (!concurrency.isQueue) for (const replaced of waiting.splice(0)) leaveOut(replaced, reason)
    waiting.push(triggerEvent)
  }
  await runWaiting(Infinity)
  return { endings, pullRequests: conversations.countPullRequests() }
}

/** Replays the history of a clone through a workflow. */
export function openReplay(replay: Replay): (triggers: readonly Trigger[]) => Promise<Replayed> {
  const runWorkflow = openRuns(replay)
  return (triggers) => runEvents(replay, triggers, runWorkflow)
}
