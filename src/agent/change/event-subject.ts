import * as z from 'zod/mini'
import type { Trigger } from './change-range.ts'

/** What an event is about, in the words of strangers: not cleaned yet. */
export interface EventSubject {
  /** Each fits on a line, such as `Issue #3: The guide is wrong`. */
  readonly lines: readonly string[]
  readonly texts: readonly { readonly name: string; readonly text: string }[]
}

const optional = <T>(schema: z.ZodMiniType<T>) => z.catch(z.optional(schema), undefined)
const text = z.nullish(z.string())
const numbered = { number: z.number(), title: text, html_url: text }

const eventSchema = z.object({
  pull_request: optional(z.object(numbered)),
  issue: optional(z.object({ ...numbered, body: text, pull_request: z.nullish(z.object({})) })),
  discussion: optional(z.object({ ...numbered, body: text })),
  release: optional(z.object({ tag_name: z.string(), name: text, html_url: text, body: text })),
  workflow_run: optional(
    z.object({
      name: text,
      conclusion: text,
      head_branch: text,
      html_url: text,
      pull_requests: z.nullish(z.array(z.object({ number: z.number() }))),
    }),
  ),
  comment: optional(z.object({ body: text, html_url: text, path: text, line: z.nullish(z.number()), diff_hunk: text })),
  review: optional(z.object({ body: text, html_url: text })),
})
type Event = z.infer<typeof eventSchema>

type Text = EventSubject['texts'][number]

const line = (name: string, value: string | null | undefined): string[] => (value ? [`${name}: ${value}`] : [])
const body = (name: string, value: string | null | undefined): Text[] => (value ? [{ name, text: value }] : [])

interface Numbered {
  readonly number: number
  readonly title?: string | null | undefined
  readonly html_url?: string | null | undefined
}

function headOf(name: string, { number, title, html_url }: Numbered): string[] {
  return [`${name} #${number}: ${title ?? ''}`, ...line('Address', html_url)]
}

function linesOf({ pull_request, issue, discussion, release, workflow_run, comment, review }: Event): string[] {
  return [
    ...(pull_request === undefined ? [] : headOf('Pull request', pull_request)),
    ...(issue === undefined ? [] : headOf(issue.pull_request == null ? 'Issue' : 'Pull request', issue)),
    ...(discussion === undefined ? [] : headOf('Discussion', discussion)),
    ...(release === undefined
      ? []
      : [`Release ${release.tag_name}: ${release.name ?? ''}`, ...line('Address', release.html_url)]),
    ...line('Workflow run', workflow_run?.name),
    ...line('It ended as', workflow_run?.conclusion),
    ...line('Its branch', workflow_run?.head_branch),
    ...line('Address', workflow_run?.html_url),
    ...(workflow_run?.pull_requests ?? []).map(({ number }) => `Pull request #${number}`),
    ...line('Comment', comment?.html_url),
    ...line('Review', review?.html_url),
    ...line('File', comment?.path),
    ...line('Line', comment?.line?.toString()),
  ]
}

/** What the event is about, from its payload alone: what is edited later changes nothing. Undefined for most events. */
export function findEventSubject({ eventName, payload }: Trigger): EventSubject | undefined {
  const { workflow_run, ...event } = eventSchema.safeParse(payload).data ?? {}
  const { issue, discussion, release, comment, review } = event
  // Deployments name the run that made them too.
  const lines = linesOf(eventName === 'workflow_run' ? { ...event, workflow_run } : event)
  const texts = [
    ...body('Comment', comment?.body),
    ...body('Review', review?.body),
    ...body('Part of the diff', comment?.diff_hunk),
    ...body('Text', issue?.pull_request == null ? issue?.body : undefined),
    ...body('Text', discussion?.body),
    ...body('Notes', release?.body),
  ]
  return lines.length === 0 ? undefined : { lines, texts }
}
