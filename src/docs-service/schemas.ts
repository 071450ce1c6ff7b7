/** Parses and validates what the service returns. Schemas are lazy, because the prompt is sent before any of them is needed. */
import * as z from 'zod/mini'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import { asSentence } from '../text/format.ts'
import { acceptedFields, jobFields, type JobStatus, STATUS_PHRASES, type TerminalStatus } from './interface.ts'

/** The URL of a pull request, which is safe to show, and its parts. */
export interface PullRequestLink {
  readonly href: string
  /** In lower case, with the port. */
  readonly host: string
  /** Undefined, like `repository`, if the URL has no known shape. */
  readonly number: string | undefined
  readonly repository: string | undefined
}

/**
 * `/owner/name/pull/7` and `/group/subgroup/name/-/merge_requests/7`, including a tab of the page, such as `/files`.
 */
const KNOWN_SHAPES = [
  /^\/(?<repository>[\w.-]+\/[\w.-]+)\/pull\/(?<number>[1-9]\d{0,9})(?:\/(?:files|changes|commits|checks)?)?$/,
  /^\/(?<repository>[\w.-]+(?:\/[\w.-]+)+)\/-\/merge_requests\/(?<number>[1-9]\d{0,9})(?:\/(?:diffs|commits)?)?$/,
]

const MAX_URL_CHARS = 2_000

