import type { Person } from './comment-trust.ts'
import type { Place } from './comments.ts'

/** An object as GitHub wrote it. A part of it that is null, or not as GitHub describes it, is as if it were not there. */
export type Payload = Readonly<Record<string, unknown>>

export const isPayload = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param path such as `pull_request.head.sha` */
const at = (payload: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (isPayload(value) ? value[name] : undefined), payload)

/** Where there is none, nothing is in it. */
function part(payload: Payload, path: string): Payload {
  const value = at(payload, path)
  return isPayload(value) ? value : {}
}

function list(payload: Payload, path: string): readonly Payload[] {
  const value = at(payload, path)
  return Array.isArray(value) ? value.map((item) => (isPayload(item) ? item : {})) : []
}

export const has = (payload: Payload, path: string): boolean => isPayload(at(payload, path))
export const isTrue = (payload: Payload, path: string): boolean => at(payload, path) === true

export function text(payload: Payload, path: string): string | undefined {
  const value = at(payload, path)
  return typeof value === 'string' ? value : undefined
}

export function integer(payload: Payload, path: string): number | undefined {
  const value = at(payload, path)
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

export function sha(payload: Payload, path: string): string | undefined {
  const value = text(payload, path) ?? ''
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : undefined
}

const isNone = (commit: string): boolean => /^0+$/.test(commit)
export const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

/** What a push did to a branch or a tag; `from` is the branch that it came from, if GitHub knows it. */
function moveOf(event: Payload) {
  const [before, after, base] = [sha(event, 'before'), sha(event, 'after'), text(event, 'base_ref')]
  // The event does not say it.
  if (before === undefined || after === undefined || text(event, 'ref') === undefined)
    return { kind: 'unknown' } as const
  if (isTrue(event, 'deleted') || isNone(after)) return { kind: 'deleted' } as const
  const from = base && shortName(base)
  if (isNone(before)) return { kind: 'made', after, from } as const
  return { kind: 'moved', before, after, from, isForced: isTrue(event, 'forced') } as const
}

/** Newest first. None if one of them cannot be read, as the others are not all then. */
function commitsOf(event: Payload) {
  const pusher = text(event, 'sender.type') === 'User' ? text(event, 'sender.login') : undefined
  const commits = list(event, 'commits').map((commit) => ({
    sha: sha(commit, 'id') ?? '',
    message: text(commit, 'message') ?? '',
    /** By name; empty if it is not known. */
    author: text(commit, 'author.name') ?? '',
    /** A person pushed it who wrote it, so that no merge made it, and no app. */
    isByPusher:
      pusher !== undefined &&
      text(commit, 'author.username') === pusher &&
      text(commit, 'committer.username') === pusher,
  }))
  return commits.every((commit) => commit.sha !== '') ? commits.toReversed() : []
}

/** A commit that came with a push. */
export type EventCommit = Readonly<ReturnType<typeof commitsOf>[number]>

export type Push = Readonly<ReturnType<typeof pushOf>>

export const pushOf = (event: Payload) => ({
  move: moveOf(event),
  commits: commitsOf(event),
  /** Of GitHub's page with the change. */
  compareUrl: text(event, 'compare'),
})

/** What an event is about, when it happened: a pull request, an issue or a discussion. */
export type Subject = Readonly<NonNullable<ReturnType<typeof subjectOf>>>

export function subjectOf(event: Payload) {
  const name = (['pull_request', 'issue', 'discussion'] as const).find(
    (one) => integer(event, `${one}.number`) !== undefined,
  )
  if (name === undefined) return undefined
  const about = part(event, name)
  const isPull = name === 'pull_request' || (name === 'issue' && has(about, 'pull_request'))
  const [baseSha, headSha] = [sha(about, 'base.sha'), sha(about, 'head.sha')]
  return {
    kind: isPull ? ('pull-request' as const) : name,
    number: integer(about, 'number') ?? 0,
    title: text(about, 'title') ?? '',
    text: text(about, 'body') ?? '',
    url: text(about, 'html_url'),
    isOpen: text(about, 'state') === 'open',
    /** Of a pull request. A comment on one tells neither its labels nor its ends. */
    labels: name === 'pull_request' ? list(about, 'labels').flatMap((label) => text(label, 'name') ?? []) : [],
    ends: baseSha === undefined || headSha === undefined ? undefined : { baseSha, headSha },
  }
}

function placeOf(comment: Payload): Place | undefined {
  const path = text(comment, 'path')
  const lines = { line: integer(comment, 'line'), startLine: integer(comment, 'start_line') }
  return path === undefined ? undefined : { path, ...lines, hunk: text(comment, 'diff_hunk') ?? '' }
}

function personOf(comment: Payload): Person | undefined {
  const [id, login] = [integer(comment, 'user.id'), text(comment, 'user.login')]
  const isByHand = text(comment, 'user.type') === 'User' && (comment['performed_via_github_app'] ?? null) === null
  return isByHand && id !== undefined && login !== undefined ? { id, login } : undefined
}

/** What was said in a comment or a review. */
export type Comment = Readonly<NonNullable<ReturnType<typeof commentOf>>>

export function commentOf(event: Payload, name: 'comment' | 'review') {
  const comment = part(event, name)
  const id = integer(comment, 'id')
  if (id === undefined) return undefined
  return {
    id,
    url: text(comment, 'html_url'),
    text: text(comment, 'body') ?? '',
    /** As GitHub writes times. */
    writtenAt: text(comment, 'created_at') ?? text(comment, 'submitted_at') ?? '',
    /** Whether it was written just now, and not changed. */
    isNew: /^(?:created|submitted)$/.test(text(event, 'action') ?? ''),
    /** Undefined for a bot, or an app that wrote in the name of a person. */
    person: personOf(comment),
    /** The comment that began its thread: it may be itself. */
    threadId: integer(comment, 'in_reply_to_id') ?? id,
    /** In the files, of a comment on a line or a file. */
    place: placeOf(comment),
  }
}

/** What runs, checks, statuses, deployments, builds of pages and packages are about: a commit, as far as it is known. */
export type Work = Readonly<ReturnType<typeof workOf>>

export function workOf(event: Payload) {
  const ownId = integer(event, 'repository.id')
  const isOther = (id: number | undefined): boolean => id !== undefined && ownId !== undefined && id !== ownId
  const paths = ['workflow_run', 'check_suite', 'check_run.check_suite', 'check_run']
  const run = part(event, paths.find((path) => has(event, path)) ?? '')
  const named = paths.map((path) =>
    list(event, `${path}.pull_requests`).flatMap((pull) => {
      const number = integer(pull, 'number')
      if (number === undefined) return []
      return [{ number, baseSha: sha(pull, 'base.sha'), isElsewhere: isOther(integer(pull, 'base.repo.id')) }]
    }),
  )
  return {
    sha:
      sha(event, 'sha') ??
      sha(event, 'deployment.sha') ??
      sha(run, 'head_sha') ??
      sha(event, 'build.commit') ??
      sha(event, 'registry_package.package_version.target_oid'),
    message: text(run, 'head_commit.message') ?? '',
    branch: text(run, 'head_branch') ?? text(event, 'deployment.ref'),
    isOfFork: isOther(integer(run, 'head_repository.id')),
    /** In any repository: a fork's checks name those of the one that it comes from. */
    pullRequests: named.find(({ length }) => length > 0) ?? [],
  }
}
