import type { GitHubScenario, GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import type { Commit } from './temporary-repositories.ts'

type Texts = Readonly<Record<string, string>>

export type Payload = Readonly<Record<string, unknown>>
/** Changes something on GitHub, and returns the webhook payload of its event. */
export type Trigger = (github: GitHubState) => Payload

/**
 * The expected result of a run, with lists in any order. By default a run is green, sends no prompts and no messages,
 * and calls `gh` for nothing.
 */
export interface Expected {
  readonly isRed?: boolean
  readonly jobs?: readonly string[]
  /** Outputs of the step `docs` by name, and of other steps as `job.step.output`. There may be others. */
  readonly outputs?: Texts
  /**
   * The requests that cost credits: `new` creates a job, and a job id is a follow-up to that job. The id of a project
   * other than the default one comes first. `job_*` is any job, if several start in an undefined order.
   */
  readonly prompts?: readonly string[]
  /** The operations of GitHub's API that were called. */
  readonly github?: readonly string[]
  /** The calls of `gh`, with `<head>` and `<head before>` for commits of pull request 4. */
  readonly commands?: readonly string[]
  /** The labels of all pull requests. */
  readonly labels?: readonly string[]
  readonly reviewers?: readonly string[]
  /** All comments on issues so far, with `<service>` for its URL. */
  readonly posted?: readonly string[]
  /** The messages that the chat received in this run. */
  readonly chat?: readonly string[]
  /** The pull requests that are open after the run and that have a label or were opened by a new job. */
  readonly open?: readonly number[]
  /** Texts that the summary contains. */
  readonly summary?: readonly string[]
  /** Texts that the steps print. */
  readonly printed?: readonly string[]
  /** Texts that the prompts contain. */
  readonly promptTexts?: readonly string[]
}

/** `owner/name`, in the organisation `acme`. */
export type RepositoryName = `acme/${string}`

interface RunStart {
  /** Default: the first event of the workflow. */
  readonly eventName?: string
  /** Default of a push: `commit('b')` to main. */
  readonly event?: Payload | Trigger
  readonly inputs?: Texts
  /** Added to the variables for the base URL and the project, or replacing them. */
  readonly vars?: Texts
  /** The repository that contains the workflow. Default: `acme/docs`. */
  readonly from?: RepositoryName
  /** The jobs of a matrix to run, as `name:value`. Default: all. */
  readonly matrix?: readonly string[]
}

/** One run. Its fields override those of its check. */
export interface Run extends RunStart, Expected {
  readonly secrets?: 'withheld'
  /** Runs jobs of the first run again. */
  readonly attempt?: number
  readonly beforeMerge?: (github: GitHubState) => void
}

/** Consecutive runs against the same service and the same GitHub. */
export interface Check extends RunStart {
  readonly runs: readonly Run[]
  /** The scenario of the service. Default: `pull-request`. */
  readonly scenario?: ScenarioName
  readonly scenarios?: readonly GitHubScenarioName[]
  /** Replaces the default repository `acme/docs`. */
  readonly docs?: RepositoryState
  /** Replaces the default repository `acme/code`. */
  readonly code?: RepositoryState
  /** Additional repositories. */
  readonly others?: Readonly<Record<RepositoryName, RepositoryState>>
  /** The repositories of projects whose docs are not in `acme/docs`. */
  readonly projects?: Readonly<Record<string, RepositoryName>>
  /** The checks of each push of the agent, in order. The last entry also applies to all later pushes. */
  readonly plan?: GitHubScenario['checks']
  readonly edits?: GitHubScenario['edits'] & {}
  /** Changes to the recipe, as its comments or docs/choose.md describe them: texts, and what replaces them. */
  readonly changes?: Texts
  /** The commits of the repository that contains the workflow, oldest first. */
  readonly history?: readonly Commit[]
  /** Whether the clocks and timers of the steps run at normal speed instead of ten times as fast. */
  readonly isRealTime?: boolean
  /** Whether the workflow has the secret `CHAT_WEBHOOK_URL`. */
  readonly hasChat?: boolean
}

/** Checks by the path of their workflow, and by a sentence that states the behaviour. */
export type Checks = Readonly<Record<string, Readonly<Record<string, Check>>>>
