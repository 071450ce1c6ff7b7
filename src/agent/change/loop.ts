/**
 * The loop guard: the agent's own work never starts the agent. The events that cannot start it, what must be possible on the
 * events of pull requests, and the four rules of `decideLoop`; the rest reads the facts that they need, and no others.
 */
import { choiceInput, field } from '../../action/inputs.ts'
import { type Context, requireGitHub } from '../../action/step.ts'
import { hasLabel } from '../../github/labels.ts'
import { orNotSent, catchExpected, ActionError } from '../../runtime/errors.ts'
import { quoteName } from '../../text/markdown.ts'
import { formatGrant, GITHUB_RETRY_HINT } from '../permissions.ts'
import { isExplicitRange, SKIP_OWN_CHANGES, type Facts } from '../facts.ts'
import type { Reads } from '../step.ts'
import { isOwnComment } from '../history/state.ts'
import { listHistories } from '../history/store.ts'
import { type FoundChange, isChangeWanted, OWN_WORK_UNKNOWN } from './compare.ts'
import { findEventOrigin, REQUEST_EVENT_KINDS } from './event-origin.ts'
import {
  type ChangeCommit,
  isCommitByPerson,
  isPerson,
  listEventCommits,
  mergeCommits,
  sortByLookUp,
  type PullRequestLookup,
  type SourcePullRequest,
  toChangeCommit,
} from './origin.ts'
import { createMissingLabel } from '../label.ts'
import type { Target } from '../turn/target.ts'

export const LOOP_FIELDS = { skipOwnChanges: field('skip-own-changes', 'any-label', choiceInput(SKIP_OWN_CHANGES)) }

/** What the rules decide from. */
export interface LoopFacts {
  /** The pull requests that all commits of the change came from, if all of them are ours. */
  readonly ownPullRequests: readonly number[] | undefined
  /** Whether a bot caused an event about a commit, a branch or a pull request. */
  readonly isByBot: boolean
  /** Whether a commit of the change is a person's. */
  readonly hasWorkOfPerson: boolean
  /** The author of the event's pull request, if that account opened an earlier pull request of this action. */
  readonly agentAccount: string | undefined
  /** Whether GitHub does not record what the triggering run was about. */
  readonly isCauseUnknown: boolean
}

/** Why the step is skipped, for a notice. */
export interface LoopReason {
  readonly title: string
  /** Full sentences. */
  readonly text: string
}

/** The four rules, in their order. Returns `undefined` if the step may run. */
export function decideLoop({
  ownPullRequests,
  isByBot,
  hasWorkOfPerson,
  agentAccount,
  isCauseUnknown,
}: LoopFacts): LoopReason | undefined {
  if (ownPullRequests !== undefined)
    return {
      title: "Skipped: this is the agent's own work",
      text: `All commits came from pull requests of this action's jobs: ${ownPullRequests.map((number) => `#${number}`).join(', ')}.`,
    }
  if (isByBot && !hasWorkOfPerson)
    return {
      title: 'Skipped: a bot started this run',
      text: 'A bot caused the event, and no commit of the change is the work of a person. A schedule covers such changes: run a workflow file of its own on `schedule`, with `change-range: since-last-success`.',
    }
  if (agentAccount !== undefined)
    return {
      title: 'Skipped: the agent may have opened this pull request',
      text: `The account ${quoteName(agentAccount)} opened an earlier pull request of this action. If a person uses it too, the agent needs an account of its own.`,
    }
  if (isCauseUnknown)
    return {
      title: 'Skipped: the cause of this run is unknown',
      text: "An event other than a push, a pull request or a merge queue started the triggering workflow run, and GitHub does not record what that run was about. It may be the agent's own work.",
    }
  return undefined
}

const NO_LOOP: LoopFacts = {
  ownPullRequests: undefined,
  isByBot: false,
  hasWorkOfPerson: true,
  agentAccount: undefined,
  isCauseUnknown: false,
}

const OUR_COMMENT: LoopReason = {
  title: "Skipped: this is the agent's own work",
  text: 'This action wrote the comment that started the run.',
}

const BOT_WROTE: LoopReason = {
  title: 'Skipped: a bot started this run',
  text: 'A bot caused the event, and the text that it is about is by a bot.',
}

/** Checks the event's payload alone, before any request. */
export function checkPayload(step: Facts): LoopReason | undefined {
  const { context } = step
  const { event } = context
  const { kind } = findEventOrigin(context)
  if (event.kind === 'comment' || event.kind === 'review') {
    if (isOwnComment(event.comment.text)) return OUR_COMMENT
    // The agent may comment on any pull request, for example on the one that it has documented.
    return event.sender.isBot ? BOT_WROTE : undefined
  }
  // An app that labels a person's issue is a usual way to start the agent.
  if (event.kind === 'issue' && event.sender.isBot && event.subject.isByBot) return BOT_WROTE
  return decideLoop({ ...NO_LOOP, isCauseUnknown: kind === 'unknown' })
}

