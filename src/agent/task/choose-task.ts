import { openGitHub } from '../../action/step.ts'
import { ActionError, orAbort } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Plan } from '../report/turns.ts'
import { MAX_FOLLOW_UPS } from '../pull-request/marker.ts'
import { formatOpenPullRequest } from '../prompt/behind-prompt.ts'
import { preflightOf } from './preflight.ts'
import { findRollingPullRequest } from './find-rolling-pull-request.ts'
import { ASK_AGAIN, type RollingPullRequest } from './rolling-pull-request.ts'

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
 * What to ask of the service: what the inputs say, or, if an open pull request is to be gone on with, a follow-up to its
 * job. Or why there is nothing to ask, as a full sentence.
 * @throws ActionError if nobody knows whether there is one: nothing may be sent then
 */
export async function chooseTask(step: AgentStep): Promise<Plan | string> {
  const { task, onOpenPr } = step.inputs
  if (task.kind !== 'attach') warnOfAttempt(step)
  if (task.kind !== 'create' || onOpenPr === 'new') return { task }
  const found = await orAbort(UNKNOWN, () => findRollingPullRequest(step, []), ASK_AGAIN)
  if (found !== undefined && onOpenPr === 'skip')
    return `Pull request #${found.pullRequest.number} of the agent is open, and \`on-open-pr\` is \`skip\`.`
  return goOnWith(found, task, [], step)
}

/** @param ended those that were chosen before it, and ended before the prompt could be sent */
async function goOnWith(
  found: RollingPullRequest | undefined,
  task: Extract<Plan['task'], { kind: 'create' }>,
  ended: readonly number[],
  step: AgentStep,
): Promise<Plan> {
  if (found === undefined) return { task }
  const { journal } = step
  const { pullRequest, jobId, followUps } = found
  journal.add({ log: found })
  const which = `follow-up ${followUps + 1} of ${MAX_FOLLOW_UPS}`
  if (followUps < MAX_FOLLOW_UPS)
    journal.note(`Adding to pull request #${pullRequest.number} (job ${jobId}, ${which}).`)
  const lost = 'The agent is not told which commits people made in the pull request'
  const commits = await journal.bestEffort(lost, async () =>
    openGitHub(step, step.questions).listPullRequestCommits(pullRequest),
  )
  const peoples = (commits ?? []).filter(({ account }) => account.type !== 'Bot')

  async function findOther(reason: string): Promise<Plan> {
    const passedOver = [...ended, pullRequest.number]
    journal.add({ log: undefined })
    const next = await orAbort(UNKNOWN, () => findRollingPullRequest(step, passedOver), ASK_AGAIN)
    if (next !== undefined && passedOver.length === MOST_CHOICES)
      throw new ActionError('not-sent', `${reason}. Pull request #${next.pullRequest.number} is open as well.`, {
        hint: 'Run the step again: it adds to that one.',
      })
    journal.note(next === undefined ? `${reason}, so a new job begins.` : `${reason}.`)
    return goOnWith(next, task, passedOver, step)
  }

  const replace = (reason: string): Promise<Plan> => step.questions.spend(() => findOther(reason))
  const prompt = task.prompt + formatOpenPullRequest(pullRequest, peoples)
  return { task: { kind: 'follow-up', jobId, prompt }, preflight: preflightOf(found, step, replace) }
}
