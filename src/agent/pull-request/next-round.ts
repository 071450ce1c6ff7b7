import { isOfSuite, type Check } from '../../github/commit-checks.ts'
import { forkPointOf, type PullRequestCommit } from '../../github/commits.ts'
import { isSamePullRequest } from '../../docs-service/pull-request-link.ts'
import { type PullRequest, toPullRequestAddress } from '../../github/pull-requests.ts'
import { oneLine } from '../../text/untrusted.ts'
import { openGitHub } from '../../action/step.ts'
import { ActionError } from '../../runtime/errors.ts'
import { STOPS, type RoundStop } from '../report/fixing.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, failedOf } from '../report/pull-request-findings.ts'
import { getEnded } from '../report/turn.ts'
import { sentRounds, type Plan, type Preflight } from '../report/turns.ts'
import { failedByChange } from './checks.ts'
import { renderFixPrompt } from '../prompt/failing-checks.ts'
import { readDetails } from './check-details.ts'
import {
  findHeadOfLastRound,
  isForAgent,
  stopAtLastLook,
  stopBeforeAsking,
  stopForCommits,
  stopForTime,
} from './fix-rounds.ts'
import { noteNewHead } from './wait-for-checks.ts'

const LONGEST_NAME = 60
const LOST = 'The failing checks were not sent to the agent'

/** The failing checks that are to be told. */
async function findFailing(
  pullRequest: PullRequest,
  commits: readonly PullRequestCommit[],
  failed: readonly Check[],
  step: AgentStep,
): Promise<readonly Check[]> {
  const lost = 'Could not tell which checks also fail without these changes'
  const before = await step.journal.bestEffort(lost, async () => {
    const github = openGitHub(step)
    const base = forkPointOf(commits) ?? (await step.journal.heads.compareWithBase(pullRequest, github)).mergeBase
    // What is not red there by its check runs and commit statuses is not red by all that they are.
    const suffices = (listed: readonly Check[]): boolean =>
      !failed.some(isOfSuite) && failedByChange(failed, listed).length === failed.length
    return github.readChecks(pullRequest.repository, base, step.context, suffices)
  })
  return failedByChange(failed, before ?? [])
}

/** A reading of the pull request that is older is made again before the message. */
const OLD_MS = 1_000

/**
 * What to tell the job of the checks that fail on its pull request, or why it is to be told nothing; undefined if nobody asked
 * for rounds. Whatever GitHub does, the job's result stands.
 * @returns `moved` if the pull request has another head by now, whose checks are to be looked at
 * @throws ActionError `cancelled`
 */
export async function nextRound(step: AgentStep): Promise<Plan | RoundStop | 'moved' | undefined> {
  const { clock, context, deadlineAt, inputs, journal } = step
  const { heads, newest, turns } = journal
  const { pullRequest: found = {} } = newest
  const { id: jobId, prLink } = getEnded(newest)?.job ?? {}
  const { fixRounds } = inputs
  if (fixRounds === 0 || jobId === undefined || prLink === undefined) return undefined
  const stop = stopBeforeAsking(found, turns, fixRounds, deadlineAt - clock.now())
  if (stop !== undefined) return stop
  const asked = await journal.bestEffort(LOST, async (): Promise<Plan | RoundStop | 'moved'> => {
    const { headSha = '' } = found
    const address = toPullRequestAddress(prLink, context)
    const pullRequest = heads.newest(address) ?? (await heads.read(address))
    const commits = await heads.listCommits(pullRequest, openGitHub(step))
    const others = stopForCommits(commits, pullRequest, findHeadOfLastRound(turns))
    const failing =
      others === undefined
        ? await findFailing(pullRequest, commits, failedOf(found.checkList).filter(isForAgent), step)
        : []
    const details = await readDetails(failing, address.repository, step)
    // What was found out is believed of a head that is read once more.
    const last = await heads.read(address)
    const readAt = clock.now()
    const atLast = stopAtLastLook(last, headSha)
    if (atLast === 'others') {
      noteNewHead(last, step)
      return 'moved'
    }
    journal.updatePullRequest({ ...found, ...describePullRequest(last) })
    const stop = atLast ?? others ?? (failing.length === 0 ? 'red-before' : undefined)
    if (stop !== undefined) return stop
    // The job may be busy for long.
    const check: Preflight['check'] = async (job) => {
      const now = clock.now() - readAt < OLD_MS ? last : await journal.bestEffort(LOST, () => heads.read(address))
      const isItsOwn = job.prLink !== undefined && isSamePullRequest(job.prLink, prLink)
      let stop: RoundStop | undefined = 'not-sent'
      if (now !== undefined)
        stop = isItsOwn ? (stopAtLastLook(now, headSha) ?? stopForTime(deadlineAt - clock.now())) : 'elsewhere'
      if (stop === undefined) return undefined
      journal.endRounds(stop)
      throw new ActionError('not-sent', STOPS[stop])
    }
    const names = failing.map(({ name }) => oneLine(name, LONGEST_NAME)).join(', ')
    const announcement = `Round ${sentRounds(turns).length + 1} of ${fixRounds}: sending the failing checks of ${headSha.slice(0, 7)} back to the agent (${names}).`
    const prompt = renderFixPrompt(details, headSha, inputs.changeContextBytes)
    return { task: { kind: 'follow-up', jobId, prompt }, failing, preflight: { announcement, check } }
  })
  return asked ?? 'not-sent'
}
