import {
  type Commit,
  type FileChange,
  type PullState,
  type RepositoryState,
  pullState,
  repositoryState,
} from '../../src/emulator/github/state.ts'

/** A commit's id that is easy to tell from others: `commit('a')` is forty times `a`. */
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

/** A repository whose main branch had a change. */
export function changedRepository(change: MainChange, fields: Partial<RepositoryState> = {}): RepositoryState {
  const { from = 'a', message = 'Write the guide', author = 'Ann', files } = change
  return repositoryState({
    commits: [
      madeCommit({ sha: commit(from) }),
      madeCommit({ sha: commit('b'), parents: [commit(from)], message, author, files }),
    ],
    branches: { main: commit('b') },
    ...fields,
  })
}

/** A repository with pull request 7, whose branch has the commit `c`. */
export function repositoryWithPull(
  pull: Partial<PullState> = {},
  fields: Partial<RepositoryState> & { readonly files?: readonly FileChange[] } = {},
): RepositoryState {
  const { files = [{ filename: 'docs/guide.md' }], ...others } = fields
  return repositoryState({
    commits: [madeCommit({ sha: commit('a') }), madeCommit({ sha: commit('c'), parents: [commit('a')], files })],
    branches: { main: commit('a'), 'agent/guide': commit('c') },
    pulls: { 7: pullState({ branch: 'agent/guide', headSha: commit('c'), ...pull }) },
    ...others,
  })
}
