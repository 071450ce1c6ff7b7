import { type Marker, type MarkerComment, recognizeComment, updateMarker } from '../../src/agent/marker.ts'
import { type CommentUpdate, updateComment } from '../../src/agent/pull-request/pull-request-log.ts'

/** @throws Error if the comment is no marker comment */
export function toMarkerComment(body: string): MarkerComment {
  const comment = recognizeComment(body)
  if (comment.kind !== 'marker') throw new Error(`Not a marker comment, but ${comment.kind}: ${body.slice(0, 200)}`)
  return comment
}

/** @returns undefined if the comment is no marker comment */
export function readMarker(body: string): Marker | undefined {
  const comment = recognizeComment(body)
  return comment.kind === 'marker' ? comment.marker : undefined
}

export const changeMarker = (body: string, changes: Parameters<typeof updateMarker>[1]): string =>
  updateMarker(toMarkerComment(body), changes)

/** @returns undefined if the text of people leaves no room */
export const updateBody = (body: string, update: CommentUpdate): string | undefined =>
  updateComment(toMarkerComment(body), update)

/** Whether a comment begins like the comments of this action. */
export const isOwnComment = (body: string): boolean => recognizeComment(body).kind !== 'other'
