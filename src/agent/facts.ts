/** What a step is given: its inputs, parsed, and the event. Plain data, which every part of the agent may read. */
import type { Step } from '../action/step.ts'
import { isSameRepository } from '../github/schemas.ts'
import type { PathRule } from './path-filter.ts'

/** What the step requests from the service. */
export type Task =
  | { readonly kind: 'create'; readonly prompt: string }
  | { readonly kind: 'follow-up'; readonly prompt: string; readonly jobId: string }
  | { readonly kind: 'attach'; readonly jobId: string }

export const FAIL_ON = ['failed', 'archived', 'timed-out', 'no-changes', 'checks', 'out-of-scope'] as const

export type FailOn = (typeof FAIL_ON)[number]

/** The people to request a review of the pull request from. */
export interface RequestedReviewers {
  /** Whether to request reviews from the authors of the commits that started the run. */
  readonly hasAuthors: boolean
  /** Whether to request reviews from the people who approved the pull requests that the change came from. */
  readonly hasApprovers: boolean
  /** Logins, and teams as `org/team`. */
  readonly names: readonly string[]
}

/** The range that `change-range` requests. */
export type RequestedRange =
  /** The range of the event. */
  | { readonly kind: 'event' }
  | { readonly kind: 'since-last-success' }
  | {
      readonly kind: 'between'
      /** `owner/name`; undefined for the repository of the run. */
      readonly repository: string | undefined
      readonly base: string
      readonly head: string
    }
  /** The pull request's own change. */
  | {
      readonly kind: 'pull-request'
      /** `owner/name`; undefined for the repository of the run. */
      readonly repository: string | undefined
      readonly number: number
    }

/** Whether the input names the range, so that it does not depend on the event. */
export const isExplicitRange = (range: RequestedRange): range is Extract<RequestedRange, { repository: unknown }> =>
  range.kind === 'between' || range.kind === 'pull-request'

/** How much of a change is added to the prompt. Each level includes the levels before it. */
export const CHANGE_CONTEXTS = ['none', 'commits', 'files', 'diff'] as const

export type ChangeContext = (typeof CHANGE_CONTEXTS)[number]

/** Which of the agent's pull requests count as own: all of them, or only those with the label of this step. */
export const SKIP_OWN_CHANGES = ['any-label', 'same-label'] as const

/** What to do if an open pull request of the agent has the label. */
export const ON_OPEN_PR = ['new', 'follow-up', 'skip'] as const

/** The default of `label` in action.yml, and in the recipe attach.yml. */
export const DEFAULT_LABEL = 'docs-agent'

/** The values of the inputs, each as its row in inputs.ts parses it: the compiler checks that the two agree. */
export interface InputValues {
  readonly prompt: string | undefined
  readonly promptFile: string | undefined
  readonly jobId: string | undefined
  /** Empty: comments are ordinary events. */
  readonly command: string
  readonly dryRun: boolean
  readonly projectId: string
  readonly apiKey: string
  readonly baseUrl: string
  readonly wait: boolean
  readonly timeoutMs: number
  /** Undefined: the interval adapts to the job's age. */
  readonly pollIntervalMs: number | undefined
  readonly changeContext: ChangeContext
  readonly changeRange: RequestedRange
  /** Empty: every file counts. */
  readonly paths: readonly PathRule[]
  readonly skipLabels: readonly string[]
  readonly skipOwnChanges: (typeof SKIP_OWN_CHANGES)[number]
  readonly onOpenPr: (typeof ON_OPEN_PR)[number]
  readonly maxFollowUps: number
  readonly label: string
  /** Empty: the repository of the run. */
  readonly prRepository: string
  readonly waitForChecks: boolean
  /** Names of checks, in which `*` stands for any characters. */
  readonly ignoreChecks: readonly string[]
  readonly fixRounds: number
  readonly allowedPaths: readonly PathRule[]
  readonly reviewers: RequestedReviewers
  readonly githubToken: string
  readonly failOn: ReadonlySet<FailOn>
}

export interface AgentInputs extends InputValues {
  readonly task: Task
  /** The path in `prompt-file`. Undefined if it is not given. */
  readonly promptPath: string | undefined
  /** Whether requests to the service are possible. A dry run needs no key. */
  readonly hasService: boolean
  /** Hashes all inputs except secrets. */
  readonly hash: () => Promise<string>
}

/** Whether an input needs to read the pull request of the job. */
export const needsPullRequestRead = ({ waitForChecks, allowedPaths }: AgentInputs): boolean =>
  waitForChecks || allowedPaths.length > 0

/**
 * The first of the three groups that a function may take of the step: the smallest one that has what it uses, itself or through
 * what it calls. Plain data: a function that takes only this sends no request and records nothing.
 */
export interface Facts extends Pick<Step, 'context'> {
  readonly inputs: AgentInputs
}

/** The repository in which the agent opens its pull requests. */
export const getRepository = ({ context, inputs }: Facts): string => inputs.prRepository || context.repository

/** The same, if it is not the repository of the run. */
export function getOtherRepository({ context, inputs }: Facts): string | undefined {
  const { prRepository } = inputs
  return isSameRepository(prRepository || context.repository, context.repository) ? undefined : prRepository
}
