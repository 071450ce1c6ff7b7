import { type Call, NOT_FOUND, type Reply, refusal } from './reply.ts'
import type { IssueState } from './issue-state.ts'
import type { Plays } from './parameters.ts'
import type { PullState } from './pull-state.ts'
import type { PermissionName } from './state.ts'

/** One of GitHub's operations. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** As in GitHub's description, below `/repos/{owner}/{repo}`. */
  readonly path: string
  /** One of them is enough. None: every token may. */
  readonly permissions: readonly PermissionName[]
  readonly answer: (call: Call) => Reply
  readonly plays: Plays
}

/** By the names of GitHub's description, such as `pulls/get`. */
export type Operations = Readonly<Record<string, Operation>>

export const operation = (
  method: Operation['method'],
  path: string,
  permissions: Operation['permissions'],
  answer: Operation['answer'],
  plays: Plays = {},
): Operation => ({ method, path, permissions, answer, plays })

export const CONTENTS = ['contents'] as const
export const PULLS = ['pull-requests'] as const
/** Either is enough for a pull request; for an issue the first is. */
export const ISSUES_OR_PULLS = ['issues', 'pull-requests'] as const

export interface PullCall extends Call {
  readonly number: number
  readonly pull: PullState
}

export interface IssueCall extends Call {
  readonly number: number
  readonly issue: IssueState | PullState
}

/** The pull request that the path names. One that is too new is not there yet. */
export function withPull(answer: (call: PullCall) => Reply): Operation['answer'] {
  return (call) => {
    const number = Number(call.params['pull_number'] ?? call.params['issue_number'])
    const pull = call.repository.pulls[number]
    const isThere = pull !== undefined && call.nowMs >= pull.createdAtMs + call.state.lag.newPullMs
    return isThere ? answer({ ...call, number, pull }) : NOT_FOUND
  }
}

/** The issue or the pull request that the path names: GitHub counts a pull request as an issue. */
export function withIssue(answer: (call: IssueCall) => Reply): Operation['answer'] {
  const ofPull = withPull((call) => answer({ ...call, issue: call.pull }))
  return (call) => {
    const number = Number(call.params['issue_number'])
    const issue = call.repository.issues[number]
    return issue === undefined ? ofPull(call) : answer({ ...call, number, issue })
  }
}

/** An issue that is no pull request is not for a token that may do pull requests only. */
function sufficient({ permissions }: Operation, { repository, params }: Pick<Call, 'repository' | 'params'>) {
  const isIssue = repository.issues[Number(params['issue_number'])] !== undefined
  return isIssue ? permissions.filter((name) => name !== 'pull-requests') : permissions
}

/** What a token needs, as GitHub says it in each response: one of several. */
export function acceptedPermissions(operation: Operation, asked: Pick<Call, 'repository' | 'params'>): string {
  const names = sufficient(operation, asked)
  const access = getAccess(operation)
  return names.map((name) => `${name.replace('-', '_')}=${access}`).join('; ') || 'metadata=read'
}

const getAccess = ({ method }: Operation): 'read' | 'write' => (method === 'GET' ? 'read' : 'write')

/** GitHub's refusal, where the token allows no such thing. */
export function refuseAccess(
  operation: Operation,
  asked: Pick<Call, 'state' | 'repository' | 'params'>,
): Reply | undefined {
  const access = getAccess(operation)
  const names = sufficient(operation, asked)
  const { permissions } = asked.state
  if (names.length === 0 || names.some((name) => ['write', access].includes(permissions[name] ?? ''))) return undefined
  return refusal(403, 'Resource not accessible by integration')
}
