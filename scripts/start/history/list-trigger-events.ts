import { accepts } from '../workflow/triggers.ts'
import type { Filter, Trigger } from '../workflow/workflow-file.ts'
import type { ClonedCommit, Push } from './clone.ts'
import type { PushHistory } from './compare-pushes.ts'
import { listScheduledTimes } from './cron.ts'

/** A push or the time of a schedule. */
export interface TriggerEvent {
  readonly event: 'push' | 'schedule'
  readonly atMs: number
  /** Why it starts no run. */
  readonly notStarted?: string | undefined
  readonly push?: Push
  /** The login of the account that caused it. */
  readonly actor: string
  /** The head commit of the default branch at that time. */
  readonly sha: string
  readonly payload: unknown
}

interface Span {
  readonly history: PushHistory
  readonly sinceMs: number
  readonly untilMs: number
}

/** GitHub starts no workflow for such a push. */
const SKIPS_CI = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks: ?true$/m

/** Decides for each push whether a trigger starts the workflow. */
function createPushRule({ filters }: Trigger, branch: string): (push: Push) => string | undefined {
  const {
    branches,
    'branches-ignore': noBranches,
    tags,
    'tags-ignore': noTags,
    paths,
    'paths-ignore': noPaths,
  } = filters
  const line = (filter: Filter | undefined): string => `(line ${filter?.line ?? 1})`
  const known = new Map<string, boolean>()
  const isCounted = (path: string): boolean => {
    const found = known.get(path) ?? accepts(paths, noPaths, path)
    known.set(path, found)
    return found
  }
  if ((branches ?? noBranches) === undefined && (tags ?? noTags) !== undefined)
    return () => `\`on.push\` is about tags only ${line(tags ?? noTags)}`
  if (!accepts(branches, noBranches, branch)) {
    const name = branches === undefined ? 'branches-ignore' : 'branches'
    return () => `\`on.push.${name}\` ${line(branches ?? noBranches)} leaves out the branch ${branch}`
  }
  const mismatch =
    paths === undefined
      ? `\`on.push.paths-ignore\` ${line(noPaths)} matches all changed files`
      : `\`on.push.paths\` ${line(paths)} matches none of the changed files`
  return ({ message, files }) => {
    if (SKIPS_CI.test(message)) return 'the commit message has `[skip ci]`'
    const hasFilter = (paths ?? noPaths) !== undefined
    return hasFilter && ![...files.keys()].some(isCounted) ? mismatch : undefined
  }
}

/** Who pushed: for a commit that GitHub has made, its author. */
function getPusher({ author, committer }: ClonedCommit): ClonedCommit['author'] {
  return committer.login === 'web-flow' ? author : committer
}

/** GitHub leaves out further commits. */
const MAX_PUSHED_COMMITS = 2_048

function createPushPayload(push: Push, { clone }: PushHistory): unknown {
  const toPayload = ({ sha, message, author, committer, committedAtMs }: ClonedCommit): unknown => ({
    id: sha,
    message,
    timestamp: new Date(committedAtMs).toISOString(),
    author: { name: author.name, username: author.login },
    committer: { name: committer.name, username: committer.login },
    distinct: true,
  })
  const { login, type } = getPusher(push)
  return {
    ref: `refs/heads/${clone.branch}`,
    before: push.parents[0] ?? '0'.repeat(40),
    after: push.sha,
    created: push.parents.length === 0,
    deleted: false,
    forced: false,
    commits: push.commits.slice(-MAX_PUSHED_COMMITS).map(toPayload),
    head_commit: toPayload(push),
    pusher: { name: login },
    sender: { login, type },
    repository: createRepository(clone),
  }
}

function createRepository({ repository, branch }: PushHistory['clone']): unknown {
  const [owner = '', name = ''] = repository.split('/')
  return { name, full_name: repository, owner: { login: owner }, default_branch: branch, private: true, fork: false }
}

/** Lists the events that a trigger is about, in order. */
function listOfTrigger(trigger: Trigger, { history, sinceMs, untilMs }: Span): readonly TriggerEvent[] {
  const { clone, pushes, base } = history
  if (trigger.event === 'push') {
    const explain = createPushRule(trigger, clone.branch)
    return pushes.map((push): TriggerEvent => {
      const notStarted = explain(push)
      const payload = notStarted === undefined ? createPushPayload(push, history) : undefined
      const { login: actor } = getPusher(push)
      return { event: 'push', atMs: push.committedAtMs, notStarted, push, actor, sha: push.sha, payload }
    })
  }
  const { cron, timezone } = trigger.filters
  return (cron?.patterns ?? []).flatMap((schedule, at) =>
    listScheduledTimes(schedule, sinceMs, untilMs, timezone?.patterns[at]).map((atMs): TriggerEvent => {
      const sha = pushes.findLast(({ committedAtMs }) => committedAtMs <= atMs)?.sha ?? base
      // The account that edited the schedule last.
      const actor = 'mona'
      const payload = { schedule, repository: createRepository(clone) }
      return { event: 'schedule', atMs, actor, sha, payload }
    }),
  )
}

/** Lists the events of triggers, by time. Events of the same time stay in the order of the log. */
export function listTriggerEvents(triggers: readonly Trigger[], span: Span): readonly TriggerEvent[] {
  const replayable = triggers.filter(({ event }) => event === 'push' || event === 'schedule')
  return replayable.flatMap((trigger) => listOfTrigger(trigger, span)).sort((a, b) => a.atMs - b.atMs)
}
