import type { Person } from './comment-trust.ts'
import type { Place } from './comments.ts'
import { has, integer, isTrue, list, part, sha, text, type Payload } from './payload-parts.ts'

/** A commit that came with a push. */
export interface EventCommit {
  readonly sha: string
  readonly message: string
  /** By name; empty if it is not known. */
  readonly author: string
  /** A person pushed it who wrote it, so that no merge made it, and no app. */
  readonly isByPusher: boolean
}

/** What a push did to a branch or a tag; `from` is the branch that it came from, if GitHub knows it. */
type RefMove =
  | { readonly kind: 'made'; readonly after: string; readonly from: string | undefined }
  | {
      readonly kind: 'moved'
      readonly before: string
      readonly after: string
      readonly from: string | undefined
      readonly isForced: boolean
    }
  | { readonly kind: 'deleted' }
  /** The event does not say it. */
  | { readonly kind: 'unknown' }

export interface Push {
  readonly move: RefMove
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** Of GitHub's page with the change. */
  readonly compareUrl: string | undefined
}

/** What an event is about, when it happened. */
interface Titled {
  readonly number: number
  readonly title: string
  readonly text: string
  readonly url: string | undefined
  readonly isOpen: boolean
}

/** A comment on one tells neither its labels nor its ends. */
export interface EventPullRequest extends Titled {
  readonly kind: 'pull-request'
  readonly labels: readonly string[]
  readonly ends: { readonly baseSha: string; readonly headSha: string } | undefined
}

export type Subject = EventPullRequest | (Titled & { readonly kind: 'issue' | 'discussion' })

/** What was said in a comment or a review. */
export interface Comment {
  readonly id: number
  readonly url: string | undefined
  readonly text: string
  /** As GitHub writes times. */
  readonly writtenAt: string
  /** Whether it was written just now, and not changed. */
  readonly isNew: boolean
  /** Undefined for a bot, or an app that wrote in the name of a person. */
  readonly person: Person | undefined
  /** The comment that began its thread: it may be itself. */
  readonly threadId: number
  /** In the files, of a comment on a line or a file. */
  readonly place: Place | undefined
}

/** What runs, checks, statuses, deployments, builds of pages and packages are about: a commit, as far as it is known. */
export interface Work {
  readonly sha: string | undefined
  readonly message: string
  readonly branch: string | undefined
  readonly isOfFork: boolean
  /** In any repository: a fork's checks name those of the one that it comes from. */
  readonly pullRequests: readonly {
    readonly number: number
    readonly baseSha: string | undefined
    readonly isElsewhere: boolean
  }[]
}

const isNone = (commit: string): boolean => /^0+$/.test(commit)
export const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

function moveOf(event: Payload): RefMove {
  const [before, after, base] = [sha(event, 'before'), sha(event, 'after'), text(event, 'base_ref')]
  if (before === undefined || after === undefined || text(event, 'ref') === undefined) return { kind: 'unknown' }
  if (isTrue(event, 'deleted') || isNone(after)) return { kind: 'deleted' }
  const from = base && shortName(base)
  if (isNone(before)) return { kind: 'made', after, from }
  return { kind: 'moved', before, after, from, isForced: isTrue(event, 'forced') }
}

/** None if one of them cannot be read, as the others are not all then. */
function commitsOf(event: Payload): readonly EventCommit[] {
  const pusher = text(event, 'sender.type') === 'User' ? text(event, 'sender.login') : undefined
  const commits = list(event, 'commits').map((commit) => ({
    sha: sha(commit, 'id') ?? '',
    message: text(commit, 'message') ?? '',
    author: text(commit, 'author.name') ?? '',
    isByPusher:
      pusher !== undefined &&
      text(commit, 'author.username') === pusher &&
      text(commit, 'committer.username') === pusher,
  }))
  return commits.every((commit) => commit.sha !== '') ? commits.toReversed() : []
}

export function pushOf(event: Payload): Push {
  return { move: moveOf(event), commits: commitsOf(event), compareUrl: text(event, 'compare') }
}

export function subjectOf(event: Payload): Subject | undefined {
  const path = (['pull_request', 'issue', 'discussion'] as const).find(
    (name) => integer(event, `${name}.number`) !== undefined,
  )
  if (path === undefined) return undefined
  const about = part(event, path)
  const [baseSha, headSha] = [sha(about, 'base.sha'), sha(about, 'head.sha')]
  const titled = {
    number: integer(about, 'number') ?? 0,
    title: text(about, 'title') ?? '',
    text: text(about, 'body') ?? '',
    url: text(about, 'html_url'),
    isOpen: text(about, 'state') === 'open',
  }
  if (path === 'discussion' || (path === 'issue' && !has(about, 'pull_request'))) return { kind: path, ...titled }
  return {
    ...{ kind: 'pull-request', ...titled },
    labels: path === 'issue' ? [] : list(about, 'labels').flatMap((label) => text(label, 'name') ?? []),
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

/** @param name `comment` or `review` */
export function commentOf(event: Payload, name: string): Comment | undefined {
  const comment = part(event, name)
  const id = integer(comment, 'id')
  if (id === undefined) return undefined
  return {
    id,
    url: text(comment, 'html_url'),
    text: text(comment, 'body') ?? '',
    writtenAt: text(comment, 'created_at') ?? text(comment, 'submitted_at') ?? '',
    isNew: /^(?:created|submitted)$/.test(text(event, 'action') ?? ''),
    person: personOf(comment),
    threadId: integer(comment, 'in_reply_to_id') ?? id,
    place: placeOf(comment),
  }
}

export function workOf(event: Payload): Work {
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
    pullRequests: named.find(({ length }) => length > 0) ?? [],
  }
}
