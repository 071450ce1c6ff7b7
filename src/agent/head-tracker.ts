import type { Comparison, PullRequestCommit } from '../github/commits.ts'
import type { GitHub } from '../github/github.ts'
import type { PullRequest, PullRequestAddress } from '../github/pull-requests.ts'
import { openGitHub, type Step } from '../action/step.ts'
import type { Deadline } from '../runtime/time-budget.ts'

/** GitHub's replicas may lag this long, so a doubtful head is trusted only when it has not changed for this time. */
const STABLE_HEAD_MS = 15_000
const POLL_INTERVAL_MS = 5_000

const getKey = ({ repository, number }: PullRequestAddress): string => `${repository.toLowerCase()}#${number}`

/** Remembers which heads of a pull request were replaced, so that a read from a stale replica is recognized. */
export class HeadTracker {
  readonly #step: Step
  readonly #seen = new Map<string, { readonly newest: PullRequest; readonly replaced: ReadonlySet<string> }>()
  #listed: { readonly headSha: string; readonly commits: readonly PullRequestCommit[] } | undefined
  #compared: { readonly ends: string; readonly comparison: Comparison } | undefined

  constructor(step: Step) {
    this.#step = step
  }

  /** Returns the newest state of the pull request that this step has read, or `undefined` if it has read none. */
  newest(address: PullRequestAddress): PullRequest | undefined {
    return this.#seen.get(getKey(address))?.newest
  }

  /** Lists the commits of a pull request. The last list is reused if it is for the same head and contains it. */
  async listCommits(pullRequest: PullRequest, github: GitHub): Promise<readonly PullRequestCommit[]> {
    const { headSha } = pullRequest
    if (this.#listed?.headSha === headSha) return this.#listed.commits
    const commits = await github.listPullRequestCommits(pullRequest)
    if (commits.some(({ sha }) => sha === headSha)) this.#listed = { headSha, commits }
    return commits
  }

  /** Compares the base branch with the head. The last comparison is reused if it is the same. */
  async compareWithBase({ repository, baseRef, headSha }: PullRequest, github: GitHub): Promise<Comparison> {
    const ends = `${baseRef}...${headSha}`
    if (this.#compared?.ends !== ends)
      this.#compared = { ends, comparison: await github.compare(repository, baseRef, headSha) }
    return this.#compared.comparison
  }

  /**
   * Reads a pull request. A head that another one has replaced is a stale read, so the pull request is read again. If the head
   * is stable, the branch was reset to it. If the deadline comes first, returns the newest state that was read before.
   * @param time the timeout of each request in milliseconds, or the deadline of all requests, or a function for that of each
   * @throws ActionError if the pull request cannot be read
   */
  async read(address: PullRequestAddress, time?: number | Deadline | (() => Deadline)): Promise<PullRequest> {
    const read = async () => openGitHub(this.#step, typeof time === 'function' ? time() : time).readPullRequest(address)
    const found = await read()
    const seen = this.#seen.get(getKey(found))
    if (!seen?.replaced.has(found.headSha)) return this.#keep(found)
    const stable = await this.#awaitStable(found, read, ({ headSha }) => !seen.replaced.has(headSha))
    return stable === undefined ? seen.newest : this.#keep(stable)
  }

  /**
   * Reads a pull request until its head is stable, that is, has not changed for as long as replicas may lag.
   * @param read reads it once, through `this.read`
   * @returns `undefined` if the head cannot become stable before the deadline
   * @throws ActionError if the pull request cannot be read
   */
  async readStable(
    address: PullRequestAddress,
    read = (): Promise<PullRequest> => this.read(address),
  ): Promise<PullRequest | undefined> {
    return this.#awaitStable(await read(), read)
  }

  async #awaitStable(
    first: PullRequest,
    read: () => Promise<PullRequest>,
    isDone: (found: PullRequest) => boolean = () => false,
  ): Promise<PullRequest | undefined> {
    const { clock, deadlineAt, signal } = this.#step
    let found = first
    for (let since = clock.now(); !isDone(found) && clock.now() - since < STABLE_HEAD_MS;) {
      if (since + STABLE_HEAD_MS > deadlineAt) return undefined
      await clock.sleep(Math.min(POLL_INTERVAL_MS, since + STABLE_HEAD_MS - clock.now()), signal)
      const next = await read()
      if (next.headSha !== found.headSha) since = clock.now()
      found = next
    }
    return found
  }

  #keep(found: PullRequest): PullRequest {
    const seen = this.#seen.get(getKey(found))
    const replaced = new Set(seen && [...seen.replaced, seen.newest.headSha])
    replaced.delete(found.headSha)
    this.#seen.set(getKey(found), { newest: found, replaced })
    return found
  }
}
