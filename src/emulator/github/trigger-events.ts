/** What happens on the embedded GitHub. Each function changes the state, and returns the event as a workflow receives it. */
import { toCommentBody } from './comment-operations.ts'
import { toIssueBody } from './issue-operations.ts'
import { toFullPullBody, toPullBody } from './pull-body.ts'
import type { IssueState, StoredComment } from './issue-state.ts'
import type { PullState, Review, StoredReviewComment } from './pull-state.ts'
import { type GitHubCall, withRepository } from './reply.ts'
import { closeIssue, mergePull, type NewCommit, pushCommit, writeComment } from './repository-changes.ts'
import type { RepositoryState } from './repository-state.ts'
import { toReviewBody } from './review-operations.ts'
import { type GitHubState, takeId } from './state.ts'
import { createPushEvent, NO_COMMIT, toWebhookEvent, type WebhookEvent } from './webhook-events.ts'

/** Where something happens, and when. */
export interface Scene {
  readonly state: GitHubState
  /** `owner/name` */
  readonly repository: string
  /** The URL of the web pages, without a trailing slash. */
  readonly baseUrl: string
  readonly nowMs: number
}

/** What somebody writes: the login, and the text. */
interface Written {
  readonly user: string
  readonly body: string
  /** Overrides the association that is derived from the collaborators. */
  readonly association?: string
}

function openCall({ state, repository: name, baseUrl, nowMs }: Scene): GitHubCall {
  const { [name]: repository } = state.repositories
  if (repository === undefined) throw new Error(`The embedded GitHub has no repository ${name}.`)
  return withRepository({ state, baseUrl, nowMs, url: '' }, name, repository)
}

function getPull({ pulls }: Pick<RepositoryState, 'pulls'>, number: number): PullState {
  const { [number]: pull } = pulls
  if (pull === undefined) throw new Error(`There is no pull request #${number}.`)
  return pull
}

/** Pushes a commit to a branch. */
export function push(scene: Scene, branch: string, commit: NewCommit): WebhookEvent {
  pushCommit(openCall(scene).repository, branch, commit, scene.nowMs)
  return createPushEvent(scene.state, scene.repository, { ...scene, branch })
}

/** Pushes a tag for the newest commit of the default branch. */
export function pushTag(scene: Scene, tag: string): WebhookEvent {
  const { defaultBranch, branches, tags } = openCall(scene).repository
  const { name, payload } = createPushEvent(scene.state, scene.repository, { ...scene, branch: defaultBranch })
  tags[tag] = branches[defaultBranch] ?? ''
  const created = { ref: `refs/tags/${tag}`, before: NO_COMMIT, created: true, commits: [] }
  return { name, payload: { ...payload, ...created } }
}

/** Merges an open pull request. @returns the push to its base; GitHub also triggers `pull_request` */
export function merge(scene: Scene, number: number, by: string): WebhookEvent {
  const { repository } = openCall(scene)
  const { base: branch } = getPull(repository, number)
  if (mergePull(repository, number, by, scene.nowMs) === undefined) throw new Error(`#${number} cannot be merged.`)
  return createPushEvent(scene.state, scene.repository, { ...scene, branch })
}

/** Closes a pull request, if it is open, and merges it, if it is to be. */
export function closePull(scene: Scene, number: number, by: string, isMerged: boolean): WebhookEvent {
  const call = openCall(scene)
  const pull = getPull(call.repository, number)
  if (pull.state === 'open' && isMerged) merge(scene, number, by)
  else if (pull.state === 'open') closeIssue(call.repository, pull, scene.nowMs)
  const fields = { action: 'closed', number, pull_request: toFullPullBody({ ...call, number, pull }) }
  return toWebhookEvent(call, { by, name: 'pull_request', fields })
}

/** Adds a label to a pull request. If the pull request has it already, it was removed in between. */
export function addLabel(scene: Scene, number: number, label: string, by: string): WebhookEvent {
  const call = openCall(scene)
  const pull = getPull(call.repository, number)
  if (!pull.labels.includes(label)) pull.labels.push(label)
  const about = { label: { name: label }, pull_request: toFullPullBody({ ...call, number, pull }) }
  return toWebhookEvent(call, { by, name: 'pull_request', fields: { action: 'labeled', number, ...about } })
}

const getIssue = ({ issues, ...repository }: RepositoryState, number: number): IssueState =>
  issues[number] ?? getPull(repository, number)

