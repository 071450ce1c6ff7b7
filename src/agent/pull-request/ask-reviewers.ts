import { openGitHub } from '../../action/step.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { rethrowFatal, type ErrorCode } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'

/** If more are asked, nobody feels responsible. */
const MAX_AUTHORS = 5
/** Each may cost a request. */
const MAX_LOOKUPS = 10
/** The most that all requests may take: each failed lookup is retried. */
const REVIEWERS_MS = 60_000

/** These are about the token and not about one reviewer, so the requests for all others would fail, too. */
const CONCERNS_ALL: readonly ErrorCode[] = ['cancelled', 'unauthorized', 'forbidden', 'rate-limited', 'deadline']

const lower = (name: string): string => name.toLowerCase()

/**
 * Requests reviews of an open pull request, from each person and each team once: GitHub's own time line has who was asked
 * before, and who removed themselves. A reviewer for whom a request fails is reported and costs no other one.
 * @param authors the authors of the change that started the run, by their logins, most commits first
 * @throws ActionError `cancelled`
 */
export async function askReviewers(
  pullRequest: PullRequest,
  authors: readonly string[],
  step: AgentStep,
): Promise<void> {
  const { inputs, journal } = step
  const { names } = inputs.reviewers
  const author = lower(pullRequest.author.login)
  const candidates = authors.filter((login) => lower(login) !== author)
  if (names.length + candidates.length === 0 || !isOpen(pullRequest)) return
  await journal.bestEffort('Not everybody was asked for a review', async () => {
    const github = openGitHub(step, REVIEWERS_MS)
    const over = new Set([author, ...(await github.listReviewersSoFar(pullRequest))])
    const isOver = (name: string): boolean => over.has(lower(name))
    const lost = (name: string): string => `\`${name}\` was not asked for a review`
    const mayWrite = (login: string): Promise<boolean | undefined> =>
      journal.bestEffort(lost(login), () => github.mayWrite(pullRequest.repository, { login }))
    // The first few with write access. Those who were asked before are among these.
    const found: string[] = []
    for (const login of candidates.slice(0, MAX_LOOKUPS)) {
      if (found.length === MAX_AUTHORS) break
      if (isOver(login) || (await mayWrite(login)) === true) found.push(login)
    }
    const wanted = [...names, ...found].filter((name) => !isOver(name))
    for (const name of new Map(wanted.map((name) => [lower(name), name])).values()) {
      try {
        await github.requestReview(pullRequest, name)
        journal.note(`\`${name}\` is asked for a review.`)
      } catch (caught) {
        const error = rethrowFatal(caught)
        if (CONCERNS_ALL.includes(error.code)) throw error
        journal.reportSkipped(lost(name), error)
      }
    }
  })
}
