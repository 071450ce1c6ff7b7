import { UNLISTED_STATUS } from '../../src/emulator/service/job-machine.ts'
import type { Schedule, TurnPlan } from './schedule.ts'

const SERVER_URL = 'https://git.example.com'
export const OLD_LINK = `${SERVER_URL}/acme/docs/pull/7`
const NEW_LINK = `${SERVER_URL}/acme/docs/pull/8`

/** What a response of the service shows about the job. */
export interface View {
  /** The turn that the job shows: the turn of this step's prompt, or the one before it. */
  readonly turn: 'preceding' | 'own'
  /** As in the response body. The service's interface does not list the last two. */
  readonly status: 'active' | 'completed' | 'failed' | 'archived' | typeof UNLISTED_STATUS | 'retired'
  readonly link: string | undefined
}

function getTurnView(plan: TurnPlan, link: string, turn: View['turn'], beganAt: number, now: number): View {
  const endedAt = beganAt + plan.durationMs
  if (now < endedAt) {
    const isPaused = plan.pauses && now < beganAt + plan.durationMs / 2
    return { turn, status: isPaused ? UNLISTED_STATUS : 'active', link: undefined }
  }
  if (plan.ending === 'unlisted') return { turn, status: 'retired', link: undefined }
  const isLinked = plan.ending === 'completed' && plan.hasLink && now >= endedAt + plan.linkDelayMs
  return { turn, status: plan.ending, link: isLinked ? link : undefined }
}

/**
 * The true state of the job of a schedule. The service's interface has no turns, so only the model knows which turn a response
 * shows.
 */
export class JobLife {
  readonly #schedule: Schedule
  #processedAt = Infinity
  /** From this time, all replicas without lag show the step's own turn. */
  #visibleAt = Infinity

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  processPrompt(now: number): void {
    this.#processedAt = now
    this.#visibleAt = now + this.#schedule.staleMs
  }

  isArchived(now: number): boolean {
    return this.#getViewAt(now).status === 'archived'
  }

  /**
   * Returns what a response shows; undefined if the replica does not know the job. After one response has shown the step's own
   * turn, only lagging replicas show the job without it.
   * @param mayBeStale whether the response may show the job without the step's own turn
   */
  getResponseView(now: number, mayBeStale: boolean, lagMs = 0): View | undefined {
    const at = now - lagMs
    if (!mayBeStale) this.#visibleAt = Math.min(this.#visibleAt, now)
    if (at >= this.#visibleAt && this.#processedAt !== Infinity) {
      this.#visibleAt = Math.min(this.#visibleAt, at)
      return this.#getViewAt(at)
    }
    return this.#schedule.task === 'create' ? undefined : this.#getPrecedingViewAt(at)
  }

  #getViewAt(now: number): View {
    const { task, precedingTurn, ownTurn, hasSameLink, archivedAtMs = Infinity } = this.#schedule
    const isFirst = task === 'create'
    const beganAt = Math.max(this.#processedAt, isFirst ? 0 : precedingTurn.beganMs + precedingTurn.durationMs)
    const link = hasSameLink && !isFirst ? OLD_LINK : NEW_LINK
    const isOwn = now >= beganAt
    const view = isOwn ? getTurnView(ownTurn, link, 'own', beganAt, now) : this.#getPrecedingViewAt(now)
    const isArchived = now >= archivedAtMs || (isOwn && precedingTurn.ending === 'archived' && !isFirst)
    return isArchived ? { ...view, status: 'archived' } : view
  }

  #getPrecedingViewAt(now: number): View {
    const { precedingTurn, hadEarlierTurn, archivedAtMs = Infinity } = this.#schedule
    const { beganMs } = precedingTurn
    if (now < beganMs && hadEarlierTurn) return { turn: 'preceding', status: 'completed', link: OLD_LINK }
    const view = getTurnView(precedingTurn, OLD_LINK, 'preceding', beganMs, Math.max(now, beganMs))
    return now >= archivedAtMs ? { ...view, status: 'archived' } : view
  }
}
