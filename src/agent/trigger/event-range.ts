import type { EventPayload } from '../../github/event-payload.ts'
import type { RequestedRange } from '../inputs/change-range-input.ts'
import type { ChangeRange, Trigger } from './change-range.ts'
import { rangeOfPush } from './push-range.ts'

function rangeOfPullRequest(eventName: string, { action, pullRequest }: EventPayload): ChangeRange | undefined {
  const { base, head, merged } = pullRequest ?? {}
  if (base === undefined || head === undefined) return undefined
  if (/^pull_request(?:_target)?$/.test(eventName) && action === 'closed' && merged !== true)
    return { kind: 'nothing-changed', reason: 'the pull request was closed without a merge' }
  return { kind: 'compare', base: base.sha, head: head.sha, about: 'the pull request' }
}

/**
 * On the default branch a run tells where it ran, and not since when; elsewhere it is what the branch has more. What other runs
 * of the same workflow ran on was told when they ended.
 */
function rangeOfRun({ workflowRun, checkSuite, checkRun, repository }: EventPayload): ChangeRange | undefined {
  const {
    headSha: head,
    headBranch,
    pullRequests,
    headRepository,
  } = workflowRun ?? checkSuite ?? checkRun?.checkSuite ?? {}
  if (head === undefined) return undefined
  const about = 'the commits of the run before this one'
  const base = pullRequests?.[0]?.base?.sha
  if (base !== undefined) return { kind: 'compare', base, head, about }
  const { id, defaultBranch } = repository ?? {}
  const isOfFork = id !== undefined && (headRepository?.id ?? id) !== id
  if (defaultBranch === undefined || (headBranch === defaultBranch && !isOfFork))
    return { kind: 'since-last-success', head, of: ranBefore(workflowRun) }
  return { kind: 'compare', base: defaultBranch, head, about }
}

function ranBefore({ id, workflowId }: EventPayload['workflowRun'] = {}) {
  return id === undefined || workflowId === undefined ? undefined : { workflow: String(workflowId), runId: id }
}

function rangeOfIssue({ issue, discussion }: EventPayload): ChangeRange | undefined {
  if (issue?.pullRequest !== undefined && issue.number !== undefined)
    return { kind: 'pull-request', number: issue.number }
  const about = issue !== undefined ? 'an issue' : discussion !== undefined ? 'a discussion' : undefined
  return about && { kind: 'nothing-to-compare', reason: `the event is about ${about}, which has no commits` }
}

function rangeOfEvent({ eventName, payload, sha }: Trigger): ChangeRange {
  if (eventName === 'push') return rangeOfPush(payload)
  if (payload.mergeGroup !== undefined) {
    const { baseSha: base, headSha: head } = payload.mergeGroup
    return { kind: 'compare', base, head, about: 'the merge group' }
  }
  if (payload.tag !== undefined) return { kind: 'since-tag', tag: payload.tag }
  return (
    rangeOfPullRequest(eventName, payload) ??
    rangeOfIssue(payload) ??
    rangeOfRun(payload) ?? { kind: 'since-last-success', head: sha }
  )
}

/**
 * GitHub records the push that deleted a branch with the newest commit of the default branch. The next run looks back to it if
 * it is green, so that it has to look back itself.
 */
const isOnDefaultBranch = ({ eventName, payload, refName }: Trigger): boolean =>
  eventName === 'push' && refName === payload.repository?.defaultBranch

/** The range of a change is the event's own; events that are about no change look back to the last successful run. */
export function findChangeRange(trigger: Trigger, requested: RequestedRange): ChangeRange {
  if (requested.kind === 'between') {
    const { repository, base, head } = requested
    return {
      kind: 'compare',
      base,
      head,
      about: 'the range of `change-range`',
      ...(repository === undefined ? {} : { repository }),
    }
  }
  const range = rangeOfEvent(trigger)
  if (requested.kind === 'event' || range.kind === 'since-last-success') return range
  if (range.kind === 'nothing-changed')
    return isOnDefaultBranch(trigger) ? { kind: 'since-last-success', head: trigger.sha, firstTime: range } : range
  const head = range.kind === 'compare' ? range.head : trigger.sha
  const firstTime = trigger.eventName === 'push' ? rangeOfPush(trigger.payload, true) : range
  return { kind: 'since-last-success', head, firstTime }
}
