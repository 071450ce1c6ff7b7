import type { GitHub } from '../../github/github.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import type { Step } from '../../action/step.ts'
import type { BeforeSending } from '../job/before-sending.ts'
import type { Journal } from '../report/journal.ts'
import { MOST_FOLLOW_UPS, notGoneOnWith, type RollingPullRequest } from './rolling-pull-request.ts'
import { countFollowUp } from './count-follow-up.ts'
import { findObjection, QUESTIONS_MS } from './prove-job.ts'
import { orAbort } from './send-nothing.ts'

/** Red and not skipped: a green run would move the base of the next range, and its changes would never be told. */
function tooMany(number: number): ActionError {
  return new ActionError(
    'not-sent',
    `Pull request #${number} has had ${MOST_FOLLOW_UPS} follow-ups, which is the most.`,
    { hint: 'Merge or close it: the next run then starts a new job.' },
  )
}

/** What there is to look at directly before a message, each in a question of its own. */
interface LastLook {
  readonly github: GitHub
  /**
   * Why the job is not that of the pull request any more, or cannot be gone on with.
   * @throws ActionError `not-sent` if it takes back without a word what it said before
   */
  findObjection(): Promise<string | undefined>
  /** How the pull request ended meanwhile; undefined if it is open. It is asked last. */
  findEnd(): Promise<'merged' | 'closed' | undefined>
}

/**
 * Opens the last look, which has a time of its own.
 * @param before the job after the end of its turn before
 * @param hint what to do if something is not known
 */
export async function openLastLook(
  rolling: RollingPullRequest,
  before: Job,
  step: Step,
  journal: Journal,
  hint?: string,
): Promise<LastLook> {
  const { pullRequest, isProven } = rolling
  const unknown = `Whether pull request #${pullRequest.number} is still open is not known`
  const endsAt = Math.min(step.clock.now() + QUESTIONS_MS, step.deadlineAt)
  const github = (await step.github())?.until(endsAt)
  if (github === undefined) throw new ActionError('not-sent', `${unknown}: there is no \`github-token\`.`)
  return {
    github,
    async findObjection() {
      const find = () => findObjection(before, pullRequest, github, step)
      const objection = await orAbort(unknown, find, hint)
      if (isProven && before.status === 'completed' && before.prLink === undefined)
        throw notGoneOnWith(rolling, 'has no pull request any more')
      return objection
    },
    async findEnd() {
      const read = () => journal.heads.read(() => github.readPullRequest(pullRequest))
      const { state } = await orAbort(unknown, read, hint)
      return state === 'merged' || state === 'closed' ? state : undefined
    },
  }
}

/**
 * Counts a follow-up, and looks once more whether its job and its pull request are those that were chosen. The count comes
 * before the message: if it cannot be written nothing bounds the rolling pull request, and nothing is sent.
 * @param chooseAnew what to do instead of it, for a reason as the beginning of a sentence
 */
export function lookOnceMore(
  rolling: RollingPullRequest,
  step: Step,
  journal: Journal,
  chooseAnew: (reason: string) => ReturnType<BeforeSending>,
): BeforeSending {
  const { pullRequest, jobId } = rolling
  const { number } = pullRequest
  let isCounted = false
  return async (before, stands) => {
    const look = await openLastLook(rolling, before, step, journal)
    const objection = await look.findObjection()
    if (objection !== undefined) return chooseAnew(`Job ${jobId} ${objection}`)
    const count = () => countFollowUp(rolling, look.github, step)
    isCounted ||= await orAbort(`The follow-up could not be counted in pull request #${number}`, count)
    if (!(await stands())) return 'again'
    const end = await look.findEnd()
    if (end !== undefined) return chooseAnew(`Pull request #${number} was ${end} meanwhile`)
    if (!isCounted) throw tooMany(number)
    return 'pull-request'
  }
}
