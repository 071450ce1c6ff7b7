import type { Step } from '../../action/step.ts'
import type { Check } from '../../github/commit-checks.ts'
import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/github.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { ActionError, describeError, rethrowFatal, unlessFailed } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { findOutOfScope } from '../inputs/path-filter.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, type PullRequestFindings, type Scope } from '../report/report.ts'
import { formatChecks, formatUsualTime, nextLook, waitForApproval, type Looks } from './checks.ts'
import { roundStateOf, stopBeforeAsking } from './fix-rounds.ts'
import { isNearLimit, isOverShare, nextLookMs } from './look-pace.ts'

const DOUBTFUL = 'A failed run counts although a later run of its workflow may have replaced it'
const LOST_SCOPE = 'Could not tell whether the files of the pull request match `allowed-paths`'
/** Left for the last read, so that it is over when the deadline is. */
const LAST_READ_MS = 3_000

/** A pull request as it was read last, and what was seen of the checks of one head. */
interface Watch {
  readonly pullRequest: PullRequest
  readonly looks?: Looks
}

/** The list of a pull request's files would be of no certain commit. */
async function compareWithBase(pullRequest: PullRequest, github: GitHub, { journal }: AgentStep): Promise<Comparison> {
  // A merge may have brought the head into its base branch, which holds all of it then.
  const isIn = ({ relation }: Comparison): boolean => relation === 'identical' || relation === 'behind'
  const change = await journal.heads.compareWithBase(pullRequest, github)
  if (!isIn(change)) return change
  const { repository, baseSha, headSha } = pullRequest
  const before = await github.compare(repository, baseSha, headSha)
  return isIn(before) ? { ...before, fileList: 'cut' } : before
}

async function findScope(pullRequest: PullRequest, github: GitHub, step: AgentStep): Promise<Scope | undefined> {
  const { allowedPaths } = step.inputs
  if (allowedPaths.length === 0) return undefined
  const change = await step.journal.bestEffort(LOST_SCOPE, () => compareWithBase(pullRequest, github, step))
  if (change === undefined) return undefined
  const { files, fileList } = change
  const outside = await findOutOfScope(allowedPaths, files, step)
  if (outside.length > 0 || fileList !== 'cut') return { fileCount: files.length, outside }
  step.journal.reportSkipped(LOST_SCOPE, new ActionError('rejected', `GitHub lists only ${files.length} files of it.`))
  return undefined
}

/** Says what changes, and once a minute what does not. */
function tell(
  { checks, state, problem }: Looks,
  before: Looks | undefined,
  sha: string,
  earlier: readonly Check[],
  heartbeat: Heartbeat,
  { journal }: AgentStep,
): void {
  if (problem !== undefined)
    heartbeat.beat(`The checks of commit ${sha.slice(0, 7)} could not be read. ${describeError(problem)}`)
  if (problem !== undefined || checks === undefined || state === undefined) return
  const told = formatChecks(state, checks, sha)
  const isNew =
    before?.checks === undefined || state !== before.state || waitForApproval(checks) !== waitForApproval(before.checks)
  if (!isNew) {
    heartbeat.beat(told + formatUsualTime(checks, earlier))
    return
  }
  heartbeat.restart()
  journal.note(told)
}

export function noteNewHead({ headSha }: PullRequest, { journal }: AgentStep): void {
  journal.note(`The pull request has a new commit, ${headSha.slice(0, 7)}; looking at that one.`)
}

/** The pause after a look by how long the wait has lasted and what it has cost, in milliseconds. */
function createPace(github: GitHub, { clock }: Step, heartbeat: Heartbeat): (ageMs: number, looks: Looks) => number {
  const [startedAt, { counted: before }] = [clock.now(), github.usage()]
  let isSaid = false
  return (ageMs, { hasChanged, problem, settlesInMs, endsInMs = Infinity }) => {
    const usage = github.usage()
    const isNear = isNearLimit(usage)
    if (isNear && !isSaid)
      heartbeat.say(
        `This token has ${usage.remaining} of ${usage.limit} requests left this hour, so the step asks half as often.`,
      )
    isSaid ||= isNear
    const isShort = isNear || isOverShare(usage.counted - before, clock.now() - startedAt)
    const pauseMs = nextLookMs({ ageMs, hasChanged, isShort })
    return problem === undefined ? (settlesInMs ?? Math.min(pauseMs, endsInMs)) : pauseMs
  }
}

