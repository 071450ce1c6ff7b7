import { endingAt, openGitHub } from '../../action/step.ts'
import type { PullRequestLink } from '../../docs-service/schemas.ts'
import type { Comparison } from '../../github/commits.ts'
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
  type Ended,
  getEnd,
  getFindings,
  getLastFindings,
  getReads,
  getWork,
  type PullRequestFindings,
} from '../report/turn.ts'
import { countCommits, getEndedOutcome } from '../report/turns.ts'
import { waitForChecks } from './checks.ts'
import { nameJob } from './marker-comment.ts'

/** If more are asked, nobody feels responsible. */
const MAX_PEOPLE = 5
/** Each may cost a request. */
const MAX_LOOKUPS = 10
/** The most that all requests may take: each failed lookup is retried. */
const REVIEWERS_MS = 60_000

const lower = (name: string): string => name.toLowerCase()

/**
 * Requests reviews of an open pull request, from each person and each team once: GitHub's own time line has who was asked
 * before, and who removed themselves. A reviewer for whom a request fails is reported and costs no other one.
 * @param people who approved or wrote the change that started the run, by their logins, the likeliest first
 * @throws ActionError `cancelled`
 */
export async function askReviewers(
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
  await journal.orWarn('Not everybody was asked for a review', async () => {
    const github = openGitHub(step, REVIEWERS_MS)
    const over = new Set([author, ...(await github.listReviewersSoFar(pullRequest))])
    const isOver = (name: string): boolean => over.has(lower(name))
    const lost = (name: string): string => `\`${name}\` was not asked for a review`
    const mayWrite = (login: string): Promise<boolean | undefined> =>
      journal.orWarn(lost(login), () => github.mayWrite(pullRequest.repository, { login }))
    // The first few with write access. Those who were asked before are among these.
    const found: string[] = []
    for (const login of candidates.slice(0, MAX_LOOKUPS)) {
      if (found.length === MAX_PEOPLE) break
      if (isOver(login) || (await mayWrite(login)) === true) found.push(login)
    }
    const wanted = [...names, ...found].filter((name) => !isOver(name))
    for (const name of new Map(wanted.map((name) => [lower(name), name])).values()) {
      try {
        await github.requestReview(pullRequest, name)
        journal.note(`\`${name}\` is asked for a review.`)
      } catch (caught) {
        const error = rethrowFatal(caught)
        if (failsForAll(error)) throw error
        journal.warn(lost(name), error)
      }
    }
  })
}

const asksReviewers = ({ reviewers: { hasAuthors, hasApprovers, names } }: AgentInputs): boolean =>
  hasAuthors || hasApprovers || names.length > 0

/** Whether what is read of the pull request is only shown, because the inputs ask for nothing of it. */
const isOnlyShown = (inputs: AgentInputs): boolean =>
  inputs.label === '' && !inputs.waitForChecks && inputs.allowedPaths.length === 0 && !asksReviewers(inputs)

/** The time of all reads that only improve the summary, in milliseconds, waits for a rate limit included. */
const SHOWN_READS_MS = 60_000

/** When these reads have to end: the time begins with the first of them. */
function getShownReadsEnd({ clock, deadlineAt, journal }: AgentStep): number {
  journal.summaryReadsEndAt ??= clock.now() + SHOWN_READS_MS
  return Math.min(journal.summaryReadsEndAt, deadlineAt)
}

function describeWanted(inputs: AgentInputs): string {
  const { label, waitForChecks, allowedPaths } = inputs
  const wanted = [
    'its state',
    ...(label === '' ? [] : ['the label']),
    ...(asksReviewers(inputs) ? ['its reviewers'] : []),
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
  const { clock, context, deadlineAt, github, heads, inputs } = step
  if (github === undefined)
    throw new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: "Leave `github-token` at its default and grant the workflow's job `pull-requests: write`, or give a token that has it.",
    })
  const address = toPullRequestAddress(link, context)
  const seen = wasRead ? heads.newest(address) : undefined
  if (seen !== undefined) return seen
  const endsAt = isOnlyShown(inputs) ? getShownReadsEnd(step) : deadlineAt
  const read = () =>
    heads.read(address, toDeadline(endsAt, clock)).catch((error: unknown) => rethrowFatal(error, 'not-found'))
  const patientUntil = Math.min(clock.now() + NEW_MS, endsAt)
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
  await step.journal.orWarn('The label was not put on the pull request', async () =>
    openGitHub(step).addLabel(pullRequest, label),
  )
}

const isToExamine = ({ waitForChecks, allowedPaths }: AgentInputs): boolean => waitForChecks || allowedPaths.length > 0

/**
 * Reads and marks the job's pull request. Whatever GitHub does, the job's result stands.
 * @returns undefined if it cannot be read, or nobody asks for it
 * @throws ActionError `cancelled`
 */
