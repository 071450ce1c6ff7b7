/** States, events and runs that the checks of several recipes share. */
import { changedRepository, commit } from '../../testing/github-state.ts'
import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import { mergePull, pushCommit } from '../../src/emulator/github/repository-changes.ts'
import type { Commit, FileChange, RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { createPushEvent } from '../../src/emulator/github/webhook-events.ts'
import type { Trigger, RepositoryName, Run } from './check.ts'

type Fields = Partial<RepositoryState>

const createChange = (filename: string) => ({ filename, patch: '@@ -1 +1 @@\n-a\n+b' })

/** Creates a repository in which a push changed files. */
export function createChangedRepository(names: readonly string[], fields: Fields = {}, from = 'a'): RepositoryState {
  return changedRepository({ from, files: names.map(createChange) }, fields)
}

/** Creates a repository in which code changed after the last successful run of a workflow. */
export function createRepositoryChangedSince(workflow: string, event: string, fields: Fields = {}): RepositoryState {
  const end = { status: 'completed', conclusion: 'success' } as const
  const run = { id: 41, workflow, branch: 'main', headSha: commit('e'), event, createdAtMs: 0, ...end }
  return createChangedRepository(['src/flags.ts'], { workflowRuns: [run], ...fields }, 'e')
}

export function addFile(filename: string, line: string): FileChange {
  return { filename, status: 'added', additions: 1, deletions: 0, patch: `@@ -0,0 +1 @@\n+${line}` }
}

type Change = (here: RepositoryState) => Commit | undefined

const createPush =
  (repository: RepositoryName, branch: string, change: Change): Trigger =>
  (state) => {
    const here = state.repositories[repository]
    if (here === undefined || change(here) === undefined) throw new Error(`Nothing can be pushed to ${repository}.`)
    return createPushEvent(state, repository, { baseUrl: 'https://github.com', branch }).payload
  }

export function push(filename: string, repository: RepositoryName = 'acme/docs', branch = 'main'): Trigger {
  const commit = { message: `Change ${filename}`, author: MAINTAINER, files: [createChange(filename)] }
  return createPush(repository, branch, (here) => pushCommit(here, branch, commit, 0))
}

export function merge(number: number): Trigger {
  return createPush('acme/docs', 'main', (here) => mergePull(here, number, MAINTAINER, 0))
}

/** Triggers several events in order. The last one starts the run. */
export function triggerInOrder(...triggers: readonly Trigger[]): Trigger {
  return (github) => triggers.map((trigger) => trigger(github)).at(-1) ?? {}
}

/** A run without a key, which is red and sends nothing. */
export const NO_KEY: Run = { secrets: 'withheld', isRed: true }
export const SKIPPED: Run = { summary: ['Skipped, nothing to do'] }
/** A run in which no job starts. */
export const NOT_TRIGGERED: Run = { jobs: [], github: [] }

/** Two pushes: the run of the first one is red, and the prompt of the second one must contain both changes. */
export function redThenGreen(
  [missed, next]: readonly [string, string],
  expected: Run,
  ...where: [RepositoryName?, string?]
): readonly Run[] {
  return [
    { ...NO_KEY, event: push(missed, ...where) },
    { event: push(next, ...where), promptTexts: [missed, next], ...expected },
  ]
}
