import { all, at, has, items, number, object, required, text, word } from './read-json.ts'

export function sha(from: object, path: string): string | undefined {
  const value = text(from, path) ?? ''
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : undefined
}

const isNone = (commit: string): boolean => /^0+$/.test(commit)
export const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

/** What a push did to a branch or a tag; `from` is the branch that it came from, if GitHub knows it. */
function moveOf(event: object) {
  const [before, after, base] = [sha(event, 'before'), sha(event, 'after'), text(event, 'base_ref')]
  // The event does not say it.
  if (before === undefined || after === undefined || text(event, 'ref') === undefined)
    return { kind: 'unknown' } as const
  if (at(event, 'deleted') === true || isNone(after)) return { kind: 'deleted' } as const
  const from = base && shortName(base)
  if (isNone(before)) return { kind: 'made', after, from } as const
  return { kind: 'moved', before, after, from, isForced: at(event, 'forced') === true } as const
}

/** Newest first. None if one of them cannot be read, as the others are not all then. */
function commitsOf(event: object) {
  const pusher = text(event, 'sender.type') === 'User' ? text(event, 'sender.login') : undefined
  const commits = all(event, 'commits', (commit) => ({
    sha: required(sha(commit, 'id')),
    message: text(commit, 'message') ?? '',
    /** By name; empty if it is not known. */
    author: text(commit, 'author.name') ?? '',
    /** A person pushed it who wrote it, so that no merge made it, and no app. */
    isByPusher:
      pusher !== undefined &&
      text(commit, 'author.username') === pusher &&
      text(commit, 'committer.username') === pusher,
  }))
  return (commits ?? []).toReversed()
}

/** A commit that came with a push. */
export type EventCommit = Readonly<ReturnType<typeof commitsOf>[number]>

export const pushOf = (event: object) => ({
  move: moveOf(event),
  commits: commitsOf(event),
  /** Of GitHub's page with the change. */
  compareUrl: text(event, 'compare'),
})

/** Both or none. */
const toEnds = (about: object) => ({
  baseSha: required(sha(about, 'base.sha')),
  headSha: required(sha(about, 'head.sha')),
})

/** What an event is about, when it happened: a pull request, an issue or a discussion. */
export type Subject = Readonly<NonNullable<ReturnType<typeof subjectOf>>>

export function subjectOf(event: object) {
  const names = ['pull_request', 'issue', 'discussion'] as const
  const name = names.find((one) => number(event, `${one}.number`) !== undefined)
  if (name === undefined) return undefined
  const isPull = name === 'pull_request' || (name === 'issue' && has(event, 'issue.pull_request'))
  return object(event, name, (about) => ({
    kind: isPull ? ('pull-request' as const) : name,
    number: required(number(about, 'number')),
    title: text(about, 'title') ?? '',
    text: text(about, 'body') ?? '',
    url: text(about, 'html_url'),
    isOpen: text(about, 'state') === 'open',
    /** Of a pull request. A comment on one tells neither its labels nor its ends. */
    labels: name === 'pull_request' ? (items(about, 'labels', (label) => required(text(label, 'name'))) ?? []) : [],
    ends: object(event, name, toEnds),
  }))
}

export type Person = Readonly<ReturnType<typeof toPerson>>

export const toPerson = (user: object) => ({
  id: required(number(user, 'id')),
  login: required(text(user, 'login')),
})

/** Where in the files a comment is. */
export type Place = Readonly<ReturnType<typeof toPlace>>

export const toPlace = (comment: object) => ({
  path: required(text(comment, 'path')),
  /** Undefined if it is about the whole file, or its lines are no longer there. */
  startLine: number(comment, 'start_line'),
  line: number(comment, 'line'),
  hunk: text(comment, 'diff_hunk') ?? '',
})

/** What was said in a comment or a review. */
export type Comment = Readonly<NonNullable<ReturnType<typeof commentOf>>>

