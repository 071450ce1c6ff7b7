import { findCommit } from './history.ts'
import type { RepositoryState } from './repository-state.ts'

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
