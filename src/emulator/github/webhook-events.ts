import { compareHistories, findCommit, getHistory } from './history.ts'
import { toFullPullBody } from './pull-body.ts'
import type { PullState } from './pull-state.ts'
import { type AccountCall, type GitHubCall, formatTime, withRepository } from './reply.ts'
import type { Commit, Push, RepositoryState } from './repository-state.ts'
import { findUser, toGitPerson, toLabelBody, toRepositoryBody, toUserBody } from './resource-body.ts'
import type { GitHubState } from './state.ts'

/** A `push` or `pull_request` event as a workflow receives it: `github.event_name` and `github.event`. */
export interface WebhookEvent {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The compared fields of a pull request. */
type PullSnapshot = Pick<PullState, 'state' | 'headSha' | 'labels'>

interface Snapshot {
  readonly pushes: number
  readonly pulls: Readonly<Record<number, PullSnapshot>>
}

interface Change {
  /** The login of the sender, if the request does not determine it. */
  readonly by: string
  readonly name: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The id in place of the commit before a new branch or tag. */
export const NO_COMMIT = '0'.repeat(40)
/** GitHub starts no workflows for changes by a workflow's token. */
const WORKFLOW_USER = 'github-actions[bot]'

const takePullSnapshot = ({ state, headSha, labels }: PullState): PullSnapshot => ({
  state,
  headSha,
  labels: [...labels],
})

function takeSnapshot({ pushes, pulls }: RepositoryState): Snapshot {
  return {
    pushes: pushes.length,
    pulls: Object.fromEntries(Object.entries(pulls).map(([number, pull]) => [number, takePullSnapshot(pull)])),
  }
}

/** Without an account, there is no `username`. The types of the accounts are not in the payload. */
function toPushedPerson(call: GitHubCall, login: string): object {
  const account = findUser(call.state, login)
  return { ...toGitPerson(call.state, login), ...(account !== undefined && { username: account.login }) }
}

function toPushedCommit(call: GitHubCall, { sha, message, author, committer = author, atMs }: Commit): object {
  const { baseUrl, name } = call
  return {
    id: sha,
    message,
    timestamp: formatTime(atMs),
    url: `${baseUrl}/${name}/commit/${sha}`,
    author: toPushedPerson(call, author),
    committer: toPushedPerson(call, committer),
    distinct: true,
  }
}

/** Returns the commits that other branches had before a push. */
function listKnownBefore({ repository }: GitHubCall, push: Push): ReadonlySet<string> {
  const pushes = repository.pushes.filter(({ fork }) => fork === undefined)
  const at = pushes.indexOf(push)
  const heads = Object.entries(repository.branches).map(([branch, sha]) => {
    const isOfBranch = ({ ref }: Push): boolean => ref === `refs/heads/${branch}`
    if (isOfBranch(push)) return undefined
    const earlier = pushes.slice(0, at).findLast(isOfBranch)
    const later = pushes.slice(at).find(isOfBranch)
    return earlier === undefined && later !== undefined ? later.before : (earlier?.after ?? sha)
  })
  const known = heads.flatMap((sha) => (sha === undefined ? [] : getHistory(repository, sha)))
  return new Set(known.map(({ sha }) => sha))
}

/** The fields of a `push` event, without `repository` and `sender`. */
function toPushFields(call: GitHubCall, push: Push): Readonly<Record<string, unknown>> {
  const { ref, before, after, by } = push
  const { repository, baseUrl, name } = call
  const { defaultBranch, branches } = repository
  const head = findCommit(repository, after)
  const from = before ?? (ref === `refs/heads/${defaultBranch}` ? undefined : branches[defaultBranch])
  const compared = head === undefined || from === undefined ? undefined : compareHistories(repository, from, head.sha)
  const commits = head === undefined ? [] : (compared?.ahead ?? [head])
  const known = listKnownBefore(call, push)
  return {
    ref,
    before: before ?? NO_COMMIT,
    after,
    base_ref: null,
    created: before === undefined,
    deleted: false,
    forced: before !== undefined && compared !== undefined && compared.behindBy > 0,
    compare: `${baseUrl}/${name}/compare/${before ?? defaultBranch}...${after}`,
    commits: commits.map((commit) => ({ ...toPushedCommit(call, commit), distinct: !known.has(commit.sha) })),
    head_commit: head === undefined ? null : toPushedCommit(call, head),
    pusher: toGitPusher(call, by),
  }
}

/** The pusher's name is the login. */
function toGitPusher({ state }: GitHubCall, login: string): object {
  return { ...toGitPerson(state, login), name: login }
}

function listPushes(call: GitHubCall, before: Snapshot): readonly Change[] {
  const pushes = call.repository.pushes.slice(before.pushes).filter(({ fork }) => fork === undefined)
  return pushes.map((push) => ({ by: push.by, name: 'push', fields: toPushFields(call, push) }))
}

/** Returns the `push` event of the newest push to a branch of a repository. */
export function createPushEvent(
  state: GitHubState,
  name: string,
  { baseUrl, branch }: Pick<AccountCall, 'baseUrl'> & { readonly branch: string },
): WebhookEvent {
  const { [name]: repository } = state.repositories
  const push = repository?.pushes.findLast(({ ref, fork }) => ref === `refs/heads/${branch}` && fork === undefined)
  if (repository === undefined || push === undefined) throw new Error(`Nobody has pushed to ${branch} of ${name}.`)
  const call = withRepository({ state, baseUrl, nowMs: push.atMs, url: '' }, name, repository)
  return toWebhookEvent(call, { by: push.by, name: 'push', fields: toPushFields(call, push) })
}

export function toWebhookEvent(call: GitHubCall, { by, name, fields }: Change): WebhookEvent {
  const { name: repositoryName, repository, state } = call
  const owner = { repository: toRepositoryBody(call, repositoryName, repository), sender: toUserBody(state, by) }
  return { name, payload: { ...fields, ...owner } }
}

/** Lists the actions on a pull request since a snapshot, with the additional payload of each action. */
function listActions(call: GitHubCall, now: PullState, before: PullSnapshot | undefined) {
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
    ...actionIf(before.state === 'open' && now.state === 'closed', 'closed'),
  ]
}

/** Returns who pushed last to the branch of a pull request. */
function findPusher({ pushes }: RepositoryState, { branch, fork }: PullState): string | undefined {
  return pushes.findLast((push) => push.ref === `refs/heads/${branch}` && push.fork === fork)?.by
}

function listPullChanges(call: GitHubCall, before: Snapshot): readonly Change[] {
  const { repository } = call
  return Object.entries(repository.pulls).flatMap(([id, pull]) => {
    const number = Number(id)
    const by = { synchronize: findPusher(repository, pull), closed: pull.merge?.by }
    return listActions(call, pull, before.pulls[number]).map(({ action, payload }) => ({
      by: (action === 'synchronize' || action === 'closed' ? by[action] : undefined) ?? pull.user,
      name: 'pull_request',
      fields: { action, ...payload, number, pull_request: toFullPullBody({ ...call, number, pull }) },
    }))
  })
}

/**
 * Derives events by comparing the state with a snapshot of it.
 * @returns a function that returns the events since its last call that start workflows
 */
export function createEventSource(state: GitHubState) {
  /** If a repository has two names, events contain the second one. */
  const mapNames = (): ReadonlyMap<RepositoryState, string> =>
    new Map(Object.entries(state.repositories).map(([name, repository]) => [repository, name]))
  const takeSnapshots = () =>
    new Map([...mapNames().keys()].map((repository) => [repository, takeSnapshot(repository)]))
  let snapshots = takeSnapshots()

  return (at: Pick<AccountCall, 'nowMs' | 'baseUrl'>, sender?: string): readonly WebhookEvent[] => {
    const events = [...mapNames()].flatMap(([repository, name]) => {
      const before = snapshots.get(repository)
      if (before === undefined) return []
      const call = withRepository({ ...at, state, url: '' }, name, repository)
      return [...listPushes(call, before), ...listPullChanges(call, before)]
        .map(({ by, ...change }) => ({ ...change, by: sender ?? by }))
        .filter(({ by }) => by !== WORKFLOW_USER)
        .map((change) => toWebhookEvent(call, change))
    })
    snapshots = takeSnapshots()
    return events
  }
}
