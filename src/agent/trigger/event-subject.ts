import type { Event } from '../../github/event.ts'
import type { Comment, Subject } from '../../github/event-parts.ts'
import type { EventSubject } from '../prompt/event-section.ts'

type Text = EventSubject['texts'][number]

const NOUNS = { 'pull-request': 'Pull request', issue: 'Issue', discussion: 'Discussion' } as const

const line = (name: string, value: string | undefined): string[] => (value ? [`${name}: ${value}`] : [])
const body = (name: string, text: string | undefined): Text[] => (text ? [{ name, text }] : [])

/** Of a pull request what names it is enough. */
function tellSubject(subject: Subject | undefined): EventSubject {
  if (subject === undefined) return { lines: [], texts: [] }
  const { kind, number, title, url, text } = subject
  return {
    lines: [`${NOUNS[kind]} #${number}: ${title}`, ...line('Address', url)],
    texts: kind === 'pull-request' ? [] : body('Text', text),
  }
}

function tellComment(name: string, { url, place, text }: Comment): EventSubject {
  return {
    lines: [...line(name, url), ...line('File', place?.path), ...line('Line', place?.line?.toString())],
    texts: [...body(name, text), ...body('Part of the diff', place?.hunk)],
  }
}

function tell(event: Event): EventSubject {
  switch (event.kind) {
    case 'pull-request':
    case 'issue':
      return tellSubject(event.subject)
    case 'comment':
    case 'review': {
      const [subject, said] = [
        tellSubject(event.subject),
        tellComment(event.kind === 'comment' ? 'Comment' : 'Review', event.comment),
      ]
      return { lines: [...subject.lines, ...said.lines], texts: [...said.texts, ...subject.texts] }
    }
    case 'release':
      return {
        lines: [`Release ${event.tag}: ${event.title}`, ...line('Address', event.url)],
        texts: body('Notes', event.notes),
      }
    case 'workflow-run': {
      const { run, work } = event
      const lines = [
        ...line('Workflow run', run.name),
        ...line('It ended as', run.conclusion),
        ...line('Its branch', work.branch),
        ...line('Address', run.url),
        ...work.pullRequests.map(({ number }) => `Pull request #${number}`),
      ]
      return { lines, texts: [] }
    }
    case 'push':
    case 'tag':
    case 'merge-group':
    case 'checks':
    case 'branch':
    case 'schedule':
    case 'manual':
    case 'other':
      return { lines: [], texts: [] }
  }
}

/** What the event is about, from its payload alone: what is edited later changes nothing. Undefined for most events. */
export function findEventSubject(event: Event): EventSubject | undefined {
  const told = tell(event)
  return told.lines.length === 0 ? undefined : told
}
