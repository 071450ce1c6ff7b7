/**
 * The rolling pull request: finds the open pull request of the label and makes its job the target of the prompt. Hides
 * which pull request is chosen, and what must exist on GitHub before the first job of a label.
 */
import { requireGitHub } from '../../action/step.ts'
import { quoteName } from '../../text/markdown.ts'
import { hasLabel, type PullRequestInList } from '../../github/labels.ts'
import { ActionError, orNotSent } from '../../runtime/errors.ts'
import { ON_OPEN_PR, type AgentInputs, getRepository } from '../facts.ts'
import type { Acts } from '../step.ts'
import { findJobOfPullRequest, type JobOfPullRequest } from '../find-job.ts'
import { assertBelowLimit, createFollowUp, formatUnconfirmed } from '../follow-up.ts'
import { warnOfLimit } from '../history/render.ts'
import { formatTrackingGrant } from '../permissions.ts'
import { createMissingLabel } from '../label.ts'
import { isOpen } from '../../github/pull-requests.ts'
import { plainTarget, type Target } from '../turn/target.ts'
import { type Skip, skip } from '../skip.ts'
import { inputThat, choiceInput, field, isGiven, wholeNumberInput } from '../../action/inputs.ts'

/** After this number of follow-ups to one pull request, a person must merge or close it. */
export const DEFAULT_MAX_FOLLOW_UPS = 20

/** The label identifies the rolling pull request, and the token is needed to find it. */
const onOpenPrInput = inputThat(choiceInput(ON_OPEN_PR), (choice, raw) => {
  const missing = ['label', 'github-token'].filter((name) => !isGiven(raw, name)).map((name) => `\`${name}\``)
  if (choice !== 'new' && missing.length > 0) return `needs ${missing.join(' and ')} unless it is \`new\``
  if (choice !== 'skip' || raw['change-range']?.trim() !== 'since-last-success') return false
  return 'cannot be `skip` together with `change-range: since-last-success`: a skipped run succeeds, so no later run would send its changes; use `follow-up`'
})

export const ROLLING_FIELDS = {
  onOpenPr: field('on-open-pr', 'new', onOpenPrInput),
  maxFollowUps: field('max-follow-ups', String(DEFAULT_MAX_FOLLOW_UPS), wholeNumberInput(1, 100, ' of follow-ups')),
}

const RETRY_HINT =
  'Run the step again later. With `on-open-pr: new`, this check is skipped, and each run starts a new job.'
const UNKNOWN_RECIPIENT = 'Could not determine whether a pull request of the agent is open'

const MAX_NAMED = 10

/** Each one costs several requests. If so many are not the agent's, the label is used for something else. */
const MAX_EXAMINED = 30

/** Lets a request fail before its result is used. */
function startEarly<T>(started: Promise<T>): Promise<T> {
  started.catch(() => undefined)
  return started
}

const HOW_TO_CONTINUE =
  'Somebody has added the label by hand, or has deleted the comment. To continue a pull request of the agent, run a step with its `job-id` and without a prompt: it writes the comment again.'

interface Found {
  readonly job: JobOfPullRequest | undefined
  /** Whether the repository has the label; undefined if that does not matter. */
  readonly labelExists?: Promise<boolean> | undefined
  /** Notices to show unless the change skips the step. */
  readonly notices: readonly (readonly [title: string, text: string])[]
}

/**
 * Finds the open pull request to continue: the oldest one with the label whose job confirms it. Names the others in a notice.
 * @throws ActionError if a request to GitHub or the service fails
 */
