import type { Context } from '../../action/context.ts'
import type { Event, EventCommit, Subject, Work } from '../../github/event.ts'
import { formatCount } from '../../text/format.ts'
import { quoted, type LinkedText } from '../../text/markdown.ts'
import { isOwnComment } from '../marker.ts'

/** What an event is about, as far as that can be the agent's own work. */
export interface EventOrigin {
  /**
   * `people`: what they do by hand or say. `ours`: what this action wrote. `change`: commits, and all of the range that they
   * end. `unknown`: GitHub does not record what the run is about.
   */
  readonly kind: 'people' | 'ours' | 'change' | 'unknown' | 'other'
  readonly numbers: readonly number[]
  readonly branch: string | undefined
  /** Newest first. */
  readonly commits: readonly EventCommit[]
  /** Whether nothing but the whole range tells whose work it is. */
  readonly needsRange: boolean
}

/** A deployment may be one of a commit. */
const SHA = /^[0-9a-f]{40,}$/

const toCommit = (sha: string | undefined, message = ''): readonly EventCommit[] =>
  sha === undefined ? [] : [{ sha, message, author: '', isByPusher: false }]

const ofSubject = (subject: Subject | undefined): Partial<EventOrigin> =>
  subject?.kind === 'pull-request' ? { numbers: [subject.number] } : {}

/** What an event is about, from its payload alone. What cannot be read of it says nothing. */
export function findEventOrigin({ event, sha }: Pick<Context, 'event' | 'sha'>): EventOrigin {
  const nothing = { numbers: [], branch: undefined, commits: [], needsRange: false }
  return { kind: 'other', ...nothing, ...getOrigin(event, sha) }
}

function getOrigin(event: Event, sha: string): Partial<EventOrigin> {
  const { defaultBranch, sender } = event
  /** The default branch is nobody's. */
  const getBranch = (name = ''): string | undefined =>
    name === '' || name === defaultBranch || SHA.test(name) ? undefined : name
  /** What a fork calls its branches says nothing. */
  const ofWork = ({ sha, message, branch, isOfFork, pullRequests }: Work): Partial<EventOrigin> => ({
    numbers: pullRequests.filter(({ isElsewhere }) => !isElsewhere).map(({ number }) => number),
    commits: toCommit(sha, message),
    branch: isOfFork ? undefined : getBranch(branch),
  })
  switch (event.kind) {
    // People start these, or have set them going. An app that starts one does so by order.
    case 'schedule':
    case 'manual':
      return { kind: 'people' }
    case 'comment':
    case 'review': {
      const kind = isOwnComment(event.comment.text) ? 'ours' : sender.isBot ? 'other' : 'people'
      return { ...ofSubject(event.subject), kind }
    }
    case 'pull-request':
    case 'issue':
      return ofSubject(event.subject)
    case 'push':
      return { kind: 'change', commits: event.push.commits, branch: getBranch(event.branch) }
    case 'tag':
    case 'release':
      // Whose commit a new tag names says nothing of those before it. By a person it is made by hand.
      if (sender.isBot) return { kind: 'change', commits: toCommit(SHA.test(sha) ? sha : undefined), needsRange: true }
      return { kind: 'change', commits: event.kind === 'tag' ? (event.push?.commits ?? []) : [] }
    case 'merge-group':
      return event.number === undefined ? {} : { numbers: [event.number] }
    case 'branch':
      return { branch: getBranch(event.branch) }
    case 'workflow-run': {
      const { cause } = event.run
      return cause === 'head' ? { ...ofWork(event.work), kind: 'change' } : { kind: cause }
    }
    case 'deletion':
      return {}
    case 'checks':
    case 'other':
      return ofWork(event.work)
  }
}

/** What started the run, for people: by whom, and where there is more of it. */
export function describeTrigger(event: Event, command: string): LinkedText {
  const by = ` by ${quoted(event.sender.login)}`
  switch (event.kind) {
    case 'push': {
      const { commits, compareUrl: url } = event.push
      const count = commits.length === 0 ? '' : `: ${formatCount(commits.length, 'commit')}`
      return { text: `push to ${quoted(event.branch)}${by}${count}`, url }
    }
    case 'tag':
      return { text: `tag ${quoted(event.tag)}${by}`, url: event.push?.compareUrl }
    case 'release':
      return { text: `release ${quoted(event.tag)}${by}`, url: event.url }
    case 'pull-request':
    case 'issue': {
      const { kind, number, url } = event.subject
      return { text: `${kind.replace('-', ' ')} ${quoted(`#${number}`)}${by}`, url }
    }
    case 'comment':
    case 'review': {
      const { kind, comment } = event
      const isCommand = command !== '' && comment.text.startsWith(command)
      return { text: `${isCommand ? quoted(command) : kind}${by}`, url: comment.url }
    }
    case 'workflow-run':
      return { text: `workflow ${quoted(event.run.name ?? 'without a name')}`, url: event.run.url }
    case 'branch':
      return { text: `branch ${quoted(event.branch)}${by}` }
    case 'deletion':
      return { text: `deletion${by}` }
    case 'merge-group':
      return { text: 'merge queue' }
    case 'schedule':
      return { text: 'schedule' }
    case 'manual':
      return { text: `manual run${by}` }
    case 'checks':
      return { text: `checks${by}` }
    case 'other':
      return { text: `event${by}` }
  }
}
