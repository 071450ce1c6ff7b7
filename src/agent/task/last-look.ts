import { ActionError } from '../../shared/errors.ts'
import type { Step } from '../../step/step.ts'
import type { BeforeSending } from '../job/follow-up.ts'
import { withFollowUps } from '../pull-request/pull-request-marker.ts'
import type { OpenReport } from '../report/open-report.ts'
import {
  conversationOf,
  MOST_FOLLOW_UPS,
  notGoneOnWith,
  objectionMeanwhile,
  type Conversation,
} from './conversation.ts'
import { orSendNothing } from './send-nothing.ts'

/** The last questions before the prompt get this much time, in milliseconds. */
const QUESTIONS_MS = 60_000

/** Red and not skipped: a green run would move the base of the next range, and its changes would never be told. */
function tooMany(number: number): ActionError {
  return new ActionError(
    'not-sent',
    `Pull request #${number} has had ${MOST_FOLLOW_UPS} follow-ups, which is the most.`,
    { hint: 'Merge or close it: the next run then starts a new job.' },
  )
}

function nobodyCounts(number: number): ActionError {
  return new ActionError(
    'not-sent',
    `The follow-ups to pull request #${number} cannot be counted: nobody whose marker counts wrote the comment that names its job.`,
    { hint: 'Remove the label from this pull request: the next run then starts a new job.' },
  )
}

/**
 * Counts a follow-up, and looks once more whether its pull request is open. The count comes before the message: if it
 * cannot be written nothing bounds the conversation, and nothing is sent.
 */
export function lookOnceMore(conversation: Conversation, step: Step, known: OpenReport): BeforeSending {
  const { pullRequest, jobId, isProven, hasOthers } = conversation
  const { number } = pullRequest
  let isCounted = false
  return async (before) => {
    const objection = objectionMeanwhile(conversation, before, step.facts.serverUrl)
    if (objection !== undefined && hasOthers === true) throw notGoneOnWith(conversation, objection)
    if (objection !== undefined) {
      known.note(`Job ${jobId} ${objection}, so a new job begins.`)
      return 'create'
    }
    const endsAt = Math.min(step.clock.now() + QUESTIONS_MS, step.deadlineAt)
    const github = (await step.github())?.until(endsAt)
    if (github === undefined) throw nobodyCounts(number)
    const uncounted = `The follow-up could not be counted in pull request #${number}`
    // While the job was busy, others may have counted.
    const { marker, followUps } = isProven
      ? conversation
      : conversationOf(
          pullRequest,
          jobId,
          await orSendNothing(uncounted, () => github.listMarkerComments(pullRequest)),
          isProven,
        )
    if (marker === undefined) throw nobodyCounts(number)
    if (followUps < MOST_FOLLOW_UPS && !isCounted) {
      const body = withFollowUps(marker.body, followUps + 1)
      await orSendNothing(uncounted, () => github.editComment(pullRequest, marker.id, body))
      isCounted = true
    }
    const { state } = await orSendNothing(`Whether pull request #${number} is still open is not known`, () =>
      known.heads.read(() => github.readPullRequest(pullRequest)),
    )
    if (state === 'merged' || state === 'closed') {
      known.note(`Pull request #${number} was ${state} meanwhile, so a new job begins.`)
      return 'create'
    }
    if (followUps >= MOST_FOLLOW_UPS && !isCounted) throw tooMany(number)
    known.add({ continued: 'pull-request' })
    return 'send'
  }
}
