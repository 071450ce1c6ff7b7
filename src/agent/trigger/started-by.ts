import { formatCount } from '../../text/sentences.ts'
import type { Event } from '../../github/event.ts'
import { quoted, type Told } from '../../text/markdown.ts'

/** What started the run, for people: by whom, and where there is more of it. */
export function describeTrigger(event: Event, command: string): Told {
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
