/** Determines from the event alone what started the run: as values for the loop guard, and in words for people. */
import type { Context } from '../../action/step.ts'
import type { Event, EventCommit } from '../../github/event.ts'
import { quoteName, type LinkedText } from '../../text/markdown.ts'

/** The pull requests and commits of an event, from which the loop guard decides whether it is the agent's own work. */
export interface EventOrigin {
  /** `people`: a manual action or a schedule. `unknown`: GitHub does not record what the run is about. */
  readonly kind: 'people' | 'unknown' | 'other'
  readonly numbers: readonly number[]
  /** Newest first. */
  readonly commits: readonly EventCommit[]
}

/** A person who comments or reviews requests the work, whatever the change is. */
export const REQUEST_EVENT_KINDS: readonly string[] = ['comment', 'review', 'issue']

const SHA = /^[0-9a-f]{40,}$/

const toCommit = (sha: string | undefined, message = ''): readonly EventCommit[] =>
  sha === undefined || !SHA.test(sha)
    ? []
    : [{ sha, message, author: '', authorLogin: '', committerLogin: '', isDistinct: true }]

/** Reads the origin from the event's payload alone. Malformed parts of the payload are ignored. */
export function findEventOrigin({ event, sha }: Pick<Context, 'event' | 'sha'>): EventOrigin {
  const defaults = { numbers: [], commits: [] }
  return { kind: 'other', ...defaults, ...getOrigin(event, sha) }
}

const listTagged = (event: Extract<Event, { kind: 'tag' | 'release' }>): readonly EventCommit[] =>
  event.kind === 'tag' ? event.push.commits : []

function getOrigin(event: Event, sha: string): Partial<EventOrigin> {
  const newest = toCommit(sha)
  switch (event.kind) {
    // People start or schedule these runs. If an app starts one, a person has ordered it.
    case 'schedule':
    case 'manual':
      return { kind: 'people' }
    case 'comment':
    case 'review':
    case 'pull-request':
    case 'issue':
      return event.subject?.kind === 'pull-request' ? { numbers: [event.subject.number] } : {}
    case 'push': {
      const { move, commits } = event.push
      // Runners other than GitHub's can omit what was pushed: then only the newest commit is known.
      return { commits: move.kind === 'unknown' && commits.length === 0 ? newest : commits }
    }
    case 'tag':
    case 'release':
      // The newest commit of a tag does not show who wrote the commits before it. A person creates a tag by hand.
      return { commits: event.sender.isBot ? newest : listTagged(event) }
    case 'merge-group':
      return event.number === undefined ? {} : { numbers: [event.number] }
    case 'workflow-run': {
      const { run, work } = event
      if (run.cause !== 'head') return { kind: run.cause }
      const numbers = work.pullRequests.filter(({ isElsewhere }) => !isElsewhere).map(({ number }) => number)
      return { numbers, commits: toCommit(work.sha, work.message) }
    }
    case 'other':
      return {}
  }
}

const KIND_TEXTS = {
  'merge-group': 'merge queue',
  schedule: 'schedule',
  manual: 'manual run',
  other: 'event',
} as const

/**
 * Describes for people what started the run and who caused it, with a link to it if the event has one.
 * @param command the command of the event's comment; empty if it has none
 */
export function describeTrigger(event: Event, command: string): LinkedText {
  const by = ` by ${quoteName(event.sender.login)}`
  switch (event.kind) {
    case 'push':
      return { text: `push to ${quoteName(event.branch)}${by}`, url: event.push.compareUrl }
    case 'tag':
      return { text: `tag ${quoteName(event.tag)}${by}`, url: event.push.compareUrl }
    case 'release':
      return { text: `release ${quoteName(event.tag)}${by}`, url: event.url }
    case 'pull-request':
    case 'issue': {
      const { kind, number, url } = event.subject
      return { text: `${kind.replace('-', ' ')} ${quoteName(`#${number}`)}${by}`, url }
    }
    case 'comment':
    case 'review': {
      const { kind, comment } = event
      return { text: `${command === '' ? kind : quoteName(command)}${by}`, url: comment.url }
    }
    case 'workflow-run':
      return { text: `workflow ${quoteName(event.run.name ?? 'without a name')}`, url: event.run.url }
    case 'merge-group':
    case 'schedule':
      return { text: KIND_TEXTS[event.kind] }
    case 'manual':
    case 'other':
      return { text: `${KIND_TEXTS[event.kind]}${by}` }
  }
}
