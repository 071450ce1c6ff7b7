/**
 * Does what the inputs ask for with a turn's pull request: label, reviewers, checks and files. Hides which requests may
 * fail without changing the result.
 */
import { endingAt, openGitHub } from '../../action/step.ts'
import type { PullRequestLink } from '../../docs-service/schemas.ts'
import { type ComparedCommit, type Comparison, listOwners } from '../../github/commits.ts'
import { failsForAll } from '../../github/github-error.ts'
import { hasLabel } from '../../github/labels.ts'
import { isOpen, type PullRequest, type PullRequestAddress, toPullRequestAddress } from '../../github/pull-requests.ts'
import { pollUntil } from '../../runtime/clock.ts'
import { ActionError, type ErrorCode, rethrowFatal, orUndefined } from '../../runtime/errors.ts'
import { toDeadline } from '../../runtime/time-budget.ts'
import type { AgentInputs } from '../inputs.ts'
import { type AgentStep, writeMilestone } from '../journal.ts'
import type { Changes } from '../report/report.ts'
import {
  describePullRequest,
  type EndedState,
  getTurnEnd,
  getFindings,
  getLastFindings,
  getReads,
  getWork,
  type PullRequestFindings,
} from '../report/turn.ts'
import { countCommitsOfUpdates, getJobOutcome } from '../report/turns.ts'
import { waitForChecks } from './checks.ts'
import { nameJob, writeResult } from './marker-comment.ts'

/** With more reviewers, nobody feels responsible. */
const MAX_PEOPLE = 5
/** Each lookup of a permission may cost a request. */
const MAX_LOOKUPS = 10
/** For all requests together, because each failed lookup is retried. */
const MAX_REVIEWERS_MS = 60_000

const lower = (name: string): string => name.toLowerCase()

/**
 * Requests reviews of an open pull request, from each person and each team once. The pull request's timeline lists who was
 * asked before, including people who removed themselves. A failed request for one reviewer is a warning.
 * @param people the logins of people who approved or wrote the change that started the run, most relevant first
 * @throws ActionError `cancelled`
 */
export async function requestReviews(
  pullRequest: PullRequest,
  people: readonly string[],
  step: AgentStep,
): Promise<void> {
  const { inputs, journal } = step
  const { names } = inputs.reviewers
  const author = lower(pullRequest.author.login)
  const logins = people.map(lower)
  const candidates = people.filter((_, index) => {
    const login = logins[index] ?? ''
    return login !== author && logins.indexOf(login) === index
  })
  if (names.length + candidates.length === 0 || !isOpen(pullRequest)) return
  await journal.orWarn('Not all reviews were requested', async () => {
    const github = openGitHub(step, MAX_REVIEWERS_MS)
    const excluded = new Set([author, ...(await github.listReviewersSoFar(pullRequest))])
    const isExcluded = (name: string): boolean => excluded.has(lower(name))
    const describeFailure = (name: string): string => `No review was requested from \`${name}\``
    const mayWrite = (login: string): Promise<boolean | undefined> =>
      journal.orWarn(describeFailure(login), () => github.mayWrite(pullRequest.repository, { login }))
    // People who were asked before also count towards the maximum.
    const selected: string[] = []
    for (const login of candidates.slice(0, MAX_LOOKUPS)) {
      if (selected.length === MAX_PEOPLE) break
      if (isExcluded(login) || (await mayWrite(login)) === true) selected.push(login)
    }
    const reviewers = [...names, ...selected].filter((name) => !isExcluded(name))
    for (const name of new Map(reviewers.map((name) => [lower(name), name])).values()) {
      try {
        await github.requestReview(pullRequest, name)
        journal.note(`Requested a review from \`${name}\`.`)
      } catch (caught) {
        const error = rethrowFatal(caught)
        if (failsForAll(error)) throw error
        journal.warn(describeFailure(name), error)
      }
    }
  })
}

const hasReviewers = ({ reviewers: { hasAuthors, hasApprovers, names } }: AgentInputs): boolean =>
  hasAuthors || hasApprovers || names.length > 0

/** Whether the pull request is only read for the summary, because no input needs it. */
const isOnlyShown = (inputs: AgentInputs): boolean =>
  inputs.label === '' && !inputs.waitForChecks && inputs.allowedPaths.length === 0 && !hasReviewers(inputs)

/** For all reads that only improve the summary, including waits for rate limits. */
const SHOWN_READS_MS = 60_000