/**
 * Looks at a pull request until its checks and its files are known for the commit that is its head then, or the deadline is
 * near.
 * @throws ActionError `cancelled`
 */
export async function waitForChecks(
  pullRequest: PullRequest,
  github: GitHub,
  step: AgentStep,
): Promise<PullRequestFindings> {
  const { clock, deadlineAt, context, inputs, journal, signal } = step
  const lastLookAt = deadlineAt - LAST_READ_MS
  /** Whether what fails on this head would go back to the agent, so that all of it is waited for. */
  const mayGoBack = (known: PullRequest): boolean =>
    stopBeforeAsking(roundStateOf({ ...describePullRequest(known), checks: 'failure' }, step)) === undefined
  // These show how long checks take.
  const earlier = journal.turns.at(-2)?.pullRequest?.checkList ?? []
  const heartbeat = new Heartbeat({ clock, log: step.core.log })
  const paceOf = createPace(github, step, heartbeat)

  const readAgain = async (known: PullRequest): Promise<PullRequest> =>
    (await unlessFailed(journal.heads.read(known))) ?? known

  /** Until its checks are known, it has another head, or time is up. */
  async function watchHead(head: PullRequest): Promise<Watch> {
    const watchedSince = clock.now()
    let known = head
    let before: Looks | undefined
    for (;;) {
      const checks = await github.readChecks(known.repository, known.headSha, context).catch(rethrowFatal)
      const looksAt = (pullRequest: PullRequest): Looks =>
        nextLook(before, checks, clock.now(), { isAll: mayGoBack(pullRequest), isOver: !isOpen(pullRequest) })
      // It was read directly before the first look. What is believed of a head was seen before it is read once more, which the
      // next round does too.
      const { isFinal, state } = looksAt(known)
      const isReadLater = !isFinal || (state === 'failure' && mayGoBack(known))
      if (before !== undefined || !isReadLater) known = await readAgain(known)
      if (known.headSha !== head.headSha) return { pullRequest: known }
      const looks = looksAt(known)
      tell(looks, before, head.headSha, earlier, heartbeat, step)
      const leftMs = lastLookAt - clock.now()
      if (looks.isFinal || leftMs <= 0) return { pullRequest: known, looks }
      await clock.sleep(Math.min(paceOf(clock.now() - watchedSince, looks), leftMs), signal)
      before = looks
    }
  }

  function findingsOf(now: PullRequest, { checks, state, problem }: Partial<Looks>): PullRequestFindings {
    if (checks === undefined && problem !== undefined) journal.reportSkipped('The checks could not be read', problem)
    const doubt = checks?.find((check) => check.doubt !== undefined)?.doubt
    if (doubt !== undefined) journal.reportSkipped(DOUBTFUL, doubt)
    return {
      ...describePullRequest(now),
      ...(state !== undefined && { checks: state }),
      ...(state === 'pending' && waitForApproval(checks ?? []) && { waitsForApproval: true }),
      ...(checks !== undefined && { checkList: checks }),
    }
  }

  for (let head = pullRequest; ;) {
    const scope = await findScope(head, github, step)
    const watch: Watch = inputs.waitForChecks ? await watchHead(head) : { pullRequest: await readAgain(head) }
    const { pullRequest: now, looks = {} } = watch
    if (now.headSha === head.headSha) return { ...findingsOf(now, looks), ...(scope !== undefined && { scope }) }
    heartbeat.restart()
    noteNewHead(now, step)
    if (clock.now() >= lastLookAt)
      return { ...describePullRequest(now), ...(inputs.waitForChecks && { checks: 'pending' }) }
    head = now
  }
}
