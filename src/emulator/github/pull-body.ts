import { changeOfPull, findCommit, makeTestMerge } from './history.ts'
import { readMergeState } from './mergeability.ts'
import { nodeId } from './node-id.ts'
import { type Call, apiUrl, wireTime } from './reply.ts'
import { fileBody, labelBody, repositoryBody, reviewerBody, userBody } from './resource-body.ts'
import type { IssueState } from './issue-state.ts'
import type { PullCall } from './operation.ts'
import { type PullState, requestedReviewers } from './pull-state.ts'
import { getOwner, repositoryState } from './repository-state.ts'

/** A user's standing, as GitHub shows it in comments. It shows some who may write as strangers. */
export function getAssociation({ repository }: Call, login: string): string {
  return login in repository.collaborators ? 'COLLABORATOR' : 'NONE'
}

/** What an issue and a pull request have in common. */
export function issueFields(call: Call, number: number, issue: IssueState): object {
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
    node_id: nodeId('headSha' in issue ? 'PR' : 'I', call.repository.id, number),
    number,
    title,
    body: body === '' ? null : body,
    state,
    locked,
    active_lock_reason: issue.lockReason ?? null,
    user: userBody(call.state, user),
    author_association: getAssociation(call, user),
    labels: labels.map((name) => labelBody(call, name)),
    created_at: wireTime(createdAtMs),
    updated_at: wireTime(updatedAtMs),
    closed_at: state === 'closed' ? wireTime(closedAtMs) : null,
    assignee: assignees[0] === undefined ? null : userBody(call.state, assignees[0]),
    assignees: assignees.map((login) => userBody(call.state, login)),
    milestone: null,
  }
}

/** The head that GitHub shows by now. */
export function getHead({ state: { lag }, nowMs }: Call, { headSha, earlierHeads }: PullState): string {
  return earlierHeads.find(({ untilMs }) => nowMs < untilMs + lag.headMs)?.sha ?? headSha
}

/** What it brings, as far as GitHub shows it by now: lists of its commits and files may be older than its head. */
export function shownChange(call: Call, pull: PullState): ReturnType<typeof changeOfPull> {
  return changeOfPull(call.repository, { ...pull, headSha: getHead(call, pull) })
}

function reviewersBody(call: Call, pull: PullState): object {
  const shown = requestedReviewers(pull).map((name) => reviewerBody(call, name))
  return {
    requested_reviewers: shown.flatMap((one) => ('user' in one ? [one.user] : [])),
    requested_teams: shown.flatMap((one) => ('team' in one ? [one.team] : [])),
  }
}

function autoMergeBody(call: Call, { autoMerge }: PullState): object | null {
  if (autoMerge === undefined) return null
  const { enabledBy, method, title = '', message = '' } = autoMerge
  const user = userBody(call.state, enabledBy)
  return { enabled_by: user, merge_method: method, commit_title: title, commit_message: message }
}

/** The same request about the repository that has the branch of a pull request; undefined for a fork that was deleted. */
export function openHeadRepository(call: Call, { fork, isForkDeleted }: PullState): Call | undefined {
  if (fork === undefined) return call
  const { [fork]: found } = call.repository.forks
  if (isForkDeleted || found === undefined) return undefined
  const { visibility, defaultBranch, commits } = call.repository
  return { ...call, name: fork, repository: repositoryState({ visibility, defaultBranch, commits, ...found }) }
}

/** As lists of pull requests show one. */
export function pullBody(call: Call, number: number, pull: PullState): object {
  const { name, repository, baseUrl } = call
  const { branch, base, draft, fork, merge } = pull
  const head = openHeadRepository(call, pull)
  const end = (inRepository: string, repo: object | null, ref: string, sha: string): object => {
    const owner = getOwner(inRepository)
    return { ref, sha, label: `${owner}:${ref}`, user: userBody(call.state, owner), repo }
  }
  const headRepository = head && { ...repositoryBody(head, head.name, head.repository), fork: head !== call }
  return {
    ...issueFields(call, number, pull),
    ...reviewersBody(call, pull),
    url: apiUrl(call, `/pulls/${number}`),
    issue_url: apiUrl(call, `/issues/${number}`),
    comments_url: apiUrl(call, `/issues/${number}/comments`),
    review_comments_url: apiUrl(call, `/pulls/${number}/comments`),
    commits_url: apiUrl(call, `/pulls/${number}/commits`),
    statuses_url: apiUrl(call, `/statuses/${getHead(call, pull)}`),
    html_url: `${baseUrl}/${name}/pull/${number}`,
    draft,
    auto_merge: autoMergeBody(call, pull),
    head: end(fork ?? name, headRepository ?? null, branch, getHead(call, pull)),
    base: end(
      name,
      repositoryBody(call, name, repository),
      base,
      pull.closedBaseSha ?? repository.branches[base] ?? '',
    ),
    merged_at: merge === undefined ? null : wireTime(merge.atMs),
    merge_commit_sha: merge?.sha ?? makeTestMerge(repository, pull)?.sha ?? null,
  }
}

/** Whether it can be merged: GitHub finds that out some time after the head has moved. */
export function isMergeable({ state: { lag }, nowMs }: Call, pull: PullState): boolean | null {
  if (pull.state === 'closed') return null
  const movedAtMs = pull.earlierHeads.at(-1)?.untilMs ?? pull.createdAtMs
  return nowMs < movedAtMs + lag.mergeableMs ? null : !pull.conflict
}

function mergeableState(call: Call, pull: PullState): string {
  return isMergeable(call, pull) === null ? 'unknown' : readMergeState(call.repository, pull, call.nowMs)
}

/** As the pull request itself is shown. */
export function wholePullBody(call: PullCall): object {
  const { number, pull } = call
  const { ahead, files } = shownChange(call, pull)
  const counted = files.map(fileBody)
  const merger = pull.merge?.by ?? findCommit(call.repository, pull.merge?.sha ?? '')?.author
  return {
    ...pullBody(call, number, pull),
    merged: pull.merge !== undefined,
    merged_by: merger === undefined ? null : userBody(call.state, merger),
    maintainer_can_modify: false,
    mergeable: isMergeable(call, pull),
    mergeable_state: mergeableState(call, pull),
    comments: pull.comments.length,
    review_comments: pull.reviewComments.length,
    commits: ahead.length,
    changed_files: files.length,
    additions: counted.reduce((sum, { additions }) => sum + additions, 0),
    deletions: counted.reduce((sum, { deletions }) => sum + deletions, 0),
  }
}
