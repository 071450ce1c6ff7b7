/**
 * Marks the agent's pull request, so that later steps find it: with the label, and with the history of the step's turns.
 * Hides when a missing mark makes the step red.
 */
import { requireGitHubAtEnd, requireGitHub } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { ActionError, asExpectedError, orUndefined } from '../../runtime/errors.ts'
import { joinSentences } from '../../text/format.ts'
import type { Facts } from '../facts.ts'
import { formatGrant } from '../permissions.ts'
import { formatAttaching } from '../outcome.ts'
import type { Acts, Reads } from '../record.ts'
import { readUpdate, findHistory, isInUse, writeHistory } from '../history/store.ts'
import { toUpdateFingerprint } from '../history/rows.ts'

/** Whether the agent's own pull request starts the next run. */
export const isPullRequestEvent = ({ context, inputs }: Facts): boolean =>
  /^pull_request(?:_target)?$/.test(context.eventName) && inputs.command === ''

/** Whether the next run depends on the mark: it would start another job otherwise. */
const isTrackingRequired = (step: Facts): boolean => step.inputs.onOpenPr !== 'new' || isPullRequestEvent(step)

/** The repository in which the agent opens its pull requests. */
export const getRepository = ({ context, inputs }: Facts): string => inputs.prRepository || context.repository

/** Creates the label if it does not exist. @param exists whether it does, if that was already requested */
export async function createMissingLabel(step: Reads, exists?: Promise<boolean>): Promise<void> {
  const github = requireGitHub(step)
  const [repository, { label }] = [getRepository(step), step.inputs]
  if (!(await (exists ?? github.labelExists(repository, label)))) await github.createLabel(repository, label)
}

/** Says which permissions the token needs where the agent opens its pull requests. */
export function formatTrackingGrant(step: Facts, repository = getRepository(step)): string {
  if (isSameRepository(repository, step.context.repository)) return formatGrant(step.inputs)
  return `\`github-token\` needs write access to issues and pull requests of ${repository}, which the workflow's own token never has: use the token of a GitHub App that is installed there.`
}

/** Records that the job's pull request is not marked, although the next run depends on its mark. */
function recordUntracked(error: ActionError, what: string, jobId: string, step: Acts): void {
  const { record } = step
  const attach = `To mark the pull request before the next run, ${formatAttaching(jobId, record.read())}.`
  const fix = error.lacksPermissionIn === undefined ? error.hint : formatTrackingGrant(step, error.lacksPermissionIn)
  // The next step gets a new token anyway.
  const hints = error.code === 'unauthorized' ? [attach, fix] : [fix, attach]
  const text = `${what}, so the next run would start another job: ${error.message}`
  record.add({ untracked: new ActionError(error.code, text, { cause: error, hint: joinSentences(hints) }) })
}

function recordFailure(error: ActionError, what: string, jobId: string, step: Acts): void {
  if (isTrackingRequired(step)) recordUntracked(error, what, jobId, step)
  else step.record.warn(what, error)
}

/** A comment that could not be updated still names the job, unless it is gone. */
function recordHistoryFailure(error: ActionError, jobId: string, step: Acts): void {
  const { record } = step
  if (record.history?.commentId === undefined) recordFailure(error, 'The history comment was not written', jobId, step)
  else if (error.code === 'not-found') recordFailure(error, 'The history comment was not updated', jobId, step)
  else record.warn('The history comment was not updated, so it may be out of date', error)
}

/** Whether the next run looks where the pull request is. GitHub redirects the old name of a repository. */
async function isInSearchedRepository({ repository, number }: PullRequestAddress, step: Reads): Promise<boolean> {
  const searched = getRepository(step)
  if (step.inputs.onOpenPr === 'new' || isSameRepository(repository, searched)) return true
  const found = await orUndefined(requireGitHubAtEnd(step).readPullRequest({ repository: searched, number }))
  return found !== undefined && isSameRepository(repository, found.repository)
}

