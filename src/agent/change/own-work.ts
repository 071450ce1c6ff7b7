import { openGitHub } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import { type Account, isOpen } from '../../github/pull-requests.ts'
import { orUndefined } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { quoteName } from '../../text/markdown.ts'
import type { AgentStep } from '../journal.ts'
import { isMarkerComment } from '../marker.ts'
import { findAgentAccounts, OTHER_BOTS } from './agent-accounts.ts'
import { getGuardEnd, type SourcePullRequest } from './source-pull-requests.ts'

// A mark is the label or the marker comment by which this action recognizes the pull request of a job.

/** A minute and a half in total: the step that waits for the job marks the pull request when it has read the job's end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
const USUAL_MARK_MS = MARK_PAUSES_MS.reduce((sum, ms) => sum + ms, 0)
/** Added to the poll interval: with a long interval, the step reads the job's end later. */
const MARK_AFTER_POLL_MS = 60_000
/** After a few rejected requests to GitHub or the service, a step marks the pull request this late. */
const MARK_AFTER_REFUSALS_MS = 180_000
const LATE_MARK_PAUSE_MS = 30_000
/** The age up to which a pull request may still get its mark: this run may have waited for a runner, and the job may end later. */
const NEW_FOR_MS = 300_000

/** Returns when a step with these inputs marks its pull request at the latest, if no request is rejected. */
const getMarkMs = ({ pollIntervalMs = 0 }: AgentStep['inputs']): number =>
  Math.max(USUAL_MARK_MS, pollIntervalMs + MARK_AFTER_POLL_MS)

/** Returns the pauses between two look-ups of a mark, in milliseconds. */
function listMarkPauses(maxMs: number): readonly number[] {
  const count = Math.ceil((maxMs - USUAL_MARK_MS) / LATE_MARK_PAUSE_MS)
  return [...MARK_PAUSES_MS, ...Array<number>(count).fill(LATE_MARK_PAUSE_MS)]
}

/** Bots that are never the agent. Every workflow can open pull requests with the account of GitHub Actions. */
const NO_AGENTS: readonly string[] = ['github-actions[bot]', ...OTHER_BOTS]

/** The verdict about a pull request without a mark. `agent`: the agent opened it. `wait`: it may still get its mark. */
type Unmarked = 'agent' | 'wait' | 'wait-longer' | 'others'

/** Distinguishes the work of this action's jobs from the work of others. Throws ActionError if a request to GitHub fails. */
export interface OwnWork {
  /**
   * Whether a job of this action opened a pull request. Its mark proves that. If an app or an account of the agent opened the
   * pull request, waits for the mark. A bot that opened earlier pull requests of this action needs no mark.
   */
  readonly isOwn: (pullRequest: SourcePullRequest) => Promise<boolean>
  /**
   * Decides by the pusher who did the work on a branch without a pull request. The agent pushes a branch before it opens the pull
   * request. But a person with an account of the agent, or another bot, may push other branches.
   */
  readonly judgeBranch: (name: string) => Promise<readonly number[] | 'agent' | 'others'>
}

