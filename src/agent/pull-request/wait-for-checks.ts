import { openGitHub, type Step } from '../../action/step.ts'
import type { Comparison } from '../../github/comparisons.ts'
import type { GitHub } from '../../github/github.ts'
import { isOpen, type PullRequest } from '../../github/pull-requests.ts'
import { ActionError, describeError, rethrowFatal, unlessFailed } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { findOutOfScope } from '../inputs/path-filter.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest, type PullRequestFindings } from '../report/pull-request-findings.ts'
import { formatChecks, formatUsualTime, nextLook, type Looks } from './checks.ts'
import { stopBeforeAsking } from './fix-rounds.ts'
import { isNearLimit, isOverShare, nextLookMs } from './look-pace.ts'

const DOUBTFUL = 'A failed run counts although a later run of its workflow may have replaced it'
const LOST_SCOPE = 'Could not tell whether the files of the pull request match `allowed-paths`'
/** Left for the last read, so that it is over when the deadline is. */
const LAST_READ_MS = 3_000

/** What is outside of `allowed-paths`, by a comparison: the list of a pull request's files would be of no certain commit. */
async function findOutside(pullRequest: PullRequest, step: AgentStep): Promise<readonly string[] | undefined> {
  const { inputs, journal } = step
  const { allowedPaths } = inputs
  if (allowedPaths.length === 0) return undefined
  return journal.bestEffort(LOST_SCOPE, async () => {
    const github = openGitHub(step)
    const { repository, baseSha, headSha } = pullRequest
    // A merge may have brought the head into its base branch, which holds all of it then.
    const isIn = ({ relation }: Comparison): boolean => relation === 'identical' || relation === 'behind'
    let change = await journal.heads.compareWithBase(pullRequest, github)
    if (isIn(change)) change = await github.compare(repository, baseSha, headSha)
    const { files, fileList } = change
    const outside = await findOutOfScope(allowedPaths, files, step)
    if (outside.length > 0 || (fileList === 'whole' && !isIn(change))) return outside
    throw new ActionError('rejected', `GitHub lists only ${files.length} files of it.`)
  })
}

export function noteNewHead({ headSha }: PullRequest, { journal }: AgentStep): void {
  journal.note(`The pull request has a new commit, ${headSha.slice(0, 7)}; looking at that one.`)
}

/** The pause after a look by how long the wait has lasted and what it has cost, in milliseconds. */
function createPace(github: GitHub, { clock }: Step, heartbeat: Heartbeat): (ageMs: number, looks: Looks) => number {
  const [startedAt, { counted: before }] = [clock.now(), github.usage()]
  let isSaid = false
  return (ageMs, looks) => {
    const usage = github.usage()
    const isNear = isNearLimit(usage)
    if (isNear && !isSaid)
      heartbeat.say(
        `This token has ${usage.remaining} of ${usage.limit} requests left this hour, so the step asks half as often.`,
      )
    isSaid ||= isNear
    const isShort = isNear || isOverShare(usage.counted - before, clock.now() - startedAt)
    return nextLookMs(looks, ageMs, isShort)
  }
}

/** What is found of a pull request by what the looks at its checks have shown. */
function findingsOf(pullRequest: PullRequest, looks: Partial<Looks>, { journal }: AgentStep): PullRequestFindings {
  const { checks, state, waitsForApproval, problem } = looks
  if (checks === undefined && problem !== undefined) journal.reportSkipped('The checks could not be read', problem)
  const doubt = checks?.find((check) => check.doubt !== undefined)?.doubt
  if (doubt !== undefined) journal.reportSkipped(DOUBTFUL, doubt)
  return {
    ...describePullRequest(pullRequest),
    ...(state !== undefined && { checks: state }),
    ...(state === 'pending' && waitsForApproval === true && { waitsForApproval }),
    ...(checks !== undefined && { checkList: checks }),
  }
}

/**
 * Looks at a pull request until its checks and its files are known for the commit that is its head then, or the deadline is
 * near.
 * @throws ActionError `cancelled`
 */
export async function waitForChecks(pullRequest: PullRequest, step: AgentStep): Promise<PullRequestFindings> {
  const { clock, deadlineAt, context, inputs, journal, signal } = step
  const { turns } = journal
  const github = openGitHub(step)
  const lastLookAt = deadlineAt - LAST_READ_MS
  // These show how long checks take.
  const earlier = turns.at(-2)?.pullRequest?.checkList ?? []
  const heartbeat = new Heartbeat({ clock, log: step.core.log })
  const paceOf = createPace(github, step, heartbeat)
  let known = pullRequest

  const readAgain = async (): Promise<void> => {
    known = (await unlessFailed(journal.heads.read(known))) ?? known
  }
  /** Whether what fails on this head would go back to the agent, so that all of it is waited for. */
  const mayGoBack = (): boolean => {
    const failed: PullRequestFindings = { ...describePullRequest(known), checks: 'failure' }
    return stopBeforeAsking(failed, turns, inputs.fixRounds, deadlineAt - clock.now()) === undefined
  }

  /** Until the checks of this head are known, there is another one, or time is up. */
  async function watchHead(headSha: string): Promise<Partial<Looks>> {
    const watchedSince = clock.now()
    let before: Looks | undefined
    for (;;) {
      const checks = await github.readChecks(known.repository, headSha, context).catch(rethrowFatal)
      const look = (): Looks => nextLook(before, checks, clock.now(), { isAll: mayGoBack(), isOver: !isOpen(known) })
      // It was read directly before the first look. What is believed of a head was seen before it is read once more, which the
      // next round does too.
      const { endsInMs, state } = look()
      const isReadLater = endsInMs > 0 || (state === 'failure' && mayGoBack())
      if (before !== undefined || !isReadLater) await readAgain()
      if (known.headSha !== headSha) return { state: 'pending' }
      const looks = look()
      const told = formatChecks(looks, headSha)
      if (looks.problem !== undefined)
        heartbeat.beat(`The checks of commit ${headSha.slice(0, 7)} could not be read. ${describeError(looks.problem)}`)
      else if (looks.isNews) {
        heartbeat.restart()
        journal.note(told)
      } else heartbeat.beat(told + formatUsualTime(looks.checks ?? [], earlier))
      const leftMs = lastLookAt - clock.now()
      if (looks.endsInMs <= 0 || leftMs <= 0) return looks
      await clock.sleep(Math.min(paceOf(clock.now() - watchedSince, looks), leftMs), signal)
      before = looks
    }
  }

  for (;;) {
    const { headSha } = known
    const outside = await findOutside(known, step)
    let looks: Partial<Looks> = {}
    if (inputs.waitForChecks) looks = await watchHead(headSha)
    else await readAgain()
    const found = findingsOf(known, looks, step)
    if (known.headSha === headSha) return { ...found, ...(outside && { outside }) }
    heartbeat.restart()
    noteNewHead(known, step)
    if (clock.now() >= lastLookAt) return found
  }
}
