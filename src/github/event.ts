import * as fs from 'node:fs'
import { commentOf, getQueuedPullRequest, pushOf, sha, shortName, subjectOf, workOf } from './event-parts.ts'
import { at, has, isObject, number, object, required, text } from './read-json.ts'
import { visibilitySchema } from './visibility.ts'

export const DEPENDABOT = 'dependabot[bot]'

/** The event of a run, as far as anything is asked of it. All of it was written by strangers. */
export type Event = Readonly<ReturnType<typeof parseEvent>>

const mergeGroupOf = (event: object) =>
  object(event, 'merge_group', (group) => ({
    kind: 'merge-group' as const,
    baseSha: required(sha(group, 'base_sha')),
    headSha: required(sha(group, 'head_sha')),
    /** Of the pull request in it. */
    number: getQueuedPullRequest(text(group, 'head_ref')),
  }))

const releaseOf = (event: object) =>
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

const runOf = (event: object) => ({
  id: number(event, 'workflow_run.id'),
  cause: getRunCause(text(event, 'workflow_run.event') ?? ''),
  workflowId: number(event, 'workflow_run.workflow_id'),
  name: text(event, 'workflow_run.name'),
  conclusion: text(event, 'workflow_run.conclusion'),
  url: text(event, 'workflow_run.html_url'),
})

/** What started the workflow, by its kind. */
function causeOf(name: string, event: object) {
  const [ref, subject, work] = [text(event, 'ref'), subjectOf(event), workOf(event)]
  if (name === 'push') {
    const [branch, push] = [shortName(ref ?? ''), pushOf(event)]
    if (ref?.startsWith('refs/tags/') === true) return { kind: 'tag', tag: branch, push } as const
    return { kind: 'push', branch, push } as const
  }
  if (name === 'schedule') return { kind: 'schedule' } as const
  if (KNOWN_CAUSES.includes(name)) return { kind: 'manual' } as const

  if (/_(?:comment|review)$/.test(name)) {
    const [comment, review] = [commentOf(event, 'comment'), commentOf(event, 'review')]
    // A comment on a commit has no subject.
    if (comment !== undefined) return { kind: 'comment', comment, subject } as const
    if (review !== undefined && subject?.kind === 'pull-request')
      return { kind: 'review', comment: review, subject } as const
  }

  const told = mergeGroupOf(event) ?? releaseOf(event)
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
  if (name === 'workflow_run') return { kind: 'workflow-run', run: runOf(event), work } as const
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
    ...causeOf(name, event),
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
