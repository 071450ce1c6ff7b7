import type { GitHub } from '../../github/github.ts'
import type { OpenPullRequest } from '../../github/labels.ts'
import { isOpen, type PullRequestAddress } from '../../github/pull-requests.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { Journal } from '../report/journal.ts'
import { isMarkerComment } from '../pull-request/marker.ts'
import type { RollingPullRequest } from './rolling-pull-request.ts'
import { openSearch, proveJob, type Search } from './prove-job.ts'

/** Each costs some requests, and who puts the label on so many others means something else by it. */
const MOST_LOOKED_AT = 30
const MOST_NAMED = 10

function listNumbers(pullRequests: readonly PullRequestAddress[]): string {
  const named = pullRequests.slice(0, MOST_NAMED).map(({ number }) => `#${number}`)
  const more = pullRequests.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Undefined if it was closed since it was listed. */
async function complete(
  listed: PullRequestAddress | OpenPullRequest,
  github: GitHub,
): Promise<OpenPullRequest | undefined> {
  if ('branch' in listed) return listed
  const pullRequest = await github.readPullRequest(listed)
  return isOpen(pullRequest) ? pullRequest : undefined
}

async function findIn(
  listed: PullRequestAddress,
  search: Search,
  journal: Journal,
): Promise<RollingPullRequest | undefined> {
  const { github } = search
  const pullRequest = await complete(listed, github)
  if (pullRequest === undefined) return undefined
  const comments = await github.listMarkerComments(pullRequest, isMarkerComment)
  const { rolling, objections } = await proveJob(pullRequest, comments, search)
  if (rolling !== undefined) return rolling
  const reason = objections.length === 0 ? 'no comment that counts names its job' : objections.join(', ')
  journal.note(`Pull request #${pullRequest.number} carries the label and is passed over: ${reason}.`)
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
  step: Step,
  journal: Journal,
  passedOver: readonly number[],
): Promise<RollingPullRequest | undefined> {
  const search = await openSearch(inputs, step)
  const { findLabelledPullRequests, listOpenPullRequests } = search.github
  const repository = inputs.prRepository === '' ? step.context.repository : inputs.prRepository
  const seen = new Set(passedOver)
  // The first list is short, and not known to be whole: only the second one says that there is none.
  for (const list of [findLabelledPullRequests, listOpenPullRequests]) {
    const labelled: readonly PullRequestAddress[] = await list(repository, inputs.label)
    const unseen = labelled.filter(({ number }) => !seen.has(number))
    for (const [index, pullRequest] of unseen.entries()) {
      if (seen.size - passedOver.length === MOST_LOOKED_AT)
        throw new ActionError(
          'not-sent',
          `The first ${MOST_LOOKED_AT} of the open pull requests with the label are not the agent's.`,
          { hint: 'Remove the label from pull requests that are not the agent’s.' },
        )
      seen.add(pullRequest.number)
      const found = await findIn(pullRequest, search, journal)
      if (found === undefined) continue
      const others = unseen.slice(index + 1)
      if (others.length > 0)
        journal.notice(
          'More than one pull request is open',
          `Pull request #${pullRequest.number} is the oldest of the agent's that carry the label. These carry it as well: ${listNumbers(others)}. Merge or close what is not needed.`,
        )
      return found
    }
  }
  return undefined
}
