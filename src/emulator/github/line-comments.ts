import { listDiffLines } from './diff-lines.ts'
import type { PullCall } from './operation.ts'
import { getVisibleChange } from './pull-body.ts'
import type { ReviewComment } from './pull-state.ts'
import { takeId } from './state.ts'

/** The fields of a request that comments on a line of a diff. */
export interface LineFields {
  readonly path?: unknown
  readonly body?: unknown
  readonly line?: unknown
  readonly side?: unknown
  readonly start_line?: unknown
  readonly position?: unknown
}

type UnresolvedField = 'path' | 'line'

/**
 * Creates a comment on a line of a pull request's diff, without a review.
 * @returns the field of the request that does not match the diff, if there is one
 */
export function makeLineComment(call: PullCall, fields: LineFields): ReviewComment | UnresolvedField {
  const { pull, state, nowMs } = call
  const { path, body, line, side = 'RIGHT', start_line: startLine, position } = fields
  const file = getVisibleChange(call, pull).files.find(({ filename }) => filename === path)
  if (file === undefined) return 'path'
  const key = side === 'LEFT' ? 'oldLine' : 'newLine'
  const lines = listDiffLines(file)
  const found = lines.find((diffLine) => (line === undefined ? diffLine.position === position : diffLine[key] === line))
  const isStartKnown = startLine === undefined || lines.some((diffLine) => diffLine[key] === startLine)
  if (found === undefined || !isStartKnown) return 'line'
  return {
    id: takeId(state),
    user: state.identity,
    body: String(body),
    createdAtMs: nowMs,
    reactions: [],
    path: file.filename,
    line: found[key] ?? found.oldLine ?? 1,
    side: found[key] === undefined ? 'LEFT' : (side as 'LEFT' | 'RIGHT'),
    ...(typeof startLine === 'number' && { startLine }),
    position: found.position,
    diffHunk: found.hunk,
  }
}
