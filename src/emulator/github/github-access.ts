import type { Operation } from './operation.ts'
import { type Reply, refusal } from './reply.ts'
import type { RepositoryState } from './repository-state.ts'
import type { Access, GitHubState, PermissionName } from './state.ts'

/** What GitHub says when a repository is archived, and when an organization wants SAML or another address. */
export const REFUSALS = {
  archived: { of: 'writes', message: 'Repository was archived so is read-only.' },
  saml: {
    of: 'all',
    message:
      'Resource protected by organization SAML enforcement. You must grant your OAuth token access to this organization.',
  },
  'ip-allow-list': {
    of: 'all',
    message:
      'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
  },
} as const satisfies Record<string, RepositoryState['refusal']>

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

/** GitHub's refusal, where the token or the repository allows no such thing. */
export function refuseAccess(operation: Operation, asked: Asked): Reply | undefined {
  const { state, repository } = asked
  const { access } = operation
  const { refusal: closed } = repository
  if (closed !== undefined && (closed.of === 'all' || access === 'write')) return refusal(403, closed.message)
  const names = sufficient(operation, asked)
  if (names.length === 0 || names.some((name) => isEnough(state.permissions[name], access))) return undefined
  const accepted = names.map((name) => `${name.replace('-', '_')}=${access}`).join('; ')
  return refusal(403, 'Resource not accessible by integration', {
    headers: { 'x-accepted-github-permissions': accepted },
  })
}