/** Returns the deadline of these reads. Their time starts with the first of them. */
function getShownReadsEnd({ clock, deadlineAt, journal }: AgentStep): number {
  journal.summaryReadsEndAt ??= clock.now() + SHOWN_READS_MS
  return Math.min(journal.summaryReadsEndAt, deadlineAt)
}

function describeUnread(inputs: AgentInputs): string {
  const { label, waitForChecks, allowedPaths } = inputs
  const details = [
    'its state',
    ...(label === '' ? [] : ['the label']),
    ...(hasReviewers(inputs) ? ['its reviewers'] : []),
    ...(waitForChecks ? ['its checks'] : []),
    ...(allowedPaths.length === 0 ? [] : ['its files']),
  ]
  return `The pull request could not be read (${details.join(', ')})`
}

/** How long GitHub may respond with 404 for a pull request that was just opened. */
const NOT_FOUND_MS = 30_000
const RETRY_PAUSE_MS = 3_000

/** @param wasRead whether the pull request was read after the end of the turn */
async function readWithRetries(link: PullRequestLink, wasRead: boolean, step: AgentStep): Promise<PullRequest> {
  const { clock, context, deadlineAt, github, heads, inputs } = step
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: "Leave `github-token` at its default and grant the workflow's job `pull-requests: write`, or set a token with that permission.",
    })
  const address = toPullRequestAddress(link, context)
  const known = wasRead ? heads.newest(address) : undefined
  if (known !== undefined) return known
  const endsAt = isOnlyShown(inputs) ? getShownReadsEnd(step) : deadlineAt
  const read = () =>
    heads.read(address, toDeadline(endsAt, clock)).catch((error: unknown) => rethrowFatal(error, 'not-found'))
  const retryUntil = Math.min(clock.now() + NOT_FOUND_MS, endsAt)
  const pauseMs = () => (clock.now() + RETRY_PAUSE_MS > retryUntil ? undefined : RETRY_PAUSE_MS)
  const found = await pollUntil(read, (found) => !(found instanceof ActionError), pauseMs, step)
  if (found instanceof ActionError) throw found
  return found
}

/** Errors after which the pull request probably exists, and the next request may succeed. */
const TRANSIENT: readonly ErrorCode[] = ['service-error', 'unreachable', 'bad-answer']

/** Writes the comment first: with it, the next step finds the pull request even if the label is missing. */
async function mark(
  pullRequest: PullRequestAddress & Partial<Pick<PullRequest, 'labels'>>,
  jobId: string,
  step: AgentStep,
): Promise<void> {
  const { label } = step.inputs
  if (label === '') return
  await nameJob(pullRequest, jobId, step)
  if (hasLabel(label, pullRequest.labels ?? [])) return
  await step.journal.orWarn('The label was not added to the pull request', async () =>
    openGitHub(step).addLabel(pullRequest, label),
  )
}

const needsExamination = ({ waitForChecks, allowedPaths }: AgentInputs): boolean =>
  waitForChecks || allowedPaths.length > 0

/**
 * Reads the job's pull request, and adds the marker comment and the label. If GitHub fails, the job's result is kept.
 * @returns undefined if the pull request cannot be read, or no input needs it
 * @throws ActionError `cancelled`
 */
export async function markPullRequest({ job, work }: EndedState, step: AgentStep): Promise<PullRequest | undefined> {
  const { context, github, inputs, journal } = step
  const link = job.prLink
  // Without a token, do not warn unless an input explicitly asks for checks or paths.
  if (link === undefined || (github === undefined && !needsExamination(inputs))) return undefined
  // The step read the pull request to determine these results of a follow-up.
  const wasRead = work.kind === 'updated' || work.kind === 'unchanged'
  const pullRequest = await readWithRetries(link, wasRead, step).catch((error: unknown) => rethrowFatal(error))
  if (pullRequest instanceof ActionError) {
    journal.warn(describeUnread(inputs), pullRequest)
    if (TRANSIENT.includes(pullRequest.code)) await mark(toPullRequestAddress(link, context), job.id, step)
    return undefined
  }
  await mark(pullRequest, job.id, step)
  return pullRequest
}

/** Whether to request reviews after this turn. A fix round requests none, because it works on the same pull request. */
export function needsReviews(ended: EndedState, pullRequest: PullRequest, { turns }: AgentStep['journal']): boolean {
  return getJobOutcome(ended) === 'pull-request' && turns.length === 1 && isOpen(pullRequest)
}

/**
 * Waits for the checks of a pull request and compares its files, if the inputs ask for it.
 * @throws ActionError `cancelled`
 */
