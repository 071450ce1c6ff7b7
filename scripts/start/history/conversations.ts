import { assertBelowLimit } from '../../../src/agent/follow-up.ts'
import type { Acts } from '../../../src/agent/step.ts'
import { isRolling } from '../../../src/agent/features/rolling.ts'
import type { Assumptions } from '../clone-options.ts'

interface OpenedPull {
  readonly number: number
  readonly openedAtMs: number
  followUps: number
}

/** Where a prompt went. */
export interface Sent {
  readonly isFollowUp: boolean
  /** Of the pull request that the agent opens or adds to. Undefined: the agent changes nothing. */
  readonly number: number | undefined
}

/** The agent's pull requests: one conversation for each repository and label. */
export interface Conversations {
  /**
   * Chooses the job that gets the prompt, and lets it work.
   * @returns undefined if the step sends none, because a pull request is open
   * @throws ActionError if the open pull request has had all its follow-ups
   */
  readonly send: (step: Acts, atMs: number) => Sent | undefined
  readonly countPullRequests: () => number
}

export function openConversations({ jobMs, nothingShare, mergedAfterMs }: Assumptions): Conversations {
  const byLabel = new Map<string, OpenedPull[]>()
  let prompts = 0
  let pullRequests = 0
  /** Spreads the prompts that change nothing evenly over all. */
  const changesNothing = (): boolean => Math.floor(++prompts * nothingShare) > Math.floor((prompts - 1) * nothingShare)

  return {
    countPullRequests: () => pullRequests,
    send(step, atMs) {
      const { inputs, context } = step
      const { task, label, prRepository, onOpenPr } = inputs
      const repository = prRepository || context.repository
      const key = `${repository}\n${label}`
      const pulls = byLabel.get(key) ?? []
      byLabel.set(key, pulls)
      const isOpen = ({ openedAtMs }: OpenedPull): boolean => openedAtMs <= atMs && atMs < openedAtMs + mergedAfterMs
      const open = isRolling(inputs) ? pulls.find(isOpen) : undefined
      if (task.kind === 'create' && open !== undefined) {
        if (onOpenPr === 'skip') return undefined
        assertBelowLimit({ repository, number: open.number }, open.followUps, step)
        open.followUps++
      }
      const isFollowUp = task.kind === 'follow-up' || open !== undefined
      if (changesNothing()) return { isFollowUp, number: undefined }
      if (isFollowUp) return { isFollowUp, number: open?.number ?? pullRequests }
      pulls.push({ number: ++pullRequests, openedAtMs: atMs + jobMs, followUps: 0 })
      return { isFollowUp, number: pullRequests }
    },
  }
}
