import { CONTENTS, type Operations, PULLS, type PullCall, reads, withPull, writes } from './operation.ts'
import { isMergeable, pullBody, shownChange, wholePullBody } from './pull-body.ts'
import { type Call, type Reply, listReply, ok, refusal } from './reply.ts'
import { commitBody, fileBody } from './resource-body.ts'
import { mergePull } from './repository-events.ts'
import type { IssueState } from './issue-state.ts'

const MOST_FILES = 3_000
const MOST_COMMITS = 250
const NOT_MERGEABLE = refusal(405, 'Pull Request is not mergeable')

/** Sorted and filtered as the lists of pull requests and of issues are: open ones, newest first, unless told otherwise. */
export function sortIssues<T extends IssueState>(
  { query }: Call,
  issues: Readonly<Record<number, T>>,
): readonly (readonly [number: number, issue: T])[] {
  const wanted = query.get('state') ?? 'open'
  const time = query.get('sort') === 'updated' ? 'updatedAtMs' : 'createdAtMs'
  const sign = query.get('direction') === 'asc' ? 1 : -1
  return Object.entries(issues)
    .map(([number, issue]) => [Number(number), issue] as const)
    .filter(([, { state }]) => wanted === 'all' || state === wanted)
    .sort(([a, one], [b, other]) => sign * (one[time] - other[time] || a - b))
}

function listPulls(call: Call): Reply {
  const { query, name, state, nowMs } = call
  const owner = name.split('/')[0] ?? ''
  const [head, base] = [query.get('head'), query.get('base')]
  const found = sortIssues(call, call.repository.pulls).filter(
    ([, pull]) =>
      nowMs >= pull.createdAtMs + state.lag.newPullMs &&
      (head === null || head === `${owner}:${pull.branch}`) &&
      (base === null || base === pull.base),
  )
  return listReply(call, found, ([number, pull]) => pullBody(call, number, pull))
}

function listFiles(call: PullCall): Reply {
  return listReply(call, shownChange(call, call.pull).files.slice(0, MOST_FILES), fileBody)
}

function listCommits(call: PullCall): Reply {
  const commits = shownChange(call, call.pull).ahead.slice(0, MOST_COMMITS)
  return listReply(call, commits, (commit) => commitBody(call, commit))
}

function merge(call: PullCall): Reply {
  const { pull, number, repository, state, nowMs } = call
  const { sha, merge_method: method } = call.body
  if (pull.state !== 'open' || pull.draft || pull.blocked || isMergeable(call, pull) === false) return NOT_MERGEABLE
  if (sha !== undefined && sha !== pull.headSha)
    return refusal(409, 'Head branch was modified. Review and try the merge again.')
  const made = mergePull(repository, number, method === 'squash' ? 'squash' : 'merge', state.identity, nowMs)
  if (made === undefined) return NOT_MERGEABLE
  return ok({ sha: made.sha, merged: true, message: 'Pull Request successfully merged' })
}

/** Pull requests with their commits and files, and what is done to them as a whole. */
export const PULL_OPERATIONS: Operations = {
  'pulls/list': reads('/pulls', PULLS, listPulls),
  'pulls/get': reads(
    '/pulls/{pull_number}',
    PULLS,
    withPull((call) => ok(wholePullBody(call))),
  ),
  'pulls/list-files': reads('/pulls/{pull_number}/files', PULLS, withPull(listFiles)),
  'pulls/list-commits': reads('/pulls/{pull_number}/commits', PULLS, withPull(listCommits)),
  'pulls/merge': writes('PUT', '/pulls/{pull_number}/merge', CONTENTS, withPull(merge)),
}
