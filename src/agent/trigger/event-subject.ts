import type { EventPayload } from '../../github/event-payload.ts'
import type { EventSubject } from '../prompt/event-section.ts'

type Text = EventSubject['texts'][number]

const line = (name: string, value: string | undefined): string[] => (value ? [`${name}: ${value}`] : [])
const body = (name: string, value: string | undefined): Text[] => (value ? [{ name, text: value }] : [])

function headOf(name: string, { number, title, html_url }: NonNullable<EventPayload['discussion']>): string[] {
  return number === undefined ? [] : [`${name} #${number}: ${title ?? ''}`, ...line('Address', html_url)]
}

function linesOf({ pull_request, issue, discussion, release, workflow_run, comment, review }: EventPayload): string[] {
  return [
    ...(pull_request === undefined ? [] : headOf('Pull request', pull_request)),
    ...(issue === undefined ? [] : headOf(issue.pull_request === undefined ? 'Issue' : 'Pull request', issue)),
    ...(discussion === undefined ? [] : headOf('Discussion', discussion)),
    ...(release === undefined
      ? []
      : [`Release ${release.tag_name}: ${release.name ?? ''}`, ...line('Address', release.html_url)]),
    ...line('Workflow run', workflow_run?.name),
    ...line('It ended as', workflow_run?.conclusion),
    ...line('Its branch', workflow_run?.head_branch),
    ...line('Address', workflow_run?.html_url),
    ...(workflow_run?.pull_requests ?? []).map(({ number }) => `Pull request #${number ?? ''}`),
    ...line('Comment', comment?.html_url),
    ...line('Review', review?.html_url),
    ...line('File', comment?.path),
    ...line('Line', comment?.line?.toString()),
  ]
}

/** What the event is about, from its payload alone: what is edited later changes nothing. Undefined for most events. */
export function findEventSubject(event: EventPayload): EventSubject | undefined {
  const { issue, discussion, release, comment, review } = event
  const lines = linesOf(event)
  const texts = [
    ...body('Comment', comment?.body),
    ...body('Review', review?.body),
    ...body('Part of the diff', comment?.diff_hunk),
    ...body('Text', issue?.pull_request === undefined ? issue?.body : undefined),
    ...body('Text', discussion?.body),
    ...body('Notes', release?.body),
  ]
  return lines.length === 0 ? undefined : { lines, texts }
}
