import * as z from 'zod/mini'
import { ID_PATTERN } from '../runtime/url.ts'
import { parsePullRequestLink, type PullRequestLink } from './pull-request-link.ts'

/** The states that a job can be in (sections 2.1 and 3 of the service's interface), and what is said of it then, behind its name. */
export const STATUS_PHRASES = {
  active: 'is active',
  completed: 'completed',
  archived: 'is archived',
  failed: 'failed',
} as const
export type JobStatus = keyof typeof STATUS_PHRASES

/** A job as the rest of this project sees it: what is missing or of another type than documented is absent. */
export interface Job {
  readonly id: string
  readonly status: JobStatus
  /** A status that the interface does not list. Such a job counts as still running, so `status` is then `active`. */
  readonly unlistedStatus: string | undefined
  /** Set where the answer to a prompt told nothing but the id: that the job runs is then assumed, and proves nothing. */
  readonly isAssumed?: true
  readonly repository: string | undefined
  readonly ref: string | undefined
  readonly model: string | undefined
  /** Undefined if there is none, or none that can be shown. */
  readonly prLink: PullRequestLink | undefined
  /** Set if the service gave an address that is not safe to show: a job without a pull request, and that is said. */
  readonly hasUnsafeLink?: true
  readonly createdAt: string | undefined
}

const idSchema = z.string().check(z.regex(ID_PATTERN))

const word = z.string().check(z.minLength(1))

/** Nothing depends on these, so one that is missing or of another type is no reason to refuse the rest. */
const detail = z.catch(z.optional(word), undefined)

const wireJob = z.object({
  id: idSchema,
  status: word,
  source: z.catch(z.optional(z.object({ repository: detail, ref: detail })), undefined),
  model: detail,
  prLink: z.nullish(z.string()),
  createdAt: detail,
})

function isListed(status: string): status is JobStatus {
  return Object.hasOwn(STATUS_PHRASES, status)
}

function toJob({ id, status, source, model, prLink: address, createdAt }: z.infer<typeof wireJob>): Job {
  const prLink = parsePullRequestLink(address ?? '')
  return {
    id,
    ...(isListed(status) ? { status, unlistedStatus: undefined } : { status: 'active', unlistedStatus: status }),
    repository: source?.repository,
    ref: source?.ref,
    model,
    prLink,
    ...(address && prLink === undefined ? { hasUnsafeLink: true } : {}),
    createdAt,
  }
}

export const jobSchema = z.pipe(wireJob, z.transform(toJob))

/** The answer to reading a job (section 4.3): one about another job makes no sense. */
export function jobWithId(jobId: string): z.ZodMiniType<Job> {
  return jobSchema.check(z.refine(({ id }) => id === jobId))
}

/**
 * The answer to a create or a message (sections 4.1 and 4.2). A valid id proves that the service accepted it; where the
 * rest makes no sense, the next read tells it, and until then the job counts as running.
 */
export const acceptedJobSchema = z.union([
  jobSchema,
  z.pipe(
    z.object({ id: idSchema }),
    z.transform(({ id }): Job => ({ ...toJob({ id, status: 'active' }), isAssumed: true })),
  ),
])

/** JSON has a `-0`, which would be shown with its sign. */
const count = z.int().check(
  z.nonnegative(),
  z.overwrite((value) => value + 0),
)

/** Sections 2.2 and 2.3. */
const visitorCounts = { human: count, ai: count, total: count }

/** One page of visitors (section 4.4), where all fields are required. */
export const visitorsPageSchema = z.object({
  totals: z.object(visitorCounts),
  visitors: z.array(z.object({ path: z.string(), ...visitorCounts })),
  hasMore: z.boolean(),
})

export type VisitorsPage = z.infer<typeof visitorsPageSchema>

/** The largest page of visitors (section 8), in rows. */
export const MAX_PAGE_ROWS = 250

/** What explains a refusal: section 7 leaves its shape open, but it is an object, and no page of something before the service. */
export const refusalSchema = z.object({ error: z.catch(z.optional(z.string()), undefined) })

/** What a body says, or undefined if it does not fit. */
export function parseBody<T>(schema: z.ZodMiniType<T>, body: string): T | undefined {
  // Both JSON.parse and zod quote what they read in their errors, so neither error is kept.
  try {
    return schema.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}
