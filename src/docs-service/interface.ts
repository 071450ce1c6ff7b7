/**
 * The service's interface: the paths, fields and statuses, and what to do if the service rejects an operation. Nothing else in the
 * action names them. Section numbers refer to `docs/internals/service-interface.md`.
 */
import * as z from 'zod/mini'
import { ID_PATTERN } from '../runtime/url.ts'

/** The statuses of a job (sections 2.1 and 3), and the phrases that follow the name of a job. */
export const STATUS_PHRASES = {
  active: 'is active',
  completed: 'completed',
  archived: 'is archived',
  failed: 'failed',
} as const
export type JobStatus = keyof typeof STATUS_PHRASES

/** A status in which the agent's turn has ended. */
export type TerminalStatus = 'completed' | 'failed' | 'archived'

/** The query of a page of visitors (section 4.4). */
export interface VisitorsQuery {
  /** Inclusive, `YYYY-MM-DD` or ISO 8601. */
  readonly dateFrom?: string
  /** Exclusive, `YYYY-MM-DD` or ISO 8601. */
  readonly dateTo?: string
  /** Rows per page, 1 to 250. */
  readonly limit?: number
  /** Rows to skip. */
  readonly offset?: number
}

/** The maximum size of a page of visitors (section 8). */
export const MAX_PAGE_ROWS = 250

/** What an operation is about. The ids are validated, so that they need no encoding. */
export interface OperationTarget {
  readonly projectId: string
  /** Set for a message and for a read. */
  readonly jobId?: string
  /** Set for visitors. */
  readonly query?: VisitorsQuery
}

interface Operation {
  readonly method: 'GET' | 'POST'
  /** Returns the path relative to the base URL, with a leading `/`. */
  readonly toPath: (target: OperationTarget) => string
  /** What a user can do if the service rejects the operation. */
  readonly hints: {
    /** What can be invalid in the request besides its URL. */
    readonly sent?: string
    readonly payment: string
    /** Left out if the request has no body, so that the size cannot be the reason. */
    readonly tooLarge?: string
    /** Which scope the key needs. */
    readonly scope: string
    readonly rateLimit: string
  }
}

const JOBS = ({ projectId }: OperationTarget): string => `/v2/agent/${projectId}/job`
const JOB = (target: OperationTarget): string => `${JOBS(target)}/${target.jobId ?? ''}`

const PROMPT_HINTS = {
  sent: 'the prompt, ',
  payment: "Check the plan and the credits in the service's dashboard.",
  tooLarge: 'Shorten the prompt.',
}
const READ_HINTS = { payment: "Check the plan in the service's dashboard." }

export type OperationKind = 'create' | 'message' | 'read' | 'visitors'

export const SERVICE_OPERATIONS: Readonly<Record<OperationKind, Operation>> = {
  /** Section 4.1. */
  create: {
    method: 'POST',
    toPath: JOBS,
    hints: {
      ...PROMPT_HINTS,
      scope: 'a new job needs write access',
      rateLimit: 'Try again later, or start fewer jobs.',
    },
  },
  /** Section 4.2. */
  message: {
    method: 'POST',
    toPath: (target) => `${JOB(target)}/message`,
    hints: {
      ...PROMPT_HINTS,
      scope: 'a follow-up needs write access',
      rateLimit: 'Try again later, or send fewer prompts.',
    },
  },
  /** Section 4.3. */
  read: {
    method: 'GET',
    toPath: JOB,
    hints: {
      ...READ_HINTS,
      scope: 'it must be able to read jobs',
      rateLimit: 'Try again later, or increase `poll-interval-seconds`.',
    },
  },
  /** Section 4.4. */
  visitors: {
    method: 'GET',
    toPath: ({ projectId, query = {} }) => {
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      )
      return `/v1/analytics/${projectId}/visitors?${search.toString()}`
    },
    hints: {
      ...READ_HINTS,
      sent: '`date-from`, `date-to`, ',
      scope: 'it must be able to read analytics',
      rateLimit:
        'Run it later, increase `timeout-minutes`, or export fewer days. Each 250 pages of a site take one request.',
    },
  },
}

/** Returns the method and the path of an operation. */
export function toRequest({
  kind,
  ...target
}: OperationTarget & { readonly kind: OperationKind }): Pick<Operation, 'method'> & { readonly path: string } {
  const { method, toPath } = SERVICE_OPERATIONS[kind]
  return { method, path: toPath(target) }
}

/** The body of a create and of a message. */
export const toPromptBody = (prompt: string): string => JSON.stringify({ prompt })

// The schemas are lazy, because the prompt is sent before any of them is needed.

const idField = z.lazy(() => z.string().check(z.regex(ID_PATTERN)))

/** A job as the service sends it (section 2.1). Only `id` and `status` are needed. */
export const jobFields = z.lazy(() => {
  const word = z.string().check(z.minLength(1))
  // Nothing depends on these fields, so a malformed value does not invalidate the job.
  const detail = z.catch(z.optional(word), undefined)
  return z.object({
    id: idField,
    status: word,
    source: z.catch(z.optional(z.object({ repository: detail, ref: detail })), undefined),
    model: detail,
    prLink: z.nullish(z.string()),
    createdAt: detail,
  })
})

/** What proves that the service accepted a prompt. */
export const acceptedFields = z.lazy(() => z.object({ id: idField }))

/** One page of visitors (section 4.4). All fields are required. */
export const visitorsPage = z.lazy(() => {
  const count = z.int().check(
    z.nonnegative(),
    // Converts `-0`, which is valid JSON, to 0.
    z.overwrite((value) => value + 0),
  )
  // Sections 2.2 and 2.3.
  const counts = { human: count, ai: count, total: count }
  return z.object({
    totals: z.object(counts),
    visitors: z.array(z.object({ path: z.string(), ...counts })),
    hasMore: z.boolean(),
  })
})

export type VisitorsPage = z.infer<typeof visitorsPage>
