import { openGitHub } from '../../action/step.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel, type PullRequestInList } from '../../github/labels.ts'
import { type Account, isOpen, type PullRequest, type PullRequestAddress } from '../../github/pull-requests.ts'
import { canName } from '../../github/schemas.ts'
import { ActionError, orNotSent, rethrowFatal } from '../../runtime/errors.ts'
import { findAgentAccounts, OTHER_BOTS } from '../change/agent-accounts.ts'
import { isMarkedWithLabel, isMarkerComment, mostTrusted, warnOfLimit } from '../marker.ts'
import { type NewJobTarget, type Plan, type RollingPullRequest, type Skip, skip } from '../plan.ts'
import { formatOpenPullRequest } from '../prompt.ts'
import type { AgentStep } from '../journal.ts'
import { ASK_AGAIN, type Replan } from '../turn/decide-turn.ts'
import { findJobOf, openSearch, type Search } from './prove-job.ts'

/** Each costs several requests, and whoever labels so many other pull requests uses the label for something else. */
const MAX_EXAMINED = 30
/** Each costs a request for its comments. */
const MAX_CANDIDATES = 10
const MAX_NAMED = 10

/**
 * The open pull requests that may be the agent's although they do not have the label, newest first: those of the agent's
 * accounts, or if none is known, those of bots.
 */
export function pickCandidates(
  unlabelled: readonly PullRequestInList[],
  agents: readonly Account[],
): readonly PullRequestInList[] {
  const logins = agents.map(({ login }) => login)
  const isCandidate = ({ author: { login, type } }: PullRequestInList): boolean =>
    logins.length > 0 ? logins.includes(login) : type === 'Bot' && !OTHER_BOTS.includes(login)
  return unlabelled
    .filter(isCandidate)
    .toSorted((a, b) => b.number - a.number)
    .slice(0, MAX_CANDIDATES)
}

/**
 * The open pull requests without the label whose marker comment names it, oldest first. The token of an earlier step may not
 * have been allowed to create the label.
 */
async function findMarked(
  unlabelled: readonly PullRequestInList[],
  repository: string,
  search: Search,
): Promise<readonly PullRequestAddress[]> {
  if (unlabelled.length === 0) return []
  const { label } = search.inputs
  const github = openGitHub(search)
  const marked: PullRequestAddress[] = []
  for (const candidate of pickCandidates(unlabelled, await findAgentAccounts(repository, label, github))) {
    const comments = mostTrusted(await github.listComments(candidate, isMarkerComment))
    if (comments.some(({ body }) => isMarkedWithLabel(body, label))) marked.unshift(candidate)
  }
  return marked
}

/** @throws ActionError if GitHub does not tell, or there are more than can be listed */
async function listAll(repository: string, github: GitHub): Promise<readonly PullRequestInList[]> {
  return github.listOpenPullRequests(repository).catch((error: unknown) => {
    const { message } = rethrowFatal(error, 'rejected')
    throw new ActionError('rejected', message, {
      cause: error,
      hint: 'Grant `issues: read` under `permissions` of the job: the step then reads the list of the label instead.',
    })
  })
}

function noticeOthers(number: number, others: readonly PullRequestAddress[], { journal }: AgentStep): void {
  if (others.length === 0) return
  const named = others.slice(0, MAX_NAMED).map((other) => `#${other.number}`)
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : ''
  journal.notice(
    'More than one pull request is open',
    `Pull request #${number} is the oldest one of the agent that has the label. The label is also on, or meant for: ${named.join(', ')}${more}. Merge or close what is not needed.`,
  )
}

/**
 * The open pull request to continue: the oldest one with the label whose job confirms that it is its own. If no open pull
 * request with the label is the agent's, those are examined whose marker comment names the label. Label and marker are
 * pointers that anybody can set; the service is the proof.
 * @param ended those that were chosen before, and were merged or closed since
 * @returns a new job as the target if there is none
 * @throws ActionError if GitHub or the service cannot be asked
 */
async function findRollingPullRequest(
  step: AgentStep,
  ended: readonly number[],
): Promise<RollingPullRequest | NewJobTarget> {
  const { label, prRepository } = step.inputs
  const search = openSearch(step)
  const github = openGitHub(search)
  const repository = prRepository === '' ? step.context.repository : prRepository
  const seen = new Set(ended)
  const undecided: number[] = []

  async function findAmong(listed: readonly PullRequestAddress[]): Promise<RollingPullRequest | undefined> {
    const unseen = listed.filter(({ number }) => !seen.has(number))
    for (const [index, address] of unseen.entries()) {
      if (seen.size - ended.length === MAX_EXAMINED)
        throw new ActionError(
          'not-sent',
          `The first ${MAX_EXAMINED} of the open pull requests with the label are not the agent's.`,
          { hint: 'Remove the label from pull requests that are not the agent’s.' },
        )
      const { number } = address
      seen.add(number)
      const found = await findJobOf(address, search)
      if ('jobId' in found) {
        noticeOthers(number, unseen.slice(index + 1), step)
        return found
      }
      // It may have been closed since it was listed.
      if (!isOpen(found.pullRequest)) continue
      if (found.isUndecided === true) undecided.push(number)
      const reason = found.objections.join(', ') || 'no comment that counts names its job'
      step.journal.note(`Skipped pull request #${number}: it has the label, but ${reason}.`)
    }
    return undefined
  }

  const labelled = await github.findLabelledPullRequests(repository, label)
  const found = await findAmong(labelled ?? [])
  if (found !== undefined) return found
  // Only the list of all proves that there is none where the label's list cannot be read. What that list lacks because it lags
  // got its label only now, so it is new.
  const { pullRequests: open, isWhole } =
    labelled === undefined
      ? { pullRequests: await listAll(repository, github), isWhole: true }
      : await github.listNewestOpenPullRequests(repository)
  const isLabelled = ({ labels }: PullRequestInList): boolean => hasLabel(label, labels)
  const missed = await findAmong(open.filter(isLabelled))
  if (missed !== undefined) return missed
  const unlabelled = open.filter((pullRequest) => !isLabelled(pullRequest) && !seen.has(pullRequest.number))
  const marked = await findAmong(await findMarked(unlabelled, repository, search))
  if (marked !== undefined) return marked
  if (!isWhole)
    step.journal.note(
      `No open pull request of the agent has the label. Of those without it, only the ${open.length} newest were searched for a marker comment.`,
    )
  return { kind: 'new-job', undecided }
}

