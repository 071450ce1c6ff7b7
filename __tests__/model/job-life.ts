import type { Schedule, TurnPlan } from './schedule.ts'

const SERVER_URL = 'https://git.example.com'
export const OLD_LINK = `${SERVER_URL}/acme/docs/pull/7`
const NEW_LINK = `${SERVER_URL}/acme/docs/pull/8`

export interface View {
  /** Whose turn the job shows: the one that was there before this step, or the one of this step's prompt. */
  readonly whose: 'before' | 'ours'
  /** As on the wire; `paused` and `retired` are in no list. */
  readonly status: 'active' | 'completed' | 'failed' | 'archived' | 'paused' | 'retired'
  readonly link: string | undefined
}

function viewOfTurn(plan: TurnPlan, link: string, whose: View['whose'], beganAt: number, now: number): View {
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
  #takenAt = Infinity
  /** From when on our turn is in every copy that is not behind. */
  #oursIsOutAt = Infinity

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  /** The service processes the prompt. */
  take(now: number): void {
    this.#takenAt = now
    this.#oursIsOutAt = now + this.#schedule.staleMs
  }

  isArchived(now: number): boolean {
    return this.#viewAt(now).status === 'archived'
  }

  /**
   * Undefined if the service does not know the job, or not yet. Once a copy has shown our turn, only those that are behind
   * show the job as before.
   * @param isStale for an answer that may show the job as before, and otherwise it is of this moment
   */
  answerAt(now: number, isStale: boolean, lagMs = 0): View | undefined {
    const at = now - lagMs
    if (!isStale) this.#oursIsOutAt = Math.min(this.#oursIsOutAt, now)
    if (at >= this.#oursIsOutAt && this.#takenAt !== Infinity) {
      this.#oursIsOutAt = Math.min(this.#oursIsOutAt, at)
      return this.#viewAt(at)
    }
    return this.#schedule.task === 'create' ? undefined : this.#viewBefore(at)
  }

  #viewAt(now: number): View {
    const { task, before, ours, oursHasTheSameLink, archivedAtMs = Infinity } = this.#schedule
    const isFirst = task === 'create'
    const beganAt = Math.max(this.#takenAt, isFirst ? 0 : before.beganMs + before.durationMs)
    const link = oursHasTheSameLink && !isFirst ? OLD_LINK : NEW_LINK
    const isOurs = now >= beganAt
    const view = isOurs ? viewOfTurn(ours, link, 'ours', beganAt, now) : this.#viewBefore(now)
    const isOver = now >= archivedAtMs || (isOurs && before.ending === 'archived' && !isFirst)
    return isOver ? { ...view, status: 'archived' } : view
  }

  #viewBefore(now: number): View {
    const { before, hadEarlierTurn, archivedAtMs = Infinity } = this.#schedule
    if (now < before.beganMs && hadEarlierTurn) return { whose: 'before', status: 'completed', link: OLD_LINK }
    const view = viewOfTurn(before, OLD_LINK, 'before', before.beganMs, Math.max(now, before.beganMs))
    return now >= archivedAtMs ? { ...view, status: 'archived' } : view
  }
}
