/**
 * The events of pull requests, which the agent's own pull request causes too. Hides what must be possible there, so that its
 * mark stops the loop.
 */
import { requireGitHub } from '../../action/step.ts'
import { ActionError, orNotSent } from '../../runtime/errors.ts'
import { GITHUB_RETRY_HINT, formatGrant } from '../inputs.ts'
import type { Facts, Reads } from '../record.ts'
import type { Target } from '../turn/target.ts'
import { createMissingLabel, isPullRequestEvent } from './mark.ts'

const mayCauseLoop = (step: Facts): boolean =>
  isPullRequestEvent(step) && step.inputs.task.kind !== 'attach' && !step.inputs.dryRun

/**
 * Refuses inputs with which the agent's pull request would stay unmarked and start the next job.
 * @throws ActionError `invalid-input` that names every problem
 */
export function rejectUntrackableInputs(step: Facts): void {
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
export function guardPullRequestEvent(target: Target, step: Reads): Target {
  const { context, inputs } = step
  const { event } = context
  if (!mayCauseLoop(step) || event.kind !== 'pull-request') return target
  const { number } = event.subject
  return {
    ...target,
    async beforeSend(job) {
      await orNotSent(
        'The pull request of the agent could not be marked, so it would start the next job',
        () =>
          Promise.all([
            createMissingLabel(step),
            requireGitHub(step).addEyesToPullRequest({ repository: context.repository, number }),
          ]),
        GITHUB_RETRY_HINT,
        formatGrant(inputs),
      )
      await target.beforeSend(job)
    },
  }
}
