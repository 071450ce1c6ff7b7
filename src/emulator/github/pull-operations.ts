import { type Operations, reads, withPull, writes } from './operation.ts'
import { isMergeable, pullBody, shownChange, wholePullBody } from './pull-body.ts'
import { type Call, type Reply, listReply, ok, refusal } from './reply.ts'
import { commitBody, fileBody } from './resource-body.ts'
import { type MergeMethod, closeIssue, mergePull } from './repository-events.ts'
import type { IssueState } from './issue-state.ts'
import type { PullState } from './pull-state.ts'

const MOST_FILES = 3_000
const MOST_COMMITS = 250
const MERGE_METHODS: readonly MergeMethod[] = ['merge', 'squash', 'rebase']

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

function merge(pull: PullState, number: number, call: Call): Reply {
  const { sha, merge_method: method = 'merge' } = call.body
  if (pull.state !== 'open' || pull.draft || pull.blocked || isMergeable(call, pull) === false)
    return refusal(405, 'Pull Request is not mergeable')
  if (sha !== undefined && sha !== pull.headSha)
    return refusal(409, 'Head branch was modified. Review and try the merge again.')
  const known = MERGE_METHODS.find((one) => one === method) ?? 'merge'
  const made = mergePull(call.repository, number, known, call.state.identity, call.nowMs)
  return made === undefined
    ? refusal(405, 'Pull Request is not mergeable')
    : ok({ sha: made.sha, merged: true, message: 'Pull Request successfully merged' })
}

/** Pull requests with their commits and files, and what is done to them as a whole. */
export const PULL_OPERATIONS: Operations = {
  'pulls/list': reads('/pulls', ['pull-requests'], listPulls),
  'pulls/get': reads(
    '/pulls/{pull_number}',
    ['pull-requests'],
    withPull((pull, number, call) => ok(wholePullBody(call, number, pull))),
  ),
  'pulls/list-files': reads(
    '/pulls/{pull_number}/files',
    ['pull-requests'],
    withPull((pull, _number, call) => listReply(call, shownChange(call, pull).files.slice(0, MOST_FILES), fileBody)),
  ),
  'pulls/list-commits': reads(
    '/pulls/{pull_number}/commits',
    ['pull-requests'],
    withPull((pull, _number, call) =>
      listReply(call, shownChange(call, pull).ahead.slice(0, MOST_COMMITS), (commit) => commitBody(call, commit)),
    ),
  ),
  'pulls/update': writes(
    'PATCH',
    '/pulls/{pull_number}',
    ['pull-requests'],
    withPull((pull, number, call) => {
      if (call.body['state'] === 'closed') closeIssue(call.repository, pull, call.nowMs)
      return ok(wholePullBody(call, number, pull))
    }),
  ),
  'pulls/merge': writes('PUT', '/pulls/{pull_number}/merge', ['contents'], withPull(merge)),
}
