import * as fs from 'node:fs'
import { all, at, has, isObject, items, number, object, required, text, word } from './read-json.ts'
import { visibilitySchema } from './schemas.ts'

function sha(from: object, path: string): string | undefined {
  const value = text(from, path) ?? ''
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : undefined
}

const isNone = (commit: string): boolean => /^0+$/.test(commit)
const shortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

/** What a push did to a branch or a tag; `from` is the branch that it came from, if GitHub knows it. */
function parseMove(event: object) {
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
function listCommits(event: object) {
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
export type EventCommit = Readonly<ReturnType<typeof listCommits>[number]>

const parsePush = (event: object) => ({
  move: parseMove(event),
  commits: listCommits(event),
  /** Of GitHub's page with the change. */
  compareUrl: text(event, 'compare'),
})

/** Both or none. */
const toEnds = (about: object) => ({
  baseSha: required(sha(about, 'base.sha')),
  headSha: required(sha(about, 'head.sha')),
})

/** What an event is about, when it happened: a pull request, an issue or a discussion. */
export type Subject = Readonly<NonNullable<ReturnType<typeof parseSubject>>>

function parseSubject(event: object) {
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

const toPerson = (user: object) => ({
  id: required(number(user, 'id')),
  login: required(text(user, 'login')),
})

/** Where in the files a comment is. */
export type Place = Readonly<ReturnType<typeof toPlace>>

const toPlace = (comment: object) => ({
  path: required(text(comment, 'path')),
  /** Undefined if it is about the whole file, or its lines are no longer there. */
  startLine: number(comment, 'start_line'),
  line: number(comment, 'line'),
  hunk: text(comment, 'diff_hunk') ?? '',
})

/** What was said in a comment or a review. */
export type Comment = Readonly<NonNullable<ReturnType<typeof parseComment>>>

const parseComment = (event: object, name: 'comment' | 'review') =>
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
function getQueuedPullRequest(ref = ''): number | undefined {
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
const getStatusSha = (event: object): string | undefined =>
  object(event, 'commit', (commit) => {
    const parents = all(commit, 'parents', (parent) => required(sha(parent, 'sha'))) ?? []
    return required(getTestMergeHead(text(commit, 'commit.message') ?? '', parents))
  }) ?? sha(event, 'sha')

/** What runs, checks, statuses, deployments, builds of pages and packages are about: a commit, as far as it is known. */
export type Work = Readonly<ReturnType<typeof parseWork>>

function parseWork(event: object) {
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
      getStatusSha(event) ??
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

export const DEPENDABOT = 'dependabot[bot]'

/** The event of a run, as far as anything is asked of it. All of it was written by strangers. */
export type Event = Readonly<ReturnType<typeof parseEvent>>

const parseMergeGroup = (event: object) =>
  object(event, 'merge_group', (group) => ({
    kind: 'merge-group' as const,
    baseSha: required(sha(group, 'base_sha')),
    headSha: required(sha(group, 'head_sha')),
    /** Of the pull request in it. */
    number: getQueuedPullRequest(text(group, 'head_ref')),
  }))

const parseRelease = (event: object) =>
  object(event, 'release', (release) => ({
    kind: 'release' as const,
    tag: required(text(release, 'tag_name')),
    title: text(release, 'name') ?? '',
    notes: text(release, 'body') ?? '',
    url: text(release, 'html_url'),
  }))

/** Events whose runs GitHub records with the head that they are about. */
const EVENTS_OF_HEAD = ['push', 'pull_request', 'merge_group']
/** Started by the clock, by hand, or by another program. */
const KNOWN_CAUSES = ['schedule', 'workflow_dispatch', 'repository_dispatch']

/**
 * What started the run before this one. GitHub records runs of all other events, such as `issue_comment`, with the newest
 * commit of the default branch, which has nothing to do with what started them (GitHub's docs, "Events that trigger
 * workflows"; llvm/llvm-project#192205, grafana/shared-workflows#1099, UCL/TLOmodel#1119).
 */
function getRunCause(name: string): 'head' | 'people' | 'unknown' {
  if (EVENTS_OF_HEAD.includes(name)) return 'head'
  return KNOWN_CAUSES.includes(name) ? 'people' : 'unknown'
}

const parseRun = (event: object) => ({
  id: number(event, 'workflow_run.id'),
  cause: getRunCause(text(event, 'workflow_run.event') ?? ''),
  workflowId: number(event, 'workflow_run.workflow_id'),
  name: text(event, 'workflow_run.name'),
  conclusion: text(event, 'workflow_run.conclusion'),
  url: text(event, 'workflow_run.html_url'),
})

/** What started the workflow, by its kind. */
function parseCause(name: string, event: object) {
  const [ref, subject, work] = [text(event, 'ref'), parseSubject(event), parseWork(event)]
  if (name === 'push') {
    const [branch, push] = [shortName(ref ?? ''), parsePush(event)]
    if (ref?.startsWith('refs/tags/') === true) return { kind: 'tag', tag: branch, push } as const
    return { kind: 'push', branch, push } as const
  }
  if (name === 'schedule') return { kind: 'schedule' } as const
  if (KNOWN_CAUSES.includes(name)) return { kind: 'manual' } as const

  if (/_(?:comment|review)$/.test(name)) {
    const [comment, review] = [parseComment(event, 'comment'), parseComment(event, 'review')]
    // A comment on a commit has no subject.
    if (comment !== undefined) return { kind: 'comment', comment, subject } as const
    if (review !== undefined && subject?.kind === 'pull-request')
      return { kind: 'review', comment: review, subject } as const
  }

  const told = parseMergeGroup(event) ?? parseRelease(event)
  if (told !== undefined) return told
  const refType = text(event, 'ref_type')
  if (name === 'delete') return { kind: 'deletion' } as const
  if (ref !== undefined && refType === 'branch') return { kind: 'branch', branch: ref } as const
  // A tag was made in another way than by a push.
  if (ref !== undefined && refType === 'tag') return { kind: 'tag', tag: ref, push: undefined } as const

  if (subject?.kind === 'pull-request') {
    const isClosed = has(event, 'pull_request') && text(event, 'action') === 'closed'
    // Given up is one that was closed without a merge.
    const isGivenUp = isClosed && at(event, 'pull_request.merged') !== true
    return { kind: 'pull-request', subject, isGivenUp } as const
  }
  // The subject may be a discussion, too.
  if (subject !== undefined) return { kind: 'issue', subject } as const
  if (name === 'workflow_run') return { kind: 'workflow-run', run: parseRun(event), work } as const
  const isOfChecks = !has(event, 'deployment') && (has(event, 'check_suite') || has(event, 'check_run'))
  return { kind: isOfChecks ? 'checks' : 'other', work } as const
}

/** GitHub withholds the secrets from a run for the pull request of a fork, but for the event that is made for them. */
function isOfFork(name: string, event: object): boolean {
  if (!name.startsWith('pull_request') || name === 'pull_request_target') return false
  return text(event, 'pull_request.head.repo.full_name') !== text(event, 'repository.full_name')
}

/**
 * @param name as GitHub calls the event, such as `pull_request_target`
 * @param given as GitHub wrote it; anything else than an object says nothing
 * @param actor who started the run
 */
export function parseEvent(name: string, given: unknown, actor: string) {
  const event = isObject(given) ? given : {}
  const isBot = has(event, 'sender') ? text(event, 'sender.type') === 'Bot' : actor.endsWith('[bot]')
  return {
    ...parseCause(name, event),
    /** False if the runner's file holds none. */
    isReadable: isObject(given),
    /** Who caused it, or started the run if the event does not say. */
    sender: { login: text(event, 'sender.login') ?? actor, isBot },
    visibility: visibilitySchema.parse(at(event, 'repository')),
    defaultBranch: text(event, 'repository.default_branch'),
    /** Whether GitHub takes it for the work of another repository, even one that is gone, and withholds the secrets. */
    isOfFork: isOfFork(name, event),
  }
}

function readPayload(file: string): unknown {
  try {
    // Without the byte order mark, which JSON has no room for.
    return JSON.parse(new TextDecoder().decode(fs.readFileSync(file)))
  } catch {
    return undefined
  }
}

/**
 * The event of the run, which the runner keeps in a file; without anything outside of one. The toolkit has it too, together
 * with all that talks to GitHub, which is much to load for one file.
 */
export function readEvent(env: NodeJS.ProcessEnv): Event {
  const { GITHUB_EVENT_PATH: file = '', GITHUB_EVENT_NAME: name = '', GITHUB_ACTOR: actor = '' } = env
  return parseEvent(name, file === '' ? {} : readPayload(file), actor)
}