/** Characters that can end a link in Markdown or in an HTML attribute. */
const BREAKS_MARKUP = /[()[\]<>"'`|\\*~]/g

/**
 * Parses a `prLink` (section 2.1). Returns `undefined` unless it is safe to show: https, or http for loopback, without
 * user information, control characters, spaces and non-ASCII characters. Checks the raw text, because the URL parser
 * removes line ends.
 */
export function parsePullRequestLink(raw: string): PullRequestLink | undefined {
  if (raw.length > MAX_URL_CHARS || /[^\x21-\x7e]/.test(raw)) return undefined
  const url = parseUrl(raw)
  if (url === undefined) return undefined
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const shape = KNOWN_SHAPES.map((pattern) => pattern.exec(url.pathname)?.groups).find((groups) => groups !== undefined)
  // Keep the brackets of an IPv6 address. It contains no other character that breaks markup.
  const plain = url.hostname.startsWith('[') ? url.origin : ''
  const percentEncode = (character: string): string =>
    `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  return {
    href: plain + url.href.slice(plain.length).replace(BREAKS_MARKUP, percentEncode),
    host: url.host,
    number: shape?.['number'],
    repository: shape?.['repository'],
  }
}

/** Returns the URL without query, fragment and trailing slash. */
function getPageUrl({ href }: PullRequestLink): string {
  return href.replace(/[?#].*$/, '').replace(/\/$/, '')
}

/**
 * Whether two links lead to the same pull request, by host, repository and number, or by their URLs without a known
 * shape.
 */
export function isSamePullRequest(a: PullRequestLink, b: PullRequestLink): boolean {
  if (a.number === undefined || b.number === undefined) return getPageUrl(a) === getPageUrl(b)
  return a.host === b.host && a.number === b.number && a.repository?.toLowerCase() === b.repository?.toLowerCase()
}

/** A job. Fields that are missing or of another type than documented are undefined. */
export interface Job {
  readonly id: string
  readonly status: JobStatus
  /** A status that the interface does not list. The job then counts as running, so `status` is `active`. */
  readonly unlistedStatus: string | undefined
  readonly repository: string | undefined
  readonly ref: string | undefined
  readonly model: string | undefined
  readonly prLink: PullRequestLink | undefined
  readonly createdAt: string | undefined
}

/** A job whose status is terminal. */
export interface TerminalJob extends Job {
  readonly status: TerminalStatus
}

/**
 * Returns `undefined` for a status in which the agent can be working. Decisions by status use this function or an
 * exhaustive `switch` over the status, so that the compiler finds every place that must handle a new status.
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

/** A terminal status in which the agent has not done what the prompt asked for. */
type UnsuccessfulStatus = Exclude<TerminalStatus, 'completed'>

export function getUnsuccessfulStatus(status: JobStatus): UnsuccessfulStatus | undefined {
  const terminal = getTerminalStatus(status)
  return terminal === 'completed' ? undefined : terminal
}

const isListedStatus = (status: string): status is JobStatus => Object.hasOwn(STATUS_PHRASES, status)

function toJob({ id, status, source, model, prLink: url, createdAt }: z.infer<typeof jobFields>): Job {
  const isListed = isListedStatus(status)
  return {
    id,
    status: isListed ? status : 'active',
    unlistedStatus: isListed ? undefined : status,
    repository: source?.repository,
    ref: source?.ref,
    model,
    prLink: parsePullRequestLink(url ?? ''),
    createdAt,
  }
}

export const jobSchema = z.lazy(() => {
  // An unsafe link invalidates the job: without it, the job would look as if it had changed nothing.
  const hasSafeLink = z.refine<z.infer<typeof jobFields>>(
    ({ prLink: url }) => !url || parsePullRequestLink(url) !== undefined,
    { path: ['prLink'] },
  )
  return z.pipe(jobFields.check(hasSafeLink), z.transform(toJob))
})

/** The response to reading a job (section 4.3). Rejects another job. */
export function createJobSchema(jobId: string): z.ZodMiniType<Job> {
  return jobSchema.check(z.refine(({ id }) => id === jobId))
}

/**
 * The response to a create or a message (sections 4.1 and 4.2). A valid id proves that the service accepted the prompt.
 * If the rest is malformed, the job counts as running until the next read.
 */
export const acceptedJobSchema = z.lazy(() =>
  z.union([
    jobSchema,
    z.pipe(
      acceptedFields,
      z.transform(({ id }): Job => toJob({ id, status: 'active' })),
    ),
  ]),
)

/**
 * The body of an error response. Section 7 defines only that it is a JSON object, unlike the error pages of gateways.
 */
export const errorBodySchema = z.lazy(() => z.looseObject({}))

/** Lists what can be the reason in an object of an error response. */
function listReasons(value: unknown): readonly unknown[] {
  const { message, detail, msg, title } = (value ?? {}) as Readonly<Record<string, unknown>>
  return [value, message, detail, msg, title]
}

/**
 * Returns all different reasons in the body of an error response, at any of the places that are in use: often the first one only
 * names the error, and another one says what is wrong. Empty if there is none.
 */
export function readReason(body: z.infer<typeof errorBodySchema> = {}): string {
  const { error, message, detail, errors, details } = body
  const items: readonly unknown[] = [errors, details, detail].filter((value) => Array.isArray(value)).flat()
  const reasons = [...listReasons(error), message, detail, ...items.flatMap(listReasons), ...listReasons(body)]
  const texts = reasons.filter((reason) => typeof reason === 'string').map((reason) => reason.trim())
  const different = [...new Set(texts)].filter((text) => text !== '')
  return different.map((text, index) => (index < different.length - 1 ? asSentence(text) : text)).join(' ')
}

/** Parses a JSON body. Returns `undefined` if it does not match the schema. */
export function parseBody<T>(schema: z.ZodMiniType<T>, body: string): T | undefined {
  // The errors of JSON.parse and zod quote their input, so they are dropped.
  try {
    return schema.safeParse(JSON.parse(body)).data
  } catch {
    return undefined
  }
}

/** Names the first field that is missing or invalid in a JSON object, such as `visitors[3].path`. Quotes nothing of the body. */
export function findInvalidField(schema: z.ZodMiniType, body: string): string | undefined {
  try {
    const path = schema.safeParse(JSON.parse(body)).error?.issues[0]?.path ?? []
    const names = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    return names.join('').slice(1) || undefined
  } catch {
    return undefined
  }
}
