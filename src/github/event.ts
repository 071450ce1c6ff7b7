/** Reads the webhook event that started the run. */
import * as fs from 'node:fs'
import * as z from 'zod/mini'
import {
  booleanField,
  integerField,
  optionalOrUndefined,
  optionalLazily,
  looseObject,
  skipMalformed,
  stringField,
  stringOrEmpty,
  visibilitySchema,
} from './schemas.ts'

const SHA = z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))
const sha = optionalOrUndefined(SHA)

/** A pull request, an issue or a discussion. */
const subjectSchema = optionalLazily(() =>
  z.object({
    base: looseObject({ sha }),
    head: looseObject({ sha, repo: looseObject({ full_name: stringField }) }),
    user: looseObject({ type: stringField }),
    number: integerField,
    title: stringOrEmpty,
    body: stringOrEmpty,
    html_url: stringField,
    state: stringField,
    merged: booleanField,
    labels: z.catch(skipMalformed(z.object({ name: z.string() })), []),
    /** Set on an issue that is a pull request. */
    pull_request: optionalOrUndefined(z.object({})),
  }),
)

/** A comment or a review. */
const payloadCommentSchema = optionalLazily(() =>
  z.object({
    id: z.int(),
    html_url: stringField,
    body: stringOrEmpty,
    created_at: stringField,
    submitted_at: stringField,
    user: looseObject({ id: integerField, login: stringField, type: stringField }),
    performed_via_github_app: z.optional(z.unknown()),
    in_reply_to_id: integerField,
    path: stringField,
    start_line: integerField,
    line: integerField,
    start_side: stringField,
    side: stringField,
    diff_hunk: stringOrEmpty,
  }),
)

const runSchema = optionalLazily(() =>
  z.object({
    id: integerField,
    event: stringOrEmpty,
    workflow_id: integerField,
    name: stringField,
    conclusion: stringField,
    html_url: stringField,
    head_branch: stringField,
    head_sha: sha,
    head_commit: looseObject({ message: stringOrEmpty }),
    head_repository: looseObject({ id: integerField }),
    pull_requests: z.catch(
      skipMalformed(
        z.object({
          number: z.int(),
          head: looseObject({ ref: stringField }),
          base: looseObject({ sha, repo: looseObject({ id: integerField }) }),
        }),
      ),
      [],
    ),
  }),
)

const pushedCommitSchema = z.object({
  id: SHA,
  message: stringOrEmpty,
  author: looseObject({ name: stringOrEmpty, username: stringField }),
  committer: looseObject({ username: stringField }),
  distinct: booleanField,
})

/**
 * The fields of webhook payloads that are used (GitHub's docs, "Webhook events and payloads"). Untrusted input: a
 * missing or malformed field is undefined, and the others remain usable.
 */
const payloadSchema = looseObject({
  action: stringField,
  ref: stringField,
  before: sha,
  after: sha,
  base_ref: stringField,
  deleted: booleanField,
  forced: booleanField,
  compare: stringField,
  // An incomplete list would not show what was pushed, so one malformed commit discards the list.
  commits: z.catch(z.array(pushedCommitSchema), []),
  sender: optionalOrUndefined(z.object({ login: stringField, type: stringField })),
  repository: looseObject({
    id: integerField,
    full_name: stringField,
    default_branch: stringField,
    visibility: z.optional(z.unknown()),
    private: z.optional(z.unknown()),
    fork: booleanField,
  }),
  pull_request: subjectSchema,
  issue: subjectSchema,
  discussion: subjectSchema,
  comment: payloadCommentSchema,
  review: payloadCommentSchema,
  workflow_run: runSchema,
  merge_group: optionalLazily(() => z.object({ base_sha: SHA, head_sha: SHA, head_ref: stringField })),
  release: optionalLazily(() =>
    z.object({ tag_name: z.string(), name: stringOrEmpty, body: stringOrEmpty, html_url: stringField }),
  ),
})
const objectSchema = z.object({})
type Payload = z.infer<typeof payloadSchema>
type WireComment = NonNullable<z.infer<typeof payloadCommentSchema>>

const isZeroSha = (commit: string): boolean => /^0+$/.test(commit)
const getShortName = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '')

