import type { MarkerComment } from '../../github/comments.ts'
import type { GitHub } from '../../github/connect-github.ts'
import type { OpenPullRequest } from '../../github/open-pull-requests.ts'
import type { Job } from '../../service/schemas.ts'
import { ActionError } from '../../shared/errors.ts'
import type { Step } from '../../step/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import { isRunning } from '../job/job-state.ts'
import { openJobWatch } from '../job/job-watch.ts'
import { nextTurnPollMs, SETTLE_MS } from '../job/poll-schedule.ts'
import { openReport, type OpenReport } from '../report/open-report.ts'
import { mayBeOurs } from '../pull-request/pull-request-marker.ts'
import { conversationOf, jobsNamedIn, objectionTo, type Conversation } from './conversation.ts'

/** These questions get this much of the step's time, in milliseconds, and no more than half of it. */
const QUESTIONS_MS = 60_000

/** Whom to ask about what is to be found out before the prompt, and until when. */
export interface Search {
  readonly inputs: AgentInputs
  readonly step: Step
  readonly github: GitHub
  readonly endsAt: number
}

/** Undefined if there is no such job. What is read here is no news of the step's own job. */
async function readJob(jobId: string, { inputs, step, endsAt }: Search): Promise<Job | undefined> {
  const { clock, host } = step
  const { debug } = host
  const aside = { ...step, deadlineAt: endsAt, host: { ...host, log: debug, warn: debug } }
  const { poll, history } = openJobWatch(inputs, aside, openReport(inputs, aside))
  const lagsUntil = clock.now() + SETTLE_MS
  const isTold = ({ status, prLink }: Job): boolean =>
    prLink !== undefined || status !== 'completed' || clock.now() >= lagsUntil
  try {
    const job = await poll({ jobId, isFound: isTold, nextMs: nextTurnPollMs, endsAt, readsAtOnce: true })
    if (job !== undefined) return job
  } catch (error) {
    if (error instanceof ActionError && error.code === 'not-found') return undefined
    throw error
  }
  throw history.lastProblem ?? new ActionError('deadline', `Job ${jobId} could not be read in time.`)
}

/** The conversation, or why each job that comments name is not the pull request's, or not one to go on with. */
export interface Proof {
  readonly conversation?: Conversation
  /** By the job's id, in our own words. */
  readonly objections: ReadonlyMap<string, string>
}

/**
 * Asks the jobs that comments name whether a pull request is theirs. Markers are pointers that anybody can set; the
 * service is the proof.
 * @throws ActionError if the service does not tell
 */
export async function proveJob(
  pullRequest: OpenPullRequest,
  comments: readonly MarkerComment[],
  search: Search,
): Promise<Proof> {
  const objections = new Map<string, string>()
  const own = jobsNamedIn(comments.filter(mayBeOurs))
  for (const jobId of jobsNamedIn(comments)) {
    const job = await readJob(jobId, search)
    const objection = objectionTo(job, pullRequest, search.step.facts.serverUrl)
    const isBusy = job !== undefined && isRunning(job)
    const isProven = objection === undefined
    // A busy job names no pull request. Whether this one is its own it says when its turn ends.
    if (isProven || (isBusy && own.includes(jobId)))
      return { conversation: conversationOf(pullRequest, jobId, comments, isProven), objections }
    objections.set(jobId, `job ${jobId} ${objection}`)
  }
  return { objections }
}

async function findIn(
  pullRequest: OpenPullRequest,
  search: Search,
  known: OpenReport,
): Promise<Conversation | undefined> {
  const { conversation, objections } = await proveJob(
    pullRequest,
    await search.github.listMarkerComments(pullRequest),
    search,
  )
  if (conversation !== undefined) return conversation
  const reason = objections.size === 0 ? 'no comment names its job' : [...objections.values()].join(', ')
  known.note(`Pull request #${pullRequest.number} carries the label and is passed over: ${reason}.`)
  return undefined
}

/**
 * Whom to ask before the prompt is sent, and until when.
 * @throws ActionError if there is no token
 */
export async function openSearch(inputs: AgentInputs, step: Step): Promise<Search> {
  const endsAt = step.startedAt + Math.min(QUESTIONS_MS, inputs.timeoutMs / 2)
  const github = (await step.github())?.until(endsAt)
  if (github === undefined) throw new ActionError('unauthorized', 'there is no `github-token`.')
  return { inputs, step, github, endsAt }
}

/**
 * The open pull request to go on with: the oldest one with the label whose job says that it is its own. Label and marker
 * are pointers that anybody can set; the service is the proof.
 * @throws ActionError if GitHub or the service does not tell
 */
export async function findConversation(
  inputs: AgentInputs,
  step: Step,
  known: OpenReport,
): Promise<Conversation | undefined> {
  const search = await openSearch(inputs, step)
  const repository = inputs.prRepository === '' ? step.facts.repository : inputs.prRepository
  const labelled = await search.github.listOpenPullRequests(repository, inputs.label)
  for (const [index, pullRequest] of labelled.entries()) {
    const found = await findIn(pullRequest, search, known)
    if (found === undefined) continue
    const others = labelled.slice(index + 1).map(({ number }) => `#${number}`)
    if (others.length > 0)
      known.notice(
        'More than one pull request is open',
        `Pull request #${pullRequest.number} is the oldest of the agent's that carry the label. These carry it as well: ${others.join(', ')}. Merge or close what is not needed.`,
      )
    return { ...found, hasOthers: others.length > 0 }
  }
  return undefined
}
