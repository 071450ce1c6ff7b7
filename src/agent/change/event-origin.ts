/** Determines from the event alone what started the run: as values for the loop guard, and in words for people. */
import type { Context } from '../../action/step.ts'
import type { Event, EventCommit, Subject } from '../../github/event.ts'
import { quoteName, type LinkedText } from '../../text/markdown.ts'

/** The pull requests and commits of an event, from which the loop guard decides whether it is the agent's own work. */
export interface EventOrigin {
  /** `people`: a manual action or a schedule. `unknown`: GitHub does not record what the run is about. */
  readonly kind: 'people' | 'unknown' | 'other'
  readonly numbers: readonly number[]
  /** Newest first. */
  readonly commits: readonly EventCommit[]
}

const SHA = /^[0-9a-f]{40,}$/

const toCommit = (sha: string | undefined, message = ''): readonly EventCommit[] =>
  sha === undefined ? [] : [{ sha, message, author: '', authorLogin: '', committerLogin: '', isDistinct: true }]

const getSubjectOrigin = (subject: Subject | undefined): Partial<EventOrigin> =>
  subject?.kind === 'pull-request' ? { numbers: [subject.number] } : {}

/** Reads the origin from the event's payload alone. Malformed parts of the payload are ignored. */
export function findEventOrigin({ event, sha }: Pick<Context, 'event' | 'sha'>): EventOrigin {
  const defaults = { numbers: [], commits: [] }
  return { kind: 'other', ...defaults, ...getOrigin(event, sha) }
}

/** The newest commit of a tag does not show who wrote the commits before it. A person creates a tag by hand. */
function getTagCommits(event: Extract<Event, { kind: 'tag' | 'release' }>, sha: string): readonly EventCommit[] {
  if (event.sender.isBot) return toCommit(SHA.test(sha) ? sha : undefined)
  return event.kind === 'tag' ? event.push.commits : []
}

/** Runners other than GitHub's can omit what was pushed: then only the newest commit is known. */
function getPushedCommits({ push }: Extract<Event, { kind: 'push' }>, sha: string): readonly EventCommit[] {
  const isKnown = push.move.kind !== 'unknown' || push.commits.length > 0
  return isKnown ? push.commits : toCommit(SHA.test(sha) ? sha : undefined)
}

function getOrigin(event: Event, sha: string): Partial<EventOrigin> {
  switch (event.kind) {
    // People start or schedule these runs. If an app starts one, a person has ordered it.
    case 'schedule':
    case 'manual':
      return { kind: 'people' }
    case 'comment':
    case 'review':
    case 'pull-request':
    case 'issue':
      return getSubjectOrigin(event.subject)
    case 'push':
      return { commits: getPushedCommits(event, sha) }
    case 'tag':
    case 'release':
      return { commits: getTagCommits(event, sha) }
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
