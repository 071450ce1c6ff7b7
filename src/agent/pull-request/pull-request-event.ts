/**
 * The events of pull requests, which the agent's own pull request causes too. Hides what must be possible there, so that its
 * mark stops the loop.
 */
import { openGitHub } from '../../action/step.ts'
import { ActionError, requireBeforeSending } from '../../runtime/errors.ts'
import { GITHUB_RETRY_HINT, formatGrant } from '../inputs.ts'
import type { Facts, Reads } from '../record.ts'
import type { Recipient } from '../turn/recipient.ts'
import { createMissingLabel, isPullRequestEvent } from './mark.ts'

const mayCauseLoop = (step: Facts): boolean =>
  isPullRequestEvent(step) && step.inputs.task.kind !== 'attach' && !step.inputs.dryRun

/**
 * Refuses inputs with which the agent's pull request would stay unmarked and start the next job.
 * @throws ActionError `invalid-input` that names every problem
 */
export function refusePullRequestEvent(step: Facts): void {
  if (!mayCauseLoop(step)) return
  const { wait, label, githubToken } = step.inputs
  const problems = [
    ...(wait ? [] : ['`wait` must be `true`']),
    ...(label === '' ? ['`label` must not be empty'] : []),
    ...(githubToken === '' ? ['`github-token` must not be empty'] : []),
  ]
  if (problems.length === 0) return
  const text = `On \`${step.context.eventName}\`, ${problems.join(', and ')}: the step must mark the pull request of the agent, which otherwise starts the next job.`
  throw new ActionError('invalid-input', text, {
    hint: 'Nothing was sent. Correct the inputs, or start the workflow by a push or a schedule.',
  })
}

/**
 * Makes sure before the prompt that the token can write what marks a pull request: the label, and a reaction to the event's
 * pull request.
 */
export function guardPullRequestEvent(recipient: Recipient, step: Reads): Recipient {
  const { context, inputs } = step
  const { event } = context
  if (!mayCauseLoop(step) || event.kind !== 'pull-request') return recipient
  const { number } = event.subject
  return {
    ...recipient,
    async announce(job) {
      await requireBeforeSending(
        'The pull request of the agent could not be marked, so it would start the next job',
        () =>
          Promise.all([
            createMissingLabel(step),
            openGitHub(step).addEyesToPullRequest({ repository: context.repository, number }),
          ]),
        GITHUB_RETRY_HINT,
        formatGrant(inputs),
      )
      await recipient.announce(job)
    },
  }
}
