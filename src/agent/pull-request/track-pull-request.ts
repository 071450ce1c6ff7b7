import { openGitHub } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import { type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../../github/pull-requests.ts'
import type { PullRequestLink } from '../../docs-service/pull-request-link.ts'
import { ActionError, rethrowFatal, type ErrorCode } from '../../runtime/errors.ts'
import { pollUntil } from '../../runtime/poll.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { AgentStep } from '../report/journal.ts'
import { writeMilestone } from '../report/milestone.ts'
import { describePullRequest, type PullRequestFindings } from '../report/pull-request-findings.ts'
import type { Ended } from '../report/turn.ts'
import { getEndOutcome } from '../report/turns.ts'
import { askReviewers } from './ask-reviewers.ts'
import { nameJob } from './marker-comment.ts'
import { waitForChecks } from './wait-for-checks.ts'

function describeWanted({ label, waitForChecks, allowedPaths, reviewers }: AgentInputs): string {
  const wanted = [
    'its state',
    ...(label === '' ? [] : ['the label']),
    ...(reviewers.hasAuthors || reviewers.names.length > 0 ? ['its reviewers'] : []),
    ...(waitForChecks ? ['its checks'] : []),
    ...(allowedPaths.length === 0 ? [] : ['its files']),
  ]
  return `The pull request could not be read (${wanted.join(', ')})`
}

/** What the service has just opened may not be there for GitHub's readers yet. */
const NEW_MS = 30_000
const READ_AGAIN_MS = 3_000

/** @param wasRead whether it was read since the turn has ended */
async function readPatiently(link: PullRequestLink, wasRead: boolean, step: AgentStep): Promise<PullRequest> {
  const { clock, context, deadlineAt, github, journal } = step
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: "Leave `github-token` at its default and grant the workflow's job `pull-requests: write`, or give a token that has it.",
    })
  const address = toPullRequestAddress(link, context)
  const seen = wasRead ? journal.heads.newest(address) : undefined
  if (seen !== undefined) return seen
  const read = () => journal.heads.read(address).catch((error: unknown) => rethrowFatal(error, 'not-found'))
  const patientUntil = Math.min(clock.now() + NEW_MS, deadlineAt)
  const pauseMs = () => (clock.now() + READ_AGAIN_MS > patientUntil ? undefined : READ_AGAIN_MS)
  const found = await pollUntil(read, (found) => !(found instanceof ActionError), pauseMs, step)
  if (found instanceof ActionError) throw found
  return found
}

/** After these, the pull request is likely to exist, and to be there for the next request. */
const PASSING: readonly ErrorCode[] = ['service-error', 'unreachable', 'bad-answer']

/** The comment comes first: by it, the next step finds the pull request with or without the label. */
async function mark(
  pullRequest: PullRequestAddress & Partial<Pick<PullRequest, 'labels'>>,
  jobId: string,
  step: AgentStep,
): Promise<void> {
  const { label } = step.inputs
  if (label === '') return
  await nameJob(pullRequest, jobId, step)
  if (hasLabel(label, pullRequest.labels ?? [])) return
  await step.journal.bestEffort('The label was not put on the pull request', async () =>
    openGitHub(step).addLabel(pullRequest, label),
  )
}

/**
 * Takes the job's pull request to the point where it can be merged: marks it, waits for its checks, and looks at its
 * files. Whatever GitHub does, the job's result stands.
 * @param authors who wrote what started the run
 * @throws ActionError `cancelled`
 */
export async function trackPullRequest(
  ended: Ended,
  step: AgentStep,
  authors: readonly string[] = [],
): Promise<PullRequestFindings> {
  const { job, work } = ended
  const { context, github, inputs, journal } = step
  const link = job.prLink
  const isToExamine = inputs.waitForChecks || inputs.allowedPaths.length > 0
  // Without a token, what nobody asked for by name is not missed.
  if (link === undefined || (github === undefined && !isToExamine)) return {}
  // What a follow-up did to it is not known without a look.
  const wasRead = work.kind === 'updated' || work.kind === 'unchanged'
  const pullRequest = await readPatiently(link, wasRead, step).catch((error: unknown) => rethrowFatal(error))
  if (pullRequest instanceof ActionError) {
    journal.reportSkipped(describeWanted(inputs), pullRequest)
    if (PASSING.includes(pullRequest.code)) await mark(toPullRequestAddress(link, context), job.id, step)
    return {}
  }
  await mark(pullRequest, job.id, step)
  // A round is about the same pull request, and its checks are no change of anybody's.
  if (getEndOutcome(ended) === 'pull-request' && journal.turns.length === 1)
    await askReviewers(pullRequest, authors, step)
  const described = describePullRequest(pullRequest)
  if (!isToExamine) return described
  journal.updatePullRequest(described)
  writeMilestone(step)
  return waitForChecks(pullRequest, step)
}
