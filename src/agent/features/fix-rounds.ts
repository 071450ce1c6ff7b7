/** Decides whether failing checks are sent back to the agent, and with which prompt. Hides what a round depends on. */
import { requireGitHub } from '../../action/step.ts'
import { type Check, isCheckSuite } from '../../github/checks.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { getUnsuccessfulStatus, isSamePullRequest, type Job } from '../../docs-service/schemas.ts'
import { ActionError } from '../../runtime/errors.ts'
import { MAX_NAME_CHARS, oneLine } from '../../text/untrusted.ts'
import { listFailedChecks, listSentRounds } from '../selectors.ts'
import {
  type PullRequestFacts,
  ROUND_STOP_REASONS,
  type RoundStop,
  type RoundStopReason,
  type Turn,
} from '../record.ts'
import type { Acts } from '../step.ts'
import { type FailedCheck, MAX_CONTEXT_BYTES, renderFixPrompt } from '../prompt.ts'
import { announceTurn } from '../history/store.ts'
import type { Target } from '../turn/target.ts'
import { field, wholeNumberInput } from '../../action/inputs.ts'

const MAX_FIX_ROUNDS = 5

export const FIX_ROUNDS_FIELDS = {
  fixRounds: field('fix-rounds', '0', wholeNumberInput(0, MAX_FIX_ROUNDS, ' of rounds')),
}

/** A round is only sent if this much time is left for the agent's turn and the checks after it. */
const MIN_ROUND_MS = 600_000

/** Whether the agent may fix a failed check with a commit. */
const isForAgent = ({ needsPerson }: Check): boolean => needsPerson !== true

/**
 * Finds a reason not to send another round, without any request.
 * @param facts the facts after the checks have finished
 * @param leftMs until the deadline
 */
export function findRoundStop(
  facts: PullRequestFacts,
  turns: readonly Turn[],
  maxRounds: number,
  leftMs: number,
): RoundStop | undefined {
  const status = turns.at(-1)?.job?.status
  if (facts.checks !== 'failure') return 'nothing-failed'
  if (!isOpen(facts)) return 'not-open'
  const failed = listFailedChecks(facts.checkList)
  if (failed.length > 0 && !failed.some(isForAgent)) return 'not-fixable'
  const previousHead = turns.at(-2)?.pullRequest?.headSha
  if (facts.headSha === previousHead) return 'failed'
  if (listSentRounds({ turns }).length >= maxRounds) return 'used-up'
  if (leftMs < MIN_ROUND_MS) return 'no-time'
  return status && getUnsuccessfulStatus(status) && 'failed'
}

/**
 * Lists the checks that failed because of the changes of a pull request.
 * @param before the checks of the merge base: failures there with the same name are not caused by the pull request
 */
export function listFailedByChange(failed: readonly Check[], before: readonly Check[]): readonly Check[] {
  const failedBefore = new Set(listFailedChecks(before).map(({ name }) => name))
  return failed.filter(({ name }) => !failedBefore.has(name))
}

/** All other checks are sent with their name, title and summary only. */
const MAX_DETAILED = 10

/** The page of the GitHub Actions job behind a check run. */
const JOB_PAGE = /\/actions\/runs\/\d+\/job\/(\d+)/

/** The id of the job whose log can be read. */
const getJobPageId = ({ app, detailsUrl = '' }: Pick<Check, 'app' | 'detailsUrl'>): string | undefined =>
  app === 'github-actions' ? JOB_PAGE.exec(detailsUrl)?.[1] : undefined

/**
 * Reads the annotations and logs of the first failing checks, at the same time: if GitHub does not respond, the round waits for
 * it only once. What cannot be read is a warning.
 */
async function readDetails(failed: readonly Check[], repository: string, step: Acts): Promise<readonly FailedCheck[]> {
  const github = requireGitHub(step)
  const orWarn = <T>(what: string, perform: () => Promise<T>): Promise<T | undefined> =>
    step.journal.orWarn(`Some ${what} of failing checks were not sent to the agent`, perform)
  const read = async (check: Check): Promise<FailedCheck> => {
    const { id } = check
    const jobId = getJobPageId(check)
    const mayHaveAnnotations = id !== undefined && check.annotations !== 0
    const [annotations, log] = await Promise.all([
      mayHaveAnnotations ? orWarn('annotations', () => github.listAnnotations(repository, id)) : undefined,
      jobId && orWarn('logs', () => github.readJobLog(repository, Number(jobId))),
    ])
    return { check, annotations, log }
  }
  const detailed = await Promise.all(failed.slice(0, MAX_DETAILED).map(read))
  return [...detailed, ...failed.slice(MAX_DETAILED).map((check) => ({ check }))]
}

/** What can differ between two runs that fail in the same way, such as durations, ports and commits. */
const toComparable = (prompt: string): string =>
  prompt
    .replace(/[0-9a-z]+/gi, (word) => (/^(?:0x)?(?=.*\d)[0-9a-f]+$/i.test(word) ? '' : word.replace(/\d+/g, '')))
    .split('\n')
    // GitHub lists the checks in another order each time.
    .sort()
    .join('\n')