export async function examinePullRequest(
  ended: EndedState,
  pullRequest: PullRequest,
  step: AgentStep,
): Promise<PullRequestFindings> {
  const described = describePullRequest(pullRequest)
  if (!needsExamination(step.inputs)) return described
  step.journal.updateTurn({ ...ended, pullRequest: described })
  writeMilestone(step)
  if (step.inputs.waitForChecks) await writeResult(pullRequest, step)
  return waitForChecks(pullRequest, step)
}

/** The share of `SHOWN_READS_MS` for the changed files. */
const MAX_CHANGES_MS = 10_000

const getWriter = ({ account, writtenBy = account?.login }: ComparedCommit): string => writtenBy ?? ''

/** Whether these owners have written all compared commits. */
const isAllBy = (owners: ReadonlySet<string>, { commits, totalCommits }: Comparison): boolean =>
  commits.length === totalCommits && commits.every((commit) => owners.has(getWriter(commit)))

/**
 * Reads the files that this step has changed in its pull request, up to the head commit of the last read.
 * @returns undefined if these files are unknown, for example because of other people's commits
 * @throws ActionError if GitHub cannot be read
 */
async function readChanges(step: AgentStep): Promise<Changes | undefined> {
  const { heads, journal } = step
  const { newest, turns } = journal
  const end = getTurnEnd(newest)
  const link = end?.kind === 'ended' || end?.kind === 'left-behind' ? end.job.prLink : undefined
  const pullRequest = link && heads.newest(toPullRequestAddress(link, step.context))
  const work = turns.map(getWork).find(({ kind }) => kind === 'created' || kind === 'updated')
  if (pullRequest === undefined || work === undefined) return undefined
  const github = openGitHub(step, MAX_CHANGES_MS)
  const found =
    work.kind === 'updated'
      ? await github.compare(pullRequest.repository, work.since, pullRequest.headSha)
      : await heads.compareWithBase(pullRequest, github)
  // On a rewritten branch, the new files are unknown.
  if (found.relation !== 'ahead') return undefined
  // A comparison also contains files of other people's commits and of merges of the base branch. The number of commits alone
  // is not enough, because a lagging replica may have returned another head commit.
  if (work.kind === 'updated' && found.totalCommits !== countCommitsOfUpdates(turns)) return undefined
  // The agent may commit with another account. The branch's first commit shows it, and this comparison may begin later.
  const owners =
    work.kind === 'updated'
      ? listOwners(pullRequest.author, await heads.listCommits(pullRequest, github), pullRequest.headSha)
      : new Set([pullRequest.author.login, ...found.commits.slice(0, 1).map(getWriter)].filter((name) => name !== ''))
  if (!isAllBy(owners, found)) return undefined
  const files = found.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
  return { files, isComplete: found.fileList === 'complete' }
}

/** GitHub computes `mergeable` in the background after the first read, usually within seconds. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Reads an open pull request again if it was last read before the newest turn, and a few more times while GitHub has not
 * computed `mergeable`. Ignores reads with another head commit.
 */
async function readMergeability({ clock, context, deadlineAt, github, journal, signal }: AgentStep): Promise<void> {
  const { turns } = journal
  const [found, { job }] = [getLastFindings(turns), getReads(turns[0])]
  if (github === undefined || job?.prLink === undefined || found === undefined || signal.aborted) return
  const isOld = getFindings(journal.newest) === undefined
  const { prLink } = job
  const read = async () => github.readPullRequest(toPullRequestAddress(prLink, context))
  let known = found
  for (const pauseMs of isOld ? [0, ...PAUSES_MS] : PAUSES_MS) {
    const isSettled = pauseMs > 0 && known.mergeable !== undefined
    if (!isOpen(known) || isSettled || clock.now() + pauseMs >= deadlineAt) return
    await clock.sleep(pauseMs, signal)
    const now = await orUndefined(read())
    // The known checks and files belong to one head commit, so only combine them with reads of the same one.
    if (now === undefined || now.headSha !== known.headSha) return
    known = { ...known, ...describePullRequest(now) }
    journal.recordPullRequestAtEnd(known)
  }
}

/**
 * Reads details for the summary: the changed files, and whether the pull request can be merged. Failed reads are ignored, and
 * slow responses or rate limits delay the end of the step by one minute at most.
 * @throws ActionError `cancelled`
 */
export async function readAtEnd(step: AgentStep): Promise<void> {
  const { journal, signal } = step
  if (signal.aborted) return
  const brief = endingAt(step, getShownReadsEnd(step))
  journal.recordFiles(await orUndefined(readChanges(brief)))
  await readMergeability(brief)
}
