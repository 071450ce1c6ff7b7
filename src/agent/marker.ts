/**
 * Reads and writes the hidden lines by which this action recognizes its comments. Hides their syntax, and whose
 * comments are trusted.
 */
import type { CommentAddress, Comments, ListedComment } from '../github/comments.ts'
import type { PullRequestAddress } from '../github/pull-requests.ts'
import { oneLine } from '../text/untrusted.ts'

/** The hidden lines of this action's comments. Each comment begins like this. */
const MARKER_BEGINNING = '<!-- docs-agent-action: '
const REPLY_BEGINNING = `${MARKER_BEGINNING}reply `

/** The maximum number of signatures in a marker: more than the number of steps that can count at the same time. */
const MAX_SIGNATURES = 100

/** The hidden lines at the top of a marker comment. Anybody can write them, so they name a job but are not proof. */
export interface Marker {
  readonly jobId: string
  /** The labels that the pull request has or should have. Each one names a conversation that it belongs to. */
  readonly labels: readonly string[]
  /** How many follow-ups `on-open-pr` has sent. */
  readonly followUps: number
  /** One signature for each of the newest follow-ups, so that a step can detect that another step has overwritten its count. */
  readonly countedBy: readonly string[]
}

/**
 * A comment that names the job of its pull request. The action edits such a comment only, because it also counts the
 * follow-ups there. Comments that only name a job would need another comment for the count.
 */
export interface MarkerComment {
  readonly kind: 'marker'
  readonly body: string
  readonly marker: Marker
}

/** What the beginning of a comment says about it. Anybody can write such a beginning, so it does not identify the author. */
export type RecognizedComment =
  | MarkerComment
  /** A reply to a command. */
  | { readonly kind: 'reply' }
  /** Begins like a comment of this action, but names no job: a later version may have written it, or somebody has edited it. */
  | { readonly kind: 'unreadable' }
  /** Not a comment of this action. */
  | { readonly kind: 'other' }

const hiddenLine = (name: string, value: string): string => `${MARKER_BEGINNING}${name}=${value} -->\n`
const HIDDEN_FACT = `${MARKER_BEGINNING}[a-z-]+=[^\\s<>]* -->[^\\S\\n]*`
/** The hidden lines at the beginning of a comment, one fact per line. Browsers send a carriage return at the end of each line. */
const HIDDEN_LINES = new RegExp(`^(?:${HIDDEN_FACT}\\n)*${HIDDEN_FACT}\\n?`)
const FACT = new RegExp(`^${MARKER_BEGINNING}([a-z-]+)=(\\S*) -->`, 'gm')
const JOB_ID = /^[A-Za-z0-9_-]{1,128}$/
const SIGNATURE = /^[\w.-]{1,100}$/

/** Labels are URL-encoded, because a value must not contain a comma or `-->`. */
function decodeLabel(text: string): readonly string[] {
  try {
    const label = decodeURIComponent(text)
    return label === '' ? [] : [label]
  } catch {
    return []
  }
}

function renderMarker({ jobId, labels, followUps, countedBy }: Marker): string {
  return [
    hiddenLine('job', jobId),
    labels.length === 0 ? '' : hiddenLine('labels', labels.map((label) => encodeURIComponent(label)).join(',')),
    followUps === 0 ? '' : hiddenLine('follow-ups', String(followUps)),
    countedBy.length === 0 ? '' : hiddenLine('counted-by', countedBy.slice(-MAX_SIGNATURES).join(',')),
  ].join('')
}

function parseMarker(body: string): Marker | undefined {
  const [lines = ''] = HIDDEN_LINES.exec(body) ?? []
  const facts = Array.from(lines.matchAll(FACT), ([, name = '', value = '']) => [name, value] as const)
  const { job: jobId = '', labels = '', ...counts } = Object.fromEntries(facts)
  const { 'follow-ups': followUps = '', 'counted-by': countedBy = '' } = counts
  if (facts[0]?.[0] !== 'job' || !JOB_ID.test(jobId)) return undefined
  return {
    jobId,
    labels: labels.split(',').flatMap(decodeLabel),
    followUps: /^\d{1,6}$/.test(followUps) ? Number(followUps) : 0,
    countedBy: countedBy.split(',').filter((signature) => SIGNATURE.test(signature)),
  }
}

/** Recognizes a comment by its beginning. A comment that quotes a marker or a reply is not this action's. */
export function recognizeComment(body: string): RecognizedComment {
  if (!body.startsWith(MARKER_BEGINNING)) return { kind: 'other' }
  const marker = parseMarker(body)
  if (marker !== undefined) return { kind: 'marker', body, marker }
  return { kind: body.startsWith(REPLY_BEGINNING) ? 'reply' : 'unreadable' }
}

/**
 * Creates a marker comment.
 * @param note a sentence to add to the visible text
 */
export function createMarkerComment(jobId: string, labels: readonly string[], note = ''): MarkerComment {
  const marker = { jobId, labels, followUps: 0, countedBy: [] }
  const text = `This pull request comes from the docs agent job \`${oneLine(jobId, 128)}\`. ${note}`.trimEnd()
  return { kind: 'marker', body: `${renderMarker(marker)}${text}`, marker }
}

/** Returns the body of a marker comment with other hidden lines. The text after these lines is kept. */
export function updateMarker({ body, marker }: MarkerComment, changes: Partial<Omit<Marker, 'jobId'>>): string {
  return body.replace(HIDDEN_LINES, () => renderMarker({ ...marker, ...changes }))
}

