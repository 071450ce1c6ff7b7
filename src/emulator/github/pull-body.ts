import { getPullChange, findCommit, createTestMerge } from './history.ts'
import { getMergeState } from './mergeability.ts'
import { toNodeId } from './node-id.ts'
import { type GitHubCall, getApiUrl, formatTime } from './reply.ts'
import { toFileBody, toLabelBody, toRepositoryBody, toReviewerBody, toUserBody } from './resource-body.ts'
import type { IssueState } from './issue-state.ts'
import type { PullCall } from './operation.ts'
import { type PullState, listRequestedReviewers } from './pull-state.ts'
import { getOwner, createRepositoryState } from './repository-state.ts'

/** Returns a user's `author_association`. On GitHub, some users with write access also have `NONE`. */
export function getAssociation({ repository }: GitHubCall, login: string): string {
  return login in repository.collaborators ? 'COLLABORATOR' : 'NONE'
}

/** Returns the fields that issues and pull requests share. */
export function toIssueFields(call: GitHubCall, number: number, issue: IssueState): object {
  const {
    title,
    body,
    user,
    state,
    locked,
    labels,
    assignees,
    createdAtMs,
    updatedAtMs,
    closedAtMs = updatedAtMs,
  } = issue
  return {
    id: 1_000_000 + number,
    node_id: toNodeId('headSha' in issue ? 'PR' : 'I', call.repository.id, number),
    number,
    title,
    body: body === '' ? null : body,
    state,
    locked,
    active_lock_reason: null,
    user: toUserBody(call.state, user),
    author_association: getAssociation(call, user),
    labels: labels.map((name) => toLabelBody(call, name)),
    created_at: formatTime(createdAtMs),
    updated_at: formatTime(updatedAtMs),
    closed_at: state === 'closed' ? formatTime(closedAtMs) : null,
    assignee: assignees[0] === undefined ? null : toUserBody(call.state, assignees[0]),
    assignees: assignees.map((login) => toUserBody(call.state, login)),
    milestone: null,
  }
}

/** Returns the visible head, which lags behind pushes. */
export function getVisibleHead({ state: { lag }, nowMs }: GitHubCall, { headSha, earlierHeads }: PullState): string {
  return earlierHeads.find(({ untilMs }) => nowMs < untilMs + lag.headMs)?.sha ?? headSha
}

/** Returns the visible commits and changes, which lag behind pushes as the head does. */
export function getVisibleChange(call: GitHubCall, pull: PullState): ReturnType<typeof getPullChange> {
  return getPullChange(call.repository, { ...pull, headSha: getVisibleHead(call, pull) })
}

function toReviewersFields(call: GitHubCall, pull: PullState): object {
  const shown = listRequestedReviewers(pull).map((name) => toReviewerBody(call, name))
  return {
    requested_reviewers: shown.flatMap((reviewer) => ('user' in reviewer ? [reviewer.user] : [])),
    requested_teams: shown.flatMap((reviewer) => ('team' in reviewer ? [reviewer.team] : [])),
  }
}

function toAutoMergeBody(call: GitHubCall, { autoMerge }: PullState): object | null {
  if (autoMerge === undefined) return null
  const { enabledBy, method } = autoMerge
  const user = toUserBody(call.state, enabledBy)
  return { enabled_by: user, merge_method: method, commit_title: '', commit_message: '' }
}

/**
 * Returns the call for the repository that contains the branch of a pull request.
 * @returns undefined if the fork was deleted
 */
export function findHeadCall(call: GitHubCall, { fork, isForkDeleted }: PullState): GitHubCall | undefined {
  if (fork === undefined) return call
  const { [fork]: found } = call.repository.forks
  if (isForkDeleted || found === undefined) return undefined
  const { visibility, defaultBranch, commits } = call.repository
  return { ...call, name: fork, repository: createRepositoryState({ visibility, defaultBranch, commits, ...found }) }
}

/** Returns the short form, which lists contain. */
export function toPullBody(call: GitHubCall, number: number, pull: PullState): object {
  const { name, repository, baseUrl } = call
  const { branch, base, draft, fork, merge } = pull
  const head = findHeadCall(call, pull)
  const toRefBody = (repositoryName: string, repo: object | null, ref: string, sha: string): object => {
    const owner = getOwner(repositoryName)
    return { ref, sha, label: `${owner}:${ref}`, user: toUserBody(call.state, owner), repo }
  }
  const headRepository = head && { ...toRepositoryBody(head, head.name, head.repository), fork: head !== call }
  return {
    ...toIssueFields(call, number, pull),
    ...toReviewersFields(call, pull),
    url: getApiUrl(call, `/pulls/${number}`),
    issue_url: getApiUrl(call, `/issues/${number}`),
    comments_url: getApiUrl(call, `/issues/${number}/comments`),
    review_comments_url: getApiUrl(call, `/pulls/${number}/comments`),
    commits_url: getApiUrl(call, `/pulls/${number}/commits`),
    statuses_url: getApiUrl(call, `/statuses/${getVisibleHead(call, pull)}`),
    html_url: `${baseUrl}/${name}/pull/${number}`,
    draft,
    auto_merge: toAutoMergeBody(call, pull),
    head: toRefBody(fork ?? name, headRepository ?? null, branch, getVisibleHead(call, pull)),
    base: toRefBody(
      name,
      toRepositoryBody(call, name, repository),
      base,
      pull.closedBaseSha ?? repository.branches[base] ?? '',
    ),
    merged_at: merge === undefined ? null : formatTime(merge.atMs),
    merge_commit_sha: merge?.sha ?? createTestMerge(repository, pull)?.sha ?? null,
  }
}

/** Returns null for a closed pull request, and until GitHub has computed the value for a new head. */
export function isMergeable({ state: { lag }, nowMs }: GitHubCall, pull: PullState): boolean | null {
  if (pull.state === 'closed') return null
  const movedAtMs = pull.earlierHeads.at(-1)?.untilMs ?? pull.createdAtMs
  return nowMs < movedAtMs + lag.mergeableMs ? null : !pull.conflict
}

function getMergeableState(call: GitHubCall, pull: PullState): string {
  return isMergeable(call, pull) === null ? 'unknown' : getMergeState(call.repository, pull, call.nowMs)
}

/** Returns the full form, which responses for a single pull request contain. */
export function toFullPullBody(call: PullCall): object {
  const { number, pull } = call
  const { ahead, files } = getVisibleChange(call, pull)
  const fileBodies = files.map(toFileBody)
  const merger = pull.merge?.by ?? findCommit(call.repository, pull.merge?.sha ?? '')?.author
  return {
    ...toPullBody(call, number, pull),
    merged: pull.merge !== undefined,
    merged_by: merger === undefined ? null : toUserBody(call.state, merger),
    maintainer_can_modify: false,
    mergeable: isMergeable(call, pull),
    mergeable_state: getMergeableState(call, pull),
    comments: pull.comments.length,
    review_comments: pull.reviewComments.length,
    commits: ahead.length,
    changed_files: files.length,
    additions: fileBodies.reduce((sum, { additions }) => sum + additions, 0),
    deletions: fileBodies.reduce((sum, { deletions }) => sum + deletions, 0),
  }
}
