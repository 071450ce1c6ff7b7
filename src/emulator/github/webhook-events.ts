import { commentBody } from './comment-operations.ts'
import { compareHistories, findCommit } from './history.ts'
import { issueBody } from './issue-operations.ts'
import type { IssueState } from './issue-state.ts'
import { wholePullBody } from './pull-body.ts'
import type { PullState } from './pull-state.ts'
import { type AccountCall, type Call, wireTime, within } from './reply.ts'
import type { Commit, RepositoryState } from './repository-state.ts'
import { labelBody, repositoryBody, userBody } from './resource-body.ts'
import type { GitHubState } from './state.ts'

/** An event as a workflow receives it: `github.event_name` and `github.event`. */
export interface WebhookEvent {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** What is compared of an issue or a pull request. */
interface Seen {
  readonly state: 'open' | 'closed'
  readonly headSha: string | undefined
  readonly draft: boolean
  readonly labels: readonly string[]
  readonly commentIds: ReadonlySet<number>
}

interface Snapshot {
  readonly branches: Readonly<Record<string, string>>
  readonly issues: Readonly<Record<number, Seen>>
  readonly dispatches: number
}

interface Change {
  /** Who changed it, unless the request says so. */
  readonly by: string
  readonly name: string
  readonly fields: Readonly<Record<string, unknown>>
}

const NO_COMMIT = '0'.repeat(40)
/** GitHub starts no workflow for what the token of a workflow does, except if that asks for one. */
const WORKFLOW_USER = 'github-actions[bot]'
const DISPATCHES: readonly string[] = ['workflow_dispatch', 'repository_dispatch']

function see(issue: IssueState | PullState): Seen {
  const { state, labels, comments } = issue
  const { headSha, draft = false } = 'headSha' in issue ? issue : { headSha: undefined }
  return { state, headSha, draft, labels: [...labels], commentIds: new Set(comments.map(({ id }) => id)) }
}

function takeSnapshot({ branches, issues, pulls, dispatches }: RepositoryState): Snapshot {
  const all = Object.entries({ ...issues, ...pulls })
  return {
    branches: { ...branches },
    issues: Object.fromEntries(all.map(([number, issue]) => [number, see(issue)])),
    dispatches: dispatches.length,
  }
}

function pushedCommit({ baseUrl, name }: Call, { sha, message, author, atMs }: Commit): object {
  const by = { name: author, email: `${author}@users.noreply.example`, username: author }
  const url = `${baseUrl}/${name}/commit/${sha}`
  return { id: sha, message, timestamp: wireTime(atMs), url, author: by, committer: by, distinct: true }
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
      commits: (compared?.ahead ?? [head]).map((commit) => pushedCommit(call, commit)),
      head_commit: pushedCommit(call, head),
    }
    return [{ by: head.author, name: 'push', fields }]
  })
}

/** The actions on an issue or a pull request since it was seen, and what each adds to the payload. */
function listActions(call: Call, issue: IssueState | PullState, seen: Seen | undefined) {
  const now = see(issue)
  const label = (name: string): object => ({ label: labelBody(call, name) })
  if (seen === undefined)
    return [{ action: 'opened', more: {} }, ...now.labels.map((name) => ({ action: 'labeled', more: label(name) }))]
  const plain = (isSo: boolean, action: string) => (isSo ? [{ action, more: {} }] : [])
  return [
    ...plain(now.headSha !== seen.headSha, 'synchronize'),
    ...now.labels.filter((one) => !seen.labels.includes(one)).map((one) => ({ action: 'labeled', more: label(one) })),
    ...seen.labels.filter((one) => !now.labels.includes(one)).map((one) => ({ action: 'unlabeled', more: label(one) })),
    ...plain(seen.draft && !now.draft, 'ready_for_review'),
    ...plain(!seen.draft && now.draft, 'converted_to_draft'),
    ...plain(seen.state === 'closed' && now.state === 'open', 'reopened'),
    ...plain(seen.state === 'open' && now.state === 'closed', 'closed'),
  ]
}

function listIssueChanges(call: Call, before: Snapshot): readonly Change[] {
  const { repository } = call
  const all = Object.entries({ ...repository.issues, ...repository.pulls })
  return all.flatMap(([id, issue]) => {
    const number = Number(id)
    const seen = before.issues[number]
    const isPull = 'headSha' in issue
    const pushedBy = isPull ? findCommit(repository, issue.headSha)?.author : undefined
    const mergedBy = isPull ? issue.merge?.by : undefined
    const actions = listActions(call, issue, seen).map(({ action, more }) => ({
      by: { synchronize: pushedBy, closed: mergedBy }[action] ?? issue.user,
      name: isPull ? 'pull_request' : 'issues',
      fields: {
        action,
        ...more,
        ...(isPull
          ? { number, pull_request: wholePullBody({ ...call, number, pull: issue }) }
          : { issue: issueBody(call, number, issue) }),
      },
    }))
    const comments = issue.comments
      .filter((comment) => seen?.commentIds.has(comment.id) !== true)
      .map((comment) => ({
        by: comment.user,
        name: 'issue_comment',
        fields: {
          action: 'created',
          issue: issueBody(call, number, issue),
          comment: commentBody({ ...call, number }, comment),
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
 * Compares the state with that of the call before, so that events are a view of the state like any other.
 * @returns the events since the last call that start workflows
 */
export function createEventSource(state: GitHubState) {
  /** A repository with two names has the second one in events. */
  const names = (): ReadonlyMap<RepositoryState, string> =>
    new Map(Object.entries(state.repositories).map(([name, repository]) => [repository, name]))
  let snapshots = new Map([...names().keys()].map((repository) => [repository, takeSnapshot(repository)]))

  return (at: Pick<AccountCall, 'nowMs' | 'baseUrl'>, sender?: string): readonly WebhookEvent[] => {
    const events = [...names()].flatMap(([repository, name]) => {
      const before = snapshots.get(repository)
      if (before === undefined) return []
      const call = within({ ...at, state, url: '' }, name, repository)
      const changes = [...listPushes(call, before), ...listIssueChanges(call, before), ...listDispatches(call, before)]
      return changes
        .map(({ by, ...change }) => ({ ...change, by: sender ?? by }))
        .filter((change) => change.by !== WORKFLOW_USER || DISPATCHES.includes(change.name))
        .map((change) => ({
          name: change.name,
          payload: {
            ...change.fields,
            repository: repositoryBody(call, name, repository),
            sender: userBody(state, change.by),
          },
        }))
    })
    snapshots = new Map([...names().keys()].map((repository) => [repository, takeSnapshot(repository)]))
    return events
  }
}
