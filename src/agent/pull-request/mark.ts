/**
 * Marks the agent's pull request, so that later steps find it: with the label, and with the history of the step's turns.
 * Hides when a missing mark makes the step red.
 */
import { hashText } from '../../action/inputs.ts'
import { type Context, requireGitHubAtEnd, requireGitHub } from '../../action/step.ts'
import { getUnsuccessfulStatus, isTerminal } from '../../docs-service/schemas.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { PullRequest, PullRequestAddress } from '../../github/pull-requests.ts'
import { canName, isSameRepository } from '../../github/schemas.ts'
import { ActionError, asExpectedError, isTransient, orUndefined } from '../../runtime/errors.ts'
import { joinSentences } from '../../text/format.ts'
import { oneLine } from '../../text/untrusted.ts'
import { escapeSentence, type LinkedText, quoteNames } from '../../text/markdown.ts'
import { type AgentInputs, formatGrant } from '../inputs.ts'
import { formatAttaching, formatEnd, getTurnOutcome } from '../outcome.ts'
import {
  type Acts,
  type Facts,
  getPullRequestFacts,
  type HistoryRef,
  mayStillRun,
  type Reads,
  type Run,
  type Turn,
} from '../record.ts'
import {
  COMPARE,
  type History,
  type HistoryRow,
  type HistoryUpdate,
  listHistories,
  type ListedHistory,
  mergeHistory,
  parseHistory,
  pickOwn,
  renderHistory,
  REVIEW,
  startHistory,
} from './history.ts'
import { isPullRequestClosed, linkCommits, listBlockers } from '../pull-request-status.ts'

/** Finds the history of a job on its pull request. @throws ActionError if the comments cannot be read */
export async function findHistory(
  pullRequest: PullRequestAddress,
  jobId: string,
  step: Reads,
): Promise<ListedHistory | undefined> {
  const { histories } = await listHistories(pullRequest, requireGitHub(step))
  return pickOwn(histories.filter(({ history }) => history.job === jobId))
}

const getRunUrl = ({ serverUrl, repository, runId, runAttempt }: Context): string =>
  `${serverUrl}/${repository}/actions/runs/${runId}${runAttempt > 1 ? `/attempts/${runAttempt}` : ''}`

/**
 * Formats the sources that readers of the pull request may know. A reference to another repository also shows the pull
 * request to the readers of that repository, so both must have the same visibility.
 */
function nameSources(sources: readonly PullRequestAddress[], target: PullRequestAddress): string[] {
  return sources.flatMap(({ repository, visibility = 'private', number }) => {
    const isHere = isSameRepository(repository, target.repository)
    if (!isHere && visibility !== (target.visibility ?? 'public')) return []
    if (isHere && number === target.number) return []
    return [`${isHere ? '' : repository}#${number}`]
  })
}

/** Describes what started a turn. */
function describeCause({ failing }: Turn, { startedBy }: Run, isNamed: boolean): LinkedText {
  if (failing !== undefined) return { text: `checks failed: ${quoteNames(failing.map(({ name }) => name))}` }
  return isNamed ? (startedBy ?? { text: 'a run' }) : { text: 'a run in another repository' }
}

/** Whether a turn has opened another pull request than that of the place. */
const hasOpenedOther = ({ effect, job }: Turn, { pullRequest }: HistoryRef): boolean =>
  effect?.kind === 'created' && Number(job?.prLink?.number) !== pullRequest.number

/** Whether the agent may be working when the step ends: on its prompt, or on another one. Unknown without a read of the job. */
const mayBeWorking = (turn: Turn): boolean => mayStillRun(turn) || turn.job === undefined || !isTerminal(turn.job)

/** Creates the part of a row that says how the turn ended. Empty while the turn runs. */
function toRowEnd(turn: Turn, place: HistoryRef, now: Date): Partial<HistoryRow> {
  if (turn.end === undefined && turn.error === undefined) return {}
  const isElsewhere = hasOpenedOther(turn, place)
  const at = now.toISOString()
  return {
    ...(mayBeWorking(turn) ? { until: at } : { end: at }),
    outcome: getTurnOutcome(turn),
    result: isElsewhere ? 'opened another pull request' : formatEnd(turn),
    effect: isElsewhere ? 'none' : (turn.effect?.kind ?? 'unknown'),
  }
}

