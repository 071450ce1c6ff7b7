import type { Check } from '../../github/commit-checks.ts'
import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/github.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { ActionError, describeError, rethrowFatal } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import { findOutOfScope } from '../inputs/path-filter.ts'
import type { Journal } from '../report/journal.ts'
import { describePullRequest, type ChecksState, type PullRequestFindings, type Scope } from '../report/report.ts'
import {
  decideChecks,
  fingerprintOf,
  formatChecks,
  isNearLimit,
  isOverShare,
  nextLookMs,
  OTHERS_MS,
  type ChecksVerdict,
} from './checks.ts'
import { failedChecks } from './failing-checks.ts'

const DOUBTFUL = 'A failed run counts although a later run of its workflow may have taken its place'
/** Left for the last read, so that it is over when the deadline is. */
const LAST_READ_MS = 3_000

/** What may be over at the next read. */
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
  #seen: string | undefined
  #hasChanged = false
  #isShort = false
  #seenSince = 0
  /** Until what the last look has shown is a success; undefined if it has shown none. */
  #settlesInMs: number | undefined
  #doubt: ActionError | undefined
  #failed: readonly Check[] = []
  #failedSince: number | undefined
  #lastChecks: ChecksState | undefined
  #problem: ActionError | undefined
  readonly #startedAt: number
  readonly #countedBefore: number
  readonly #inputs: AgentInputs
  readonly #github: GitHub
  readonly #step: Step
  readonly #journal: Journal
  readonly #heartbeat: Heartbeat

  constructor(pullRequest: PullRequest, github: GitHub, inputs: AgentInputs, step: Step, journal: Journal) {
    this.#pullRequest = pullRequest
    this.#watchedSince = step.clock.now()
    this.#startedAt = step.clock.now()
    this.#countedBefore = github.usage().counted
    this.#inputs = inputs
    this.#github = github
    this.#step = step
    this.#journal = journal
    this.#heartbeat = new Heartbeat({ clock: step.clock, log: step.core.log })
  }

  async run(): Promise<PullRequestFindings> {
    const { clock, deadlineAt, signal } = this.#step
    const lastReadAt = deadlineAt - LAST_READ_MS
    for (;;) {
      await this.#lookAtFiles()
      const isSettled = await this.#lookAtChecks()
      const isLast = clock.now() >= lastReadAt || (isOver(this.#pullRequest) && this.#settlesInMs === undefined)
      if (!isSettled && !isLast) {
        const nextMs = this.#settlesInMs ?? this.#nextLookMs()
        const othersMs = this.#failedSince === undefined ? Infinity : this.#leftForOthersMs()
        await clock.sleep(Math.min(nextMs, othersMs, lastReadAt - clock.now()), signal)
      }
      const hasMoved = await this.#followHead()
      if ((isSettled && !hasMoved) || isLast) break
    }
    if (this.#problem !== undefined && this.#checks === undefined && this.#inputs.waitForChecks)
      this.#journal.reportSkipped('The checks are not known', this.#problem)
    if (this.#doubt !== undefined) this.#journal.reportSkipped(DOUBTFUL, this.#doubt)
    return this.#result()
  }

  #result(): PullRequestFindings {
    return {
      ...describePullRequest(this.#pullRequest),
      ...(this.#checks === undefined ? {} : { checks: this.#checks.state }),
      ...(this.#failed.length === 0 ? {} : { failed: this.#failed }),
      ...(this.#scope === undefined ? {} : { scope: this.#scope }),
    }
  }

  /** Reads the pull request again; a head that moved makes all that was found out be about another commit. */
  async #followHead(): Promise<boolean> {
    const before = this.#pullRequest
    const read = (): Promise<PullRequest> => this.#github.readPullRequest(before)
    const now = await this.#tryAgainLater(() => this.#journal.heads.read(read))
    if (now === undefined) return false
    this.#pullRequest = now
    if (now.headSha === before.headSha) return false
    this.#heartbeat.say(`The pull request has a new commit, ${now.headSha.slice(0, 7)}; looking at that one.`)
    this.#watchedSince = this.#step.clock.now()
    this.#scope = undefined
    this.#scopeIsKnown = false
    this.#failed = []
    this.#failedSince = undefined
    this.#seen = undefined
    this.#doubt = undefined
    this.#checks = this.#inputs.waitForChecks ? { state: 'pending', isFinal: false } : undefined
    return true
  }

  async #lookAtFiles(): Promise<void> {
    const { allowedPaths } = this.#inputs
    if (allowedPaths.length === 0 || this.#scopeIsKnown) return
    this.#scopeIsKnown = true
    const lost = 'Whether the pull request keeps to `allowed-paths` is not known'
    const change = await this.#journal.bestEffort(lost, () => this.#compareWithBase())
    if (change === undefined) return
    const { files, fileList } = change
    const outside = await findOutOfScope(allowedPaths, files, this.#step)
    if (outside.length === 0 && fileList === 'cut')
      this.#journal.reportSkipped(lost, new ActionError('rejected', `GitHub lists only ${files.length} files of it.`))
    else this.#scope = { fileCount: files.length, outside }
  }

  /** The list of a pull request's files would be of no certain commit. */
  async #compareWithBase(): Promise<Comparison> {
    const { repository, baseRef, baseSha, headSha } = this.#pullRequest
    // A merge may have brought the head into its base branch, which holds all of it then.
    const isIn = ({ relation }: Comparison): boolean => relation === 'identical' || relation === 'behind'
    const change = await this.#github.compare(repository, baseRef, headSha)
    if (!isIn(change)) return change
    const before = await this.#github.compare(repository, baseSha, headSha)
    return isIn(before) ? { ...before, fileList: 'cut' } : before
  }

  /** Gives whether there is nothing to wait for any more. */
  async #lookAtChecks(): Promise<boolean> {
    if (!this.#inputs.waitForChecks) return true
    const { context, clock } = this.#step
    const { repository, headSha } = this.#pullRequest
    this.#settlesInMs = undefined
    const checks = await this.#tryAgainLater(() => this.#github.readChecks(repository, headSha, context))
    if (checks === undefined) return this.#isLasting(headSha)
    const seen = fingerprintOf(checks)
    this.#hasChanged = seen !== this.#seen
    if (this.#hasChanged) this.#seenSince = clock.now()
    this.#seen = seen
    this.#doubt = checks.find(({ doubt }) => doubt !== undefined)?.doubt
    this.#failed = failedChecks(checks)
    this.#failedSince = this.#failed.length === 0 ? undefined : (this.#failedSince ?? clock.now())
    this.#checks = decideChecks(checks, {
      ...{ stoodMs: clock.now() - this.#seenSince, othersMs: this.#leftForOthersMs() },
      isOver: isOver(this.#pullRequest),
    })
    this.#settlesInMs = this.#checks.settlesInMs
    const told = formatChecks(this.#checks.state, checks, headSha)
    if (this.#checks.state === this.#lastChecks) this.#heartbeat.beat(told)
    else this.#heartbeat.say(told)
    this.#lastChecks = this.#checks.state
    return this.#checks.isFinal
  }

  /** Gives whether the next read would fail as well. */
  #isLasting(headSha: string): boolean {
    if (this.#problem === undefined) return false
    if (!PASSING.has(this.#problem.code)) return true
    const problem = describeError(this.#problem)
    this.#heartbeat.beat(`Checks of commit ${headSha.slice(0, 7)}: they could not be read. ${problem}`)
    return false
  }

  #nextLookMs(): number {
    const usage = this.#github.usage()
    const { remaining, limit, counted } = usage
    const now = this.#step.clock.now()
    const isNear = isNearLimit(usage)
    if (isNear && !this.#isShort)
      this.#heartbeat.say(
        `GitHub allows this token ${remaining} more of ${limit} requests an hour, so that it is asked half as often.`,
      )
    this.#isShort ||= isNear
    const isShort = isNear || isOverShare(counted - this.#countedBefore, now - this.#startedAt)
    return nextLookMs({ ageMs: now - this.#watchedSince, hasChanged: this.#hasChanged, isShort })
  }

  /** A round tells all that failed, so that it waits for what has not ended yet. */
  #leftForOthersMs(): number {
    const hasRound = this.#inputs.fixRounds > 0
    const { clock } = this.#step
    return hasRound ? (this.#failedSince ?? clock.now()) + OTHERS_MS - clock.now() : 0
  }

  async #tryAgainLater<T>(perform: () => Promise<T>): Promise<T | undefined> {
    try {
      return await perform()
    } catch (error) {
      this.#problem = rethrowFatal(error)
      return undefined
    }
  }
}

/**
 * Looks at a pull request until its checks and its files are known for the commit that is its head then, or the deadline is
 * near.
 * @throws ActionError `cancelled`
 */
export function waitForChecks(
  pullRequest: PullRequest,
  github: GitHub,
  inputs: AgentInputs,
  step: Step,
  journal: Journal,
): Promise<PullRequestFindings> {
  return new Examination(pullRequest, github, inputs, step, journal).run()
}
