import { changedRepository, commit } from '../../__tests__/support/github-state.ts'
import { MAINTAINER, TOKEN_USER } from '../../src/emulator/github/demo-state.ts'
import { type PullState, createPullState } from '../../src/emulator/github/pull-state.ts'
import { mergePull, pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { Commit, FileChange, RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { Happening, RepositoryName, Run } from './check.ts'

type Fields = Partial<RepositoryState>

/** A pull request with this label, and with the marker of a job that has opened another one. */
export function forgedPull(label: string): PullState {
  const body = '<!-- docs-agent-action: job=job_finished -->'
  const comments = [{ id: 901, user: TOKEN_USER, body, createdAtMs: 0, reactions: [] }]
  return createPullState({ branch: 'somebody/guide', headSha: commit('c'), labels: [label], comments })
}

const changeOf = (filename: string) => ({ filename, patch: '@@ -1 +1 @@\n-a\n+b' })

/** A repository where a push changed these files. */
export function changed(names: readonly string[], fields: Fields = {}, from = 'a'): RepositoryState {
  return changedRepository({ from, files: names.map(changeOf) }, fields)
}

/** A repository where the code was changed since a workflow succeeded. */
export function changedSince(workflow: string, event: string, fields: Fields = {}): RepositoryState {
  const end = { status: 'completed', conclusion: 'success' } as const
  const run = { id: 41, workflow, branch: 'main', headSha: commit('e'), event, createdAtMs: 0, ...end }
  return changed(['src/flags.ts'], { workflowRuns: [run], ...fields }, 'e')
}

export function added(filename: string, line: string): FileChange {
  return { filename, status: 'added', additions: 1, deletions: 0, patch: `@@ -0,0 +1 @@\n+${line}` }
}

type Change = (here: RepositoryState) => Commit | undefined

const parsePush =
  (repository: RepositoryName, branch: string, change: Change): Happening =>
  ({ repositories, users }) => {
    const here = repositories[repository]
    const before = here?.branches[branch]
    const made = here && change(here)
    if (made === undefined) throw new Error(`Nothing can be done in ${repository}.`)
    const person = { username: MAINTAINER }
    return {
      ref: `refs/heads/${branch}`,
      before,
      after: made.sha,
      sender: { login: MAINTAINER, ...users[MAINTAINER] },
      commits: [{ id: made.sha, message: made.message, author: person, committer: person }],
      repository: { full_name: repository, default_branch: 'main' },
    }
  }

export function pushed(filename: string, repository: RepositoryName = 'acme/docs', branch = 'main'): Happening {
  const commit = { message: `Change ${filename}`, author: MAINTAINER, files: [changeOf(filename)] }
  return parsePush(repository, branch, (here) => pushCommit(here, branch, commit, 0))
}

export function merged(number: number): Happening {
  return parsePush('acme/docs', 'main', (here) => mergePull(here, number, MAINTAINER, 0))
}

/** One after the other; the last one starts the run. */
export function inOrder(...happenings: readonly Happening[]): Happening {
  return (github) => happenings.map((happen) => happen(github)).at(-1) ?? {}
}

/** A run that has to be red before anything is sent. */
export const NO_KEY: Run = { secrets: 'withheld', isRed: true }
export const SKIPPED: Run = { summary: ['Skipped, nothing to do'] }
/** Not even a runner starts. */
export const UNHEARD: Run = { jobs: [], github: [] }

/** Two changes: the run of the first one is red, and that of the second one has to tell both. */
export function redThenGreen(
  [missed, next]: readonly [string, string],
  expected: Run,
  ...where: [RepositoryName?, string?]
): readonly Run[] {
  return [
    { ...NO_KEY, event: pushed(missed, ...where) },
    { event: pushed(next, ...where), told: [missed, next], ...expected },
  ]
}
