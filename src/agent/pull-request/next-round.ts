import { isOfSuite, type Check } from '../../github/commit-checks.ts'
import { forkPointOf, type PullRequestCommit } from '../../github/commits.ts'
import { isOpen, type PullRequest, toPullRequestAddress } from '../../github/pull-requests.ts'
import { oneLine } from '../../text/untrusted.ts'
import { openGitHub } from '../../action/step.ts'
import type { RoundStop } from '../report/fixing.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, failedOf, type PullRequestFindings } from '../report/pull-request-findings.ts'
import type { Plan, Target } from '../report/plan.ts'
import type { Task } from '../inputs/task.ts'
import type { Ended } from '../report/turn.ts'
import { sentRounds } from '../report/turns.ts'
import { failedByChange } from './checks.ts'
import { renderFixPrompt } from '../prompt/failing-checks.ts'
import { readDetails } from './check-details.ts'
import { findHeadOfLastRound, isForAgent, stopBeforeAsking, stopForCommits } from './fix-rounds.ts'
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

/** What follows on a pull request whose checks are in. */
export type NextRound =
  | { readonly kind: 'send'; readonly plan: Plan; readonly found: PullRequestFindings }
  /** The pull request has another head by now, whose checks are to be looked at. */
  | { readonly kind: 'look-again' }
  /** `reason`: undefined if nobody asked for rounds. */
  | { readonly kind: 'stop'; readonly reason: RoundStop | undefined; readonly found: PullRequestFindings }

/**
 * What to tell the job of the checks that fail on its pull request, or why it is to be told nothing. Whatever GitHub does, the
 * job's result stands.
 * @throws ActionError `cancelled`
 */
export async function nextRound({ job }: Ended, found: PullRequestFindings, step: AgentStep): Promise<NextRound> {
  const { clock, context, deadlineAt, inputs, journal } = step
  const { heads, turns } = journal
  const { id: jobId, prLink: link } = job
  const { fixRounds } = inputs
  const stopFor = (reason: RoundStop | undefined, seen = found): NextRound => ({ kind: 'stop', reason, found: seen })
  if (fixRounds === 0 || link === undefined) return stopFor(undefined)
  const stop = stopBeforeAsking(found, turns, fixRounds, deadlineAt - clock.now())
  if (stop !== undefined) return stopFor(stop)
  const next = await journal.bestEffort(LOST, async (): Promise<NextRound> => {
    const { headSha = '' } = found
    const address = toPullRequestAddress(link, context)
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
    const lastRead = { pullRequest: last, atMs: clock.now() }
    // The checks that were read are of the commit before, a merged pull request's too.
    if (last.headSha !== headSha) {
      noteNewHead(last, step)
      return { kind: 'look-again' }
    }
    const seen = { ...found, ...describePullRequest(last) }
    const stop = (isOpen(last) ? others : 'over') ?? (failing.length === 0 ? 'red-before' : undefined)
    if (stop !== undefined) return stopFor(stop, seen)
    const names = failing.map(({ name }) => oneLine(name, LONGEST_NAME)).join(', ')
    const announcement = `Round ${sentRounds(turns).length + 1} of ${fixRounds}: sending the failing checks of ${headSha.slice(0, 7)} back to the agent (${names}).`
    const task: Task = {
      kind: 'follow-up',
      jobId,
      prompt: renderFixPrompt(details, headSha, inputs.changeContextBytes),
    }
    const target: Target = { kind: 'fix-round', address, link, examinedHead: headSha, failing, lastRead, announcement }
    return { kind: 'send', plan: { task, target }, found: seen }
  })
  return next ?? stopFor('not-sent')
}