/** Whether a pull request is the work of one of this action's jobs. */
async function isOurs(pullRequest: SourcePullRequest, step: Reads): Promise<boolean> {
  const { context, inputs } = step
  const { label, skipOwnChanges } = inputs
  const { author, labels, number } = pullRequest
  const isLabelled = hasLabel(label, labels)
  if (isLabelled && author.type === 'Bot') return true
  const { histories } = await listHistories({ repository: context.repository, number }, requireGitHub(step))
  const trusted = histories.filter((listed) => listed.author === 'trusted')
  if (skipOwnChanges === 'any-label') return trusted.length > 0
  return trusted.some(({ history }) => isLabelled || hasLabel(label, history.labels))
}

/** Whether this account opened an earlier pull request of this action, among the newest 100. */
async function openedEarlier(login: string, number: number, step: Reads): Promise<boolean> {
  const { context, inputs } = step
  const { repository } = context
  const newest = await requireGitHub(step).listNewestPullRequests(repository, inputs.label)
  const earlier = newest.find((one) => one.author.login === login && one.number !== number)
  if (earlier === undefined) return false
  const { histories } = await listHistories(earlier, requireGitHub(step))
  if (histories.some(({ author }) => author === 'trusted')) return true
  // GitHub can refuse comments for good where it accepts labels, such as in a conversation that is locked.
  return requireGitHub(step).hasAddedLabel(earlier, inputs.label)
}

/**
 * Leaves out the commits that a push brought to the branch of a pull request from elsewhere, as an update with the base branch
 * does: they are no work of this push. On the default branch, what a merge brings is not distinct, either.
 */
function leaveOutBrought(commits: readonly ChangeCommit[], { event }: Context): readonly ChangeCommit[] {
  if (event.kind !== 'push' || event.defaultBranch === undefined || event.branch === event.defaultBranch) return commits
  const brought = new Set(event.push.commits.filter(({ isDistinct }) => !isDistinct).map(({ sha }) => sha))
  return commits.filter(({ sha }) => !brought.has(sha))
}

async function isSourceByPerson(source: SourcePullRequest, step: Reads): Promise<boolean> {
  if (isPerson(source.author.login) && source.author.type !== 'Bot') return true
  if (source.state !== 'merged') return false
  const { repository } = step.context
  const { mergedBy } =
    'mergedBy' in source ? source : await requireGitHub(step).readPullRequest({ repository, number: source.number })
  return isPerson(mergedBy.login) && mergedBy.type !== 'Bot'
}

/**
 * Whether a person approved one of the pull requests that are merged or in the event's merge group. Before, an approval is no
 * reason: each rebase of a bot's approved pull request would start a job. Stops at the first one, because each takes a request.
 */
async function isOneApproved(pullRequests: Iterable<SourcePullRequest>, step: Reads): Promise<boolean> {
  const { event, eventName, repository } = step.context
  if (eventName.startsWith('pull_request')) return false
  for (const { number, state } of pullRequests) {
    if (state !== 'merged' && event.kind !== 'merge-group') continue
    if ((await requireGitHub(step).listApprovers({ repository, number })).some(isPerson)) return true
  }
  return false
}

/**
 * Returns the numbers of the pull requests that all commits came from, if all of them are ours. Stops at the first commit that
 * is not.
 */
async function findOwn(
  commits: readonly ChangeCommit[],
  sources: PullRequestLookup,
  step: Reads,
): Promise<readonly number[] | undefined> {
  const ownNumbers = new Set<number>()
  for (const commit of sortByLookUp(commits, step)) {
    const pullRequests = await sources.find(commit, commits)
    if (pullRequests.length === 0) return undefined
    for (const source of pullRequests) {
      if (!ownNumbers.has(source.number) && !(await isOurs(source, step))) return undefined
      ownNumbers.add(source.number)
    }
  }
  return ownNumbers.size === 0 ? undefined : [...ownNumbers]
}

