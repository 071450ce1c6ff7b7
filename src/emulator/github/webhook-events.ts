import { toCommentBody } from './comment-operations.ts'
import { compareHistories, findCommit } from './history.ts'
import { toIssueBody } from './issue-operations.ts'
import type { IssueState } from './issue-state.ts'
import { toFullPullBody } from './pull-body.ts'
import type { PullState } from './pull-state.ts'
import { type AccountCall, type Call, formatTime, withRepository } from './reply.ts'
import type { Commit, RepositoryState } from './repository-state.ts'
import { toLabelBody, toRepositoryBody, toUserBody } from './resource-body.ts'
import type { GitHubState } from './state.ts'

/** An event as a workflow receives it: `github.event_name` and `github.event`. */
export interface WebhookEvent {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The compared fields of an issue or a pull request. */
interface IssueSnapshot {
  readonly state: 'open' | 'closed'
  readonly headSha: string | undefined
  readonly draft: boolean
  readonly labels: readonly string[]
  readonly commentIds: ReadonlySet<number>
}

interface Snapshot {
  readonly branches: Readonly<Record<string, string>>
  readonly issues: Readonly<Record<number, IssueSnapshot>>
  readonly dispatches: number
}

interface Change {
  /** The login of the author, if the request does not determine it. */
  readonly by: string
  readonly name: string
  readonly fields: Readonly<Record<string, unknown>>
}

const NO_COMMIT = '0'.repeat(40)
/** GitHub starts no workflows for changes by a workflow's token, except for dispatches. */
const WORKFLOW_USER = 'github-actions[bot]'
const DISPATCHES: readonly string[] = ['workflow_dispatch', 'repository_dispatch']

function takeIssueSnapshot(issue: IssueState | PullState): IssueSnapshot {
  const { state, labels, comments } = issue
  const { headSha, draft = false } = 'headSha' in issue ? issue : { headSha: undefined }
  return { state, headSha, draft, labels: [...labels], commentIds: new Set(comments.map(({ id }) => id)) }
}

function takeSnapshot({ branches, issues, pulls, dispatches }: RepositoryState): Snapshot {
  const all = Object.entries({ ...issues, ...pulls })
  return {
    branches: { ...branches },
    issues: Object.fromEntries(all.map(([number, issue]) => [number, takeIssueSnapshot(issue)])),
    dispatches: dispatches.length,
  }
}

function toPushedCommit({ baseUrl, name }: Call, { sha, message, author, atMs }: Commit): object {
  const signature = { name: author, email: `${author}@users.noreply.example`, username: author }
  const url = `${baseUrl}/${name}/commit/${sha}`
  return { id: sha, message, timestamp: formatTime(atMs), url, author: signature, committer: signature, distinct: true }
}

function listPushes(call: Call, before: Snapshot): readonly Change[] {
  const { repository, baseUrl, name } = call
  return Object.entries(repository.branches).flatMap(([branch, after]) => {
    const old = before.branches[branch]
    const head = findCommit(repository, after)
    if (old === after || head === undefined) return []
    const compared = old === undefined ? undefined : compareHistories(repository, old, after)
    const fields = {
      ref: `refs/heads/${branch}`,
      before: old ?? NO_COMMIT,
      after,
      created: old === undefined,
      deleted: false,
      forced: compared !== undefined && compared.behindBy > 0,
      compare: `${baseUrl}/${name}/compare/${old ?? repository.defaultBranch}...${after}`,
      commits: (compared?.ahead ?? [head]).map((commit) => toPushedCommit(call, commit)),
      head_commit: toPushedCommit(call, head),
    }
    return [{ by: head.author, name: 'push', fields }]
  })
}

/** Lists the actions on an issue or a pull request since a snapshot, with the additional payload of each action. */
function listActions(call: Call, issue: IssueState | PullState, before: IssueSnapshot | undefined) {
  const now = takeIssueSnapshot(issue)
  const toLabelActions = (action: string, labels: readonly string[]) =>
    labels.map((name) => ({ action, payload: { label: toLabelBody(call, name) } }))
  if (before === undefined) return [{ action: 'opened', payload: {} }, ...toLabelActions('labeled', now.labels)]
  const actionIf = (condition: boolean, action: string) => (condition ? [{ action, payload: {} }] : [])
  return [
    ...actionIf(now.headSha !== before.headSha, 'synchronize'),
    ...toLabelActions(
      'labeled',
      now.labels.filter((name) => !before.labels.includes(name)),
    ),
    ...toLabelActions(
      'unlabeled',
      before.labels.filter((name) => !now.labels.includes(name)),
    ),
    ...actionIf(before.draft && !now.draft, 'ready_for_review'),
    ...actionIf(!before.draft && now.draft, 'converted_to_draft'),
    ...actionIf(before.state === 'closed' && now.state === 'open', 'reopened'),
    ...actionIf(before.state === 'open' && now.state === 'closed', 'closed'),
  ]
}

function listIssueChanges(call: Call, before: Snapshot): readonly Change[] {
  const { repository } = call
  const all = Object.entries({ ...repository.issues, ...repository.pulls })
  return all.flatMap(([id, issue]) => {
    const number = Number(id)
    const issueBefore = before.issues[number]
    const isPull = 'headSha' in issue
    const pushedBy = isPull ? findCommit(repository, issue.headSha)?.author : undefined
    const mergedBy = isPull ? issue.merge?.by : undefined
    const actions = listActions(call, issue, issueBefore).map(({ action, payload }) => ({
      by: { synchronize: pushedBy, closed: mergedBy }[action] ?? issue.user,
      name: isPull ? 'pull_request' : 'issues',
      fields: {
        action,
        ...payload,
        ...(isPull
          ? { number, pull_request: toFullPullBody({ ...call, number, pull: issue }) }
          : { issue: toIssueBody(call, number, issue) }),
      },
    }))
    const comments = issue.comments
      .filter((comment) => issueBefore?.commentIds.has(comment.id) !== true)
      .map((comment) => ({
        by: comment.user,
        name: 'issue_comment',
        fields: {
          action: 'created',
          issue: toIssueBody(call, number, issue),
          comment: toCommentBody({ ...call, number }, comment),
        },
      }))
    return [...actions, ...comments]
  })
}

function listDispatches({ repository }: Call, before: Snapshot): readonly Change[] {
  return repository.dispatches
    .slice(before.dispatches)
    .map(({ event, actor, payload }) => ({ by: actor, name: event, fields: payload }))
}

/**
 * Derives events by comparing the state with a snapshot of it.
 * @returns a function that returns the events since its last call that start workflows
 */
export function createEventSource(state: GitHubState) {
  /** If a repository has two names, events contain the second one. */
  const mapNames = (): ReadonlyMap<RepositoryState, string> =>
    new Map(Object.entries(state.repositories).map(([name, repository]) => [repository, name]))
  let snapshots = new Map([...mapNames().keys()].map((repository) => [repository, takeSnapshot(repository)]))

  return (at: Pick<AccountCall, 'nowMs' | 'baseUrl'>, sender?: string): readonly WebhookEvent[] => {
    const events = [...mapNames()].flatMap(([repository, name]) => {
      const before = snapshots.get(repository)
      if (before === undefined) return []
      const call = withRepository({ ...at, state, url: '' }, name, repository)
      const changes = [...listPushes(call, before), ...listIssueChanges(call, before), ...listDispatches(call, before)]
      return changes
        .map(({ by, ...change }) => ({ ...change, by: sender ?? by }))
        .filter((change) => change.by !== WORKFLOW_USER || DISPATCHES.includes(change.name))
        .map((change) => ({
          name: change.name,
          payload: {
            ...change.fields,
            repository: toRepositoryBody(call, name, repository),
            sender: toUserBody(state, change.by),
          },
        }))
    })
    snapshots = new Map([...mapNames().keys()].map((repository) => [repository, takeSnapshot(repository)]))
    return events
  }
}
