import { isUnsupportedEvent } from '../../../src/agent/change/loop.ts'
import { MAINTAINER, openFakePull } from '../../../src/emulator/github/demo-state.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import {
  comment,
  createCommentEvent,
  dispatch,
  push,
  pushTag,
  release,
  schedule,
  type Scene,
} from '../../../src/emulator/github/trigger-events.ts'
import { createPushEvent, type WebhookEvent } from '../../../src/emulator/github/webhook-events.ts'
import type { GitHubState } from '../../../src/emulator/github/state.ts'
import type { Embedded } from '../embedded.ts'
import type { StoryEvent } from '../stories.ts'
import { nameFiles, type RunnableTrigger, type Ref } from './triggers.ts'

type Payload = Readonly<Record<string, unknown>>

/** What happens on the embedded GitHub. */
export interface PlannedEvent {
  readonly trigger: RunnableTrigger
  readonly ref: Ref
  /** Counts the events of the command from 1. */
  readonly ordinal: number
  /** The changed files of each change. */
  readonly files: readonly string[]
  /** The inputs of `workflow_dispatch`. */
  readonly inputs: Readonly<Record<string, string | number | boolean>>
  readonly cron: string
  /** The text of `issue_comment`. Undefined: that of a comment that a scenario has written, or of `usualComment`. */
  readonly comment: string | undefined
  readonly usualComment: string
  /** Whether the comment is on a person's pull request. */
  readonly isOnPullRequest: boolean
  /** What happens instead of a change of the files. */
  readonly story: StoryEvent | undefined
}

/** A triggered event, as `github` describes it. */
export interface TriggeredEvent {
  readonly title: string
  readonly payload: Payload
  /** Such as `refs/heads/main`. */
  readonly ref: string
  readonly sha: string
}

/** The files of the newest change that the embedded GitHub has from the start. */
export const DEFAULT_FILES: readonly string[] = ['src/deploy.ts']

/** The number of a person's pull request. */
const PERSONS_PULL = 123

/** The demo repository has runs with lower ids. */
export const FIRST_RUN = 42

/** Events from whose last successful run the next range begins. */
const BASE_EVENTS: readonly string[] = ['push', 'schedule', 'workflow_dispatch']

/** Records a successful run, from which the next run's range begins. */
export function noteSuccess(
  { repositories: { 'acme/docs': docs } }: GitHubState,
  { id, event, headSha }: { readonly id: number; readonly event: string; readonly headSha: string },
  createdAtMs: number,
): void {
  if (docs === undefined || !BASE_EVENTS.includes(event)) return
  const run = { id, workflow: 'docs.yml', branch: docs.defaultBranch, headSha, event, createdAtMs }
  docs.workflowRuns.push({ ...run, status: 'completed', conclusion: 'success' })
}

function findAgentPull({ pulls }: RepositoryState): number | undefined {
  const [number] = Object.entries(pulls).find(([, { state, labels }]) => state === 'open' && labels.length > 0) ?? []
  return number === undefined ? undefined : Number(number)
}

function getRepository({ github }: Embedded, name: string): RepositoryState {
  const repository = github.state.repositories[name]
  if (repository === undefined) throw new Error(`The embedded GitHub has no repository ${name}.`)
  return repository
}

const openScene = (repository: string, { github, url, now }: Embedded): Scene => ({
  state: github.state,
  repository,
  baseUrl: url,
  nowMs: now(),
})

/**
 * Pushes the change of an event, also if that event does not start the workflow. A comment has none, and that of the first
 * event is there from the start.
 * @param repository `owner/name`
 */
export function pushChange(
  { trigger, ordinal, files, story }: Pick<PlannedEvent, 'trigger' | 'ordinal' | 'files' | 'story'>,
  repository: string,
  embedded: Embedded,
): void {
  story?.happen?.(getRepository(embedded, repository), embedded.now())
  if (story !== undefined || ordinal === 1 || trigger.event === 'issue_comment') return
  const docs = getRepository(embedded, repository)
  const message = `Change ${files[0] ?? 'nothing'} (${ordinal})`
  const patch = `@@ -1 +1,2 @@\n // Acme\n+// Change ${ordinal} of the rehearsal`
  const commit = { message, author: MAINTAINER, files: files.map((filename) => ({ filename, patch })) }
  push(openScene(repository, embedded), docs.defaultBranch, commit)
}

