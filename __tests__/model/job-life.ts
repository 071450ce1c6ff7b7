import type { Schedule, TurnPlan } from './schedule.ts'

export const SERVER_URL = 'https://git.example.com'
export const OLD_LINK = `${SERVER_URL}/acme/docs/pull/7`
export const NEW_LINK = `${SERVER_URL}/acme/docs/pull/8`

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
  /** When the prompts of this step were processed: its own, and those of rounds. */
  readonly #takenAt: number[] = []
  /** From when on our newest turn is in every copy that is not behind. */
  #oursIsOutAt = Infinity
  /** From when on every copy knows that the turn before is over, if it was not over all along. */
  #restsAt = -Infinity

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  get timeoutMs(): number {
    return this.#schedule.timeoutMs
  }

  /** The service processes the prompt. */
  take(now: number): void {
    // A round is sent when the turn before it is known to be over.
    if (this.#takenAt.length > 0) this.#restsAt = Math.max(this.#restsAt, Math.min(now, this.#endedAt()))
    this.#takenAt.push(now)
    this.#oursIsOutAt = now + this.#schedule.staleMs
  }

  isArchived(now: number): boolean {
    return this.viewAt(now).status === 'archived'
  }

  /** How many turns of ours have come to their pull request. */
  pushesBy(now: number): number {
    const { durationMs, ending, hasLink } = this.#schedule.ours
    if (ending !== 'completed' || !hasLink) return 0
    return this.#beginnings().filter((beganAt) => now >= beganAt + durationMs).length
  }

  /**
   * Undefined if the service does not know the job, or not yet. Once a copy has shown our turn, only those that are behind
   * show the job as before.
   * @param isStale for an answer that may show the job as before, and otherwise it is of this moment
   */
  answerAt(now: number, isStale: boolean, lagMs = 0): View | undefined {
    const at = Math.max(now - lagMs, this.#restsAt)
    if (!isStale) this.#oursIsOutAt = Math.min(this.#oursIsOutAt, now)
    if (at >= this.#oursIsOutAt && this.#takenAt.length > 0) {
      this.#oursIsOutAt = Math.min(this.#oursIsOutAt, at)
      return this.viewAt(at)
    }
    if (this.#takenAt.length > 1) return this.viewAt(at, this.#takenAt.length - 1)
    if (this.#schedule.task === 'create') return undefined
    const view = this.#viewBefore(at)
    const { durationMs } = this.#schedule.before
    if (durationMs > 0 && at >= durationMs) this.#restsAt = Math.max(this.#restsAt, durationMs)
    return view
  }

  /** @param known how many of our prompts are known of */
  viewAt(now: number, known = Infinity): View {
    const { task, before, ours, oursHasTheSameLink, archivedAtMs = Infinity } = this.#schedule
    const isFirst = task === 'create'
    const beganAt =
      this.#beginnings()
        .slice(0, known)
        .findLast((at) => now >= at) ?? Infinity
    const link = oursHasTheSameLink && !isFirst ? OLD_LINK : NEW_LINK
    const isOurs = now >= beganAt
    const view = isOurs ? viewOfTurn(ours, link, 'ours', beganAt, now) : this.#viewBefore(now)
    const isOver = now >= archivedAtMs || (isOurs && before.ending === 'archived' && !isFirst)
    return isOver ? { ...view, status: 'archived' } : view
  }

  /** When our turns began, each after the end of the one before it. */
  #beginnings(): readonly number[] {
    const { task, before, ours } = this.#schedule
    let freeAt = task === 'create' ? 0 : before.durationMs
    return this.#takenAt.map((takenAt) => {
      const beganAt = Math.max(takenAt, freeAt)
      freeAt = beganAt + ours.durationMs
      return beganAt
    })
  }

  #endedAt(): number {
    return (this.#beginnings().at(-1) ?? Infinity) + this.#schedule.ours.durationMs
  }

  #viewBefore(now: number): View {
    const { before, hadEarlierTurn, archivedAtMs = Infinity } = this.#schedule
    const isAtRest = before.durationMs === 0
    if (now < 0 && hadEarlierTurn && isAtRest) return { whose: 'before', status: 'completed', link: OLD_LINK }
    const view = viewOfTurn(before, OLD_LINK, 'before', 0, isAtRest ? Math.max(now, 0) : now)
    return now >= archivedAtMs ? { ...view, status: 'archived' } : view
  }
}
