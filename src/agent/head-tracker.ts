import type { Comparison, PullRequestCommit } from '../github/commits.ts'
import type { GitHub } from '../github/github.ts'
import type { PullRequest, PullRequestAddress } from '../github/pull-requests.ts'
import { openGitHub, type Step } from '../action/step.ts'
import type { Deadline } from '../runtime/time-budget.ts'

/** How long GitHub's copies may lag, and so how long a head has to stand in doubt. */
const STANDING_MS = 15_000
const READ_AGAIN_MS = 5_000

const getKey = ({ repository, number }: PullRequestAddress): string => `${repository.toLowerCase()}#${number}`

/** The heads of pull requests in the order in which this step came to see them, as GitHub answers from copies that lag. */
export class HeadTracker {
  readonly #step: Step
  readonly #seen = new Map<string, { readonly newest: PullRequest; readonly replaced: ReadonlySet<string> }>()
  #listed: { readonly headSha: string; readonly commits: readonly PullRequestCommit[] } | undefined
  #compared: { readonly ends: string; readonly comparison: Comparison } | undefined

  constructor(step: Step) {
    this.#step = step
  }

  /** The pull request by the newest read of it; undefined if there was none. */
  newest(address: PullRequestAddress): PullRequest | undefined {
    return this.#seen.get(getKey(address))?.newest
  }

  /** Lists the commits of a pull request, or gives what was listed last if that was for the same head, and has it. */
  async listCommits(pullRequest: PullRequest, github: GitHub): Promise<readonly PullRequestCommit[]> {
    const { headSha } = pullRequest
    if (this.#listed?.headSha === headSha) return this.#listed.commits
    const commits = await github.listPullRequestCommits(pullRequest)
    if (commits.some(({ sha }) => sha === headSha)) this.#listed = { headSha, commits }
    return commits
  }

  /** Compares the base branch with the head, or gives what was compared last if that was the same. */
  async compareWithBase({ repository, baseRef, headSha }: PullRequest, github: GitHub): Promise<Comparison> {
    const ends = `${baseRef}...${headSha}`
    if (this.#compared?.ends !== ends)
      this.#compared = { ends, comparison: await github.compare(repository, baseRef, headSha) }
    return this.#compared.comparison
  }

  /**
   * Reads a pull request. A head that was seen to be replaced is an old copy, and is read again; only if it stands was the
   * branch put back to it. Gives what was read of the newest head if the deadline comes first.
   * @param time what each request may take, in milliseconds, or the deadline of all of them, or of each
   * @throws ActionError if GitHub does not tell
   */
  async read(address: PullRequestAddress, time?: number | Deadline | (() => Deadline)): Promise<PullRequest> {
    const read = async () => openGitHub(this.#step, typeof time === 'function' ? time() : time).readPullRequest(address)
    const found = await read()
    const seen = this.#seen.get(getKey(found))
    if (!seen?.replaced.has(found.headSha)) return this.#keep(found)
    const stood = await this.#stand(found, read, ({ headSha }) => !seen.replaced.has(headSha))
    return stood === undefined ? seen.newest : this.#keep(stood)
  }

  /**
   * Reads a pull request, and again until the head has stood as long as a copy may lag; undefined if it does not before the
   * deadline.
   * @param read reads it once, by `read`
   * @throws ActionError if GitHub does not tell
   */
  async readStanding(
    address: PullRequestAddress,
    read = (): Promise<PullRequest> => this.read(address),
  ): Promise<PullRequest | undefined> {
    return this.#stand(await read(), read)
  }

  async #stand(
    first: PullRequest,
    read: () => Promise<PullRequest>,
    isEnough: (found: PullRequest) => boolean = () => false,
  ): Promise<PullRequest | undefined> {
    const { clock, deadlineAt, signal } = this.#step
    let found = first
    for (let since = clock.now(); !isEnough(found) && clock.now() - since < STANDING_MS;) {
      if (since + STANDING_MS > deadlineAt) return undefined
      await clock.sleep(Math.min(READ_AGAIN_MS, since + STANDING_MS - clock.now()), signal)
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
