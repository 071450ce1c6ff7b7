import { MARKER_BEGINNING, type MarkerComment } from '../../github/comments.ts'
import { oneLine } from '../../text/untrusted.ts'

/** After so many follow-ups to one pull request somebody has to look at it. */
export const MOST_FOLLOW_UPS = 20

const hiddenLine = (fact: string): string => `${MARKER_BEGINNING}${fact} -->`

/** The comment that names the job a pull request comes from. Its marker does not show; the id is a checked one. */
export function markerComment(jobId: string): string {
  return `${hiddenLine(`job=${jobId}`)}\nThis pull request comes from the docs agent job \`${oneLine(jobId, 128)}\`.`
}

/** What a marker says. Anybody can write one: it points to a job, and proves nothing. */
interface Marker {
  readonly jobId: string
  /** How many follow-ups were sent because of it. */
  readonly followUps: number
  /** Which step has counted last; empty before the first follow-up. */
  readonly countedBy: string
}

const lineOf = (fact: string): string => `${hiddenLine(fact)}[^\\S\\n]*`

/** The job, and in further hidden lines the count and who has counted, which are not there before the first follow-up. */
const MARKER = new RegExp(
  `^${lineOf('job=([A-Za-z0-9_-]{1,128})')}(?:\\n${lineOf('follow-ups=(\\d{1,6})')}(?:\\n${lineOf('counted-by=([\\w.-]{1,100})')})?)?`,
)

/** Undefined if the comment does not begin with a marker. */
export function readMarker(body: string): Marker | undefined {
  const [, jobId, followUps = '0', countedBy = ''] = MARKER.exec(body) ?? []
  return jobId === undefined ? undefined : { jobId, followUps: Number(followUps), countedBy }
}

/**
 * Those of the comments that count: what trusted authors wrote, and if there is none, what apps did, as an earlier step may have
 * had the token of one of them. What strangers write proves nothing.
 */
export function mostTrusted<Comment extends Pick<MarkerComment, 'author'>>(
  comments: readonly Comment[],
): readonly Comment[] {
  const trusted = comments.filter(({ author }) => author === 'trusted')
  return trusted.length > 0 ? trusted : comments.filter(({ author }) => author === 'bot')
}

/** Whether a comment is the one that names this job, or with no job given, any job. One that only quotes it is not. */
export function isMarkerComment(body: string, jobId?: string): boolean {
  const named = readMarker(body)?.jobId
  return named !== undefined && named === (jobId ?? named)
}

/** A marker comment with another count; the rest of it stays as it is. */
export function withFollowUps(body: string, followUps: number, countedBy: string): string {
  const facts = (jobId: string): string[] => [`job=${jobId}`, `follow-ups=${followUps}`, `counted-by=${countedBy}`]
  return body.replace(MARKER, (_marker, jobId: string) => facts(jobId).map(hiddenLine).join('\n'))
}
