import { changeOfPull } from './history.ts'
import { type Call, userBody, wireTime } from './reply.ts'
import type { IssueState } from './issue-state.ts'
import { type PullState, requestedReviewers } from './pull-state.ts'

/** A user's standing, as GitHub shows it in comments. It shows some who may write as strangers. */
export function associationOf({ repository }: Call, login: string): string {
  return login in repository.collaborators ? 'COLLABORATOR' : 'NONE'
}

/** What an issue and a pull request have in common. */
export function issueFields(call: Call, number: number, issue: IssueState): object {
  const { title, body, user, state, locked, labels, createdAtMs, updatedAtMs, closedAtMs = updatedAtMs } = issue
  return {
    number,
    title,
    body,
    state,
    locked,
    user: userBody(call.state, user),
    author_association: associationOf(call, user),
    labels: labels.map((name) => ({ name })),
    created_at: wireTime(createdAtMs),
    updated_at: wireTime(updatedAtMs),
    closed_at: state === 'closed' ? wireTime(closedAtMs) : null,
  }
}

/** The head that GitHub shows by now. */
function headOf({ state: { lag }, nowMs }: Call, { headSha, earlierHeads }: PullState): string {
  return earlierHeads.find(({ untilMs }) => nowMs < untilMs + lag.headMs)?.sha ?? headSha
}

/** What it brings, as far as GitHub shows it by now: lists of its commits and files may be older than its head. */
export function shownChange(call: Call, pull: PullState): ReturnType<typeof changeOfPull> {
  return changeOfPull(call.repository, { ...pull, headSha: headOf(call, pull) })
}

/** A user or a team, under the name of one or the other. */
export function reviewerBody({ state }: Call, name: string): { readonly user: object } | { readonly team: object } {
  const team = name.split('/')[1]
  return team === undefined ? { user: userBody(state, name) } : { team: { id: 1, name: team, slug: team } }
}

function reviewersBody(call: Call, pull: PullState): object {
  const shown = requestedReviewers(pull).map((name) => reviewerBody(call, name))
  return {
    requested_reviewers: shown.flatMap((one) => ('user' in one ? [one.user] : [])),
    requested_teams: shown.flatMap((one) => ('team' in one ? [one.team] : [])),
  }
}

/** As lists of pull requests show one. */
export function pullBody(call: Call, number: number, pull: PullState): object {
  const { name, repository, baseUrl } = call
  const { branch, base, draft, merge } = pull
  const repo = { id: repository.id, full_name: name }
  return {
    ...issueFields(call, number, pull),
    ...reviewersBody(call, pull),
    html_url: `${baseUrl}/${name}/pull/${number}`,
    draft,
    head: { ref: branch, sha: headOf(call, pull), repo },
    base: { ref: base, sha: pull.closedBaseSha ?? repository.branches[base] ?? '', repo },
    merged_at: merge === undefined ? null : wireTime(merge.atMs),
    merge_commit_sha: merge?.sha ?? null,
  }
}

/** Whether it can be merged: GitHub finds that out some time after the head has moved. */
export function isMergeable({ state: { lag }, nowMs }: Call, pull: PullState): boolean | null {
  if (pull.state === 'closed') return null
  const movedAtMs = pull.earlierHeads.at(-1)?.untilMs ?? pull.createdAtMs
  return nowMs < movedAtMs + lag.mergeableMs ? null : !pull.conflict
}

function mergeableState(call: Call, pull: PullState): string {
  const mergeable = isMergeable(call, pull)
  if (mergeable === null) return 'unknown'
  if (!mergeable) return 'dirty'
  if (pull.draft) return 'draft'
  return pull.blocked ? 'blocked' : 'clean'
}

/** As the pull request itself is shown. */
export function wholePullBody(call: Call, number: number, pull: PullState): object {
  const { ahead, files } = shownChange(call, pull)
  return {
    ...pullBody(call, number, pull),
    merged: pull.merge !== undefined,
    mergeable: isMergeable(call, pull),
    mergeable_state: mergeableState(call, pull),
    comments: pull.comments.length,
    review_comments: pull.reviewComments.length,
    commits: ahead.length,
    changed_files: files.length,
  }
}
