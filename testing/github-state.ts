import type { CheckRun } from '../src/emulator/github/check-state.ts'
import { type PullState, createPullState } from '../src/emulator/github/pull-state.ts'
import { closeIssue } from '../src/emulator/github/repository-changes.ts'
import {
  type Commit,
  type FileChange,
  type RepositoryState,
  createRepositoryState,
} from '../src/emulator/github/repository-state.ts'

/** Returns a recognizable commit id: `commit('a')` is forty times `a`. */
export const commit = (digit: string): string => digit.repeat(40)

export const madeCommit = (fields: Partial<Commit> & Pick<Commit, 'sha'>): Commit => ({
  parents: [],
  message: 'Begin',
  author: 'Ann',
  atMs: 0,
  files: [],
  ...fields,
})

/** A change of the main branch, from `commit(from)` to `commit('b')`. */
export interface MainChange {
  readonly from?: string
  readonly message?: string
  readonly author?: string
  readonly files: readonly FileChange[]
}

export function changedRepository(change: MainChange, fields: Partial<RepositoryState> = {}): RepositoryState {
  const { from = 'a', message = 'Write the guide', author = 'Ann', files } = change
  return createRepositoryState({
    commits: [
      madeCommit({ sha: commit(from) }),
      madeCommit({ sha: commit('b'), parents: [commit(from)], message, author, files }),
    ],
    branches: { main: commit('b') },
    ...fields,
  })
}

/** Creates a repository with pull request 7, whose head is commit `c`. */
export function repositoryWithPull(
  pull: Partial<PullState> = {},
  fields: Partial<RepositoryState> & { readonly files?: readonly FileChange[] } = {},
): RepositoryState {
  const { files = [{ filename: 'docs/guide.md' }], ...others } = fields
  return createRepositoryState({
    commits: [madeCommit({ sha: commit('a') }), madeCommit({ sha: commit('c'), parents: [commit('a')], files })],
    branches: { main: commit('a'), 'agent/guide': commit('c') },
    pulls: { 7: createPullState({ branch: 'agent/guide', headSha: commit('c'), ...pull }) },
    ...others,
  })
}

/** Creates a check run, by default one that has passed. */
export function checkRun(fields: Partial<CheckRun> & Pick<CheckRun, 'name' | 'headSha'>): CheckRun {
  return {
    id: 1,
    app: 'github-actions',
    suiteId: 1,
    createdAtMs: 0,
    startedAtMs: 0,
    completedAtMs: 0,
    conclusion: 'success',
    ...fields,
  }
}

/** Deletes a fork. As on GitHub, this closes the open pull requests of its branches. */
export function deleteFork(repository: RepositoryState, fork: string, atMs: number): void {
  for (const pull of Object.values(repository.pulls)) {
    if (pull.fork !== fork) continue
    pull.isForkDeleted = true
    if (pull.state === 'open') closeIssue(repository, pull, atMs)
  }
  Reflect.deleteProperty(repository.forks, fork)
}
