import { isUnsupportedEvent } from '../../../src/agent/change/loop.ts'
import { MAINTAINER, openFakePull } from '../../../src/emulator/github/demo-state.ts'
import { pushCommit, writeComment } from '../../../src/emulator/github/repository-changes.ts'
import type { RepositoryState } from '../../../src/emulator/github/repository-state.ts'
import { createPushEvent } from '../../../src/emulator/github/webhook-events.ts'
import { createCommentEvent } from '../workflow-runs.ts'
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

const NO_COMMIT = '0'.repeat(40)

/** The files of the newest change that the embedded GitHub has from the start. */
export const DEFAULT_FILES: readonly string[] = ['src/deploy.ts']

/** The number of a person's pull request. */
const PERSONS_PULL = 123

function findAgentPull({ pulls }: RepositoryState): number | undefined {
  const [number] = Object.entries(pulls).find(([, { state, labels }]) => state === 'open' && labels.length > 0) ?? []
  return number === undefined ? undefined : Number(number)
}

/** In the payload, unlike in the context `inputs`, a boolean is `'true'` or `'false'`. */
const toTexts = (inputs: PlannedEvent['inputs']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)]))

function getRepository({ github }: Embedded, name: string): RepositoryState {
  const repository = github.state.repositories[name]
  if (repository === undefined) throw new Error(`The embedded GitHub has no repository ${name}.`)
  return repository
}

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
  pushCommit(docs, docs.defaultBranch, commit, embedded.now())
}

/**
 * Triggers an event on the embedded GitHub.
 * @param repository `owner/name`
 */
export function triggerEvent(planned: PlannedEvent, repository: string, embedded: Embedded): TriggeredEvent {
  const { trigger, ref, ordinal, files, inputs } = planned
  const { event } = trigger
  const { github, url, now } = embedded
  const { state } = github
  const docs = getRepository(embedded, repository)
  const sha = docs.branches[docs.defaultBranch] ?? ''
  const { payload: push } = createPushEvent(state, repository, { baseUrl: url, branch: docs.defaultBranch })
  const { repository: about, sender } = push
  const named = ref.kind === 'branch' ? `refs/heads/${ref.name}` : `refs/tags/${ref.name}`
  if (ref.kind === 'tag') docs.tags[ref.name] = sha
  else docs.runBranch = ref.name
  const end = (title: string, payload: Payload): TriggeredEvent => ({ title, payload, ref: named, sha })

  if (isUnsupportedEvent(event)) return end(event, { repository: about, sender })
  switch (event) {
    case 'push': {
      const created = ref.kind === 'tag' ? { before: NO_COMMIT, created: true, commits: [] } : {}
      return end(`push to ${ref.name}, with ${nameFiles(files)}`, { ...push, ref: named, ...created })
    }
    case 'schedule':
      return end(`schedule, after a change of ${nameFiles(files)}`, {
        schedule: planned.cron,
        repository: about,
      })
    case 'workflow_dispatch':
      return end('workflow_dispatch', { inputs: toTexts(inputs), ref: named, repository: about, sender })
    case 'release': {
      const [action = 'published'] = trigger.filters['types']?.patterns ?? []
      const html_url = `${url}/${repository}/releases/tag/${ref.name}`
      const release = { id: ordinal, tag_name: ref.name, name: ref.name, body: '', draft: false, prerelease: false }
      return end(`release ${ref.name}, with ${nameFiles(files)}`, {
        action,
        release: { ...release, html_url, target_commitish: docs.defaultBranch },
        repository: about,
        sender,
      })
    }
    case 'issue_comment': {
      if (planned.isOnPullRequest && docs.pulls[PERSONS_PULL] === undefined)
        openFakePull(docs, PERSONS_PULL, now(), files)
      const number = planned.isOnPullRequest ? PERSONS_PULL : findAgentPull(docs)
      const pull = number === undefined ? undefined : docs.pulls[number]
      if (number === undefined || pull === undefined)
        throw new Error('There is no open pull request of the agent to comment on.')
      const comment = writeComment(state, pull, MAINTAINER, planned.comment, now())
      const payload = createCommentEvent(state, docs, { url, repository, number, comment })
      return end(`issue_comment on #${number}: ${planned.comment}`, { ...payload, repository: about })
    }
  }
}
