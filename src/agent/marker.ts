import type { CommentAddress, ListedComment } from '../github/comments.ts'
import { hasLabel } from '../github/labels.ts'
import { oneLine } from '../text/untrusted.ts'

/** The hidden lines of this action's comments. Each comment begins like this. */
const MARKER_BEGINNING = '<!-- docs-agent-action: '

/** Whether a comment begins as those of this action do. Anybody can write such a comment. */
export const isOwnComment = (body: string): boolean => body.startsWith(MARKER_BEGINNING)

/** How many signatures of counted follow-ups a marker keeps: more than can be counted at the same time. */
const MAX_SIGNATURES = 100

/** What the hidden lines at the top of a marker comment say. Anybody can write them: they point to a job and prove nothing. */
export interface Marker {
  readonly jobId: string
  /** The labels that the pull request has, or is to have: each names a conversation that it belongs to. */
  readonly labels: readonly string[]
  /** How many follow-ups `on-open-pr` has sent. */
  readonly followUps: number
  /** A signature for each of the newest follow-ups, by which a step sees whether another one has overwritten its count. */
  readonly countedBy: readonly string[]
}

const hiddenLine = (name: string, value: string): string => `${MARKER_BEGINNING}${name}=${value} -->\n`
const HIDDEN_FACT = `${MARKER_BEGINNING}[a-z-]+=[^\\s<>]* -->[^\\S\\n]*`
/** The first lines of a comment that each have one fact. Browsers send a carriage return at the end of each line. */
const HIDDEN_LINES = new RegExp(`^(?:${HIDDEN_FACT}\\n)*${HIDDEN_FACT}\\n?`)
const FACT = new RegExp(`^${MARKER_BEGINNING}([a-z-]+)=(\\S*) -->`, 'gm')
const JOB_ID = /^[A-Za-z0-9_-]{1,128}$/
const SIGNATURE = /^[\w.-]{1,100}$/

/** Comma and `-->` cannot be in a value. */
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

/** @returns undefined if the comment does not begin with a marker */
export function readMarker(body: string): Marker | undefined {
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

/** A new marker comment. Its hidden lines do not show. @param note a sentence to add */
export function createMarkerComment(jobId: string, labels: readonly string[], note = ''): string {
  const lines = renderMarker({ jobId, labels, followUps: 0, countedBy: [] })
  return `${lines}This pull request comes from the docs agent job \`${oneLine(jobId, 128)}\`. ${note}`.trimEnd()
}

/** A marker comment that says something else; what follows its hidden lines stays as it is. */
export function updateMarker(body: string, changes: Partial<Omit<Marker, 'jobId'>>): string {
  const marker = readMarker(body)
  return marker === undefined ? body : body.replace(HIDDEN_LINES, () => renderMarker({ ...marker, ...changes }))
}

/** The share of `max-follow-ups` from which people are told how many follow-ups are left. */
const WARNING_SHARE = 0.75

/** What to do before a pull request takes no more follow-ups, as a sentence; empty while many are left. */
export function warnOfLimit(used: number, max: number): string {
  if (used < max * WARNING_SHARE) return ''
  return used < max
    ? `Only ${max - used} left: merge or close this pull request before they are used up.`
    : 'None left: merge or close this pull request, or the next run fails.'
}

/** Whether a comment is the marker comment of this job, or without a job, of any. A comment that quotes one is not. */
export function isMarkerComment(body: string, jobId?: string): boolean {
  const named = readMarker(body)?.jobId
  return named !== undefined && named === (jobId ?? named)
}

/** Whether a marker comment assigns its pull request to the conversation of a label. */
export function isMarkedWithLabel(body: string, label: string): boolean {
  return hasLabel(label, readMarker(body)?.labels ?? [])
}

/**
 * The comments that count: those by trusted authors, and without any, those by apps, because an earlier step may have had the
 * token of an app. What others write proves nothing.
 */
export function mostTrusted<Comment extends Pick<ListedComment, 'author'>>(
  comments: readonly Comment[],
): readonly Comment[] {
  const trusted = comments.filter(({ author }) => author === 'trusted')
  return trusted.length > 0 ? trusted : comments.filter(({ author }) => author === 'bot')
}

/** The first line of the log in a marker comment. */
export const LOG_BEGINNING = `${MARKER_BEGINNING}log -->`

/** Ends each line about what is left to do. */
export const LEFT_TAG = '<!-- left -->'
/** Ends the line that says how many follow-ups were used. */
export const FOLLOW_UPS_TAG = '<!-- follow-ups -->'

const ROW = /^\|.*<!-- row=([\w.-]+) -->\s*\|\s*$/
const WORKING = /<!-- working=(\d{1,15}) --> (?=<!-- row=)/
const SUMMARISED = /<!-- summarised=(\d{1,9}) -->\s*$/

const toNumber = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits))

/**
 * Ends a row of the log.
 * @param key no other row has it
 * @param workingUntilMs if the row's turn may still run: until when its step waits, in milliseconds since 1970; 0 if the step has ended
 */
export function renderRowTags(key: string, workingUntilMs: number | undefined): string {
  const working = workingUntilMs === undefined ? '' : `<!-- working=${workingUntilMs} --> `
  return `${working}<!-- row=${key.replaceAll(/[^\w.-]/g, '-')} -->`
}

/** @returns undefined if the line is not a row */
export const readRowKey = (line: string): string | undefined => ROW.exec(line)?.[1]

/** @returns undefined if the turn of the row is not said to be running */
export const readWorkingUntil = (row: string): number | undefined => toNumber(WORKING.exec(row)?.[1])

export const removeWorkingTag = (row: string): string => row.replace(WORKING, '')

/** Ends the line in place of so many rows. */
export const renderSummarisedTag = (count: number): string => `<!-- summarised=${count} -->`

/** @returns undefined if the line does not stand in place of rows */
export const readSummarised = (line: string): number | undefined => toNumber(SUMMARISED.exec(line)?.[1])

/** Identifies the step that replies, and what it replies to. */
interface ReplyPlace {
  readonly runId: number
  readonly workflowJob: string
  readonly runnerStepId: string
  /** Of all inputs but secrets. */
  readonly inputsHash: string
}

/** The runner's ids have no other characters. */
const toWord = (id: string): string => id.replaceAll(/[^\w.-]/g, '-')

/**
 * The hidden first line of a reply. It names the step and the comment, so that each step replies once to a comment: a later
 * attempt replaces the reply of its own step, and never the one of another step or of another leg of a matrix.
 */
export function renderReplyMarker({ kind, id }: Pick<CommentAddress, 'kind' | 'id'>, place: ReplyPlace): string {
  const { runId, workflowJob, runnerStepId, inputsHash } = place
  const step = `step=${toWord(workflowJob)}/${toWord(runnerStepId)} inputs=${inputsHash}`
  return `${MARKER_BEGINNING}reply run=${runId} ${step} ${kind}=${id} -->`
}

/**
 * The marker comment of a job to write to: the newest one that has the log, because an older one may be full, and because
 * people can add marker comments, too. Without a log the newest one.
 */
export function pickLogComment<Comment extends Pick<ListedComment, 'author' | 'body'>>(
  comments: readonly Comment[],
): Comment | undefined {
  const counted = mostTrusted(comments)
  return counted.findLast(({ body }) => body.includes(LOG_BEGINNING)) ?? counted.at(-1)
}
