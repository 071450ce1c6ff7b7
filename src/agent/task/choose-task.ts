import { openGitHub } from '../../action/step.ts'
import { ActionError, orNotSent } from '../../runtime/errors.ts'
import { ASK_AGAIN, type Replan } from '../job/decide-send.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Plan, RollingPullRequest } from '../report/plan.ts'
import { MAX_FOLLOW_UPS } from '../pull-request/marker.ts'
import { formatOpenPullRequest } from '../prompt/behind-prompt.ts'
import { findRollingPullRequest } from './find-rolling-pull-request.ts'

export function warnOfAttempt({ context: { runAttempt }, inputs: { command }, journal }: AgentStep): void {
  if (runAttempt === 1) return
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

const UNKNOWN = 'Could not tell whether a pull request of the agent is open'
/** So many pull requests in a row were open when they were chosen, and not when the prompt was to be sent. */
const MOST_CHOICES = 5

/**
 * What to ask of the service: what the inputs say, or, if an open pull request is to be continued, a follow-up to its job. Or
 * why there is nothing to ask, as a full sentence.
 * @throws ActionError if nobody knows whether there is one: nothing may be sent then
 */
export async function chooseTask(step: AgentStep): Promise<Plan | string> {
  const { task, onOpenPr } = step.inputs
  if (task.kind !== 'attach') warnOfAttempt(step)
  if (task.kind !== 'create') return { task, target: { kind: 'job' } }
  if (onOpenPr === 'new') return { task, target: { kind: 'new-job' } }
  const found = await orNotSent(UNKNOWN, () => findRollingPullRequest(step, []), ASK_AGAIN)
  if (found !== undefined && onOpenPr === 'skip')
    return `Pull request #${found.pullRequest.number} of the agent is open, and \`on-open-pr\` is \`skip\`.`
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
    journal.add({ log: undefined })
    const next = await orNotSent(UNKNOWN, () => findRollingPullRequest(step, ended), ASK_AGAIN)
    if (next !== undefined && ended.length === MOST_CHOICES)
      throw new ActionError('not-sent', `${reason}. Pull request #${next.pullRequest.number} is open as well.`, {
        hint: 'Run the step again: it adds to that one.',
      })
    journal.note(next === undefined ? `${reason}, so a new job begins.` : `${reason}.`)
    return continueWith(next, inputs.task.kind === 'create' ? inputs.task.prompt : '', ended, step)
  })
}

/** @param ended the numbers of those that were chosen before it, and ended before the prompt could be sent */
async function continueWith(
  rolling: RollingPullRequest | undefined,
  prompt: string,
  ended: readonly number[],
  step: AgentStep,
): Promise<Plan> {
  if (rolling === undefined) return { task: { kind: 'create', prompt }, target: { kind: 'new-job' } }
  const { journal } = step
  const { pullRequest, jobId, followUps } = rolling
  journal.add({ log: rolling })
  const which = `follow-up ${followUps + 1} of ${MAX_FOLLOW_UPS}`
  if (followUps < MAX_FOLLOW_UPS)
    journal.note(`Adding to pull request #${pullRequest.number} (job ${jobId}, ${which}).`)
  const lost = 'The agent is not told which commits people made in the pull request'
  const commits = await journal.bestEffort(lost, async () =>
    openGitHub(step, step.questions).listPullRequestCommits(pullRequest),
  )
  const peoples = (commits ?? []).filter(({ account }) => account.type !== 'Bot')
  return {
    task: { kind: 'follow-up', jobId, prompt: prompt + formatOpenPullRequest(pullRequest, peoples) },
    target: { kind: 'pull-request', rolling, reason: 'pull-request', ended },
  }
}