/** What a push did to a branch or a tag. `from`: the branch that it was created from, if GitHub knows it. */
function parseMove({ ref, before, after, base_ref: base, deleted, forced }: Payload) {
  if (before === undefined || after === undefined || ref === undefined) return { kind: 'unknown' } as const
  if (deleted === true || isZeroSha(after)) return { kind: 'deleted' } as const
  const from = base && getShortName(base)
  if (isZeroSha(before)) return { kind: 'made', after, from } as const
  return { kind: 'moved', before, after, from, isForced: forced === true } as const
}

/** Newest first. */
function listCommits({ commits }: Payload) {
  return commits.toReversed().map(({ id, message, author, committer, distinct }) => ({
    sha: id,
    message,
    /** The author's display name. Empty if unknown. */
    author: author.name,
    /** The accounts of the author and the committer. Empty if GitHub knows none. */
    authorLogin: author.username ?? '',
    committerLogin: committer.username ?? '',
    /** False if another branch had the commit before the push. */
    isDistinct: distinct !== false,
  }))
}

/** A commit in the payload of a push. */
export type EventCommit = Readonly<ReturnType<typeof listCommits>[number]>

const parsePush = (payload: Payload) => ({
  move: parseMove(payload),
  commits: listCommits(payload),
  /** GitHub's page with the comparison. */
  compareUrl: payload.compare,
})

/** The subject of an event as it was at the time: a pull request, an issue or a discussion. */
export type Subject = Readonly<NonNullable<ReturnType<typeof parseSubject>>>

function parseSubject(payload: Payload) {
  const names = ['pull_request', 'issue', 'discussion'] as const
  const name = names.find((one) => payload[one]?.number !== undefined)
  const subject = name && payload[name]
  if (name === undefined || subject?.number === undefined) return undefined
  const { base, head } = subject
  const isPull = name === 'pull_request' || (name === 'issue' && subject.pull_request !== undefined)
  return {
    kind: isPull ? ('pull-request' as const) : name,
    number: subject.number,
    title: subject.title,
    text: subject.body,
    url: subject.html_url,
    isOpen: subject.state === 'open',
    /** Whether a bot opened it. */
    isByBot: subject.user.type === 'Bot',
    /** Empty unless the payload has the whole pull request: a comment on a pull request does not. */
    labels: name === 'pull_request' ? subject.labels.map((label) => label.name) : [],
    /** Undefined for an issue, and for a comment on a pull request. */
    ends: base.sha === undefined || head.sha === undefined ? undefined : { baseSha: base.sha, headSha: head.sha },
  }
}

export interface Person {
  readonly id: number
  readonly login: string
}

/** The position of a review comment in the changed files. */
export interface DiffPosition {
  readonly path: string
  /** Undefined if the comment is about the whole file, or its lines no longer exist. */
  readonly startLine: number | undefined
  readonly line: number | undefined
  /** Whether the lines are numbered as before the change, because the change removes them. */
  readonly isStartRemoved?: boolean
  readonly isRemoved?: boolean
  readonly hunk: string
}

/** GitHub numbers the lines of a diff on two sides: `LEFT` is before the change. */
export const getSides = (startSide: string | undefined, side: string | undefined): Partial<DiffPosition> => ({
  ...(startSide === 'LEFT' && { isStartRemoved: true }),
  ...(side === 'LEFT' && { isRemoved: true }),
})

/** The author. Undefined for a bot, and for an app that wrote in a person's name. */
function getPerson({ user, performed_via_github_app: app }: WireComment): Person | undefined {
  const { id, login } = user
  if (user.type !== 'User' || (app ?? null) !== null || id === undefined || login === undefined) return undefined
  return { id, login }
}

function getPlace({
  path,
  start_line: startLine,
  line,
  diff_hunk: hunk,
  ...sides
}: WireComment): DiffPosition | undefined {
  return path === undefined ? undefined : { path, startLine, line, ...getSides(sides.start_side, sides.side), hunk }
}

function parseComment(payload: Payload, name: 'comment' | 'review') {
  const comment = payload[name]
  if (comment === undefined) return undefined
  return {
    id: comment.id,
    url: comment.html_url,
    text: comment.body,
    /** In ISO 8601. */
    writtenAt: comment.created_at ?? comment.submitted_at ?? '',
    /** False for an edited comment. */
    isNew: payload.action === 'created' || payload.action === 'submitted',
    person: getPerson(comment),
    /** The first comment of its thread, which may be this comment. */
    threadId: comment.in_reply_to_id ?? comment.id,
    /** Set for a review comment on a line or a file. */
    place: getPlace(comment),
  }
}

