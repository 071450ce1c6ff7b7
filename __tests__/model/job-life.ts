import type { Schedule, TurnPlan } from './schedule.ts'

export const OLD_LINK = 'https://git.example.com/acme/docs/pull/7'
export const NEW_LINK = 'https://git.example.com/acme/docs/pull/8'

/** Whose turn the job shows: the one that was there before this step, or the one of this step's prompt. */
export type Whose = 'before' | 'ours'

/** What the service shows of the job at a time. */
export interface View {
  readonly whose: Whose
  /** As on the wire; `paused` and `retired` are in no list. */
  readonly status: 'active' | 'completed' | 'failed' | 'archived' | 'paused' | 'retired'
  readonly link: string | undefined
}

function viewOfTurn(plan: TurnPlan, link: string, whose: Whose, beganAt: number, now: number): View {
  const endedAt = beganAt + plan.durationMs
  if (now < endedAt) {
    const isPaused = plan.pauses && now < beganAt + plan.durationMs / 2
    return { whose, status: isPaused ? 'paused' : 'active', link: undefined }
  }
  if (plan.ending === 'unlisted') return { whose, status: 'retired', link: undefined }
  const isLinked = plan.ending === 'completed' && plan.hasLink && now >= endedAt + plan.linkLateMs
  return { whose, status: plan.ending, link: isLinked ? link : undefined }
}

/**
 * The truth about the one job of a run. It knows turns, which the service's interface does not: an answer is a view of one
 * turn, and only the model can say of which.
 */
export class JobLife {
  readonly #schedule: Schedule
  #takenAt: number | undefined
  #wasOursShown = false

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** The service processes the prompt. */
  take(now: number): void {
    this.#takenAt ??= now
  }

  isArchived(now: number): boolean {
    return this.viewAt(now).status === 'archived'
  }

  /** Undefined where the service does not know the job, or not yet. Once our turn was shown, no answer is older. */
  answerAt(now: number, isStale: boolean): View | undefined {
    const { task, staleMs } = this.#schedule
    const takenAt = this.#takenAt
    const oursIsOut = this.#wasOursShown || (takenAt !== undefined && now >= takenAt + staleMs)
    if (task === 'create' && isStale && !oursIsOut) return undefined
    const view = isStale && !oursIsOut ? this.#viewBefore(now) : this.viewAt(now)
    this.#wasOursShown ||= view.whose === 'ours'
    return view
  }

  viewAt(now: number): View {
    const { task, before, ours, oursHasTheSameLink, archivedAtMs = Infinity } = this.#schedule
    const isFirst = task === 'create'
    const beganAt = this.#takenAt === undefined ? Infinity : Math.max(this.#takenAt, isFirst ? 0 : before.durationMs)
    const link = oursHasTheSameLink && !isFirst ? OLD_LINK : NEW_LINK
    const isOurs = now >= beganAt
    const view = isOurs ? viewOfTurn(ours, link, 'ours', beganAt, now) : this.#viewBefore(now)
    const isOver = now >= archivedAtMs || (isOurs && before.ending === 'archived' && !isFirst)
    return isOver ? { ...view, status: 'archived' } : view
  }

  #viewBefore(now: number): View {
    const { before, archivedAtMs = Infinity } = this.#schedule
    const view = viewOfTurn(before, OLD_LINK, 'before', 0, now)
    return now >= archivedAtMs ? { ...view, status: 'archived' } : view
  }
}