export function warnOfAttempt({ context: { runAttempt }, inputs: { command, dryRun }, journal }: AgentStep): void {
  if (runAttempt === 1 || dryRun) return
  // A step with `command` cannot take `job-id`.
  const step =
    command === ''
      ? 'the step with its `job-id` and without a prompt'
      : 'the action in a step with its `job-id` and without a prompt and `command`'
  journal.notice(
    'This run was started again',
    `This is attempt ${runAttempt}, and the one before may already have sent the prompt: this one sends it again. To go on with that job instead, cancel this run, and run ${step}.`,
  )
}

/** A dry run without a key takes a job as a comment names it. */
export const formatUnread = ({ inputs }: AgentStep): string =>
  inputs.hasService ? '' : ' (not confirmed by the service)'

const UNKNOWN = 'Could not tell whether a pull request of the agent is open'
/** So many pull requests in a row were open when they were chosen, and not when the prompt was to be sent. */
const MAX_CHOICES = 5

/**
 * What to ask of the service: what the inputs say, or, if an open pull request is to be continued, a follow-up to its job.
 * @throws ActionError if nobody knows whether there is one: nothing may be sent then
 */
export async function chooseTask(step: AgentStep): Promise<Plan | Skip> {
  const { task, onOpenPr } = step.inputs
  if (task.kind !== 'attach') warnOfAttempt(step)
  if (task.kind !== 'create') return { task, target: { kind: 'job' } }
  if (onOpenPr === 'new') return { task, target: { kind: 'new-job' } }
  const found = await orNotSent(UNKNOWN, () => findRollingPullRequest(step, []), ASK_AGAIN)
  if ('jobId' in found && onOpenPr === 'skip')
    return skip(
      `Pull request #${found.pullRequest.number} of the agent is open${formatUnread(step)}, and \`on-open-pr\` is \`skip\`.`,
    )
  return continueWith(found, task.prompt, [], step)
}

/**
 * What to ask of the service when the pull request that was chosen cannot take the follow-up any more.
 * @throws ActionError if nobody knows whether another one is open: nothing may be sent then
 */
export async function replan({ target, reason }: Replan, step: AgentStep): Promise<Plan> {
  const { inputs, journal, questions } = step
  return questions.spend(async () => {
    const ended = [...target.ended, target.rolling.pullRequest.number]
    journal.setLogPlace(undefined)
    const next = await orNotSent(UNKNOWN, () => findRollingPullRequest(step, ended), ASK_AGAIN)
    if ('jobId' in next && ended.length === MAX_CHOICES)
      throw new ActionError('not-sent', `${reason}. Pull request #${next.pullRequest.number} is open as well.`, {
        hint: 'Run the step again: it adds to that one.',
      })
    journal.note('jobId' in next ? `${reason}.` : `${reason}, so a new job begins.`)
    return continueWith(next, inputs.task.kind === 'create' ? inputs.task.prompt : '', ended, step)
  })
}

/** Whether a pull request may name the commits that the prompt is about. */
export function canNameSource({ context, inputs }: AgentStep, pullRequest: PullRequest): boolean {
  const { repository, event } = context
  const { changeRange } = inputs
  const source = 'repository' in changeRange ? (changeRange.repository ?? repository) : repository
  const isOwn = source.toLowerCase() === repository.toLowerCase()
  return canName({ repository: source, visibility: isOwn ? event.visibility : undefined }, pullRequest)
}

/** @param ended the numbers of those that were chosen before it, and ended before the prompt could be sent */
async function continueWith(
  found: RollingPullRequest | NewJobTarget,
  prompt: string,
  ended: readonly number[],
  step: AgentStep,
): Promise<Plan> {
  if (!('jobId' in found)) return { task: { kind: 'create', prompt }, target: found }
  const { inputs, journal } = step
  const { pullRequest, jobId, followUps } = found
  journal.setLogPlace(found)
  const { maxFollowUps } = inputs
  if (followUps < maxFollowUps) {
    const which = `follow-up ${followUps + 1} of ${maxFollowUps}`
    const adding = `Adding to pull request #${pullRequest.number} (job ${jobId}, ${which})${formatUnread(step)}.`
    journal.note(`${adding} ${warnOfLimit(followUps + 1, maxFollowUps)}`.trimEnd())
  }
  const lost = 'The agent is not told which commits people made in the pull request'
  const commits = await journal.orWarn(lost, async () =>
    openGitHub(step, step.questions).listPullRequestCommits(pullRequest),
  )
  const peoples = (commits ?? []).filter(({ account }) => account.type !== 'Bot')
  const about = formatOpenPullRequest(pullRequest, peoples, canNameSource(step, pullRequest))
  return {
    task: { kind: 'follow-up', jobId, prompt: prompt + about },
    target: { kind: 'pull-request', rolling: found, reason: 'pull-request', ended },
  }
}
