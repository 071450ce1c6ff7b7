import type { EventPayload } from '../../github/event-payload.ts'
import type { EventSubject } from '../prompt/event-section.ts'

type Text = EventSubject['texts'][number]

const line = (name: string, value: string | undefined): string[] => (value ? [`${name}: ${value}`] : [])
const body = (name: string, value: string | undefined): Text[] => (value ? [{ name, text: value }] : [])

function headOf(name: string, { number, title, htmlUrl }: NonNullable<EventPayload['discussion']>): string[] {
  return number === undefined ? [] : [`${name} #${number}: ${title ?? ''}`, ...line('Address', htmlUrl)]
}

function linesOf({ pullRequest, issue, discussion, release, workflowRun, comment, review }: EventPayload): string[] {
  return [
    ...(pullRequest === undefined ? [] : headOf('Pull request', pullRequest)),
    ...(issue === undefined ? [] : headOf(issue.pullRequest === undefined ? 'Issue' : 'Pull request', issue)),
    ...(discussion === undefined ? [] : headOf('Discussion', discussion)),
    ...(release === undefined
      ? []
      : [`Release ${release.tagName}: ${release.name ?? ''}`, ...line('Address', release.htmlUrl)]),
    ...line('Workflow run', workflowRun?.name),
    ...line('It ended as', workflowRun?.conclusion),
    ...line('Its branch', workflowRun?.headBranch),
    ...line('Address', workflowRun?.htmlUrl),
    ...(workflowRun?.pullRequests ?? []).map(({ number }) => `Pull request #${number ?? ''}`),
    ...line('Comment', comment?.htmlUrl),
    ...line('Review', review?.htmlUrl),
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
    ...body('Part of the diff', comment?.diffHunk),
    ...body('Text', issue?.pullRequest === undefined ? issue?.body : undefined),
    ...body('Text', discussion?.body),
    ...body('Notes', release?.body),
  ]
  return lines.length === 0 ? undefined : { lines, texts }
}