/** Whether one of the commits is a person's, or came from a pull request that a person opened, merged or approved. */
async function findWorkOfPerson(
  commits: readonly ChangeCommit[],
  sources: PullRequestLookup,
  step: Reads,
): Promise<boolean> {
  if (commits.some(isCommitByPerson)) return true
  for (const commit of sortByLookUp(commits, step))
    for (const source of await sources.find(commit, commits)) if (await isSourceByPerson(source, step)) return true
  const pullRequests = new Map<number, SourcePullRequest>()
  for (const commit of commits)
    for (const source of await sources.find(commit, commits)) pullRequests.set(source.number, source)
  return isOneApproved(pullRequests.values(), step)
}

/** Decides about the pull requests that an event names. */
async function decideByPullRequests(
  numbers: readonly number[],
  isByBot: boolean,
  sources: PullRequestLookup,
  step: Reads,
): Promise<LoopReason | undefined> {
  const { event, eventName, repository } = step.context
  const github = requireGitHub(step)
  const pullRequests = await Promise.all(
    numbers.map((number) => github.readPullRequest({ repository, number }, { mayBeNew: true })),
  )
  let isAllOwn = true
  for (const pullRequest of pullRequests) isAllOwn &&= await isOurs(pullRequest, step)
  if (isAllOwn) return decideLoop({ ...NO_LOOP, ownPullRequests: numbers })

  const isPullRequestEvent = event.kind === 'pull-request'
  const mayBeByBot = isByBot || isPullRequestEvent
  let hasWorkOfPerson = false
  for (const pullRequest of pullRequests) {
    hasWorkOfPerson ||= await isSourceByPerson(pullRequest, step)
    if (hasWorkOfPerson || !mayBeByBot) break
    const commits = await github.listPullRequestCommits(pullRequest)
    hasWorkOfPerson = commits.map(toChangeCommit).some(isCommitByPerson)
  }
  if (mayBeByBot) hasWorkOfPerson ||= await isOneApproved(pullRequests, step)
  // The branch of somebody's pull request may have received a merge of the agent's.
  const ownPullRequests = await findOwn(listEventCommits(step.context), sources, step)
  const [first] = pullRequests
  const isByBotAccount = isPullRequestEvent && first?.author.type === 'Bot'
  const reason = decideLoop({ ...NO_LOOP, ownPullRequests, hasWorkOfPerson, isByBot: isByBot || isByBotAccount })
  if (reason !== undefined || !isPullRequestEvent || !eventName.startsWith('pull_request')) return reason
  // A bot can also open pull requests for people, from an editor. Those of the agent have its label or a history comment.
  if (first === undefined || first.author.type === 'Bot') return undefined
  const { login } = first.author
  return decideLoop({ ...NO_LOOP, agentAccount: (await openedEarlier(login, first.number, step)) ? login : undefined })
}

/** Decides about the commits of a change. */
async function decideByCommits(
  all: readonly ChangeCommit[],
  isByBot: boolean,
  sources: PullRequestLookup,
  step: Reads,
): Promise<LoopReason | undefined> {
  const { event } = step.context
  const commits = leaveOutBrought(all, step.context)
  // The range of a branch always begins at its base, so that it contains commits that earlier runs were about.
  const isOfBranch = event.kind === 'workflow-run' && !event.work.isOfFork && event.work.branch !== event.defaultBranch
  const ownPullRequests = await findOwn(
    // A push that only brought commits, such as to a release branch, consists of them.
    isOfBranch ? listEventCommits(step.context) : commits.length > 0 ? commits : all,
    sources,
    step,
  )
  if (ownPullRequests !== undefined || !isByBot) return decideLoop({ ...NO_LOOP, ownPullRequests })
  const hasWorkOfPerson = await findWorkOfPerson(commits, sources, step)
  return decideLoop({ ...NO_LOOP, isByBot, hasWorkOfPerson })
}

/**
 * Returns why the change must not start the agent, or `undefined`.
 * @param change the compared change; undefined if no input needs it
 * @throws ActionError `not-sent` if that cannot be determined and people did not start the run
 */