/** Returns the event of a comment on an issue or a pull request. */
export function createCommentEvent(scene: Scene, number: number, written: StoredComment): WebhookEvent {
  const call = openCall(scene)
  const issue = getIssue(call.repository, number)
  const about = { issue: toIssueBody(call, number, issue), comment: toCommentBody({ ...call, number }, written) }
  return toWebhookEvent(call, { by: written.user, name: 'issue_comment', fields: { action: 'created', ...about } })
}

/** Writes a comment on an issue or a pull request. */
export function comment(scene: Scene, number: number, { user, body, association }: Written): WebhookEvent {
  const issue = getIssue(openCall(scene).repository, number)
  const written = writeComment(scene.state, issue, user, body, scene.nowMs)
  return createCommentEvent(scene, number, { ...written, ...(association && { association }) })
}

/** The lines that a comment is about. */
type Lines = Pick<StoredReviewComment, 'path' | 'line' | 'diffHunk'>

function writeReviewComment(
  { state, nowMs }: Scene,
  pull: PullState,
  { user, body }: Written,
  place: Lines & { readonly reviewId?: number },
): StoredReviewComment {
  const written = { id: takeId(state), user, body, createdAtMs: nowMs, reactions: [], ...place }
  pull.reviewComments.push(written)
  return written
}

/** Writes a comment on lines of a pull request. */
export function commentOnLines(scene: Scene, number: number, by: Written, lines: Lines): WebhookEvent {
  const call = openCall(scene)
  const pull = getPull(call.repository, number)
  const written = writeReviewComment(scene, pull, by, lines)
  const about = {
    pull_request: toPullBody(call, number, pull),
    comment: toCommentBody({ ...call, number }, written),
  }
  const name = 'pull_request_review_comment'
  return toWebhookEvent(call, { by: by.user, name, fields: { action: 'created', ...about } })
}

/** Submits a review. @param comments its comments on lines */
export function review(
  scene: Scene,
  number: number,
  { user, body, association, state = 'COMMENTED' }: Written & Partial<Pick<Review, 'state'>>,
  comments: readonly (Lines & Pick<Written, 'body'>)[] = [],
): WebhookEvent {
  const call = openCall(scene)
  const pull = getPull(call.repository, number)
  const id = takeId(scene.state)
  const submitted = { id, user, body, state, headSha: pull.headSha, submittedAtMs: scene.nowMs }
  pull.reviews.push(submitted)
  for (const { body: text, ...lines } of comments)
    writeReviewComment(scene, pull, { user, body: text }, { ...lines, reviewId: id })
  // Unlike a response, an event has the state in lower case.
  const shown = { ...toReviewBody({ ...call, number, pull }, submitted), state: state.toLowerCase() }
  const about = {
    pull_request: toPullBody(call, number, pull),
    review: { ...shown, ...(association && { author_association: association }) },
  }
  return toWebhookEvent(call, { by: user, name: 'pull_request_review', fields: { action: 'submitted', ...about } })
}

interface Release {
  readonly action?: string
  readonly id: number
  readonly tag: string
  readonly name?: string
  readonly body?: string
  readonly by: string
}

/** Publishes a release. Its tag is created for the newest commit of the default branch, if it does not exist. */
export function release(
  scene: Scene,
  { action = 'published', id, tag, name = tag, body = '', by }: Release,
): WebhookEvent {
  const call = openCall(scene)
  const { defaultBranch, branches, tags } = call.repository
  tags[tag] ??= branches[defaultBranch] ?? ''
  const html_url = `${scene.baseUrl}/${scene.repository}/releases/tag/${tag}`
  const about = {
    id,
    tag_name: tag,
    name,
    body,
    draft: false,
    prerelease: false,
    html_url,
    target_commitish: defaultBranch,
  }
  return toWebhookEvent(call, { by, name: 'release', fields: { action, release: about } })
}

/** Starts the runs of a schedule, whose event has no sender. */
export function schedule(scene: Scene, cron: string): WebhookEvent {
  const { payload } = toWebhookEvent(openCall(scene), { by: '', name: 'schedule', fields: {} })
  return { name: 'schedule', payload: { schedule: cron, repository: payload['repository'] } }
}

/** Starts a workflow by hand. @param inputs as texts: unlike in the context `inputs`, a boolean is `'true'` or `'false'` */
export function dispatch(
  scene: Scene,
  { by, ref, inputs }: { readonly by: string; readonly ref: string; readonly inputs: Readonly<Record<string, string>> },
): WebhookEvent {
  return toWebhookEvent(openCall(scene), { by, name: 'workflow_dispatch', fields: { inputs, ref } })
}