/** Lists the failed checks to send: those that the merge base does not fail. */
async function findFailing(pullRequest: PullRequest, failed: readonly Check[], step: Acts): Promise<readonly Check[]> {
  const lost = 'Could not determine which checks also fail without these changes'
  const before = await step.journal.orWarn(lost, async () => {
    const github = requireGitHub(step)
    const { repository, baseRef, headSha } = pullRequest
    const { mergeBase } = await github.compare(repository, baseRef, headSha)
    // A check that does not fail by its check runs and commit statuses does not fail in the complete result either.
    const suffices = (listed: readonly Check[]): boolean =>
      !failed.some(isCheckSuite) && listFailedByChange(failed, listed).length === failed.length
    return (await github.readChecks(repository, mergeBase, step.context, { suffices })).checks
  })
  return listFailedByChange(failed, before ?? [])
}

/**
 * Decides whether to send the failing checks of a pull request to its job, and makes the target.
 * @param facts the facts after the checks have finished
 * @param report receives why the round is not sent, if that turns out directly before it is sent
 * @returns the target, or why no round follows; neither if `fix-rounds` is 0
 * @throws ActionError `cancelled`
 */
export async function decideNextRound(
  pullRequest: PullRequest,
  facts: PullRequestFacts,
  turns: readonly Turn[],
  step: Acts,
  report: (facts: Pick<Turn, 'roundStop' | 'pullRequest'>) => void,
): Promise<{ readonly target?: Target; readonly stop?: RoundStop }> {
  const { clock, deadlineAt, inputs, journal } = step
  const newest = turns.at(-1)
  const { id: jobId = '', prLink: link } = newest?.job ?? {}
  const { fixRounds } = inputs
  const { checkList, headSha = '' } = facts
  if (fixRounds === 0 || newest === undefined || link === undefined) return {}
  const stop = findRoundStop(facts, turns, fixRounds, deadlineAt - clock.now())
  if (stop !== undefined) return { stop }
  const failing = await findFailing({ ...pullRequest, headSha }, listFailedChecks(checkList).filter(isForAgent), step)
  if (failing.length === 0) return { stop: 'not-fixable' }
  const details = await readDetails(failing, pullRequest.repository, step)
  const prompt = renderFixPrompt(details, headSha, MAX_CONTEXT_BYTES)
  // Without the log of a job, it is not known whether it failed as before: its annotation mostly has only the exit code.
  const hasLogs = details
    .slice(0, MAX_DETAILED)
    .every(({ check, log }) => log !== undefined || getJobPageId(check) === undefined)
  const before = newest.failing !== undefined && newest.task.kind === 'follow-up' ? newest.task.prompt : undefined
  if (before !== undefined && hasLogs && toComparable(prompt) === toComparable(before)) return { stop: 'no-difference' }
  const names = failing.map(({ name }) => oneLine(name, MAX_NAME_CHARS)).join(', ')
  const announcement = `Round ${listSentRounds({ turns }).length + 1} of ${fixRounds}: sending the failing checks of commit ${headSha.slice(0, 7)} to the agent (${names}).`

  /** Finds a reason not to send the round, directly before it is sent. `current` is undefined if the read failed. */
  const findStopBeforeSend = (current: PullRequest | undefined, job: Job | undefined): RoundStopReason | undefined => {
    const { prLink } = job ?? {}
    if (current === undefined || prLink === undefined || !isSamePullRequest(prLink, link)) return 'failed'
    if (!isOpen(current)) return 'not-open'
    if (current.headSha !== headSha) return 'head-moved'
    return deadlineAt - clock.now() < MIN_ROUND_MS ? 'no-time' : undefined
  }

  const target: Target = {
    task: { kind: 'follow-up', jobId, prompt },
    failing,
    announcement,
    pullRequestNumber: pullRequest.number,
    // The job has ended before its checks.
    idleWaitMs: () => Promise.resolve(0),
    async beforeSend(idle, idleMs) {
      if (idle?.prLink === undefined || !isSamePullRequest(idle.prLink, link)) return 0
      const lost = 'The history may not show that the agent is working'
      return (await journal.orWarn(lost, () => announceTurn(step, undefined, idleMs))) ?? 0
    },
    async validate(job) {
      const read = () => step.pullRequests.read(pullRequest)
      const current = await journal.orWarn('The failing checks were not sent to the agent', read)
      const roundStop = findStopBeforeSend(current, job)
      if (roundStop === undefined) return
      // The known checks belong to the head that was read, so only the state is taken from the new read.
      report({ roundStop, pullRequest: { ...facts, ...(current && { state: current.state }) } })
      throw new ActionError('not-sent', ROUND_STOP_REASONS[roundStop])
    },
  }
  return { target }
}
