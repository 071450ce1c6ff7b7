import { ActionError } from '../../runtime/errors.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Outdated } from '../report/report.ts'
import type { Plan } from '../report/turns.ts'
import { MOST_FOLLOW_UPS } from '../pull-request/marker.ts'
import { logPlaceOf, type RollingPullRequest } from './rolling-pull-request.ts'
import { formatOpenPullRequest } from '../prompt/behind-prompt.ts'
import { findRollingPullRequest } from './find-rolling-pull-request.ts'
import { rollingPreflight } from './preflight.ts'
import { QUESTIONS_MS } from './prove-job.ts'
import { orAbort } from './send-nothing.ts'

export function warnOfAttempt({ context: { runAttempt }, journal }: AgentStep): void {
  if (runAttempt === 1) return
  journal.notice(
    'This run was started again',
    `This is attempt ${runAttempt}, and the one before may already have sent the prompt: this one sends it again. To go on with that job instead, cancel this run, and run the step with its \`job-id\` and without a prompt.`,
  )
}

/**
 * What to ask of the service: what the inputs say, or, if an open pull request is to be gone on with, a follow-up to its
 * job. Or why there is nothing to ask, as a full sentence.
 * @throws ActionError if nobody knows whether there is one: nothing may be sent then
 */
export async function chooseTask(inputs: AgentInputs, step: AgentStep): Promise<Plan | string> {
  const { task, onOpenPr } = inputs
  if (task.kind !== 'attach') warnOfAttempt(step)
  if (task.kind !== 'create' || onOpenPr === 'new') return { task }
  const found = await orAbort(UNKNOWN, () => findRollingPullRequest(inputs, step, []))
  if (found === undefined) return { task }

  if (onOpenPr === 'skip')
    return `Pull request #${found.pullRequest.number} of the agent is open, and \`on-open-pr\` is \`skip\`.`
  return followUpOn(found, task.prompt, [], step)
}

const UNKNOWN = 'Could not tell whether a pull request of the agent is open'
/** So many pull requests in a row were open when they were chosen, and not when the prompt was to be sent. */
const MOST_CHOICES = 5

/**
 * What takes the place of a follow-up whose pull request has ended before it could be sent.
 * @throws ActionError if nobody knows what, or this has happened too often
 */
export async function chooseAnew(
  { reason, passedOver, prompt }: Outdated,
  inputs: AgentInputs,
  step: AgentStep,
): Promise<Plan> {
  step.journal.add({ log: undefined })
  const next = await orAbort(UNKNOWN, () => findRollingPullRequest(inputs, step, passedOver))
  if (next === undefined) {
    step.journal.note(`${reason}, so a new job begins.`)
    return { task: { kind: 'create', prompt } }
  }
  if (passedOver.length === MOST_CHOICES)
    throw new ActionError('not-sent', `${reason}. Pull request #${next.pullRequest.number} is open as well.`, {
      hint: 'Run the step again: it adds to that one.',
    })
  step.journal.note(`${reason}.`)
  return followUpOn(next, prompt, passedOver, step)
}

/** @param ended those that were chosen before it, and ended before the prompt could be sent */
async function followUpOn(
  found: RollingPullRequest,
  prompt: string,
  ended: readonly number[],
  step: AgentStep,
): Promise<Plan> {
  const { pullRequest, jobId, followUps } = found
  step.journal.add({ log: logPlaceOf(found) })
  const which = `follow-up ${followUps + 1} of ${MOST_FOLLOW_UPS}`
  if (followUps < MOST_FOLLOW_UPS)
    step.journal.note(`Adding to pull request #${pullRequest.number} (job ${jobId}, ${which}).`)
  const lost = 'The agent is not told which commits people made in the pull request'
  const commits = await step.journal.bestEffort(lost, async () =>
    openGitHub(step, QUESTIONS_MS).listPullRequestCommits(pullRequest),
  )
  const peoples = (commits ?? []).filter(({ account }) => account.type !== 'Bot')
  const words = formatOpenPullRequest(pullRequest, peoples)
  return {
    task: { kind: 'follow-up', jobId, prompt: prompt + words, fallback: prompt },
    preflight: rollingPreflight(found, ended, step),
  }
}
