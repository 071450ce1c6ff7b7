/**
 * Marks the agent's pull request, so that later steps find it: with the label, and with the history of the step's turns.
 * Hides when a missing mark makes the step red.
 */
import { field, labelInput, repositoryInput } from '../../action/inputs.ts'
import { requireGitHubAtEnd } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import { toPullRequestAddress, type PullRequest, type PullRequestAddress } from '../../github/pull-requests.ts'
import { isSameRepository } from '../../github/schemas.ts'
import { ActionError, catchExpected, isTransient, mayPass, orUndefined, REFUSAL_HINT } from '../../runtime/errors.ts'
import { joinSentences } from '../../text/format.ts'
import { needsPullRequestRead, type Facts, getOtherRepository, getRepository } from '../facts.ts'
import { formatGrant, formatTrackingGrant } from '../permissions.ts'
import { formatAttaching } from '../words.ts'
import type { Turn } from '../record.ts'
import type { Acts, Reads } from '../step.ts'
import { readUpdate, findHistory, isInUse, writeHistory } from '../history/store.ts'
import { toUpdateFingerprint } from '../history/rows.ts'
import { isPullRequestEvent } from '../change/loop.ts'
import { pollUntil } from '../../runtime/clock.ts'

/** Whether the next run depends on the mark: it would start another job otherwise. */
const isTrackingRequired = (step: Facts): boolean => step.inputs.onOpenPr !== 'new' || isPullRequestEvent(step)

export const TRACK_FIELDS = {
  label: field('label', '', labelInput),
  prRepository: field('pr-repository', '', repositoryInput),
}

/** Why the job's pull request is not marked, although the next run depends on its mark: the fact `untracked` of the record. */
type Untracked = ActionError | undefined

function createUntracked(error: ActionError, what: string, jobId: string, step: Facts): ActionError {
  const run = { label: step.inputs.label, otherRepository: getOtherRepository(step) }
  const attach = `To add the label and the comment before the next run, ${formatAttaching(jobId, run)}.`
  const refusal = mayPass(error) ? undefined : `${REFUSAL_HINT}.`
  const usual = error.hint ?? refusal
  const fix = error.lacksPermissionIn === undefined ? usual : formatTrackingGrant(step, error.lacksPermissionIn)
  // The next step gets a new token anyway.
  const hints = error.code === 'unauthorized' ? [attach, fix] : [fix, attach]
  const text = `${what}, so the next run would start another job: ${error.message}`
  return new ActionError(error.code, text, { cause: error, hint: joinSentences(hints) })
}

function toUntracked(error: ActionError, what: string, jobId: string, step: Acts): Untracked {
  if (isTrackingRequired(step)) return createUntracked(error, what, jobId, step)
  step.journal.warn(what, error)
  return undefined
}

/** A comment that could not be updated still names the job, unless it is gone. */
function toUntrackedByHistory(error: ActionError, jobId: string, step: Acts): Untracked {
  const { history, journal } = step
  if (history.ref?.commentId === undefined)
    return toUntracked(error, 'The history comment was not written', jobId, step)
  if (error.code === 'not-found') return toUntracked(error, 'The history comment was not updated', jobId, step)
  journal.warn('The history comment was not updated, so it may be out of date', error)
  return undefined
}

/** The labels of the pull request when it was last read. */
const getKnownLabels = (address: PullRequestAddress, { pullRequests }: Acts): readonly string[] =>
  pullRequests.getNewest(address)?.labels ?? []

/** Whether the next run looks where the pull request is. GitHub redirects the old name of a repository. */
async function isInSearchedRepository({ repository, number }: PullRequestAddress, step: Reads): Promise<boolean> {
  const searched = getRepository(step)
  if (step.inputs.onOpenPr === 'new' || isSameRepository(repository, searched)) return true
  const pullRequest = await orUndefined(requireGitHubAtEnd(step).readPullRequest({ repository: searched, number }))
  return pullRequest !== undefined && isSameRepository(repository, pullRequest.repository)
}

/** The next run does not find the pull request, even if it is marked. @param untracked why it is not marked */
function createMisplaced(
  { repository, number }: PullRequestAddress,
  untracked: Untracked,
  jobId: string,
  step: Facts,
): ActionError {
  const text = `Pull request #${number} is in \`${repository}\`, but the next run looks for it in \`${getRepository(step)}\`, and would start another job.`
  const set = `Set \`pr-repository\` to \`${repository}\`.`
  const attach = `To add the label and the comment, ${formatAttaching(jobId, { label: step.inputs.label, otherRepository: repository })}.`
  const hints = untracked === undefined ? [set] : [set, formatTrackingGrant(step, repository), attach]
  return new ActionError('rejected', text, { hint: hints.join(' ') })
}

/**
 * Returns why a pull request is not marked that could not be read; undefined if the next run does not depend on that.
 * @param address undefined if the pull request is not on this GitHub
 * @throws ActionError `cancelled`
 */
async function explainUnreadable(
  error: ActionError,
  address: PullRequestAddress | undefined,
  jobId: string,
  step: Acts,
): Promise<Untracked> {
  const { inputs, github, history } = step
  if (!isTrackingRequired(step) || inputs.label === '' || github === undefined) return undefined
  if (address !== undefined && history.ref?.commentId !== undefined) {
    const hasHistory = history.ref.pullRequest.number === address.number
    // An earlier read has shown that the pull request carries the mark, so that the next run finds it.
    if (hasHistory && hasLabel(inputs.label, getKnownLabels(address, step))) return undefined
  }
  const what = 'The pull request did not get its label and comment, because it could not be read'
  const untracked = createUntracked(error, what, jobId, step)
  const isFindable = address === undefined || (await isInSearchedRepository(address, step))
  return isFindable ? untracked : createMisplaced(address, untracked, jobId, step)
}