/** From this share of `max-follow-ups` on, the number of remaining follow-ups is shown. */
const WARNING_SHARE = 0.75

/** Returns a sentence about the remaining follow-ups; empty while many are left. */
export function warnOfLimit(used: number, max: number): string {
  if (used < max * WARNING_SHARE) return ''
  return used < max
    ? `Only ${max - used} left: merge or close this pull request before they are used up.`
    : 'None left: merge or close this pull request, or the next run fails.'
}

/** A marker comment on GitHub, and whether its author is trusted. */
export type ListedMarkerComment = MarkerComment & Omit<ListedComment, 'body'>

async function listMarkerComments(
  place: PullRequestAddress,
  github: Pick<Comments, 'listComments'>,
  isWanted: (marker: Marker) => boolean,
): Promise<readonly ListedMarkerComment[]> {
  const find = (body: string): readonly MarkerComment[] => {
    const comment = recognizeComment(body)
    return comment.kind === 'marker' && isWanted(comment.marker) ? [comment] : []
  }
  const listed = await github.listComments(place, (body) => find(body).length > 0)
  return listed.flatMap(({ body, ...author }) => find(body).map((comment) => ({ ...author, ...comment })))
}

/** Lists the marker comments of a pull request, oldest first, whichever job they name. */
export const listAllMarkerComments = (
  pullRequest: PullRequestAddress,
  github: Pick<Comments, 'listComments'>,
): Promise<readonly ListedMarkerComment[]> => listMarkerComments(pullRequest, github, () => true)

/** Lists the marker comments of a pull request that name a job, oldest first. */
export const listMarkerCommentsOfJob = (
  pullRequest: PullRequestAddress,
  jobId: string,
  github: Pick<Comments, 'listComments'>,
): Promise<readonly ListedMarkerComment[]> =>
  listMarkerComments(pullRequest, github, (marker) => marker.jobId === jobId)

/**
 * Returns the comments by trusted authors. If there are none, returns the comments by apps, because an earlier step may have
 * used the token of an app. Comments by others are ignored.
 */
export function filterMostTrusted(comments: readonly ListedMarkerComment[]): readonly ListedMarkerComment[] {
  const trusted = comments.filter(({ author }) => author === 'trusted')
  return trusted.length > 0 ? trusted : comments.filter(({ author }) => author === 'bot')
}

/** The first line of the log in a marker comment. */
export const LOG_BEGINNING = `${MARKER_BEGINNING}log -->`

/** Ends each line about a remaining task. */
export const LEFT_TAG = '<!-- left -->'
/** Ends the line with the number of used follow-ups. */
export const FOLLOW_UPS_TAG = '<!-- follow-ups -->'

const ROW = /^\|.*<!-- row=([\w.-]+) -->\s*\|\s*$/
const WORKING = /<!-- working=(\d{1,15}) --> (?=<!-- row=)/
const SUMMARISED = /<!-- summarised=(\d{1,9}) -->\s*$/

const toNumber = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits))

/**
 * Renders the hidden tags at the end of a row of the log.
 * @param key unique among the rows
 * @param workingUntilMs until when the step of the row waits, in milliseconds since 1970; 0 if the step has ended but its turn may
 *   still run; undefined if the turn has ended
 */
export function renderRowTags(key: string, workingUntilMs: number | undefined): string {
  const working = workingUntilMs === undefined ? '' : `<!-- working=${workingUntilMs} --> `
  return `${working}<!-- row=${key.replaceAll(/[^\w.-]/g, '-')} -->`
}

/** @returns undefined if the line is not a row */
export const readRowKey = (line: string): string | undefined => ROW.exec(line)?.[1]

/** @returns undefined if the row is not marked as working */
export const readWorkingUntil = (row: string): number | undefined => toNumber(WORKING.exec(row)?.[1])

export const removeWorkingTag = (row: string): string => row.replace(WORKING, '')

/** Ends the line that replaces `count` rows. */
export const renderSummarisedTag = (count: number): string => `<!-- summarised=${count} -->`

/** @returns undefined if the line does not replace rows */
export const readSummarised = (line: string): number | undefined => toNumber(SUMMARISED.exec(line)?.[1])

/** Identifies the step that replies. */
interface ReplyPlace {
  readonly runId: number
  readonly workflowJob: string
  readonly runnerStepId: string
  /** The hash of all inputs except secrets. */
  readonly inputsHash: string
}

/** The runner's ids contain only these characters. */
const toWord = (id: string): string => id.replaceAll(/[^\w.-]/g, '-')

/**
 * Renders the hidden first line of a reply. It names the step and the comment, so that each step replies once to a comment. A
 * later attempt replaces only the reply of its own step, never the reply of another step or another job of a matrix.
 */
export function renderReplyMarker({ kind, id }: Pick<CommentAddress, 'kind' | 'id'>, place: ReplyPlace): string {
  const { runId, workflowJob, runnerStepId, inputsHash } = place
  const step = `step=${toWord(workflowJob)}/${toWord(runnerStepId)} inputs=${inputsHash}`
  return `${REPLY_BEGINNING}run=${runId} ${step} ${kind}=${id} -->`
}

/**
 * Picks the marker comment to write to: the newest comment with a log, because an older log may be full, and because people can
 * add marker comments too. If no comment has a log, picks the newest comment.
 */
export function pickLogComment(comments: readonly ListedMarkerComment[]): ListedMarkerComment | undefined {
  const counted = filterMostTrusted(comments)
  return counted.findLast(({ body }) => body.includes(LOG_BEGINNING)) ?? counted.at(-1)
}
