import type { GitHub } from '../../github/github.ts'
import { isOpen, type PullRequestAddress } from '../../github/pull-requests.ts'
import { unlessFailed } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import { describePullRequest, type PullRequestFindings } from '../report/report.ts'

/** GitHub begins to find out when it is first asked, and is mostly done within seconds. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Asks a few times more whether an open pull request conflicts with its base, if GitHub did not know yet. What is asked for
 * here is worth no shortfall: it stays unknown.
 * @throws ActionError `cancelled`
 */
export async function waitForMergeable(
  found: PullRequestFindings,
  address: PullRequestAddress,
  github: GitHub,
  { clock, deadlineAt, signal }: Step,
): Promise<PullRequestFindings> {
  for (const pauseMs of PAUSES_MS) {
    if (!isOpen(found) || found.mergeable !== undefined || clock.now() + pauseMs >= deadlineAt) return found
    await clock.sleep(pauseMs, signal)
    const now = await unlessFailed(github.readPullRequest(address))
    // Checks and files were looked at for one commit, and this is about the same one or it is not told.
    if (now === undefined || now.headSha !== found.headSha) return found
    found = { ...found, ...describePullRequest(now) }
  }
  return found
}
