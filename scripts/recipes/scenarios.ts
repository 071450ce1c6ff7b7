/** States, events and runs that the checks of several recipes share. */
import { changedRepository, commit } from '../../testing/github-state.ts'
import { MAINTAINER } from '../../src/emulator/github/demo-state.ts'
import type { FileChange, RepositoryState } from '../../src/emulator/github/repository-state.ts'
import * as events from '../../src/emulator/github/trigger-events.ts'
import type { Scene } from '../../src/emulator/github/trigger-events.ts'
import type { WebhookEvent } from '../../src/emulator/github/webhook-events.ts'
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

/** Triggers an event of a repository. */
export const at =
  (trigger: (scene: Scene) => WebhookEvent, repository: RepositoryName = 'acme/docs'): Trigger =>
  (state) =>
    trigger({ state, repository, baseUrl: 'https://github.com', nowMs: 0 }).payload

export function push(filename: string, repository: RepositoryName = 'acme/docs', branch = 'main'): Trigger {
  const commit = { message: `Change ${filename}`, author: MAINTAINER, files: [createChange(filename)] }
  return at((scene) => events.push(scene, branch, commit), repository)
}

export const merge = (number: number): Trigger => at((scene) => events.merge(scene, number, MAINTAINER))

/** Merges or closes a pull request. A second run gets the same event. */
export const close = (number: number, isMerged = true): Trigger =>
  at((scene) => events.closePull(scene, number, MAINTAINER, isMerged))

export const addLabel = (number: number, label: string): Trigger =>
  at((scene) => events.addLabel(scene, number, label, MAINTAINER))

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
