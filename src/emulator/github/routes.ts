import { CHECK_OPERATIONS } from './check-operations.ts'
import { COMMENT_OPERATIONS } from './comment-operations.ts'
import { findCommit } from './history.ts'
import type { Operation, Operations } from './operation.ts'
import { decodeAll } from './parameters.ts'
import { GIT_OPERATIONS } from './git-operations.ts'
import { ISSUE_OPERATIONS } from './issue-operations.ts'
import { LABEL_OPERATIONS } from './label-operations.ts'
import { PULL_OPERATIONS } from './pull-operations.ts'
import { REPOSITORY_OPERATIONS } from './repository-operations.ts'
import type { RepositoryState } from './repository-state.ts'
import { REVIEW_OPERATIONS } from './review-operations.ts'
import { WORKFLOW_OPERATIONS } from './workflow-operations.ts'

export const OPERATIONS: Operations = {
  ...REPOSITORY_OPERATIONS,
  ...GIT_OPERATIONS,
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
  readonly operation: Operation
  /** The values in the path, without those of the repository. */
  readonly params: Readonly<Record<string, string>>
}

const VALUE = /\{(\w+)\}/g

/** What stands behind a branch or a commit, is played by nobody here, and is no part of its name. */
const NOT_IN_A_NAME = '/(?:protection|rename|comments|branches-where-head)(?:/|$)'

/** Names of branches, tags and files may hold a slash. */
function toForm(value: string): string {
  if (value === 'path') return '.*'
  if (['basehead', 'ref', 'tag', 'branch'].includes(value)) return `(?:(?!${NOT_IN_A_NAME}).)+`
  return /_number$|_id$/.test(value) && value !== 'workflow_id' ? '\\d+' : '[^/]+'
}

/** Those with the most words first: `/commits/main/status` is a status, and not the commit of a branch `main/status`. */
const ROUTES = Object.entries(OPERATIONS)
  .map(([name, operation]) => ({
    name,
    operation,
    words: operation.path.replaceAll(VALUE, '').length,
    path: new RegExp(`^${operation.path.replaceAll(VALUE, (_, value: string) => `(?<${value}>${toForm(value)})`)}$`),
  }))
  .sort((a, b) => b.words - a.words)

/** Finds what a path below `/repos/{owner}/{repo}` is for. */
export function findRoute(method: string, path: string): GitHubRoute | undefined {
  for (const { name, operation, path: pattern } of ROUTES) {
    const match = operation.method === method ? pattern.exec(path) : null
    if (match === null) continue
    return { name, operation, params: decodeAll(match.groups) }
  }
  return undefined
}

interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/**
 * In a rehearsal a step asks about the commits, branches and workflows of the repository that its run is really in. What
 * is not known here stands for what is: a change for the one since the last release, and a workflow for one that ran at
 * that release.
 */
export function inOwnNames(repository: RepositoryState, { params, query }: Asked): Asked {
  const { defaultBranch, tags, workflowRuns, branches } = repository
  const knows = (ref: string): boolean => findCommit(repository, ref) !== undefined
  // The last tag is the last release.
  const before = Object.keys(tags).at(-1) ?? defaultBranch
  const own: Record<string, string> = { ...params }

  const { basehead, workflow_id: workflow } = params
  if (basehead !== undefined) {
    const [base = '', head = ''] = basehead.split('...')
    if (!knows(head)) own['basehead'] = `${before}...${defaultBranch}`
    else if (!knows(base)) own['basehead'] = `${before}...${head}`
  }
  for (const name of ['ref', 'commit_sha']) {
    const ref = params[name]
    if (ref !== undefined && /^[0-9a-f]{40}$/.test(ref) && !knows(ref)) own[name] = branches[defaultBranch] ?? ref
  }
  if (workflow !== undefined && !workflowRuns.some((run) => run.workflow === workflow))
    own['workflow_id'] = workflowRuns.find(({ branch }) => branch === defaultBranch)?.workflow ?? workflow

  const ownQuery = new URLSearchParams(query)
  const branch = query.get('branch')
  if (branch !== null && !(branch in branches)) ownQuery.set('branch', defaultBranch)
  return { params: own, query: ownQuery }
}
