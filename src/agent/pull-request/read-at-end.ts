import { isOpen, toPullRequestAddress } from '../../github/pull-requests.ts'
import { unlessFailed } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, type PullRequestFindings } from '../report/report.ts'
import { sentRounds } from '../report/turns.ts'

/** GitHub begins to find out when it is first asked, and is mostly done within seconds. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Reads an open pull request once more if its failing checks were to go back to the agent and did not, and a few times more
 * if GitHub did not know yet whether it conflicts with its base. This is worth no shortfall: what is not told stays as it was.
 * @throws ActionError `cancelled`
 */
export async function readAtEnd(step: AgentStep): Promise<PullRequestFindings> {
  const { clock, context, deadlineAt, github, inputs, journal, signal } = step
  const { result, pullRequest = {} } = journal.newest
  const link = result?.job?.prLink
  if (!isOpen(pullRequest) || link === undefined || github === undefined) return pullRequest
  const address = toPullRequestAddress(link, context)
  const isOld = pullRequest.checks === 'failure' && inputs.fixRounds > sentRounds(journal.turns).length
  let found = pullRequest
  for (const pauseMs of isOld ? [0, ...PAUSES_MS] : PAUSES_MS) {
    const isKnown = !isOpen(found) || found.mergeable !== undefined
    if ((isKnown && pauseMs > 0) || clock.now() + pauseMs >= deadlineAt) return found
    await clock.sleep(pauseMs, signal)
    const now = await unlessFailed(github.readPullRequest(address))
    // Checks and files were looked at for one commit, and this is about the same one or it is not told.
    if (now === undefined || now.headSha !== found.headSha) return found
    found = { ...found, ...describePullRequest(now) }
  }
  return found
}