/** The pull request of a merge queue's temporary branch, `gh-readonly-queue/main/pr-7-<commit>`. */
function getQueuedPullRequest(ref = ''): number | undefined {
  const number = /\/pr-(\d+)-[0-9a-f]+$/.exec(ref)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** Whether the id is known and of another repository than the event's. */
const isElsewhere = (id: number | undefined, { repository }: Payload): boolean =>
  id !== undefined && repository.id !== undefined && id !== repository.id

/** The pull requests that a workflow run lists, or that the branch of a merge queue names. */
function listRunPullRequests(payload: Payload, isOfFork: boolean) {
  const { workflow_run: run, repository } = payload
  if (run === undefined || run.pull_requests.length === 0) {
    const number = getQueuedPullRequest(run?.head_branch)
    return number === undefined ? [] : [{ number, baseSha: undefined, isElsewhere: false }]
  }
  // What is pushed to the default branch is not the work of a pull request from the default branch to a release branch.
  const isOfPush = run.event !== 'pull_request' && !isOfFork
  const isFromDefault = (head: string | undefined): boolean =>
    isOfPush && head !== undefined && head === repository.default_branch
  return run.pull_requests
    .filter(({ head }) => !isFromDefault(head.ref))
    .map(({ number, base }) => ({ number, baseSha: base.sha, isElsewhere: isElsewhere(base.repo.id, payload) }))
}

/** The commit, branch and pull requests of a workflow run. */
function parseWork(payload: Payload) {
  const { workflow_run: run } = payload
  const isOfFork = isElsewhere(run?.head_repository.id, payload)
  return {
    sha: run?.head_sha,
    message: run?.head_commit.message ?? '',
    branch: run?.head_branch,
    isOfFork,
    /** May include pull requests of another repository: the runs of a fork list those of its upstream repository. */
    pullRequests: listRunPullRequests(payload, isOfFork),
  }
}

export const DEPENDABOT = 'dependabot[bot]'

/** The event of a workflow run, limited to the fields that are used. Untrusted input. */
export type Event = Readonly<ReturnType<typeof parseEvent>>

function parseMergeGroup({ merge_group: group }: Payload) {
  if (group === undefined) return undefined
  return {
    kind: 'merge-group' as const,
    baseSha: group.base_sha,
    headSha: group.head_sha,
    /** The pull request in the group. */
    number: getQueuedPullRequest(group.head_ref),
  }
}

function parseRelease({ action, release }: Payload) {
  if (release === undefined) return undefined
  const { tag_name: tag, name: title, body: notes, html_url: url } = release
  const isGivenUp = action === 'deleted' || action === 'unpublished'
  return { kind: 'release' as const, tag, title, notes, url, isGivenUp }
}

/** Events whose workflow runs GitHub records with the head commit of the event. */
const EVENTS_OF_HEAD = ['push', 'pull_request', 'merge_group']
/** Events caused by a schedule, by a person, or by another program. */
const KNOWN_CAUSES = ['schedule', 'workflow_dispatch', 'repository_dispatch']

/**
 * What caused the workflow run that a `workflow_run` event reports. GitHub records the runs of all other events, such
 * as `issue_comment`, with the newest commit of the default branch, which is unrelated to the event (GitHub's docs,
 * "Events that trigger workflows"; llvm/llvm-project#192205, grafana/shared-workflows#1099, UCL/TLOmodel#1119).
 */
function getRunCause(name: string): 'head' | 'people' | 'unknown' {
  if (EVENTS_OF_HEAD.includes(name)) return 'head'
  return KNOWN_CAUSES.includes(name) ? 'people' : 'unknown'
}

const parseRun = ({ action, workflow_run: run }: Payload) => ({
  id: run?.id,
  /** Without `types`, GitHub also starts a run when the triggering run is requested, and when it begins. */
  hasEnded: action !== 'requested' && action !== 'in_progress',
  cause: getRunCause(run?.event ?? ''),
  workflowId: run?.workflow_id,
  name: run?.name,
  conclusion: run?.conclusion,
  url: run?.html_url,
})

function parseCommentEvent(payload: Payload) {
  const [subject, comment] = [parseSubject(payload), parseComment(payload, 'comment')]
  // A comment on a commit has no subject.
  if (comment !== undefined) return { kind: 'comment', comment, subject } as const
  const review = parseComment(payload, 'review')
  if (review === undefined || subject?.kind !== 'pull-request') return undefined
  return { kind: 'review', comment: review, subject } as const
}

/** The event by its kind. */
function parseCause(name: string, payload: Payload) {
  if (name === 'push') {
    const { ref } = payload
    const [branch, push] = [getShortName(ref ?? ''), parsePush(payload)]
    if (ref?.startsWith('refs/tags/') === true) return { kind: 'tag', tag: branch, push } as const
    return { kind: 'push', branch, push } as const
  }
  if (name === 'schedule') return { kind: 'schedule' } as const
  if (KNOWN_CAUSES.includes(name)) return { kind: 'manual' } as const

  const comment = /_(?:comment|review)$/.test(name) ? parseCommentEvent(payload) : undefined
  if (comment !== undefined) return comment
  const groupOrRelease = parseMergeGroup(payload) ?? parseRelease(payload)
  if (groupOrRelease !== undefined) return groupOrRelease

  const subject = parseSubject(payload)
  if (subject?.kind === 'pull-request') {
    const { pull_request: pull, action } = payload
    const isGivenUp = pull !== undefined && action === 'closed' && pull.merged !== true
    return { kind: 'pull-request', subject, /** Closed without a merge. */ isGivenUp } as const
  }
  // The subject may also be a discussion.
  if (subject !== undefined) {
    const isGivenUp = payload.action === 'deleted' || payload.action === 'transferred'
    return { kind: 'issue', subject, isGivenUp } as const
  }
  if (name === 'workflow_run')
    return { kind: 'workflow-run', run: parseRun(payload), work: parseWork(payload) } as const
  return { kind: 'other' } as const
}

/** Whether the run is for a pull request from a fork. `pull_request_target` runs have the secrets nevertheless. */
function isPullRequestFromFork(name: string, { pull_request: pull, repository }: Payload): boolean {
  if (!name.startsWith('pull_request') || name === 'pull_request_target') return false
  return pull?.head.repo.full_name !== repository.full_name
}

/**
 * Reads a webhook payload. Missing and malformed fields are undefined or empty.
 * @param name the name of the event, such as `pull_request_target`
 * @param webhookPayload the parsed JSON; anything but an object counts as an empty payload
 * @param actor the login of the account that started the run
 */
export function parseEvent(name: string, webhookPayload: unknown, actor: string) {
  const payload = payloadSchema.parse(webhookPayload)
  const { sender, repository } = payload
  return {
    ...parseCause(name, payload),
    /** False if the runner's file has no JSON object. */
    isReadable: objectSchema.safeParse(webhookPayload).success,
    /** The account that caused the event, or that started the run if the payload does not name it. */
    sender: {
      login: sender?.login ?? actor,
      isBot: sender === undefined ? actor.endsWith('[bot]') : sender.type === 'Bot',
    },
    visibility: visibilitySchema.parse(repository),
    defaultBranch: repository.default_branch,
    /**
     * Whether GitHub withholds the secrets because the pull request comes from a fork. Also true if the fork was
     * deleted.
     */
    isOfFork: isPullRequestFromFork(name, payload),
    /** Whether the workflow runs in a fork. */
    isInFork: repository.fork === true,
  }
}

function readPayload(file: string): unknown {
  try {
    // TextDecoder removes a byte order mark, which JSON.parse rejects.
    return JSON.parse(new TextDecoder().decode(fs.readFileSync(file)))
  } catch {
    return undefined
  }
}

/**
 * Reads the event of the run from the runner's file. Outside a runner, the payload is empty. `@actions/github` reads
 * the file too, but loads Octokit to do so.
 */
export function readEvent(env: NodeJS.ProcessEnv): Event {
  const { GITHUB_EVENT_PATH: file = '', GITHUB_EVENT_NAME: name = '', GITHUB_ACTOR: actor = '' } = env
  return parseEvent(name, file === '' ? {} : readPayload(file), actor)
}
