import type { MarkerComment } from '../../github/comments.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import { type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../../github/pull-requests.ts'
import type { PullRequestLink } from '../../docs-service/pull-request-link.ts'
import { ActionError, rethrowFatal } from '../../runtime/errors.ts'
import { pollUntil } from '../../runtime/poll.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, type PullRequestFindings } from '../report/report.ts'
import { askReviewers } from './ask-reviewers.ts'
import { waitForChecks } from './wait-for-checks.ts'
import { isMarkerComment, markerComment, mostTrusted } from './marker.ts'

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

/** Whether there is anything to do. Without a token, what nobody asked for by name is not missed. */
function wantsHandOff({ githubToken, waitForChecks, allowedPaths }: AgentInputs): boolean {
  return githubToken !== '' || waitForChecks || allowedPaths.length > 0
}

/** What the service has just opened may not be there for GitHub's readers yet. */
const NEW_MS = 30_000
const READ_AGAIN_MS = 3_000

/** @param wasRead whether it was read since the turn has ended */
async function open(link: PullRequestLink, wasRead: boolean, step: AgentStep): Promise<[GitHub, PullRequest]> {
  const { clock, deadlineAt, github, journal } = step
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: "Leave `github-token` at its default and grant the workflow's job `pull-requests: write`, or give a token that has it.",
    })
  const address = toPullRequestAddress(link, step.context)
  const seen = wasRead ? journal.heads.newest(address) : undefined
  if (seen !== undefined) return [github, seen]
  const read = () => journal.heads.read(address).catch((error: unknown) => rethrowFatal(error, 'not-found'))
  const patientUntil = Math.min(clock.now() + NEW_MS, deadlineAt)
  const pauseMs = () => (clock.now() + READ_AGAIN_MS > patientUntil ? undefined : READ_AGAIN_MS)
  const found = await pollUntil(read, (found) => !(found instanceof ActionError), pauseMs, step)
  if (found instanceof ActionError) throw found
  return [github, found]
}

/**
 * Takes the job's pull request to the point where it can be merged: marks it, waits for its checks, and looks at its
 * files. Whatever GitHub does, the job's result stands.
 * @param authors who wrote what started the run
 * @throws ActionError `cancelled`
 */
export async function trackPullRequest(step: AgentStep, authors: readonly string[] = []): Promise<PullRequestFindings> {
  const { inputs, journal } = step
  const { job, outcome, operation } = journal.newest.result ?? {}
  const link = job?.prLink
  if (job === undefined || link === undefined || !wantsHandOff(inputs)) return {}
  // What a follow-up did to it is not known without a look.
  const wasRead = operation === 'updated' || operation === 'unchanged'
  const opened = await journal.bestEffort(describeWanted(inputs), () => open(link, wasRead, step))
  if (opened === undefined) return {}
  const [github, pullRequest] = opened
  await mark(pullRequest, job.id, github, step)
  // A round is about the same pull request, and its checks are no change of anybody's.
  if (outcome === 'pull-request' && journal.turns.length === 1) await askReviewers(pullRequest, authors, github, step)
  if (!inputs.waitForChecks && inputs.allowedPaths.length === 0) return describePullRequest(pullRequest)
  return waitForChecks(pullRequest, github, step)
}

/** The comment of ours that names the job; another app could be taken for us this way, and gains nothing by it. */
export async function findMarker(
  pullRequest: PullRequestAddress,
  jobId: string,
  github: GitHub,
): Promise<MarkerComment | undefined> {
  const comments = await github.listMarkerComments(pullRequest, (body) => isMarkerComment(body, jobId))
  return mostTrusted(comments.filter(({ body }) => isMarkerComment(body, jobId)))[0]
}

/** The label and the marker; both are looked for first, so that a re-run adds nothing. */
async function mark(
  { labels, repository, number }: PullRequest,
  jobId: string,
  github: GitHub,
  { inputs, journal }: AgentStep,
): Promise<void> {
  const { label, waitForChecks } = inputs
  if (label === '') return
  const pullRequest = { repository, number }
  if (!hasLabel(label, labels))
    await journal.bestEffort('The label was not put on the pull request', () => github.addLabel(pullRequest, label))
  const { log } = journal.report()
  if (log?.jobId === jobId && log.pullRequest.number === number) return
  // The end of the step writes it, unless that is far: who finds no comment then starts another job.
  // To the pull request of this step's own job nobody else has written of it.
  const isNew = journal.turns[0].task.kind === 'create'
  const write = async (): Promise<number | undefined> =>
    (isNew ? undefined : await findMarker(pullRequest, jobId, github))?.id ??
    (await github.addComment(pullRequest, markerComment(jobId)))
  const commentId = waitForChecks
    ? await journal.bestEffort('The comment that names the job was not written', write)
    : isNew
      ? 'none'
      : undefined
  journal.add({ log: { pullRequest, jobId, commentId } })
}
