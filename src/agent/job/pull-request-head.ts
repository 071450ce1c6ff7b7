import { toPullRequestAddress } from '../../github/pull-request-address.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { openGitHub } from '../../action/open-github.ts'
import type { Step } from '../../action/step.ts'
import type { Journal } from '../report/journal.ts'

/** What a question about the head may take, in milliseconds. */
export const QUESTION_MS = 10_000

/** The job's pull request as the step has read it last; undefined if it has not, or only by a newer name of its repository. */
export function seenHead({ prLink: link }: Job, { context }: Step, { heads }: Journal): PullRequest | undefined {
  return link && heads.newest(toPullRequestAddress(link, context))
}

type ReadHead = (job: Job, step: Step, journal: Journal) => Promise<PullRequest | undefined>

/** The job's pull request before a follow-up. Undefined if it has none yet, or GitHub cannot tell, which is said. */
export const readHead: ReadHead = (job, step, journal) => look(job, step, journal, (read) => journal.heads.read(read))

/** The same after a turn that may have ended only now: what it has pushed may not be in all of GitHub's copies yet. */
export const readStandingHead: ReadHead = (job, step, journal) =>
  look(job, step, journal, (read) => journal.heads.readStanding(read))

async function look(
  { prLink: link }: Job,
  step: Step,
  journal: Journal,
  ask: (read: () => Promise<PullRequest>) => Promise<PullRequest | undefined>,
): Promise<PullRequest | undefined> {
  if (link === undefined) return undefined
  const lost = 'Whether the follow-up changes the pull request is not known'
  return journal.bestEffort(lost, async () => {
    if ((await step.github()) === undefined || link.host !== new URL(step.context.serverUrl).host) return undefined
    return ask(async () =>
      (await openGitHub(step, QUESTION_MS)).readPullRequest(toPullRequestAddress(link, step.context)),
    )
  })
}
