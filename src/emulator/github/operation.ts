import { type Call, NOT_FOUND, type Reply } from './reply.ts'
import type { IssueState } from './issue-state.ts'
import type { PullState } from './pull-state.ts'
import type { Access, PermissionName } from './state.ts'

/** One of GitHub's operations. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  /** As in GitHub's description, below `/repos/{owner}/{repo}`. */
  readonly path: string
  /** One of them is enough. None: every token may. */
  readonly permissions: readonly PermissionName[]
  readonly access: Access
  readonly answer: (call: Call) => Reply
}

/** By the names of GitHub's description, such as `pulls/get`. */
export type Operations = Readonly<Record<string, Operation>>

type Answer = Operation['answer']

export function reads(path: string, permissions: Operation['permissions'], answer: Answer): Operation {
  return { method: 'GET', path, permissions, access: 'read', answer }
}

export function writes(
  method: Operation['method'],
  path: string,
  permissions: Operation['permissions'],
  answer: Answer,
): Operation {
  return { method, path, permissions, access: 'write', answer }
}

/** The pull request that the path names. One that is too new is not there yet. */
export function withPull(answer: (pull: PullState, number: number, call: Call) => Reply): Answer {
  return (call) => {
    const number = Number(call.params['pull_number'])
    const pull = call.repository.pulls[number]
    if (pull === undefined || call.nowMs < pull.createdAtMs + call.state.lag.newPullMs) return NOT_FOUND
    return answer(pull, number, call)
  }
}

/** The issue or the pull request that the path names: GitHub counts a pull request as an issue. */
export function withIssue(answer: (issue: IssueState | PullState, number: number, call: Call) => Reply): Answer {
  return (call) => {
    const number = Number(call.params['issue_number'])
    if (call.repository.pulls[number] === undefined) {
      const issue = call.repository.issues[number]
      return issue === undefined ? NOT_FOUND : answer(issue, number, call)
    }
    return withPull(answer)({ ...call, params: { pull_number: String(number) } })
  }
}
