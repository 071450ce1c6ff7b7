import * as z from 'zod/mini'
import { ID_PATTERN, isLoopback, parseUrl } from '../runtime/url.ts'

/** The address of a pull request, safe to show, and what it says. */
export interface PullRequestLink {
  readonly href: string
  /** In lower case, with its port. */
  readonly host: string
  /** Undefined, as `repository` is, if the address has no known shape. */
  readonly number: string | undefined
  readonly repository: string | undefined
}

/** `/owner/name/pull/7`, and `/group/subgroup/name/-/merge_requests/7`, on any host; the page's own parts may follow. */
const KNOWN_SHAPES = [
  /^\/(?<repository>[\w.-]+\/[\w.-]+)\/pull\/(?<number>[1-9]\d{0,9})(?:\/(?:files|changes|commits|checks)?)?$/,
  /^\/(?<repository>[\w.-]+(?:\/[\w.-]+)+)\/-\/merge_requests\/(?<number>[1-9]\d{0,9})(?:\/(?:diffs|commits)?)?$/,
]

const MAX_LENGTH = 2_000

/** Characters that end a link in Markdown or in an attribute early. */
const BREAKS_MARKUP = /[()[\]<>"'`|\\*~]/g

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * Makes a `prLink` (section 2.1) safe to show and to hand on, or gives undefined if it cannot be: not https (http for
 * loopback only), user information, or any control character, space or non-ASCII character. The raw text is judged,
 * because URL parsing deletes line ends and what stands behind them would move up.
 */
export function parsePullRequestLink(raw: string): PullRequestLink | undefined {
  if (raw.length > MAX_LENGTH || /[^\x21-\x7e]/.test(raw)) return undefined
  const url = parseUrl(raw)
  if (url === undefined) return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const shape = KNOWN_SHAPES.map((pattern) => pattern.exec(url.pathname)?.groups).find((groups) => groups !== undefined)
  // An IPv6 address stands in brackets, and has nothing else in it that could break markup.
  const plain = url.hostname.startsWith('[') ? url.origin : ''
  return {
    href: plain + url.href.slice(plain.length).replace(BREAKS_MARKUP, percentEncode),
    host: url.host,
    number: shape?.['number'],
    repository: shape?.['repository'],
  }
}

/** What of a link names the page, without query, fragment and the slash at its end. */
function toAddress({ href }: PullRequestLink): string {
  return href.replace(/[?#].*$/, '').replace(/\/$/, '')
}

/** Whether two links lead to one pull request, however they are spelled: by host, repository and number. */
export function isSamePullRequest(a: PullRequestLink, b: PullRequestLink): boolean {
  if (a.number === undefined || b.number === undefined) return toAddress(a) === toAddress(b)
  return a.host === b.host && a.number === b.number && a.repository?.toLowerCase() === b.repository?.toLowerCase()
}

/** The states that a job can be in (sections 2.1 and 3 of the service's interface), and what is said of it then, behind its name. */
export const STATUS_PHRASES = {
  active: 'is active',
  completed: 'completed',
  archived: 'is archived',
  failed: 'failed',
} as const
export type JobStatus = keyof typeof STATUS_PHRASES

/** The terminal states: the agent's turn is over. */
export type TerminalStatus = 'completed' | 'failed' | 'archived'

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

/** A job as a read shows it in a terminal state. */
export interface TerminalJob extends Job {
  readonly status: TerminalStatus
}

/**
 * Classifies a status. Undefined while the agent may be at work. Everything that follows from a status is decided by this
 * function, or by an exhaustive `switch` over it, so that the compiler finds all places that a new status needs.
 */
function getTerminalStatus(status: JobStatus): TerminalStatus | undefined {
  switch (status) {
    case 'active':
      return undefined
    case 'completed':
    case 'failed':
    case 'archived':
      return status
  }
}

export function isTerminal(job: Job): job is TerminalJob {
  return getTerminalStatus(job.status) !== undefined
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
