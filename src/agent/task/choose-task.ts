import { openGitHub } from '../../action/step.ts'
import { isOpen, type PullRequestAddress } from '../../github/pull-requests.ts'
import { ActionError, orAbort } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Plan } from '../report/turns.ts'
import { MOST_FOLLOW_UPS } from '../pull-request/marker.ts'
import { formatOpenPullRequest } from '../prompt/behind-prompt.ts'
import { preflightOf } from './preflight.ts'
import { findJobOf, openSearch, QUESTIONS_MS } from './prove-job.ts'
import { ASK_AGAIN, type RollingPullRequest } from './rolling-pull-request.ts'

/** Each costs some requests, and who puts the label on so many others means something else by it. */
const MOST_LOOKED_AT = 30
const MOST_NAMED = 10

function noticeOthers(number: number, others: readonly PullRequestAddress[], { journal }: AgentStep): void {
  if (others.length === 0) return
  const named = others.slice(0, MOST_NAMED).map((other) => `#${other.number}`)
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : ''
  journal.notice(
    'More than one pull request is open',
    `Pull request #${number} is the oldest of the agent's that carry the label. These carry it as well: ${named.join(', ')}${more}. Merge or close what is not needed.`,
  )
}

/**
 * The open pull request to go on with: the oldest one with the label whose job says that it is its own. Label and marker
 * are pointers that anybody can set; the service is the proof.
 * @param passedOver those that were chosen before, and have ended
 * @throws ActionError if GitHub or the service does not tell
 */
async function findRollingPullRequest(
  step: AgentStep,
  passedOver: readonly number[],
): Promise<RollingPullRequest | undefined> {
  const { inputs } = step
  const search = openSearch(step)
  const { findLabelledPullRequests, listOpenPullRequests } = openGitHub(search)
  const repository = inputs.prRepository === '' ? step.context.repository : inputs.prRepository
  const seen = new Set(passedOver)
  // The first list is short, and not known to be whole: only the second one says that there is none.
  for (const list of [findLabelledPullRequests, listOpenPullRequests]) {
    const labelled = await list(repository, inputs.label)
    const unseen = labelled.filter(({ number }) => !seen.has(number))
    for (const [index, listed] of unseen.entries()) {
      if (seen.size - passedOver.length === MOST_LOOKED_AT)
        throw new ActionError(
          'not-sent',
          `The first ${MOST_LOOKED_AT} of the open pull requests with the label are not the agent's.`,
          { hint: 'Remove the label from pull requests that are not the agent’s.' },
        )
      const { number } = listed
      seen.add(number)
      const found = await findJobOf(listed, search)
      if ('jobId' in found) {
        noticeOthers(number, unseen.slice(index + 1), step)
        return found
      }
      // It may have been closed since it was listed.
      if (!isOpen(found.pullRequest)) continue
      const reason = found.objections.join(', ') || 'no comment that counts names its job'
      step.journal.note(`Pull request #${number} carries the label and is passed over: ${reason}.`)
    }
  }
  return undefined
}

export function warnOfAttempt({ context: { runAttempt }, journal }: AgentStep): void {
  if (runAttempt === 1) return
  journal.notice(
    'This run was started again',
    `This is attempt ${runAttempt}, and the one before may already have sent the prompt: this one sends it again. To go on with that job instead, cancel this run, and run the step with its \`job-id\` and without a prompt.`,
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
  const which = `follow-up ${followUps + 1} of ${MOST_FOLLOW_UPS}`
  if (followUps < MOST_FOLLOW_UPS)
    journal.note(`Adding to pull request #${pullRequest.number} (job ${jobId}, ${which}).`)
  const lost = 'The agent is not told which commits people made in the pull request'
  const commits = await journal.bestEffort(lost, async () =>
    openGitHub(step, QUESTIONS_MS).listPullRequestCommits(pullRequest),
  )
  const peoples = (commits ?? []).filter(({ account }) => account.type !== 'Bot')

  async function replace(reason: string): Promise<Plan> {
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

  const prompt = task.prompt + formatOpenPullRequest(pullRequest, peoples)
  return { task: { kind: 'follow-up', jobId, prompt }, preflight: preflightOf(found, step, replace) }
}
