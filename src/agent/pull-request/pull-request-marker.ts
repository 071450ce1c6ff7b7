import { MARKER_BEGINNING } from '../../github/pull-request-marks.ts'
import { oneLine } from '../../shared/untrusted-text.ts'

const MARKER = new RegExp(`^${MARKER_BEGINNING}job=[A-Za-z0-9_-]{1,128} -->`)

/** The comment that names the job a pull request comes from. Its marker does not show; the id is a checked one. */
export function markerComment(jobId: string): string {
  return `${MARKER_BEGINNING}job=${jobId} -->\nThis pull request comes from the docs agent job \`${oneLine(jobId, 128)}\`.`
}

/** Whether a comment is the one that names this job, or with no job given, any job. One that only quotes it is not. */
export function isMarkerComment(body: string, jobId?: string): boolean {
  return jobId === undefined ? MARKER.test(body) : body.startsWith(`${MARKER_BEGINNING}job=${jobId} -->`)
}

/** What a marker says. Anybody can write one: it points to a job, and proves nothing. */
export interface Marker {
  readonly jobId: string
  /** How many follow-ups were sent because of it. */
  readonly followUps: number
}

/** The job, and in a second hidden line the count, which is not there before the first follow-up. */
const WHOLE_MARKER =
  /^<!-- docs-agent-action: job=([A-Za-z0-9_-]{1,128}) -->[^\S\n]*(?:\n<!-- docs-agent-action: follow-ups=(\d{1,6}) -->[^\S\n]*)?/

/** Undefined if the comment does not begin with a marker. */
export function readMarker(body: string): Marker | undefined {
  const [, jobId, followUps = '0'] = WHOLE_MARKER.exec(body) ?? []
  return jobId === undefined ? undefined : { jobId, followUps: Number(followUps) }
}

/** A marker comment with another count; the rest of it stays as it is. */
export function withFollowUps(body: string, followUps: number): string {
  return body.replace(
    WHOLE_MARKER,
    (_marker, jobId: string) =>
      `<!-- docs-agent-action: job=${jobId} -->\n<!-- docs-agent-action: follow-ups=${followUps} -->`,
  )
}
