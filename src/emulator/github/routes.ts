import { CHECK_OPERATIONS } from './check-operations.ts'
import { COMMENT_OPERATIONS } from './comment-operations.ts'
import { findCommit } from './history.ts'
import type { GitHubOperation, Operations } from './operation.ts'
import { decodeParameters } from './parameters.ts'
import { ISSUE_OPERATIONS } from './issue-operations.ts'
import { LABEL_OPERATIONS } from './label-operations.ts'
import { PULL_OPERATIONS } from './pull-operations.ts'
import { REPOSITORY_OPERATIONS } from './repository-operations.ts'
import type { RepositoryState } from './repository-state.ts'
import { REVIEW_OPERATIONS } from './review-operations.ts'
import { WORKFLOW_OPERATIONS } from './workflow-operations.ts'

export const OPERATIONS: Operations = {
  ...REPOSITORY_OPERATIONS,
  ...PULL_OPERATIONS,
  ...REVIEW_OPERATIONS,
  ...ISSUE_OPERATIONS,
  ...LABEL_OPERATIONS,
  ...COMMENT_OPERATIONS,
  ...CHECK_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
}

export interface GitHubRoute {
  readonly name: string
  readonly operation: GitHubOperation
  /** The path parameters, without owner and repository. */
  readonly params: Readonly<Record<string, string>>
}

const PARAMETER = /\{(\w+)\}/g

/** Suffixes of unsupported operations. Without this list they would match as a part of a branch or commit name. */
const NOT_IN_NAME = '/(?:comments|branches-where-head)(?:/|$)'

/** Names of branches and tags can contain slashes. */
function toPattern(parameter: string): string {
  if (['basehead', 'ref'].includes(parameter)) return `(?:(?!${NOT_IN_NAME}).)+`
  return /_number$|_id$/.test(parameter) && parameter !== 'workflow_id' ? '\\d+' : '[^/]+'
}

/** Sorted by literal length: `/commits/main/status` is the status of `main`, not the commit of a branch `main/status`. */
const ROUTES = Object.entries(OPERATIONS)
  .map(([name, operation]) => ({
    name,
    operation,
    literalLength: operation.path.replaceAll(PARAMETER, '').length,
    path: new RegExp(
      `^${operation.path.replaceAll(PARAMETER, (_, parameter: string) => `(?<${parameter}>${toPattern(parameter)})`)}$`,
    ),
  }))
  .sort((a, b) => b.literalLength - a.literalLength)

/** Finds the operation of a path below `/repos/{owner}/{repo}`. */
export function findGitHubRoute(method: string, path: string): GitHubRoute | undefined {
  for (const { name, operation, path: pattern } of ROUTES) {
    const match = operation.method === method ? pattern.exec(path) : null
    if (match === null) continue
    return { name, operation, params: decodeParameters(match.groups) }
  }
  return undefined
}

interface RequestParameters {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** An unknown range becomes the change since the last release. */
function replaceUnknownRange(repository: RepositoryState, basehead: string): string {
  const { defaultBranch, tags } = repository
  const isKnown = (ref: string): boolean => findCommit(repository, ref) !== undefined
  // The last tag is the last release.
  const lastRelease = Object.keys(tags).at(-1) ?? defaultBranch
  const [base = '', head = ''] = basehead.split('...')
  if (!isKnown(head)) return `${lastRelease}...${defaultBranch}`
  return isKnown(base) ? basehead : `${lastRelease}...${head}`
}

/** An unknown commit becomes the newest one of the default branch, and an unknown workflow one that ran there. */
function replaceUnknownParams(
  repository: RepositoryState,
  params: RequestParameters['params'],
): RequestParameters['params'] {
  const { defaultBranch, workflowRuns, branches } = repository
  const known: Record<string, string> = { ...params }
  const { basehead, workflow_id: workflow } = params
  if (basehead !== undefined) known['basehead'] = replaceUnknownRange(repository, basehead)
  for (const name of ['ref', 'commit_sha']) {
    const ref = params[name]
    if (ref !== undefined && /^[0-9a-f]{40}$/.test(ref) && findCommit(repository, ref) === undefined)
      known[name] = branches[defaultBranch] ?? ref
  }
  if (workflow !== undefined && !workflowRuns.some((run) => run.workflow === workflow))
    known['workflow_id'] = workflowRuns.find(({ branch }) => branch === defaultBranch)?.workflow ?? workflow
  return known
}

function replaceUnknownBranch(repository: RepositoryState, query: URLSearchParams): URLSearchParams {
  const { defaultBranch, branches } = repository
  const known = new URLSearchParams(query)
  const sha = query.get('sha')
  if (sha !== null && findCommit(repository, sha) === undefined) known.set('sha', branches[defaultBranch] ?? sha)
  const branch = query.get('branch')
  if (branch !== null && !(branch in branches)) known.set('branch', defaultBranch)
  return known
}

/**
 * Replaces unknown commits, branches and workflows with known ones. In a rehearsal, a step requests those of its run's
 * real repository.
 */
export function replaceUnknownNames(
  repository: RepositoryState,
  { params, query }: RequestParameters,
): RequestParameters {
  return { params: replaceUnknownParams(repository, params), query: replaceUnknownBranch(repository, query) }
}
