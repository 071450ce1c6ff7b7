import { openGitHub } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import { type Account, isOpen } from '../../github/pull-requests.ts'
import { orUndefined } from '../../runtime/errors.ts'
import { Heartbeat } from '../../runtime/heartbeat.ts'
import { quoted } from '../../text/markdown.ts'
import type { AgentStep } from '../journal.ts'
import { isMarkerComment } from '../marker.ts'
import { findAgentAccounts, OTHER_BOTS } from './agent-accounts.ts'
import { getGuardEnd, type SourcePullRequest } from './source-pull-requests.ts'

/** Up to a minute and a half: a label is put on as soon as the step that waits for the job has seen its end. */
const MARK_PAUSES_MS = [5_000, 10_000, 15_000, 20_000, 20_000, 20_000]
const USUAL_MARK_MS = MARK_PAUSES_MS.reduce((sum, ms) => sum + ms, 0)
/** Added to the poll interval: a step that reads its job seldom marks the pull request later. */
const MARK_AFTER_POLL_MS = 60_000
/** A step that GitHub or the service refuses a few times marks the pull request as late as this. */
const MARK_AFTER_REFUSALS_MS = 180_000
const LATE_MARK_PAUSE_MS = 30_000
/** For as long, in milliseconds, a pull request is new: its run may have waited for a runner, and the job's end comes later. */
const NEW_FOR_MS = 300_000

/** How late a step with these inputs marks its pull request, in milliseconds, if nothing refuses it. */
const getMarkMs = ({ pollIntervalMs = 0 }: AgentStep['inputs']): number =>
  Math.max(USUAL_MARK_MS, pollIntervalMs + MARK_AFTER_POLL_MS)

/** The pauses before a mark of this action is looked for again, in milliseconds. */
function listMarkPauses(lateMs: number): readonly number[] {
  const count = Math.ceil((lateMs - USUAL_MARK_MS) / LATE_MARK_PAUSE_MS)
  return [...MARK_PAUSES_MS, ...Array<number>(count).fill(LATE_MARK_PAUSE_MS)]
}

/** Bots that are not the agent: with the account of workflows, anybody's workflow opens pull requests. */
const NO_AGENTS: readonly string[] = ['github-actions[bot]', ...OTHER_BOTS]

/** How an unmarked pull request is judged. `agent`: it is the agent's. `wait`: its mark may still come. */
type Unmarked = 'agent' | 'wait' | 'wait-longer' | 'others'

/** Tells the work of this action's jobs from that of others. All of it throws ActionError if GitHub does not tell. */
export interface OwnWork {
  /**
   * Whether a job of this action opened a pull request: it has the label, or the comment that names the job. Both may still
   * come if an app or an account of the agent opened it, and a bot that opened earlier ones is the agent without them.
   */
  readonly isOwn: (pullRequest: SourcePullRequest) => Promise<boolean>
  /**
   * Whose work a branch without a pull request is, by whoever pushed it. An agent pushes a branch before it opens the pull
   * request. A person with such an account, or another bot, may push branches of their own.
   */
  readonly judgeBranch: (name: string) => Promise<readonly number[] | 'agent' | 'others'>
}

export function openOwnWork(step: AgentStep): OwnWork {
  const { clock, context, core, inputs, questions, signal } = step
  const { event, repository } = context
  const { label } = inputs
  let listed: Promise<readonly Account[]> | undefined

  /** Whether an account opened earlier pull requests of this action. They are listed once. */
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
   * Judges a pull request without a mark by its author. Accounts that authored earlier pull requests of this action are the
   * agent's; but a person may open pull requests of their own, too. One that was merged at once may get its mark later.
   */
  async function judgeUnmarked({ author, createdAt, state }: SourcePullRequest): Promise<Unmarked> {
    const isBot = author.type === 'Bot'
    const isByApp = event.kind === 'push' && event.sender.isBot && isOpen({ state })
    const mayGetMark = isNew({ createdAt })
    const ask = () => isAgentAccount(author)
    // A new one may still get its mark. Of an older one nothing but the account tells.
    const isKnown = (isBot || mayGetMark) && (await (mayGetMark ? orUndefined(ask()) : ask())) === true
    if (isKnown) return isBot ? 'agent' : 'wait-longer'
    return isByApp || (mayGetMark && isBot) ? 'wait' : 'others'
  }

  /** Waits as long as the step that writes the mark may take; gives what was looked for, or undefined if it did not come. */
  async function awaitLate<T>(
    what: string,
    look: () => Promise<T | undefined>,
    leastMs = MARK_AFTER_REFUSALS_MS,
  ): Promise<T | undefined> {
    const heartbeat = new Heartbeat({ clock, log: core.log })
    heartbeat.say(`Waiting for ${what}.`)
    for (const pauseMs of listMarkPauses(Math.max(getMarkMs(inputs), leastMs))) {
      // Such a wait is not counted as a question.
      if (!questions.allowWait(pauseMs)) return undefined
      await clock.sleep(pauseMs, signal)
      const found = await look()
      if (found !== undefined) return found
      heartbeat.beat(`Still waiting for ${what}.`)
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
    let known: readonly string[] | undefined = pullRequest.labels
    const hasMark = async (): Promise<boolean> => {
      const labels = known ?? (await github.readPullRequest(address)).labels
      known = undefined
      if (hasLabel(label, labels)) return true
      const comments = await github.listComments(address, isMarkerComment)
      return comments.some(({ body, author }) => author === 'trusted' && isMarkerComment(body))
    }
    if (await hasMark()) return true
    if (label === '') return false
    const lookForMark = async () => ((await hasMark()) ? true : undefined)
    switch (await judgeUnmarked(pullRequest)) {
      case 'agent':
        return true
      case 'others':
        return false
      case 'wait':
        if (getMarkMs(inputs) === USUAL_MARK_MS) return awaitMark(hasMark)
        return (await awaitLate(`the mark of pull request #${number}, which a bot opened`, lookForMark, 0)) === true
      case 'wait-longer': {
        const what = `the mark of pull request #${number}, which an account of the agent opened`
        return (await awaitLate(what, lookForMark)) === true
      }
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
    // It may have been merged at once. An older one says nothing about this push.
    const findOpened = async () =>
      (await github.findPullRequestsOfBranch(repository, name, 'all')).find((one) => isOpen(one) || isNew(one))
    const what = `a pull request of branch ${quoted(name)}, which ${pusher} pushed`
    const found = await awaitLate(what, findOpened, isKnown ? MARK_AFTER_REFUSALS_MS : 0)
    return found !== undefined && (await isOwn(found)) ? [found.number] : 'others'
  }

  return { isOwn, judgeBranch }
}
