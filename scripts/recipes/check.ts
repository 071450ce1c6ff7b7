import type { GitHubScenario, GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import type { RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import type { Commit } from './temporary-repositories.ts'

type Texts = Readonly<Record<string, string>>

export type Payload = Readonly<Record<string, unknown>>
/** What happens on GitHub, and the payload that comes of it. */
export type Happening = (github: GitHubState) => Payload

/** What has to come of a run; lists in any order. What is not said: it is green, nothing is sent, and nothing is asked of `gh`. */
export interface Expected {
  readonly isRed?: boolean
  readonly jobs?: readonly string[]
  /** Of the step `docs` by their names, of others as `job.step.output`; others may be there too. */
  readonly outputs?: Texts
  /**
   * The requests that cost credits: `new` makes a job, and the id of a job is that of a follow-up; for another project than the
   * usual one, behind its id. `job_*` is any job, where several start in no certain order.
   */
  readonly prompts?: readonly string[]
  /** The operations that GitHub's API was asked for. */
  readonly github?: readonly string[]
  /** What GitHub's command line was asked, with `<head>` and `<head before>` for commits of pull request 4. */
  readonly commands?: readonly string[]
  /** Of all pull requests. */
  readonly labels?: readonly string[]
  readonly reviewers?: readonly string[]
  /** All comments on issues so far, with `<service>` for its URL and `<days>` for dates. */
  readonly posted?: readonly string[]
  /** The messages that the chat got in this run; none if that is not said. */
  readonly chat?: readonly string[]
  /** The open pull requests of the docs, when the run has ended: those that carry a label or that a new job opened. */
  readonly open?: readonly number[]
  /** Texts of the summary, of what the steps print, and of the prompts. */
  readonly summary?: readonly string[]
  readonly printed?: readonly string[]
  readonly told?: readonly string[]
}

/** `owner/name`, in the organisation `acme`. */
export type RepositoryName = `acme/${string}`

interface Beginning {
  /** By default the first event that the workflow names. */
  readonly eventName?: string
  /** A push is by default one of `commit('b')` to main. */
  readonly event?: Payload | Happening
  readonly inputs?: Texts
  /** Besides the address and the project, or in their place. */
  readonly vars?: Texts
  /** The repository that the workflow is in, by default `acme/docs`. */
  readonly from?: RepositoryName
}

/** One run, and how it begins as far as it differs from what is said for all of its check. */
export interface Run extends Beginning, Expected {
  readonly secrets?: 'withheld'
  readonly beforeMerge?: (github: GitHubState) => void
}

/** Runs that meet the same service and the same GitHub, one after the other. */
export interface Check extends Beginning {
  readonly runs: readonly Run[]
  /** Of the service, by default `pull-request`. */
  readonly scenario?: ScenarioName
  readonly scenarios?: readonly GitHubScenarioName[]
  /** In place of the usual `acme/docs` and `acme/code`. */
  readonly docs?: RepositoryState
  readonly code?: RepositoryState
  /** Besides these two. */
  readonly others?: Readonly<Record<RepositoryName, RepositoryState>>
  /** By project: the repository of its docs, where that is not `acme/docs`. */
  readonly projects?: Readonly<Record<string, RepositoryName>>
  /** The checks of the agent's first push, of the second, ...; the last ones stay. */
  readonly plan?: GitHubScenario['checks']
  readonly edits?: GitHubScenario['edits'] & {}
  /** Of the folder that the workflow is in, oldest commit first. */
  readonly history?: readonly Commit[]
  /** Whether the clocks and timers of the steps run as they do, and not ten times as fast. */
  readonly isRealTime?: boolean
  /** Whether the workflow has the secret `CHAT_WEBHOOK_URL`, of a chat that takes every message. */
  readonly hasChat?: boolean
  /** A text in the log; the run is cancelled when it comes. */
  readonly cancelAt?: string
  /** Which jobs of a matrix to run, as `name:value`. */
  readonly matrix?: readonly string[]
}

/** By the path of their workflow, and then by a sentence about behaviour. */
export type Checks = Readonly<Record<string, Readonly<Record<string, Check>>>>
