import { type GitHubCall, NOT_FOUND, type Reply, replyWithError } from './reply.ts'
import type { IssueState } from './issue-state.ts'
import type { SupportedParameters } from './parameters.ts'
import type { PullState } from './pull-state.ts'
import type { PermissionName } from './state.ts'

/** An operation of GitHub's REST API. */
export interface GitHubOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** The path in GitHub's API description, without `/repos/{owner}/{repo}`. */
  readonly path: string
  /** Any one of these is sufficient. Empty: every token is allowed. */
  readonly permissions: readonly PermissionName[]
  readonly handle: (call: GitHubCall) => Reply
  readonly parameters: SupportedParameters
}

/** By operation ids of GitHub's API description, such as `pulls/get`. */
export type Operations = Readonly<Record<string, GitHubOperation>>

export const defineOperation = (
  method: GitHubOperation['method'],
  path: string,
  permissions: GitHubOperation['permissions'],
  handle: GitHubOperation['handle'],
  parameters: SupportedParameters = {},
): GitHubOperation => ({ method, path, permissions, handle, parameters })

export const CONTENTS = ['contents'] as const
export const PULLS = ['pull-requests'] as const
/** For a pull request either one is sufficient. An issue requires `issues`. */
export const ISSUES_OR_PULLS = ['issues', 'pull-requests'] as const

export interface PullCall extends GitHubCall {
  readonly number: number
  readonly pull: PullState
}

export interface IssueCall extends GitHubCall {
  readonly number: number
  readonly issue: IssueState | PullState
}

/** Finds the pull request that the path names. Responds with 404 if it does not exist or is not visible yet. */
export function withPull(handle: (call: PullCall) => Reply): GitHubOperation['handle'] {
  return (call) => {
    const number = Number(call.params['pull_number'] ?? call.params['issue_number'])
    const pull = call.repository.pulls[number]
    const isVisible = pull !== undefined && call.nowMs >= pull.createdAtMs + call.state.lag.newPullMs
    return isVisible ? handle({ ...call, number, pull }) : NOT_FOUND
  }
}

/** Finds the issue that the path names. Every pull request is also an issue. */
export function withIssue(handle: (call: IssueCall) => Reply): GitHubOperation['handle'] {
  const handlePull = withPull((call) => handle({ ...call, issue: call.pull }))
  return (call) => {
    const number = Number(call.params['issue_number'])
    const issue = call.repository.issues[number]
    return issue === undefined ? handlePull(call) : handle({ ...call, number, issue })
  }
}

/** `pull-requests` is sufficient for a pull request, but not for an issue. */
function listSufficientPermissions(
  { permissions }: GitHubOperation,
  { repository, params }: Pick<GitHubCall, 'repository' | 'params'>,
): readonly PermissionName[] {
  const isIssue = repository.issues[Number(params['issue_number'])] !== undefined
  return isIssue ? permissions.filter((name) => name !== 'pull-requests') : permissions
}

/** Returns the value of `x-accepted-github-permissions`: alternatives, separated by `; `. */
export function formatAcceptedPermissions(
  operation: GitHubOperation,
  call: Pick<GitHubCall, 'repository' | 'params'>,
): string {
  const names = listSufficientPermissions(operation, call)
  const access = getAccess(operation)
  return names.map((name) => `${name.replace('-', '_')}=${access}`).join('; ') || 'metadata=read'
}

const getAccess = ({ method }: GitHubOperation): 'read' | 'write' => (method === 'GET' ? 'read' : 'write')

/** Returns GitHub's 403 if the token lacks the permission. */
export function checkTokenPermission(
  operation: GitHubOperation,
  call: Pick<GitHubCall, 'state' | 'repository' | 'params'>,
): Reply | undefined {
  const access = getAccess(operation)
  const names = listSufficientPermissions(operation, call)
  const { permissions } = call.state
  if (names.length === 0 || names.some((name) => ['write', access].includes(permissions[name] ?? ''))) return undefined
  return replyWithError(403, 'Resource not accessible by integration')
}
