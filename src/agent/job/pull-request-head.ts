import type { GitHub } from '../../github/github.ts'
import { toPullRequestAddress } from '../../github/pull-request-address.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { PullRequestLink } from '../../docs-service/pull-request-link.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { Journal } from '../report/journal.ts'

/** The job's pull request before a follow-up, as far as GitHub can be asked. */
export interface HeadBefore {
  readonly link: PullRequestLink
  readonly pullRequest: PullRequest
}

/** A GitHub that hangs must not take the time of the job. */
const QUESTION_MS = 10_000

/** @throws ActionError if there is no token, or no GitHub to be asked with it */
export async function openSoon(step: Step): Promise<GitHub> {
  const github = await step.github()
  if (github === undefined) throw new ActionError('unauthorized', 'There is no `github-token`.')
  return github.until(Math.min(step.clock.now() + QUESTION_MS, step.deadlineAt))
}

/** @throws ActionError if GitHub does not tell */
export async function askHead(link: PullRequestLink, step: Step): Promise<PullRequest> {
  const github = await openSoon(step)
  return github.readPullRequest(toPullRequestAddress(link, step.context))
}

/** Undefined if the step has not read it, or only by a newer name of its repository. */
export function seenHead({ prLink: link }: Job, { context }: Step, { heads }: Journal): HeadBefore | undefined {
  const pullRequest = link && heads.newest(toPullRequestAddress(link, context))
  return pullRequest && { link, pullRequest }
}

type ReadHead = (job: Job, step: Step, journal: Journal) => Promise<HeadBefore | undefined>

/** Undefined if the job has no pull request yet, or GitHub cannot tell, which is said. */
export const readHead: ReadHead = (job, step, journal) => look(job, step, journal, (read) => journal.heads.read(read))

/** The same after a turn that may have ended only now: what it has pushed may not be in all of GitHub's copies yet. */
export const readStandingHead: ReadHead = (job, step, journal) =>
  look(job, step, journal, (read) => journal.heads.readStanding(read))

async function look(
  { prLink: link }: Job,
  step: Step,
  journal: Journal,
  ask: (read: () => Promise<PullRequest>) => Promise<PullRequest | undefined>,
): Promise<HeadBefore | undefined> {
  if (link === undefined) return undefined
  const lost = 'Whether the follow-up changes the pull request is not known'
  const pullRequest = await journal.bestEffort(lost, async () => {
    if ((await step.github()) === undefined || link.host !== new URL(step.context.serverUrl).host) return undefined
    return ask(() => askHead(link, step))
  })
  return pullRequest && { link, pullRequest }
}
