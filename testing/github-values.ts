/** Values as the client of GitHub returns them. */
import type { ChangedFile, Comparison, PullRequestCommit } from '../src/github/commits.ts'
import type { PullRequest } from '../src/github/pull-requests.ts'
import { ActionError, type ErrorCode } from '../src/runtime/errors.ts'
import { commit } from './github-state.ts'

export const PULL_REQUEST: PullRequest = {
  repository: 'acme/docs',
  number: 7,
  visibility: 'public',
  title: 'Explain the limits',
  text: 'The limits were not explained.',
  state: 'open',
  author: { login: 'docs-agent[bot]', type: 'Bot' },
  branch: 'agent/guide',
  headSha: commit('c'),
  baseRef: 'main',
  baseSha: commit('a'),
  mergeCommitSha: '',
  mergedBy: { login: '', type: '' },
  labels: ['docs-agent'],
  mergeable: true,
  isBlocked: false,
  isBehind: false,
  isAutoMergeOn: false,
}

type GivenCommit = Partial<PullRequestCommit> & Pick<PullRequestCommit, 'sha'>

/** Creates a commit, by default by the agent and on top of commit `a`. */
function pullCommit(fields: GivenCommit): PullRequestCommit {
  const { account = PULL_REQUEST.author, author = '' } = fields
  const writtenBy = account.login === '' ? author : account.login
  return {
    message: 'Change',
    author,
    account,
    writtenBy,
    committedBy: fields.writtenBy ?? writtenBy,
    committerLogin: account.login,
    writtenAt: `2026-01-01T00:00:00Z ${fields.sha}`,
    parents: [commit('a')],
    ...fields,
  }
}

/** Creates commits, by default by the agent and each on top of the previous one. */
export const pullCommits = (...given: readonly GivenCommit[]): PullRequestCommit[] =>
  given.map((fields, index) => pullCommit({ parents: [given[index - 1]?.sha ?? commit('a')], ...fields }))

export const changedFile = (path: string): ChangedFile => ({
  path,
  status: 'modified',
  previousPath: undefined,
  additions: 1,
  deletions: 0,
  patch: '+x',
})

/** A comparison with one commit by a person that changes the guide. */
export const COMPARISON: Comparison = {
  relation: 'ahead',
  mergeBase: commit('a'),
  commits: [{ sha: commit('b'), message: 'Change the guide', author: 'Ann', account: { login: 'ann', type: 'User' } }],
  totalCommits: 1,
  files: [changedFile('docs/guide.md')],
  fileList: 'complete',
}
export const createGitHubError = (code: ErrorCode, hint?: string): ActionError =>
  new ActionError(code, `GitHub said ${code}.`, {
    ...(hint !== undefined && { hint }),
    ...(hint?.startsWith('Grant ') && { lacksPermissionIn: 'acme/docs' }),
  })