const PROMPT_HASH_DIGITS = 8
const MAX_PATH_CHARS = 200

/** Names the workflow's own prompt, without the change that is added to it. The prompts of all commands count as one. */
async function namePrompt({ inputs: { command, task, promptPath } }: Facts): Promise<PromptName> {
  if (command !== '') return { prompt: 'command' }
  if (task.kind === 'attach') return {}
  const prompt = (await hashText(task.prompt)).slice(0, PROMPT_HASH_DIGITS)
  return { prompt, file: promptPath && oneLine(promptPath, MAX_PATH_CHARS) }
}

type PromptName = Pick<HistoryRow, 'prompt' | 'file'>

/**
 * Creates the row of a turn, without names that readers of the pull request may not know.
 * @param named the prompt of the step's own turn
 */
function toRow(
  turn: Turn,
  index: number,
  run: Run,
  named: PromptName,
  place: HistoryRef,
  step: Reads,
): HistoryRow | undefined {
  const { clock, context, deadlineAt } = step
  if (turn.startedAt === undefined) return undefined
  const { serverUrl, repository, event, runId, runAttempt, workflowJob, runnerStepId, stepId } = context
  const isNamed = canName({ repository, ...event }, place.pullRequest)
  const now = clock.wallTime()
  const { text, url } = describeCause(turn, run, isNamed)
  const commits = linkCommits([turn], `${serverUrl}/${place.pullRequest.repository}`)?.url
  return {
    run: runId,
    attempt: runAttempt,
    job: isNamed ? workflowJob : '',
    action: isNamed ? runnerStepId : '',
    turn: index,
    start: turn.startedAt.toISOString(),
    until: new Date(now.getTime() + deadlineAt - clock.now()).toISOString(),
    startedBy: { text, url },
    ...(isNamed && { url: getRunUrl(context), step: stepId || undefined }),
    ...toRowEnd(turn, place, now),
    commits,
    sources: index === 0 ? nameSources(run.sources ?? [], place.pullRequest) : [],
    prompt: index === 0 ? named.prompt : undefined,
    file: index === 0 && isNamed ? named.file : undefined,
  }
}

const UNFINISHED = 'The agent did not finish its work: check what is missing.'
const mayLeaveBehind = (turn: Turn): boolean => mayStillRun(turn) || turn.error?.code === 'merged-too-early'

/** Lists what to do before the merge, most serious first. Undefined if the step has not read the pull request. */
function listLeft(run: Run, now: Date): History['left'] {
  const found = getPullRequestFacts(run)
  if (found.state === undefined) return undefined
  const at = now.toISOString()
  if (isPullRequestClosed(found)) return { at, items: run.turns.some(mayLeaveBehind) ? [COMPARE] : [] }
  const blockers = listBlockers(run).map(({ sentence }) => escapeSentence(sentence))
  const status = run.turns.at(-1)?.job?.status
  const last = status !== undefined && getUnsuccessfulStatus(status) !== undefined ? UNFINISHED : REVIEW
  return { at, items: blockers.length === 0 ? [last] : blockers }
}

/** Whether a fix round has nothing to say: it was neither announced nor sent. */
const isUnsentRound = (turn: Turn, index: number): boolean =>
  index > 0 &&
  turn.isAnnounced !== true &&
  turn.sent === undefined &&
  (turn.end !== undefined || turn.error !== undefined)

async function createUpdate(place: HistoryRef, step: Acts): Promise<HistoryUpdate> {
  const { clock, context, inputs, record } = step
  const named = await namePrompt(step)
  const run = record.read()
  const rows = record.turns.flatMap((turn, index) => {
    const row = isUnsentRound(turn, index) ? undefined : toRow(turn, index, run, named, place, step)
    return row === undefined ? [] : [row]
  })
  return {
    label: inputs.label,
    rows,
    // Only comments in the workflow's own repository start it.
    command: isSameRepository(context.repository, place.pullRequest.repository)
      ? inputs.command || undefined
      : undefined,
    limit: inputs.onOpenPr === 'follow-up' ? inputs.maxFollowUps : undefined,
    left: hasOpenedOther(record.newest, place) ? undefined : listLeft(run, clock.wallTime()),
  }
}

