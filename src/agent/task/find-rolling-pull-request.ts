import { isOpen, type PullRequestAddress } from '../../github/pull-requests.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { AgentStep } from '../report/journal.ts'
import type { RollingPullRequest } from './rolling-pull-request.ts'
import { findJobOf, openSearch, type Search } from './prove-job.ts'

/** Each costs some requests, and who puts the label on so many others means something else by it. */
const MOST_LOOKED_AT = 30
const MOST_NAMED = 10

function listNumbers(pullRequests: readonly PullRequestAddress[]): string {
  const named = pullRequests.slice(0, MOST_NAMED).map(({ number }) => `#${number}`)
  const more = pullRequests.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

async function findIn(listed: PullRequestAddress, search: Search): Promise<RollingPullRequest | undefined> {
  const { pullRequest, rolling, objections } = await findJobOf(listed, search)
  // It may have been closed since it was listed.
  if (rolling !== undefined || !isOpen(pullRequest)) return rolling
  const reason = objections.length === 0 ? 'no comment that counts names its job' : objections.join(', ')
  search.step.journal.note(`Pull request #${pullRequest.number} carries the label and is passed over: ${reason}.`)
  return undefined
}

/**
 * The open pull request to go on with: the oldest one with the label whose job says that it is its own. Label and marker
 * are pointers that anybody can set; the service is the proof.
 * @param passedOver those that were chosen before, and have ended
 * @throws ActionError if GitHub or the service does not tell
 */
export async function findRollingPullRequest(
  inputs: AgentInputs,
  step: AgentStep,
  passedOver: readonly number[],
): Promise<RollingPullRequest | undefined> {
  const search = openSearch(inputs, step)
  const { findLabelledPullRequests, listOpenPullRequests } = search.github
  const repository = inputs.prRepository === '' ? step.context.repository : inputs.prRepository
  const seen = new Set(passedOver)
  // The first list is short, and not known to be whole: only the second one says that there is none.
  for (const list of [findLabelledPullRequests, listOpenPullRequests]) {
    const labelled = await list(repository, inputs.label)
    const unseen = labelled.filter(({ number }) => !seen.has(number))
    for (const [index, pullRequest] of unseen.entries()) {
      if (seen.size - passedOver.length === MOST_LOOKED_AT)
        throw new ActionError(
          'not-sent',
          `The first ${MOST_LOOKED_AT} of the open pull requests with the label are not the agent's.`,
          { hint: 'Remove the label from pull requests that are not the agent’s.' },
        )
      seen.add(pullRequest.number)
      const found = await findIn(pullRequest, search)
      if (found === undefined) continue
      const others = unseen.slice(index + 1)
      if (others.length > 0)
        step.journal.notice(
          'More than one pull request is open',
          `Pull request #${pullRequest.number} is the oldest of the agent's that carry the label. These carry it as well: ${listNumbers(others)}. Merge or close what is not needed.`,
        )
      return found
    }
  }
  return undefined
}
