import { MARKER_BEGINNING, type MarkerComment } from '../../github/comments.ts'
import { oneLine } from '../../shared/untrusted-text.ts'

const hiddenLine = (fact: string): string => `${MARKER_BEGINNING}${fact} -->`

/** The comment that names the job a pull request comes from. Its marker does not show; the id is a checked one. */
export function markerComment(jobId: string): string {
  return `${hiddenLine(`job=${jobId}`)}\nThis pull request comes from the docs agent job \`${oneLine(jobId, 128)}\`.`
}

/** What strangers write proves nothing. An app may be the one that the token is of, and the service proves the rest. */
export const mayBeOurs = ({ author }: MarkerComment): boolean => author !== 'stranger'

/** What a marker says. Anybody can write one: it points to a job, and proves nothing. */
interface Marker {
  readonly jobId: string
  /** How many follow-ups were sent because of it. */
  readonly followUps: number
}

/** The job, and in a second hidden line the count, which is not there before the first follow-up. */
const MARKER = new RegExp(
  `^${hiddenLine('job=([A-Za-z0-9_-]{1,128})')}[^\\S\\n]*(?:\\n${hiddenLine('follow-ups=(\\d{1,6})')}[^\\S\\n]*)?`,
)

/** Undefined if the comment does not begin with a marker. */
export function readMarker(body: string): Marker | undefined {
  const [, jobId, followUps = '0'] = MARKER.exec(body) ?? []
  return jobId === undefined ? undefined : { jobId, followUps: Number(followUps) }
}

/** Whether a comment is the one that names this job, or with no job given, any job. One that only quotes it is not. */
export function isMarkerComment(body: string, jobId?: string): boolean {
  const named = readMarker(body)?.jobId
  return named !== undefined && named === (jobId ?? named)
}

/** A marker comment with another count; the rest of it stays as it is. */
export function withFollowUps(body: string, followUps: number): string {
  return body.replace(
    MARKER,
    (_marker, jobId: string) => `${hiddenLine(`job=${jobId}`)}\n${hiddenLine(`follow-ups=${followUps}`)}`,
  )
}
