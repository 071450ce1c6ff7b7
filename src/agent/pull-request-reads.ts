/** Reads of pull requests, in which a renamed repository has its current name. */
import { requireGitHub, type Step } from '../action/step.ts'
import { isSamePullRequest, type Job, parsePullRequestLink, type PullRequestLink } from '../docs-service/schemas.ts'
import { type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../github/pull-requests.ts'
import { isSameRepository } from '../github/schemas.ts'
import { orUndefined } from '../runtime/errors.ts'

/** A read that is older is repeated before a prompt is sent. */
const MAX_READ_AGE_MS = 2_000

/** Remembers the newest read of a pull request, and the current names of repositories. */
export class PullRequestReads {
  readonly #step: Step
  /** The current names of renamed or transferred repositories, by their old names in lower case. */
  readonly #currentNames = new Map<string, string>()
  #newestRead: { readonly pullRequest: PullRequest; readonly atMs: number } | undefined

  constructor(step: Step) {
    this.#step = step
  }

  /** @throws ActionError if the pull request cannot be read */
  async read(address: PullRequestAddress): Promise<PullRequest> {
    const pullRequest = await requireGitHub(this.#step).readPullRequest(address)
    this.#newestRead = { pullRequest, atMs: this.#step.clock.now() }
    this.#addCurrentName(address.repository, pullRequest.repository)
    return pullRequest
  }

  /** Returns the newest read of this pull request. */
  getNewest({ number }: PullRequestAddress): PullRequest | undefined {
    const read = this.#newestRead?.pullRequest
    return read?.number === number ? read : undefined
  }

  /** Returns the newest read of this pull request, unless it is so old that it must be repeated before a prompt. */
  getRecent(address: PullRequestAddress): PullRequest | undefined {
    const isRecent = this.#newestRead !== undefined && this.#step.clock.now() - this.#newestRead.atMs < MAX_READ_AGE_MS
    return isRecent ? this.getNewest(address) : undefined
  }

  /** Returns the job with the current URL of its pull request. Services keep the old name of a renamed repository. */
  toCurrent(job: Job): Job {
    const { host, repository = '', number = '' } = job.prLink ?? {}
    const current = this.#currentNames.get(repository.toLowerCase())
    const link = current && parsePullRequestLink(`${this.#step.context.serverUrl}/${current}/pull/${number}`)
    return link && link.host === host ? { ...job, prLink: link } : job
  }

  /**
   * Whether a job's link leads to a pull request. If only the name of its repository differs, the repository may have been
   * renamed or transferred: GitHub redirects the old name, and its response has the current one.
   * @throws ActionError if GitHub cannot tell
   */
  async leadsTo(link: PullRequestLink, { repository, number }: PullRequestAddress): Promise<boolean> {
    const { context } = this.#step
    const requested = parsePullRequestLink(`${context.serverUrl}/${repository}/pull/${number}`)
    if (requested === undefined || isSamePullRequest(link, requested)) return requested !== undefined
    if (link.host !== requested.host || link.number !== requested.number || link.repository?.split('/').length !== 2)
      return false
    const address = toPullRequestAddress(link, context)
    const pullRequest = await orUndefined(requireGitHub(this.#step).readPullRequest(address), 'not-found')
    if (pullRequest === undefined || !isSameRepository(pullRequest.repository, repository)) return false
    this.#addCurrentName(address.repository, pullRequest.repository)
    return true
  }

  /** From now on, links with the old name lead to the current one. */
  #addCurrentName(name: string, current: string): void {
    if (!isSameRepository(name, current)) this.#currentNames.set(name.toLowerCase(), current)
  }
}