/** Records that the next run does not find the pull request, wherever it is marked. */
function recordMisplaced({ repository, number }: PullRequestAddress, jobId: string, step: Acts): void {
  const { record } = step
  const run = record.read()
  const text = `Pull request #${number} is in \`${repository}\`, but the next run looks for it in \`${getRepository(step)}\`, and would start another job.`
  const set = `Set \`pr-repository\` to \`${repository}\`.`
  const attach = `To mark the pull request, ${formatAttaching(jobId, { ...run, otherRepository: repository })}.`
  const hints = run.untracked === undefined ? [set] : [set, formatTrackingGrant(step, repository), attach]
  record.add({ untracked: new ActionError('rejected', text, { hint: hints.join(' ') }) })
}

/**
 * Records that the job's pull request could not be read, and so was not marked.
 * @param address undefined if the pull request is not on this GitHub
 * @throws ActionError `cancelled`
 */
export async function recordUnreadable(
  error: ActionError,
  address: PullRequestAddress | undefined,
  jobId: string,
  step: Acts,
): Promise<void> {
  const { inputs, github } = step
  if (!isTrackingRequired(step) || inputs.label === '' || github === undefined) return
  recordUntracked(error, 'The pull request was not marked, because it could not be read', jobId, step)
  if (address !== undefined && !(await isInSearchedRepository(address, step))) recordMisplaced(address, jobId, step)
}

/**
 * Adds the label to a pull request and writes the history, at the same time. A failure is recorded.
 * @throws ActionError `cancelled`
 */
export async function trackPullRequest(
  pullRequest: PullRequestAddress & Partial<Pick<PullRequest, 'labels'>>,
  jobId: string,
  step: Acts,
): Promise<void> {
  const { inputs, record } = step
  if (!isInUse(inputs)) return
  const { label } = inputs
  const github = requireGitHubAtEnd(step)
  const addLabel = async (): Promise<void> => {
    if (!hasLabel(label, pullRequest.labels ?? [])) await github.addLabel(pullRequest, label)
  }
  const addHistory = async (): Promise<void> => {
    const { repository, number, visibility } = pullRequest
    let place = record.history
    if (place?.jobId !== jobId || place.pullRequest.number !== number) {
      await completeHistory(step)
      // The pull request of a job that this step has created cannot have a comment yet.
      const isNew = record.turns[0]?.task.kind === 'create'
      const found = isNew ? undefined : await findHistory(pullRequest, jobId, step)
      place = { pullRequest: { repository, number, visibility }, jobId, commentId: found?.id }
      record.add({ history: place })
    }
    await writeHistory(place, github, step)
  }
  record.add({ untracked: undefined })
  const findError = (written: Promise<void>) =>
    written.then(
      () => undefined,
      (error: unknown) => asExpectedError(error),
    )
  const [isFindable, ofLabel, ofHistory] = await Promise.all([
    isInSearchedRepository(pullRequest, step),
    findError(addLabel()),
    findError(addHistory()),
  ])
  const unlabelled = `The label was not added to pull request #${pullRequest.number} of ${pullRequest.repository}`
  if (ofLabel !== undefined && ofLabel.message === ofHistory?.message) {
    recordFailure(ofLabel, `${unlabelled}, and the history comment was not written`, jobId, step)
  } else {
    if (ofLabel !== undefined) recordFailure(ofLabel, unlabelled, jobId, step)
    if (ofHistory !== undefined) recordHistoryFailure(ofHistory, jobId, step)
  }
  if (!isFindable) recordMisplaced(pullRequest, jobId, step)
}

/** Completes the step's rows at its end if they have changed, even if it failed or was cancelled. A failure is recorded. */
export async function completeHistory(step: Acts): Promise<void> {
  const { inputs, record } = step
  const place = record.history
  if (place?.commentId === undefined || !isInUse(inputs)) return
  const update = readUpdate(place, step)
  // Without a turn, the step does not know whether the rows of other steps can be completed.
  if (update.rows.length === 0 || toUpdateFingerprint(update) === place.written) return
  try {
    await writeHistory(place, requireGitHubAtEnd(step), step)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    recordHistoryFailure(error, place.jobId, step)
  }
}
