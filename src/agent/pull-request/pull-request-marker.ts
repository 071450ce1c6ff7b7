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
