import type { Operation } from './operation.ts'
import { type Reply, refusal } from './reply.ts'
import type { RepositoryState } from './repository-state.ts'
import type { Access, GitHubState, PermissionName } from './state.ts'

interface Asked {
  readonly state: GitHubState
  readonly repository: RepositoryState
  readonly params: Readonly<Record<string, string>>
}

const isEnough = (given: Access | undefined, wanted: Access): boolean => given === 'write' || given === wanted

/** An issue that is no pull request is not for a token that may do pull requests only. */
function sufficient({ permissions }: Operation, { repository, params }: Asked): readonly PermissionName[] {
  const number = params['issue_number']
  const isIssue = number !== undefined && repository.issues[Number(number)] !== undefined
  return isIssue ? permissions.filter((name) => name !== 'pull-requests') : permissions
}

/** GitHub's refusal, where the token allows no such thing. */
export function refuseAccess(operation: Operation, asked: Asked): Reply | undefined {
  const { access } = operation
  const names = sufficient(operation, asked)
  if (names.length === 0 || names.some((name) => isEnough(asked.state.permissions[name], access))) return undefined
  const accepted = names.map((name) => `${name.replace('-', '_')}=${access}`).join('; ')
  return refusal(403, 'Resource not accessible by integration', {
    headers: { 'x-accepted-github-permissions': accepted },
  })
}
