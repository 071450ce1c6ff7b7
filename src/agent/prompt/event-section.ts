import type { Event } from '../../github/event.ts'
import type { Comment, Subject } from '../../github/event-parts.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { cleanName } from '../../text/fenced.ts'
import { beginningOf, type Section } from './sections.ts'

const NOUNS = { 'pull-request': 'Pull request', issue: 'Issue', discussion: 'Discussion' } as const

const line = (name: string, value: string | undefined): string[] => (value ? [cleanName(`${name}: ${value}`)] : [])
/** Cleaned with all the others. */
const body = (name: string, text: string | undefined): string[] => (text ? [`\n${name}:\n${text}`] : [])

const tellSubject = ({ kind, number, title, url }: Subject): string[] => [
  cleanName(`${NOUNS[kind]} #${number}: ${title}`),
  ...line('Address', url),
]

/** Of a pull request what names it is enough. */
const tellText = ({ kind, text }: Subject): string[] => (kind === 'pull-request' ? [] : body('Text', text))

const tellComment = (name: string, { url, place, text }: Comment): string[] => [
  ...line(name, url),
  ...line('File', place?.path),
  ...line('Line', place?.line?.toString()),
  ...body(name, text),
  ...body('Part of the diff', place?.hunk),
]

/** What an event is about, in the words of strangers: lines first, and texts behind them. Most events say nothing. */
function tell(event: Event): readonly string[] {
  const subject = 'subject' in event ? event.subject : undefined
  const said = 'comment' in event ? tellComment(event.kind === 'comment' ? 'Comment' : 'Review', event.comment) : []
  if (subject !== undefined) return [...tellSubject(subject), ...said, ...tellText(subject)]
  if (event.kind === 'release') {
    const { tag, title, url, notes } = event
    return [cleanName(`Release ${tag}: ${title}`), ...line('Address', url), ...body('Notes', notes)]
  }
  if (event.kind !== 'workflow-run') return said
  const { run, work } = event
  // Branch and pull requests are those of the default branch where GitHub does not record what the run was about.
  const isKnown = run.cause !== 'unknown'
  return [
    ...line('Workflow run', run.name),
    ...line('It ended as', run.conclusion),
    ...(isKnown ? line('Its branch', work.branch) : []),
    ...line('Address', run.url),
    ...(isKnown ? work.pullRequests.map(({ number }) => `Pull request #${number}`) : []),
  ]
}

/** What the event is about, from its payload alone: what is edited later changes nothing. Undefined for most events. */
export function eventSection(event: Event, repository: string): Section | undefined {
  const told = tell(event)
  if (told.length === 0) return undefined
  return {
    name: 'what the event is about',
    sentence: `What this run in ${repository} is about:`,
    bodyOf: (maxBytes) => beginningOf(told.join('\n'), maxBytes),
  }
}

/** The pull request that `change-range` names. */
export function pullRequestSection(
  { repository, number, title, text }: Pick<PullRequest, 'repository' | 'number' | 'title' | 'text'>,
  serverUrl: string,
): Section {
  const lines = [
    cleanName(`Pull request #${number}: ${title}`),
    ...line('Address', `${serverUrl}/${repository}/pull/${number}`),
    ...body('Text', text),
  ]
  return {
    name: 'the pull request',
    sentence: `The pull request in ${repository} that the change belongs to:`,
    bodyOf: (maxBytes) => beginningOf(lines.join('\n'), maxBytes),
  }
}
