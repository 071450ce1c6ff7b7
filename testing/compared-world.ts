import type { WorkflowRun } from '../src/emulator/github/check-state.ts'
import { GITHUB_TOKEN, MAINTAINER } from '../src/emulator/github/demo-state.ts'
import { createPullState, type PullState } from '../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../src/emulator/github/repository-state.ts'
import { agentInputs } from './agent-inputs.ts'
import { commit, madeCommit } from './github-state.ts'
import { playStep, type PlayedStep, type PlayStepOptions } from './play-step.ts'

export type Given = Readonly<Record<string, string>>
export type GivenEvent = readonly [name: string, payload?: object]

/** A repository with a line of commits on its main branch, which begins with commit `a`. */
export interface ComparedWorld {
  /** The recognizable commits after `a`, by their digits. Default: `b`. */
  readonly line?: string | readonly string[]
  /** Commits after `a` that are on no branch. */
  readonly beside?: string
  /** What the newest commit changes, and those beside. Default: the guide. */
  readonly files?: readonly string[]
  readonly message?: (sha: string) => string
  /** Pull requests, by number. */
  readonly pulls?: Readonly<Record<number, PullState>>
  /** Runs of this workflow, by default a success on commit `a`. */
  readonly runs?: readonly WorkflowRun[]
  readonly more?: Partial<RepositoryState>
}

const toSha = (name: string): string => (name.length === 1 ? commit(name) : name)

/** A successful run on the main branch. */
export const greenRun = (sha: string, fields: Partial<WorkflowRun> = {}): WorkflowRun => ({
  id: 31,
  workflow: 'docs.yml',
  branch: 'main',
  headSha: toSha(sha),
  event: 'push',
  status: 'completed',
  conclusion: 'success',
  createdAtMs: 0,
  ...fields,
})

/** A pull request by a person with these commits of the line, from `base` on. By default it was merged as the last one. */
export function pullOf(base: string, line: string | readonly string[], fields: Partial<PullState> = {}): PullState {
  const headSha = toSha(Array.from(line).at(-1) ?? base)
  return createPullState({
    branch: `topic-${headSha.slice(0, 7)}`,
    headSha,
    user: MAINTAINER,
    state: 'closed',
    closedBaseSha: toSha(base),
    merge: { sha: headSha, atMs: 0, by: MAINTAINER },
    ...fields,
  })
}

export function createWorld(world: ComparedWorld = {}): RepositoryState {
  const { line = 'b', beside = '', pulls = {}, runs = [greenRun('a')], more } = world
  const { files = ['docs/guide.md'], message = () => 'Change the guide' } = world
  const shas = ['a', ...Array.from(line)].map(toSha)
  const head = shas.at(-1) ?? ''
  const changed = files.map((filename) => ({ filename }))
  const make = (sha: string, parents: readonly string[], isNewest = true) =>
    madeCommit({ sha, parents, message: message(sha), author: MAINTAINER, files: isNewest ? changed : [] })
  return createRepositoryState({
    commits: [
      ...shas.map((sha, index) => make(sha, shas.slice(Math.max(0, index - 1), index), sha === head)),
      ...Array.from(beside, (digit) => make(commit(digit), [commit('a')])),
    ],
    branches: { main: head },
    collaborators: { [MAINTAINER]: 'maintain' },
    // A step changes them.
    pulls: structuredClone(pulls),
    workflowRuns: [...runs],
    ...structuredClone(more),
  })
}

export interface PlayedEvent extends PlayedStep {
  /** Why the step sends no prompt. Undefined if it sends one, and if it fails. */
  readonly skip: string | undefined
  /** Empty if nothing was sent. */
  readonly prompt: string
  /** All requests: `create` and the like, or an operation of GitHub. */
  readonly requests: readonly string[]
  /** The requests until the prompt was sent. */
  readonly before: readonly string[]
}

/** Runs a step with the label `docs-agent` for an event, on the newest commit of the main branch. */
export async function playEvent(
  given: Given,
  [eventName, payload = {}]: GivenEvent,
  world: ComparedWorld | RepositoryState = {},
  { facts, ...options }: Partial<PlayStepOptions> = {},
): Promise<PlayedEvent> {
  const repository = 'branches' in world ? world : createWorld(world)
  const { [repository.defaultBranch]: sha = '' } = repository.branches
  const played = await playStep({
    inputs: agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given }),
    repository,
    // What happens in the turn does not depend on the change.
    turns: [{ durationMs: 1_000 }],
    facts: { eventName, payload, sha, ...facts },
    ...options,
  })
  const { report, acceptedPrompts, allRequests } = played
  const requests = allRequests.map(({ what }) => what)
  const before = requests.slice(0, requests.includes('create') ? requests.indexOf('create') : undefined)
  return {
    ...played,
    skip: report.skipReason,
    prompt: acceptedPrompts.map(([, text]) => text).join('\n'),
    requests,
    before,
  }
}