export async function findLoop(
  change: FoundChange | undefined,
  sources: PullRequestLookup,
  step: Reads,
): Promise<LoopReason | undefined> {
  const { context, runner, github, inputs } = step
  const { event } = context
  const { changeRange } = inputs
  const { kind, numbers } = findEventOrigin(context)
  if (REQUEST_EVENT_KINDS.includes(event.kind)) return undefined
  if (kind === 'people' && (isExplicitRange(changeRange) || !isChangeWanted(inputs))) return undefined
  // A bot caused an event about a commit, a branch or a pull request.
  const isByBot = event.sender.isBot && kind !== 'people'
  const eventCommits = listEventCommits(context)
  if (github === undefined) {
    runner.log(`${OWN_WORK_UNKNOWN}: there is no \`github-token\`, so only the event was checked.`)
    const hasWorkOfPerson = leaveOutBrought(eventCommits, context).some(isCommitByPerson)
    return decideLoop({ ...NO_LOOP, isByBot, hasWorkOfPerson })
  }
  const decideByGitHub = async (): Promise<LoopReason | undefined> => {
    if (numbers.length > 0 && changeRange.kind !== 'since-last-success')
      return decideByPullRequests(numbers, isByBot, sources, step)
    // An explicit range is independent of the event, so the commits of the event decide.
    const isOfEvent = change === undefined || 'reason' in change || isExplicitRange(changeRange)
    const commits = isOfEvent ? eventCommits : mergeCommits(change.commits, eventCommits)
    return decideByCommits(commits, isByBot, sources, step)
  }
  if (kind !== 'people') return orNotSent(OWN_WORK_UNKNOWN, decideByGitHub, GITHUB_RETRY_HINT, formatGrant(inputs))
  return decideByGitHub().catch((error: unknown) => {
    runner.log(`${OWN_WORK_UNKNOWN}: ${catchExpected(error).message}`)
    return undefined
  })
}

/** Whether the loop guard needs the complete range, even if no input does: a tag by a bot does not show who did the work. */
export function needsRange(step: Reads): boolean {
  const { event } = step.context
  return event.sender.isBot && (event.kind === 'tag' || event.kind === 'release') && step.github !== undefined
}

/** The agent's own commits and branches cause these events too, often under another account, and nothing in them shows it. */
export const UNSUPPORTED_EVENTS = [
  'check_run',
  'check_suite',
  'create',
  'delete',
  'deployment',
  'deployment_status',
  'page_build',
  'registry_package',
  'status',
] as const

export type UnsupportedEvent = (typeof UNSUPPORTED_EVENTS)[number]

export const isUnsupportedEvent = (name: string): name is UnsupportedEvent =>
  UNSUPPORTED_EVENTS.some((event) => event === name)

/** Whether the agent's own pull request starts the next run. */
export const isPullRequestEvent = ({ context, inputs }: Facts): boolean =>
  /^pull_request(?:_target)?$/.test(context.eventName) && inputs.command === ''

const mayCauseLoop = (step: Facts): boolean =>
  isPullRequestEvent(step) && step.inputs.task.kind !== 'attach' && !step.inputs.dryRun

/**
 * Rejects an event that cannot start the agent, and on events of pull requests the inputs with which the agent's pull request
 * would stay unmarked and start the next job. A step that only attaches sends no prompt, so any event may start it.
 * @throws ActionError `invalid-input` that names every problem
 */
export function assertEventAllowed(step: Facts): void {
  const { eventName } = step.context
  const { command, task, wait, label, githubToken } = step.inputs
  const isAttaching = command === '' && task.kind === 'attach'
  if (isUnsupportedEvent(eventName) && !isAttaching)
    throw new ActionError(
      'invalid-input',
      `The event \`${eventName}\` cannot start the agent: the agent's own work causes this event too, and the event does not show it.`,
      {
        hint: 'Nothing was sent. In `on:` of the workflow, use `push` (also for new branches and tags), `pull_request`, `release`, `workflow_run`, `schedule` or `workflow_dispatch` instead.',
      },
    )
  if (!mayCauseLoop(step)) return
  const problems = [
    ...(wait ? [] : ['`wait` must be `true`']),
    ...(label === '' ? ['`label` must not be empty'] : []),
    ...(githubToken === '' ? ['`github-token` must not be empty'] : []),
  ]
  if (problems.length === 0) return
  const text = `On \`${eventName}\`, ${problems.join(', and ')}: the step must label the agent's pull request and comment on it. Otherwise this pull request starts the next job.`
  throw new ActionError('invalid-input', text, {
    hint: 'Nothing was sent. Correct the inputs, or start the workflow by a push or a schedule.',
  })
}

/**
 * Makes sure before the prompt that the token can write what marks a pull request: the label, and a reaction to the event's
 * pull request.
 */
export function guardPullRequestEvent(target: Target, step: Reads): Target {
  const { context, inputs } = step
  const { event } = context
  if (!mayCauseLoop(step) || event.kind !== 'pull-request') return target
  const { number } = event.subject
  return {
    ...target,
    async beforeSend(job, idleMs) {
      await orNotSent(
        "The agent's pull request could not get its label and comment, so it would start the next job",
        () =>
          Promise.all([
            createMissingLabel(step),
            requireGitHub(step).addEyesToPullRequest({ repository: context.repository, number }),
          ]),
        GITHUB_RETRY_HINT,
        formatGrant(inputs),
      )
      return target.beforeSend(job, idleMs)
    },
  }
}