export const commentOf = (event: object, name: 'comment' | 'review') =>
  object(event, name, (comment) => {
    const id = required(number(comment, 'id'))
    const isByHand = text(comment, 'user.type') === 'User' && (at(comment, 'performed_via_github_app') ?? null) === null
    return {
      id,
      url: text(comment, 'html_url'),
      text: text(comment, 'body') ?? '',
      /** As GitHub writes times. */
      writtenAt: text(comment, 'created_at') ?? text(comment, 'submitted_at') ?? '',
      /** Whether it was written just now, and not changed. */
      isNew: word(event, 'action', ['created', 'submitted']) !== undefined,
      /** Undefined for a bot, or an app that wrote in the name of a person. */
      person: isByHand ? object(comment, 'user', toPerson) : undefined,
      /** The comment that began its thread: it may be itself. */
      threadId: number(comment, 'in_reply_to_id') ?? id,
      /** In the files, of a comment on a line or a file. */
      place: object(event, name, toPlace),
    }
  })

/** The pull request of a merge queue's temporary branch, `gh-readonly-queue/main/pr-7-<commit>`. */
export function getQueuedPullRequest(ref = ''): number | undefined {
  const number = /\/pr-(\d+)-[0-9a-f]+$/.exec(ref)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** The pull request of `refs/pull/7/merge` and `refs/pull/7/head`, which runs also see as `7/merge`. */
function getPullRequestOfRef(ref = ''): number | undefined {
  const number = /^(?:refs\/)?(?:pull\/)?(\d+)\/(?:merge|head)$/.exec(ref)?.[1]
  return number === undefined ? undefined : Number(number)
}

/**
 * The head of the pull request that GitHub merged for a test (`refs/pull/N/merge`). GitHub lists no pull request for such a
 * commit; only its message and its parents say what it is.
 */
export function getTestMergeHead(message: string, parents: readonly string[]): string | undefined {
  const head = /^Merge ([0-9a-f]{40,64}) into [0-9a-f]{40,64}$/.exec(message)?.[1]
  return parents.length === 2 && parents[1] === head ? head : undefined
}

/** The commit of a status. Of a test merge it is the head that was merged. */
const statusShaOf = (event: object): string | undefined =>
  object(event, 'commit', (commit) => {
    const parents = all(commit, 'parents', (parent) => required(sha(parent, 'sha'))) ?? []
    return required(getTestMergeHead(text(commit, 'commit.message') ?? '', parents))
  }) ?? sha(event, 'sha')

/** What runs, checks, statuses, deployments, builds of pages and packages are about: a commit, as far as it is known. */
export type Work = Readonly<ReturnType<typeof workOf>>

export function workOf(event: object) {
  const ownId = number(event, 'repository.id')
  const isOther = (id: number | undefined): boolean => id !== undefined && ownId !== undefined && id !== ownId
  const paths = ['workflow_run', 'check_suite', 'check_run.check_suite', 'check_run']
  const [run = {}] = paths.flatMap((path) => object(event, path, (found) => found) ?? [])
  const listed = paths.map((path) =>
    items(event, `${path}.pull_requests`, (pull) => ({
      number: required(number(pull, 'number')),
      baseSha: sha(pull, 'base.sha'),
      isElsewhere: isOther(number(pull, 'base.repo.id')),
    })),
  )
  const ref = text(run, 'head_branch') ?? text(event, 'deployment.ref')
  const named = getQueuedPullRequest(ref) ?? getPullRequestOfRef(ref)
  return {
    sha:
      statusShaOf(event) ??
      sha(event, 'deployment.sha') ??
      sha(run, 'head_sha') ??
      sha(event, 'build.commit') ??
      sha(event, 'registry_package.package_version.target_oid'),
    message: text(run, 'head_commit.message') ?? '',
    branch: ref,
    isOfFork: isOther(number(run, 'head_repository.id')),
    /** In any repository: a fork's checks name those of the one that it comes from. */
    pullRequests:
      listed.find((pulls = []) => pulls.length > 0) ??
      (named === undefined ? [] : [{ number: named, baseSha: undefined, isElsewhere: false }]),
  }
}