async function findRolling(step: Acts): Promise<Found> {
  const { dryRun, label } = step.inputs
  const repository = getRepository(step)
  const github = requireGitHub(step)
  const open = await github.listOpenPullRequests(repository, label)
  const labelled = open.filter(({ labels }: PullRequestInList) => hasLabel(label, labels))
  const notices: [title: string, text: string][] = []
  for (const [index, address] of labelled.entries()) {
    if (index === MAX_EXAMINED)
      throw new ActionError(
        'not-sent',
        `None of the first ${MAX_EXAMINED} of the open pull requests with the label is the agent's.`,
        { hint: "Remove the label from pull requests that are not the agent's." },
      )
    const { number } = address
    const lookup = await findJobOfPullRequest(address, step)
    if (lookup.kind === 'job') {
      const otherPullRequests = labelled.slice(index + 1)
      if (otherPullRequests.length > 0) {
        const numbers = otherPullRequests.slice(0, MAX_NAMED).map((other) => `#${other.number}`)
        const more = otherPullRequests.length - numbers.length
        const list = `${numbers.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
        notices.push([
          'More than one pull request is open',
          `Pull request #${number}, for the base branch ${quoteName(lookup.pullRequest.baseRef)}, is the agent's oldest open pull request with the label, and gets the follow-up. These pull requests also have the label: ${list}. Merge or close the ones that you do not need. If they are for several base branches, give each branch a label of its own.`,
        ])
      }
      return { job: lookup, notices }
    }
    // The pull request may have been closed since it was listed.
    if (!isOpen(lookup.pullRequest)) continue
    const reason =
      lookup.reason === undefined ? `no history comment names its job. ${HOW_TO_CONTINUE}` : `${lookup.reason}.`
    notices.push([
      'A labelled pull request is not continued',
      `Skipped pull request #${number}: it has the label, but ${reason}`,
    ])
  }
  const labelExists = dryRun ? undefined : startEarly(github.labelExists(repository, label))
  return { job: undefined, labelExists, notices }
}

/** The look-up of the label's open pull request. It only reads, so that it can begin before the change is known to count. */
export interface RollingLookUp {
  /** Begins, if the step needs it. */
  readonly begin: () => void
  /** @throws ActionError if a request to GitHub or the service fails */
  readonly find: () => Promise<Found>
}

export function openRollingLookUp(step: Acts): RollingLookUp {
  const { command, task } = step.inputs
  const isNeeded = command === '' && task.kind === 'create' && isRolling(step.inputs)
  let rolling: Promise<Found> | undefined
  const find = (): Promise<Found> => (rolling ??= startEarly(findRolling(step)))
  const begin = (): void => {
    if (isNeeded) void find()
  }
  return { begin, find }
}

/**
 * Chooses the target of the prompt: the job of the label's open pull request, or a new job.
 * @throws ActionError `not-sent` if it is not known whether such a pull request is open
 */
export async function chooseRollingTarget(prompt: string, lookUp: RollingLookUp, step: Acts): Promise<Target | Skip> {
  const { inputs, journal } = step
  const { label, onOpenPr, maxFollowUps } = inputs
  const rolling = await orNotSent(UNKNOWN_RECIPIENT, lookUp.find, RETRY_HINT, formatTrackingGrant(step))
  const { job, labelExists, notices } = rolling
  for (const [title, text] of notices) journal.notice(title, text)
  if (job === undefined)
    return {
      ...plainTarget({ kind: 'create', prompt }),
      async beforeSend() {
        // Without the label, the next run would not find the pull request of this job.
        await orNotSent(
          `The label \`${label}\` could not be found or created`,
          () => createMissingLabel(step, labelExists),
          `Run the step again later, or create the label \`${label}\` by hand.`,
          `${formatTrackingGrant(step)} Or create the label \`${label}\` by hand.`,
        )
        return 0
      },
    }
  const { number } = job.pullRequest
  if (onOpenPr === 'skip')
    return skip(
      `Pull request #${number} of the agent is open${formatUnconfirmed(step)}, and \`on-open-pr\` is \`skip\`.`,
    )
  const used = job.listed?.history.followUps ?? 0
  assertBelowLimit(job.pullRequest, used, step)
  const which = `follow-up ${used + 1} of ${maxFollowUps}`
  const adding = `Adding to pull request #${number} (job ${job.jobId}, ${which})${formatUnconfirmed(step)}.`
  journal.note(`${adding} ${warnOfLimit(used + 1, maxFollowUps)}`.trimEnd())
  return createFollowUp(job, { prompt, reason: 'pull-request', isCounted: true, hint: RETRY_HINT }, step)
}

/** Whether the step continues the open pull request of its label. */
export const isRolling = ({ onOpenPr }: Pick<AgentInputs, 'onOpenPr'>): boolean => onOpenPr !== 'new'