export async function markPullRequest({ job, work }: Ended, step: AgentStep): Promise<PullRequest | undefined> {
  const { context, github, inputs, journal } = step
  const link = job.prLink
  // Without a token, what nobody asked for by name is not missed.
  if (link === undefined || (github === undefined && !isToExamine(inputs))) return undefined
  // What a follow-up did to it is not known without a look.
  const wasRead = work.kind === 'updated' || work.kind === 'unchanged'
  const pullRequest = await readPatiently(link, wasRead, step).catch((error: unknown) => rethrowFatal(error))
  if (pullRequest instanceof ActionError) {
    journal.warn(describeWanted(inputs), pullRequest)
    if (PASSING.includes(pullRequest.code)) await mark(toPullRequestAddress(link, context), job.id, step)
    return undefined
  }
  await mark(pullRequest, job.id, step)
  return pullRequest
}

/** Whether reviews are asked for after this turn. A round is about the same pull request, and its checks are nobody's change. */
export function isForReview(ended: Ended, pullRequest: PullRequest, { turns }: AgentStep['journal']): boolean {
  return getEndedOutcome(ended) === 'pull-request' && turns.length === 1 && isOpen(pullRequest)
}

/**
 * Waits for the checks of a pull request, and looks at its files, as far as the inputs ask for it.
 * @throws ActionError `cancelled`
 */
export async function examinePullRequest(
  ended: Ended,
  pullRequest: PullRequest,
  step: AgentStep,
): Promise<PullRequestFindings> {
  const described = describePullRequest(pullRequest)
  if (!isToExamine(step.inputs)) return described
  step.journal.updateTurn({ ...ended, pullRequest: described })
  writeMilestone(step)
  return waitForChecks(pullRequest, step)
}

/** The part of the time of these reads for the changed files. */
const CHANGES_MS = 10_000

/** Whether all commits of a new branch are by the author of its pull request, or by the author of the first one. */
function isAllBy({ author: { login } }: PullRequest, { commits, totalCommits }: Comparison): boolean {
  const names = commits.map(({ account, writtenBy = account?.login }) => writtenBy ?? '')
  return commits.length === totalCommits && names.every((name) => name !== '' && [login, names[0]].includes(name))
}

/**
 * The files that the step has changed in its pull request, up to its head as it was read last: of a new one these are all, if
 * nobody else has committed to it.
 * @throws ActionError if GitHub does not tell
 */
async function readChanges(step: AgentStep): Promise<Changes | undefined> {
  const { heads, journal } = step
  const { newest, turns } = journal
  const end = getEnd(newest)
  const link = end?.kind === 'ended' || end?.kind === 'left-behind' ? end.job.prLink : undefined
  const pullRequest = link && heads.newest(toPullRequestAddress(link, step.context))
  const work = turns.map(getWork).find(({ kind }) => kind === 'created' || kind === 'updated')
  if (pullRequest === undefined || work === undefined) return undefined
  const github = openGitHub(step, CHANGES_MS)
  const found =
    work.kind === 'updated'
      ? await github.compare(pullRequest.repository, work.since, pullRequest.headSha)
      : await heads.compareWithBase(pullRequest, github)
  // Of a rewritten branch it is not known what is new.
  if (found.relation !== 'ahead') return undefined
  // A comparison does not tell the agent's files from those of a merge of the base branch, or of commits by others.
  const isAllOwn = work.kind === 'updated' ? found.totalCommits === countCommits(turns) : isAllBy(pullRequest, found)
  if (!isAllOwn) return undefined
  const files = found.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
  return { files, isComplete: found.fileList === 'whole' }
}

/** GitHub begins to find out when it is first asked, and is mostly done within seconds. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Reads an open pull request once more if a round has led no further since it was read, and a few times more if GitHub did not
 * know yet whether it conflicts with its base. Where another commit has come, all of it stays as it was.
 */
async function readMergeability({ clock, context, deadlineAt, github, journal, signal }: AgentStep): Promise<void> {
  const { turns } = journal
  const [found, { job }] = [getLastFindings(turns), getReads(turns[0].state)]
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
    // Checks and files were looked at for one commit, and this is about the same one or it is not told.
    if (now === undefined || now.headSha !== known.headSha) return
    known = { ...known, ...describePullRequest(now) }
    journal.recordPullRequestAtEnd(known)
  }
}

/**
 * Reads what is only shown: the changed files, and whether the pull request can be merged. A read that fails is no shortfall,
 * and a GitHub that hangs or limits requests delays the end of the step by one minute at most.
 * @throws ActionError `cancelled`
 */
export async function readAtEnd(step: AgentStep): Promise<void> {
  const { journal, signal } = step
  if (signal.aborted) return
  const brief = endingAt(step, getShownReadsEnd(step))
  journal.recordFiles(await orUndefined(readChanges(brief)))
  await readMergeability(brief)
}
