import type { GitHub } from '../../github/connect-github.ts'
import type { PullRequest, PullRequestState } from '../../github/pull-requests.ts'
import type { RunFacts } from '../../github/run-facts.ts'
import type { Clock } from '../../shared/clock.ts'
import { ActionError } from '../../shared/errors.ts'
import { judgeChecks, nextChecksLookMs, type ChecksState, type ChecksVerdict } from './checks-verdict.ts'
import type { GitHubInputs } from '../inputs/github-inputs.ts'
import { findOutOfScope } from '../inputs/path-filter.ts'
import type { Shortfalls } from '../report/shortfalls.ts'

/** What is known of the pull request when the step ends. What is undefined was not asked, or not to be found out. */
export interface HandOff {
  readonly state?: PullRequestState
  readonly branch?: string
  /** The commit that `checks` and `scope` are about. */
  readonly headSha?: string
  readonly checks?: ChecksState
  readonly scope?: Scope
}

export interface Scope {
  readonly fileCount: number
  /** The places outside of `allowed-paths`. */
  readonly outside: readonly string[]
}

export interface ExaminationPorts {
  readonly github: GitHub
  readonly facts: RunFacts
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of the whole step, on the clock's scale. */
  readonly deadlineAt: number
  readonly shortfalls: Shortfalls
  readonly log: (line: string) => void
}

/** Left for the last look, so that it is over when the deadline is. */
const LAST_LOOK_MS = 3_000

export function describePullRequest({ state, branch, headSha }: PullRequest): HandOff {
  return { state, branch, headSha }
}

/** What may be over at the next look. */
const PASSING = new Set(['unreachable', 'service-error', 'rate-limited', 'bad-answer'])

/** Nothing more is expected of such a pull request, so that what its checks are now is what they are. */
function isOver({ state }: PullRequest): boolean {
  return state === 'merged' || state === 'closed'
}

class Examination {
  #pullRequest: PullRequest
  #watchedSince: number
  #scope: Scope | undefined
  #scopeIsKnown = false
  #checks: ChecksVerdict | undefined
  #lastChecks: ChecksState | undefined
  #problem: ActionError | undefined
  readonly #inputs: GitHubInputs
  readonly #ports: ExaminationPorts

  constructor(pullRequest: PullRequest, inputs: GitHubInputs, ports: ExaminationPorts) {
    this.#pullRequest = pullRequest
    this.#watchedSince = ports.clock.now()
    this.#inputs = inputs
    this.#ports = ports
  }

  async run(): Promise<HandOff> {
    const { clock, deadlineAt, signal, shortfalls } = this.#ports
    const lastLookAt = deadlineAt - LAST_LOOK_MS
    for (;;) {
      await this.#lookAtFiles()
      const isSettled = await this.#lookAtChecks()
      const isLast = clock.now() >= lastLookAt || isOver(this.#pullRequest)
      if (!isSettled && !isLast) {
        const nextMs = nextChecksLookMs(clock.now() - this.#watchedSince)
        await clock.sleep(Math.min(nextMs, lastLookAt - clock.now()), signal)
      }
      const hasMoved = await this.#followHead()
      if ((isSettled && !hasMoved) || isLast) break
    }
    if (this.#problem !== undefined && this.#checks === undefined && this.#inputs.waitForChecks)
      shortfalls.add('The checks are not known', this.#problem)
    return this.#result()
  }

  #result(): HandOff {
    return {
      ...describePullRequest(this.#pullRequest),
      ...(this.#checks === undefined ? {} : { checks: this.#checks.state }),
      ...(this.#scope === undefined ? {} : { scope: this.#scope }),
    }
  }

  /** Reads the pull request again; a head that moved makes all that was found out be about another commit. */
  async #followHead(): Promise<boolean> {
    const { github, clock, log } = this.#ports
    const before = this.#pullRequest
    const now = await this.#tryAgainLater(() => github.readPullRequest(before))
    if (now === undefined) return false
    this.#pullRequest = now
    if (now.headSha === before.headSha) return false
    log(`The pull request has a new commit, ${now.headSha.slice(0, 7)}; looking at that one.`)
    this.#watchedSince = clock.now()
    this.#scope = undefined
    this.#scopeIsKnown = false
    this.#checks = this.#inputs.waitForChecks ? { state: 'pending', isFinal: false } : undefined
    return true
  }

  async #lookAtFiles(): Promise<void> {
    const { allowedPaths } = this.#inputs
    const { github, shortfalls } = this.#ports
    if (allowedPaths === undefined || this.#scopeIsKnown) return
    this.#scopeIsKnown = true
    const lost = 'Whether the pull request keeps to `allowed-paths` is not known'
    const files = await shortfalls.attempt(lost, () => github.listPullRequestFiles(this.#pullRequest))
    if (files === undefined) return
    const outside = findOutOfScope(allowedPaths, files)
    if (outside.length === 0 && files.length < this.#pullRequest.changedFiles) {
      const counts = `${files.length} of ${this.#pullRequest.changedFiles}`
      shortfalls.add(lost, new ActionError('rejected', `GitHub lists only ${counts} files.`))
    } else this.#scope = { fileCount: files.length, outside }
  }

  /** Gives whether there is nothing to wait for any more. */
  async #lookAtChecks(): Promise<boolean> {
    if (!this.#inputs.waitForChecks) return true
    const { github, facts, clock, log } = this.#ports
    const { repository, headSha } = this.#pullRequest
    const checks = await this.#tryAgainLater(() => github.readChecks(repository, headSha, facts.runId))
    if (checks === undefined) return this.#problem !== undefined && !PASSING.has(this.#problem.code)
    const watchedMs = isOver(this.#pullRequest) ? Infinity : clock.now() - this.#watchedSince
    this.#checks = judgeChecks(checks, watchedMs)
    if (this.#checks.state !== this.#lastChecks)
      log(`The checks of ${headSha.slice(0, 7)}: ${this.#checks.state} (${checks.length} registered).`)
    this.#lastChecks = this.#checks.state
    return this.#checks.isFinal
  }

  async #tryAgainLater<T>(perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      if (!(error instanceof ActionError) || error.code === 'cancelled') throw error
      this.#problem = error
      return undefined
    }
  }
}

/**
 * Looks at a pull request until its checks and its files are known for the commit that is its head then, or the deadline is
 * near.
 * @throws ActionError `cancelled`
 */
export function examine(pullRequest: PullRequest, inputs: GitHubInputs, ports: ExaminationPorts): Promise<HandOff> {
  return new Examination(pullRequest, inputs, ports).run()
}
