import * as fs from 'node:fs'
import { commentOf, pushOf, shortName, subjectOf, workOf } from './event-parts.ts'
import { has, integer, isPayload, isTrue, sha, text, type Payload } from './event-parts.ts'
import type { Comment, Push, Subject, Work } from './event-parts.ts'

export const DEPENDABOT = 'dependabot[bot]'

/** What started the workflow, by its kind. */
type Cause =
  /** To a branch. */
  | { readonly kind: 'push'; readonly branch: string; readonly push: Push }
  /** @property push undefined if the tag was made in another way */
  | { readonly kind: 'tag'; readonly tag: string; readonly push: Push | undefined }
  | {
      readonly kind: 'release'
      readonly tag: string
      readonly title: string
      readonly notes: string
      readonly url: string | undefined
    }
  /** @property isGivenUp closed without a merge */
  | { readonly kind: 'pull-request'; readonly subject: Subject; readonly isGivenUp: boolean }
  /** An issue or a discussion. */
  | { readonly kind: 'issue'; readonly subject: Subject }
  /** @property subject undefined for a comment on a commit */
  | { readonly kind: 'comment'; readonly comment: Comment; readonly subject: Subject | undefined }
  | { readonly kind: 'review'; readonly comment: Comment; readonly subject: Subject }
  /** @property number of the pull request in it */
  | { readonly kind: 'merge-group'; readonly baseSha: string; readonly headSha: string; readonly number: Id }
  | { readonly kind: 'workflow-run'; readonly run: ReturnType<typeof runOf>; readonly work: Work }
  | { readonly kind: 'checks'; readonly work: Work }
  /** A branch that was made or deleted. */
  | { readonly kind: 'branch'; readonly branch: string; readonly isDeleted: boolean }
  | { readonly kind: 'schedule' }
  /** By hand, or by another program. */
  | { readonly kind: 'manual' }
  | { readonly kind: 'other'; readonly work: Work }

type Id = number | undefined

/** The event of a run, as far as anything is asked of it. All of it was written by strangers. */
export type Event = Cause & {
  /** False if the runner's file holds none. */
  readonly isReadable: boolean
  /** Who caused it, or started the run if the event does not say. */
  readonly sender: { readonly login: string; readonly isBot: boolean }
  readonly defaultBranch: string | undefined
  /** Whether GitHub takes it for the work of another repository, even one that is gone, and withholds the secrets. */
  readonly isOfFork: boolean
}

const runOf = (event: Payload) => ({
  id: integer(event, 'workflow_run.id'),
  workflowId: integer(event, 'workflow_run.workflow_id'),
  name: text(event, 'workflow_run.name'),
  conclusion: text(event, 'workflow_run.conclusion'),
  url: text(event, 'workflow_run.html_url'),
})

function causeOf(name: string, event: Payload): Cause {
  const [ref, subject, work] = [text(event, 'ref'), subjectOf(event), workOf(event)]
  if (name === 'push') {
    const [branch, push] = [shortName(ref ?? ''), pushOf(event)]
    return ref?.startsWith('refs/tags/') === true ? { kind: 'tag', tag: branch, push } : { kind: 'push', branch, push }
  }
  if (name === 'schedule') return { kind: 'schedule' }
  if (name === 'workflow_dispatch' || name === 'repository_dispatch') return { kind: 'manual' }

  if (/_(?:comment|review)$/.test(name)) {
    const [comment, review] = [commentOf(event, 'comment'), commentOf(event, 'review')]
    if (comment !== undefined) return { kind: 'comment', comment, subject }
    if (review !== undefined && subject?.kind === 'pull-request') return { kind: 'review', comment: review, subject }
  }

  const [baseSha, headSha] = [sha(event, 'merge_group.base_sha'), sha(event, 'merge_group.head_sha')]
  if (baseSha !== undefined && headSha !== undefined) {
    const number = /\/pr-(\d+)-[0-9a-f]+$/.exec(text(event, 'merge_group.head_ref') ?? '')?.[1]
    return { kind: 'merge-group', baseSha, headSha, number: number === undefined ? undefined : Number(number) }
  }

  const tag = text(event, 'release.tag_name')
  if (tag !== undefined) {
    const [title = '', notes = ''] = [text(event, 'release.name'), text(event, 'release.body')]
    return { kind: 'release', tag, title, notes, url: text(event, 'release.html_url') }
  }
  const refType = text(event, 'ref_type')
  if (ref !== undefined && refType === 'branch') return { kind: 'branch', branch: ref, isDeleted: name === 'delete' }
  if (ref !== undefined && refType === 'tag' && name === 'create') return { kind: 'tag', tag: ref, push: undefined }

  if (subject?.kind === 'pull-request') {
    const isClosed = has(event, 'pull_request') && text(event, 'action') === 'closed'
    return { kind: 'pull-request', subject, isGivenUp: isClosed && !isTrue(event, 'pull_request.merged') }
  }
  if (subject !== undefined) return { kind: 'issue', subject }
  if (name === 'workflow_run') return { kind: 'workflow-run', run: runOf(event), work }
  const isOfChecks = !has(event, 'deployment') && (has(event, 'check_suite') || has(event, 'check_run'))
  return { kind: isOfChecks ? 'checks' : 'other', work }
}

/** GitHub withholds the secrets from a run for the pull request of a fork, but for the event that is made for them. */
function isOfFork(name: string, event: Payload): boolean {
  if (!name.startsWith('pull_request') || name === 'pull_request_target') return false
  return text(event, 'pull_request.head.repo.full_name') !== text(event, 'repository.full_name')
}

/**
 * @param name as GitHub calls the event, such as `pull_request_target`
 * @param given as GitHub wrote it; anything else than an object says nothing
 * @param actor who started the run
 */
export function parseEvent(name: string, given: unknown, actor: string): Event {
  const event = isPayload(given) ? given : {}
  const [login = actor, type] = [text(event, 'sender.login'), text(event, 'sender.type')]
  const isBot = has(event, 'sender') ? type === 'Bot' : actor.endsWith('[bot]')
  return {
    ...causeOf(name, event),
    ...{ isReadable: isPayload(given), sender: { login, isBot } },
    ...{ defaultBranch: text(event, 'repository.default_branch'), isOfFork: isOfFork(name, event) },
  }
}

function readPayload(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
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