/**
 * Adds the label to a pull request and writes the history, at the same time. A failure on which the next run does not depend is a
 * warning.
 * @throws ActionError `cancelled`
 */
export async function trackPullRequest(
  pullRequest: PullRequestAddress & Partial<Pick<PullRequest, 'labels'>>,
  jobId: string,
  step: Acts,
): Promise<Untracked> {
  const { inputs, history } = step
  if (!isInUse(inputs)) return undefined
  const { label } = inputs
  let untracked: Untracked
  const github = requireGitHubAtEnd(step)
  const addLabel = async (): Promise<void> => {
    if (!hasLabel(label, pullRequest.labels ?? [])) await github.addLabel(pullRequest, label)
  }
  const addHistory = async (): Promise<void> => {
    const { repository, number, visibility } = pullRequest
    let { ref } = history
    if (ref?.jobId !== jobId || ref.pullRequest.number !== number) {
      untracked = await completeHistory(step)
      // The pull request of a job that this step has created cannot have a comment yet.
      const isNew = history.read().turns[0]?.task.kind === 'create'
      const comment = isNew ? undefined : await findHistory(pullRequest, jobId, step)
      ref = { pullRequest: { repository, number, visibility }, jobId, commentId: comment?.id }
      history.ref = ref
    }
    await writeHistory(ref, github, step)
  }
  const findError = (written: Promise<void>) =>
    written.then(
      () => undefined,
      (error: unknown) => catchExpected(error),
    )
  const [isFindable, ofLabel, ofHistory] = await Promise.all([
    isInSearchedRepository(pullRequest, step),
    findError(addLabel()),
    findError(addHistory()),
  ])
  const unlabelled = `The label was not added to pull request #${pullRequest.number} of ${pullRequest.repository}`
  if (ofLabel !== undefined && ofLabel.message === ofHistory?.message) {
    untracked = toUntracked(ofLabel, `${unlabelled}, and the history comment was not written`, jobId, step) ?? untracked
  } else {
    if (ofLabel !== undefined) untracked = toUntracked(ofLabel, unlabelled, jobId, step) ?? untracked
    if (ofHistory !== undefined) untracked = toUntrackedByHistory(ofHistory, jobId, step) ?? untracked
  }
  return isFindable ? untracked : createMisplaced(pullRequest, untracked, jobId, step)
}

/** Completes the step's rows at its end if they have changed, even if it failed or was cancelled. */
export async function completeHistory(step: Acts): Promise<Untracked> {
  const { inputs, history } = step
  const { ref } = history
  if (ref?.commentId === undefined || !isInUse(inputs)) return undefined
  const update = await readUpdate(ref, step)
  // Without a turn, the step does not know whether the rows of other steps can be completed.
  if (update.rows.length === 0 || toUpdateFingerprint(update) === ref.written) return undefined
  try {
    await writeHistory(ref, requireGitHubAtEnd(step), step)
    return undefined
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return toUntrackedByHistory(error, ref.jobId, step)
  }
}

/** How long GitHub may respond with 404 for a pull request that was just opened. */
const NOT_FOUND_MS = 30_000

const RETRY_PAUSE_MS = 3_000

/** Reads the job's pull request, unless a step has just read it to determine what a follow-up did. */
async function readLinked(address: PullRequestAddress, wasRead: boolean, step: Acts): Promise<PullRequest> {
  const { clock, deadlineAt, github, inputs } = step
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: `Leave \`github-token\` at its default. ${formatGrant(inputs)}`,
    })
  const known = wasRead ? step.pullRequests.getNewest(address) : undefined
  if (known !== undefined) return known
  const read = () => step.pullRequests.read(address).catch((error: unknown) => catchExpected(error, 'not-found'))
  const retryUntil = Math.min(clock.now() + NOT_FOUND_MS, deadlineAt)
  const pauseMs = () => (clock.now() + RETRY_PAUSE_MS > retryUntil ? undefined : RETRY_PAUSE_MS)
  const result = await pollUntil(read, (found) => !(found instanceof ActionError), pauseMs, step)
  if (result instanceof ActionError) throw result
  return result
}

/** The facts that reading a pull request brings, if it is read at all. */
interface Trackable {
  /** Undefined if it cannot be read, or no input needs it. */
  readonly pullRequest?: PullRequest
  readonly untracked?: Untracked
}

/**
 * Reads the job's pull request. If GitHub fails, the job's result is kept.
 * @throws ActionError `cancelled`
 */
export async function readTrackable({ job, effect }: Turn, step: Acts): Promise<Trackable> {
  const { context, github, inputs, journal } = step
  const link = job?.prLink
  let address: PullRequestAddress | undefined
  // Without a token, do not warn unless an input explicitly asks for checks or paths.
  if (job === undefined || link === undefined || (github === undefined && !needsPullRequestRead(inputs))) return {}
  const wasRead = effect?.kind === 'updated' || effect?.kind === 'unchanged'
  try {
    address = toPullRequestAddress(link, context)
    return { pullRequest: await readLinked(address, wasRead, step) }
  } catch (caught) {
    const error = catchExpected(caught)
    journal.warn('The pull request could not be read', error)
    // The pull request probably exists, and the next request may succeed: marking may end after the deadline.
    const canStillTrack = error.code === 'deadline' || (isTransient(error) && error.code !== 'rate-limited')
    if (address !== undefined && canStillTrack)
      return { untracked: await trackPullRequest({ ...address, labels: getKnownLabels(address, step) }, job.id, step) }
    const untracked = await explainUnreadable(error, address, job.id, step)
    return untracked === undefined ? {} : { untracked }
  }
}
