import type { EventPayload } from '../../github/event-payload.ts'
import type { Context } from '../../action/context.ts'
import { MARKER_BEGINNING } from '../../github/comments.ts'
import type { Pushed } from './change-range.ts'
import { pushedBranch, pushedCommits, type EventCommit } from './push-range.ts'

/** What of a run tells what its event is about. */
export type Origin = Pick<Context, 'eventName' | 'payload' | 'sha' | 'actor'>

/** What an event is about, as far as that can be the agent's own work. */
export interface EventOrigin {
  /** `people`: what they do by hand or say. `ours`: what this action wrote. `change`: commits, and all of the range that they end. */
  readonly kind: 'people' | 'ours' | 'change' | 'other'
  readonly isByBot: boolean
  readonly numbers: readonly number[]
  /** Those of the event's own pull request, if it says so. */
  readonly labels: readonly string[]
  readonly branch: string | undefined
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  readonly pushed: Pushed | undefined
  /** Whether nothing but the whole range tells whose work it is. */
  readonly needsRange: boolean
}

/** What people start, or have set going. An app that starts one does so by order. */
const BY_HAND = /^(?:workflow_dispatch|repository_dispatch|schedule)$/
const SPOKEN = /^(?:issue_comment|pull_request_review.*|discussion_comment|commit_comment)$/

type Run = NonNullable<EventPayload['checkSuite']>

/** The number of a pull request is of use in its own repository only: a fork's checks name those of others. */
function numbersOf(run: Pick<Run, 'pullRequests'>, { repository }: EventPayload): readonly number[] {
  return (run.pullRequests ?? [])
    .filter(({ base }) => base?.repo?.id === undefined || base.repo.id === repository?.id)
    .flatMap(({ number }) => number ?? [])
}

function namedPullRequests(payload: EventPayload): readonly number[] {
  const { pullRequest, issue, mergeGroup, workflowRun, madeBy, checkSuite, checkRun } = payload
  const number = pullRequest?.number ?? (issue?.pullRequest && issue.number)
  if (number !== undefined) return [number]
  const queued = /\/pr-(\d+)-[0-9a-f]+$/.exec(mergeGroup?.headRef ?? '')?.[1]
  if (queued !== undefined) return [Number(queued)]
  const runs = [workflowRun, madeBy, checkSuite, checkRun, checkRun?.checkSuite]
  const named = runs.map((run) => (run === undefined ? [] : numbersOf(run, payload)))
  return named.find((numbers) => numbers.length > 0) ?? []
}

const commitOf = (sha: string | undefined, message = ''): readonly EventCommit[] =>
  sha === undefined ? [] : [{ sha, message, author: '', isByPusher: false }]

/** A deployment may be one of a commit. */
const SHA = /^[0-9a-f]{40,}$/

/** The default branch is nobody's, and what a fork calls its branches says nothing. */
function branchOf(name: string | undefined, { repository }: EventPayload, run?: Run): string | undefined {
  const isOfFork = run?.headRepository !== undefined && run.headRepository.id !== repository?.id
  return isOfFork || name === repository?.defaultBranch || SHA.test(name ?? '') ? undefined : name
}

/** What runs, checks, statuses, deployments and the like are about. */
function findSubject(payload: EventPayload): Pick<EventOrigin, 'commits' | 'branch'> {
  const { sha, deployment, build, registryPackage, madeBy, workflowRun, checkSuite, checkRun } = payload
  const run = workflowRun ?? checkSuite ?? checkRun?.checkSuite ?? madeBy
  const published = registryPackage?.packageVersion?.targetOid
  const about = sha ?? deployment?.sha ?? run?.headSha ?? checkRun?.headSha ?? build?.commit ?? published
  const ref = run?.headBranch ?? deployment?.ref
  return { commits: commitOf(about, run?.headCommit?.message), branch: branchOf(ref, payload, run) }
}

/** Whose commit a new tag names says nothing of those before it. By a person it is made by hand. */
function findTag(facts: Origin, origin: EventOrigin): EventOrigin {
  if (!origin.isByBot) return { ...origin, kind: 'change', commits: pushedCommits(facts) }
  return { ...origin, kind: 'change', commits: commitOf(SHA.test(facts.sha) ? facts.sha : undefined), needsRange: true }
}

/**
 * What an event is about, from its payload alone. What cannot be read of it says nothing; whether a bot started the run is
 * known without it, too.
 */
export function findEventOrigin(facts: Origin): EventOrigin {
  const { eventName, payload, actor } = facts
  const { sender, pullRequest, comment, review, ref, refType } = payload
  const isByBot = sender === undefined ? actor.endsWith('[bot]') : sender.type === 'Bot'
  const numbers = namedPullRequests(payload)
  const labels = (pullRequest?.labels ?? []).map(({ name }) => name)
  const nothing = { branch: undefined, commits: [], pushed: undefined, needsRange: false }
  const origin = { kind: 'other', isByBot, numbers, labels, ...nothing } as const
  if (BY_HAND.test(eventName)) return { ...origin, kind: 'people' }
  if (SPOKEN.test(eventName)) {
    const isOurs = (comment?.body ?? review?.body ?? '').startsWith(MARKER_BEGINNING)
    return { ...origin, kind: isOurs ? 'ours' : isByBot ? 'other' : 'people' }
  }
  if (payload.tag !== undefined) return findTag(facts, origin)
  if (eventName === 'push') {
    const pushed = pushedBranch(facts)
    const branch = branchOf(pushed?.branch, payload)
    return { ...origin, kind: 'change', commits: pushedCommits(facts), pushed, branch }
  }
  if (eventName === 'workflow_run') return { ...origin, kind: 'change', ...findSubject(payload) }
  if (pullRequest !== undefined) return origin
  if (refType === 'branch') return { ...origin, branch: branchOf(ref, payload) }
  return { ...origin, ...findSubject(payload) }
}