export function openOwnWork(step: AgentStep): OwnWork {
  const { clock, context, core, inputs, planningBudget, signal } = step
  const { event, repository } = context
  const { label } = inputs
  let listed: Promise<readonly Account[]> | undefined

  /** Whether an account opened earlier pull requests of this action. The accounts are listed once. */
  async function isAgentAccount({ login, type }: Account): Promise<boolean> {
    if (label === '' || login === '' || (type === 'Bot' && NO_AGENTS.includes(login))) return false
    const accounts = await (listed ??= findAgentAccounts(repository, label, openGitHub(step)))
    return accounts.some((account) => account.login === login)
  }

  function isNew({ createdAt }: Pick<SourcePullRequest, 'createdAt'>): boolean {
    const ageMs = clock.wallTime().getTime() - Date.parse(createdAt)
    return ageMs < Math.max(NEW_FOR_MS, getMarkMs(inputs))
  }

  /**
   * Judges a pull request without a mark by its author. An account that opened earlier pull requests of this action is the
   * agent's, but a person may use such an account too. A pull request that was merged immediately may get its mark later.
   */
  async function judgeUnmarked({ author, createdAt, state }: SourcePullRequest): Promise<Unmarked> {
    const isBot = author.type === 'Bot'
    const isByApp = event.kind === 'push' && event.sender.isBot && isOpen({ state })
    const mayGetMark = isNew({ createdAt })
    const checkAccount = () => isAgentAccount(author)
    // A new pull request may still get its mark, so an error is ignored. An older one is decided by the account alone.
    const isKnown =
      (isBot || mayGetMark) && (await (mayGetMark ? orUndefined(checkAccount()) : checkAccount())) === true
    if (isKnown) return isBot ? 'agent' : 'wait-longer'
    return isByApp || (mayGetMark && isBot) ? 'wait' : 'others'
  }

  /**
   * Repeats the look-up for as long as the step that writes the mark may take.
   * @returns undefined if nothing was found
   */
  async function pollForMark<T>(
    what: string,
    find: () => Promise<T | undefined>,
    minMs = MARK_AFTER_REFUSALS_MS,
  ): Promise<T | undefined> {
    const heartbeat = new Heartbeat({ clock, log: core.log })
    heartbeat.log(`Waiting for ${what}.`)
    for (const pauseMs of listMarkPauses(Math.max(getMarkMs(inputs), minMs))) {
      // The pause does not count against the budget.
      if (!planningBudget.allowWait(pauseMs)) return undefined
      await clock.sleep(pauseMs, signal)
      const found = await find()
      if (found !== undefined) return found
      heartbeat.logIfDue(`Still waiting for ${what}.`)
    }
    return undefined
  }

  async function awaitMark(hasMark: () => Promise<boolean>): Promise<boolean> {
    for (const pauseMs of MARK_PAUSES_MS) {
      if (clock.now() + pauseMs >= getGuardEnd(step)) return false
      await clock.sleep(pauseMs, signal)
      if (await hasMark()) return true
    }
    return false
  }

  async function isOwn(pullRequest: SourcePullRequest): Promise<boolean> {
    const { number } = pullRequest
    if (!isOpen(pullRequest) && !inputs.skipOwnChanges) return false
    const github = openGitHub(step)
    const address = { repository, number }
    let listedLabels: readonly string[] | undefined = pullRequest.labels
    const hasMark = async (): Promise<boolean> => {
      const labels = listedLabels ?? (await github.readPullRequest(address)).labels
      listedLabels = undefined
      if (hasLabel(label, labels)) return true
      const comments = await github.listComments(address, isMarkerComment)
      return comments.some(({ body, author }) => author === 'trusted' && isMarkerComment(body))
    }
    if (await hasMark()) return true
    if (label === '') return false
    const findMark = async () => ((await hasMark()) ? true : undefined)
    const mark = `the label or the marker comment of pull request #${number}`
    switch (await judgeUnmarked(pullRequest)) {
      case 'agent':
        return true
      case 'others':
        return false
      case 'wait':
        if (getMarkMs(inputs) === USUAL_MARK_MS) return awaitMark(hasMark)
        return (await pollForMark(`${mark}, which a bot opened`, findMark, 0)) === true
      case 'wait-longer':
        return (await pollForMark(`${mark}, which an account of the agent opened`, findMark)) === true
    }
  }

  async function judgeBranch(name: string): Promise<readonly number[] | 'agent' | 'others'> {
    const { isBot, login } = event.sender
    const isKnown = await isAgentAccount({ login, type: isBot ? 'Bot' : 'User' })
    if (isKnown && isBot) return 'agent'
    // An app without an earlier pull request may be the agent in its first turn.
    const mayBeNewAgent = isBot && label !== '' && !NO_AGENTS.includes(login)
    if (!isKnown && !mayBeNewAgent) return 'others'
    const github = openGitHub(step)
    const pusher = isKnown ? 'an account of the agent' : 'a bot'
    // The pull request may have been merged immediately. An older closed one proves nothing about this push.
    const findPullRequest = async () =>
      (await github.findPullRequestsOfBranch(repository, name, 'all')).find((found) => isOpen(found) || isNew(found))
    const what = `a pull request of branch ${quoteName(name)}, which ${pusher} pushed`
    const found = await pollForMark(what, findPullRequest, isKnown ? MARK_AFTER_REFUSALS_MS : 0)
    return found !== undefined && (await isOwn(found)) ? [found.number] : 'others'
  }

  return { isOwn, judgeBranch }
}
