import { isUnsupportedEvent } from '../../../src/agent/change/loop.ts'
import { MAINTAINER, openFakePull } from '../../../src/emulator/github/demo-state.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import {
  comment,
  dispatch,
  push,
  pushTag,
  release,
  schedule,
  type Scene,
} from '../../../src/emulator/github/trigger-events.ts'
import { createPushEvent, type WebhookEvent } from '../../../src/emulator/github/webhook-events.ts'
import type { Embedded } from '../embedded.ts'
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
  /** The text of `issue_comment`. */
  readonly comment: string
  /** Whether the comment is on a person's pull request. */
  readonly isOnPullRequest: boolean
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
  { trigger, ordinal, files }: Pick<PlannedEvent, 'trigger' | 'ordinal' | 'files'>,
  repository: string,
  embedded: Embedded,
): void {
  if (ordinal === 1 || trigger.event === 'issue_comment') return
  const docs = getRepository(embedded, repository)
  const message = `Change ${files[0] ?? 'nothing'} (${ordinal})`
  const patch = `@@ -1 +1,2 @@\n // Acme\n+// Change ${ordinal} of the rehearsal`
  const commit = { message, author: MAINTAINER, files: files.map((filename) => ({ filename, patch })) }
  push(openScene(repository, embedded), docs.defaultBranch, commit)
}

/**
 * Triggers an event on the embedded GitHub.
 * @param repository `owner/name`
 */
export function triggerEvent(planned: PlannedEvent, repository: string, embedded: Embedded): TriggeredEvent {
  const { trigger, ref, ordinal, files } = planned
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
      return end(`push to ${ref.name}, with ${nameFiles(files)}`, { payload: { ...payload, ref: named } })
    }
    case 'schedule':
      return end(`schedule, after a change of ${nameFiles(files)}`, schedule(scene, planned.cron))
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
      if (planned.isOnPullRequest && docs.pulls[PERSONS_PULL] === undefined)
        openFakePull(docs, PERSONS_PULL, scene.nowMs, files)
      const number = planned.isOnPullRequest ? PERSONS_PULL : findAgentPull(docs)
      if (number === undefined) throw new Error('There is no open pull request of the agent to comment on.')
      const commented = comment(scene, number, { user: MAINTAINER, body: planned.comment })
      return end(`issue_comment on #${number}: ${planned.comment}`, commented)
    }
  }
}