/** The event of the first comment with a command that a scenario has written. */
export function findCommentEvent(scene: Scene, { pulls }: RepositoryState): WebhookEvent | undefined {
  const [found] = Object.entries(pulls).flatMap(([number, { comments }]) =>
    comments.filter(({ body }) => body.startsWith('/docs ')).map((written) => [Number(number), written] as const),
  )
  return found && createCommentEvent(scene, ...found)
}

/** Writes a comment on the agent's pull request. */
export function commentOnAgentPull(scene: Scene, docs: RepositoryState, body: string): WebhookEvent {
  const number = findAgentPull(docs)
  if (number === undefined) throw new Error('There is no open pull request of the agent to comment on.')
  return comment(scene, number, { user: MAINTAINER, body })
}

function triggerComment(planned: PlannedEvent, scene: Scene, docs: RepositoryState): WebhookEvent {
  const { ordinal, files, isOnPullRequest, usualComment, comment: body = usualComment } = planned
  if (isOnPullRequest) {
    if (docs.pulls[PERSONS_PULL] === undefined) openFakePull(docs, PERSONS_PULL, scene.nowMs, files)
    return comment(scene, PERSONS_PULL, { user: MAINTAINER, body })
  }
  const written = ordinal === 1 && planned.comment === undefined ? findCommentEvent(scene, docs) : undefined
  return written ?? commentOnAgentPull(scene, docs, body)
}

/**
 * Triggers an event on the embedded GitHub.
 * @param repository `owner/name`
 */
export function triggerEvent(planned: PlannedEvent, repository: string, embedded: Embedded): TriggeredEvent {
  const { trigger, ref, ordinal, files, story } = planned
  const docs = getRepository(embedded, repository)
  if (ref.kind === 'tag') docs.tags[ref.name] = docs.branches[docs.defaultBranch] ?? ''
  else docs.runBranch = ref.name
  const scene = openScene(repository, embedded)
  const named = ref.kind === 'branch' ? `refs/heads/${ref.name}` : `refs/tags/${ref.name}`
  const end = (title: string, { payload }: Pick<WebhookEvent, 'payload'>): TriggeredEvent => ({
    title,
    payload,
    ref: named,
    sha: docs.branches[docs.defaultBranch] ?? '',
  })
  const { event } = trigger
  // The change is on the default branch, whatever the branch of the run.
  const pushed = createPushEvent(scene.state, repository, { ...scene, branch: docs.defaultBranch })
  if (isUnsupportedEvent(event)) {
    const { repository: about, sender } = pushed.payload
    return end(event, { payload: { repository: about, sender } })
  }
  switch (event) {
    case 'push': {
      const { payload } = ref.kind === 'tag' ? pushTag(scene, ref.name) : pushed
      const what = story?.title === undefined ? `with ${nameFiles(files)}` : `after ${story.title}`
      return end(`push to ${ref.name}, ${what}`, { payload: { ...payload, ref: named } })
    }
    case 'schedule':
      return end(`schedule, after ${story?.title ?? `a change of ${nameFiles(files)}`}`, schedule(scene, planned.cron))
    case 'workflow_dispatch': {
      const inputs = Object.fromEntries(Object.entries(planned.inputs).map(([name, value]) => [name, String(value)]))
      return end('workflow_dispatch', dispatch(scene, { by: MAINTAINER, ref: named, inputs }))
    }
    case 'release': {
      const [action = 'published'] = trigger.filters['types']?.patterns ?? []
      const released = release(scene, { action, id: ordinal, tag: ref.name, by: MAINTAINER })
      return end(`release ${ref.name}, with ${nameFiles(files)}`, released)
    }
    case 'issue_comment': {
      const commented = triggerComment(planned, scene, docs)
      const { issue, comment: shown } = commented.payload as unknown as CommentPayload
      return end(`issue_comment on #${issue.number} by ${shown.user.login}: ${shown.body}`, commented)
    }
  }
}

interface CommentPayload {
  readonly issue: { readonly number: number }
  readonly comment: { readonly body: string; readonly user: { readonly login: string } }
}
