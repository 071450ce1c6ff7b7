import { openGitHub } from '../../action/step.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { rethrowFatal } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'

/** More would make nobody feel asked. */
const MOST_AUTHORS = 5
/** Each may cost a request. */
const MOST_LOOK_UPS = 10

const lower = (name: string): string => name.toLowerCase()

/**
 * Asks for reviews, each person and each team once for a pull request: GitHub itself knows who was asked before and took
 * themselves out. Whoever cannot be asked is a shortfall, and the others are asked all the same.
 * @param authors who wrote what started the run, by their logins, most commits first
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
  if (names.length + candidates.length === 0) return
  await journal.bestEffort('Not everybody was asked for a review', async () => {
    const github = openGitHub(step)
    const over = new Set([author, ...(await github.listReviewersSoFar(pullRequest))])
    const isOver = (name: string): boolean => over.has(lower(name))
    // The first few who may write: those who were asked before are among these.
    const found: string[] = []
    for (const login of candidates.slice(0, MOST_LOOK_UPS)) {
      if (found.length === MOST_AUTHORS) break
      if (isOver(login) || (await github.mayWrite(pullRequest.repository, { login }))) found.push(login)
    }
    const wanted = [...names, ...found].filter((name) => !isOver(name))
    for (const name of new Map(wanted.map((name) => [lower(name), name])).values()) {
      try {
        await github.requestReview(pullRequest, name)
        journal.note(`\`${name}\` is asked for a review.`)
      } catch (error) {
        journal.reportSkipped(`\`${name}\` was not asked for a review`, rethrowFatal(error, 'rejected'))
      }
    }
  })
}
