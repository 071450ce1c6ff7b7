import { toPullRequestAddress } from '../../github/pull-request-address.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'

/** What a question about the head may take, in milliseconds. */
export const QUESTION_MS = 10_000

/**
 * The job's pull request before a follow-up. Undefined if it has none yet, or GitHub cannot tell, which is said.
 * @param wasRead whether it was read directly before, if it was found by this name of its repository
 */
export function readHead(job: Job, step: AgentStep, wasRead: boolean): Promise<PullRequest | undefined> {
  const { heads } = step.journal
  return look(job, step, async (address, read) => (wasRead ? heads.newest(address) : undefined) ?? heads.read(read))
}

/** The same after a turn that may have ended only now: what it has pushed may not be in all of GitHub's copies yet. */
export function readStandingHead(job: Job, step: AgentStep): Promise<PullRequest | undefined> {
  return look(job, step, (_address, read) => step.journal.heads.readStanding(read))
}

async function look(
  { prLink: link }: Job,
  step: AgentStep,
  ask: (address: PullRequestAddress, read: () => Promise<PullRequest>) => Promise<PullRequest | undefined>,
): Promise<PullRequest | undefined> {
  if (link === undefined) return undefined
  const lost = 'Could not tell whether the follow-up changes the pull request'
  return step.journal.bestEffort(lost, async () => {
    if (step.github === undefined || link.host !== new URL(step.context.serverUrl).host) return undefined
    const address = toPullRequestAddress(link, step.context)
    return ask(address, async () => openGitHub(step, QUESTION_MS).readPullRequest(address))
  })
}