/** Shows whether an update would change the comment, apart from times. */
const toUpdateFingerprint = ({ rows, left }: HistoryUpdate): string =>
  JSON.stringify([rows.map((row) => ({ ...row, until: '', end: row.end && '' })), left?.items])

function createUnreadableError({ pullRequest }: HistoryRef): ActionError {
  return new ActionError(
    'not-found',
    `The history comment of pull request #${pullRequest.number} can no longer be read, because somebody has edited or deleted it.`,
    { hint: 'Delete what is left of the comment.' },
  )
}

/**
 * Adds the history comment and returns its id. If it is not known whether GitHub has added it, looks for it, and adds it again
 * only if it is missing.
 */
async function addHistoryComment(
  { pullRequest, jobId }: HistoryRef,
  body: string,
  github: GitHub,
  step: Reads,
): Promise<number | undefined> {
  const added = await github.addComment(pullRequest, body).catch((caught: unknown) => {
    const error = asExpectedError(caught)
    if (!isTransient(error) || error.code === 'rate-limited') throw error
    return undefined
  })
  return added ?? (await findHistory(pullRequest, jobId, step))?.id ?? github.addComment(pullRequest, body)
}

/**
 * Writes the step's rows to the history: reads the comment, merges the rows by key, and writes it back, once. A pull request
 * of a new job gets its comment.
 * @param merge checks the state and adds to the update; it may throw
 * @throws ActionError if the history may not have been written
 */
async function writeHistory(
  place: HistoryRef,
  github: GitHub,
  step: Acts,
  merge: (state: History, update: HistoryUpdate) => HistoryUpdate = (_, update) => update,
): Promise<void> {
  const { clock, runner, record } = step
  const update = await createUpdate(place, step)
  const written = toUpdateFingerprint(update)
  const now = clock.wallTime()
  // The response to an earlier attempt may have been lost.
  const found = place.mayExist === true ? await findHistory(place.pullRequest, place.jobId, step) : undefined
  const { commentId = found?.id } = place
  if (commentId === undefined) {
    const state = startHistory(place.jobId)
    const body = runner.redact(renderHistory(mergeHistory(state, merge(state, update), now)))
    record.add({ history: { ...place, mayExist: true } })
    const added = await addHistoryComment(place, body, github, step)
    record.add({ history: { ...place, commentId: added, written } })
    return
  }
  const state = parseHistory(await github.readComment(place.pullRequest, commentId))
  if (state?.job !== place.jobId) throw createUnreadableError(place)
  const body = runner.redact(renderHistory(mergeHistory(state, merge(state, update), now)))
  await github.editComment(place.pullRequest, commentId, body)
  record.add({ history: { ...place, mayExist: false, commentId, written } })
}

const isInUse = ({ label, dryRun }: AgentInputs): boolean => label !== '' && !dryRun

/**
 * Writes in the history that the agent is working, before a follow-up is sent.
 * @param merge checks the state before anything is written, and counts the follow-up
 * @throws ActionError if the history may not have been written
 */
export async function announceTurn(
  step: Acts,
  merge?: (state: History, update: HistoryUpdate) => HistoryUpdate,
): Promise<void> {
  const { inputs, record } = step
  const place = record.history
  if (place === undefined || !isInUse(inputs)) return
  record.update({ isAnnounced: true })
  await writeHistory(place, requireGitHub(step), step, merge)
}

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
  const update = await createUpdate(place, step)
  // Without a turn, the step does not know whether the rows of other steps can be completed.
  if (update.rows.length === 0 || toUpdateFingerprint(update) === place.written) return
  try {
    await writeHistory(place, requireGitHubAtEnd(step), step)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    recordHistoryFailure(error, place.jobId, step)
  }
}
