/** `skip-labels`: skips a change whose pull requests all have such a label, and leaves the others of them out. */
import { hasLabel } from '../../github/labels.ts'
import { quoteName } from '../../text/markdown.ts'
import { isSameRepository } from '../../github/schemas.ts'
import {
  createPullRequestLookup,
  type PullRequestLookup,
  type SourcePullRequest,
  TOO_MANY_LOOK_UPS,
} from '../change/origin.ts'
import type { Facts } from '../facts.ts'
import { formatNumbers } from '../prompt.ts'
import { requireGitHub } from '../../action/step.ts'
import type { Compared } from '../change/compare.ts'
import { findEventOrigin, REQUEST_EVENT_KINDS } from '../change/event-origin.ts'
import { isOfEvent, listChangeCommits } from '../change/sources.ts'
import type { Acts, Reads } from '../step.ts'
import { orNotSent } from '../../runtime/errors.ts'
import { type ResolvedChange, type ChangeFacts, renderChange } from '../change/change.ts'
import { GITHUB_RETRY_HINT, formatGrant } from '../permissions.ts'
import { type Skip, skip } from '../skip.ts'
import { linesField, toItems, LABEL_PATTERN, rejectInput, isGiven } from '../../action/inputs.ts'

export const EXEMPT_FIELDS = {
  skipLabels: linesField('skip-labels', (text, raw): readonly string[] => {
    const labels = toItems(text)
    const wrong = labels.filter(({ item }) => !LABEL_PATTERN.test(item))
    if (wrong.length > 0) return rejectInput(...wrong.map(({ at }) => `${at} must be the name of one label`))
    if (labels.length > 0 && !isGiven(raw, 'github-token'))
      return rejectInput('needs `github-token` to read the labels')
    return labels.map(({ item }) => item)
  }),
}

const UNKNOWN_LABELS = 'Could not determine which pull requests `skip-labels` exempts'

const isExempt = ({ labels }: Pick<SourcePullRequest, 'labels'>, { inputs }: Facts): boolean =>
  inputs.skipLabels.some((label) => hasLabel(label, labels))

/** What `skip-labels` exempts. */
interface Exemption {
  readonly numbers: readonly number[] | 'not-looked-up'
  /** Whether it exempts the whole change. */
  readonly isComplete: boolean
}

const NOT_EXEMPT: Exemption = { numbers: [], isComplete: false }

/**
 * Finds the pull requests of the change that have a label from `skip-labels`. A pull request that `change-range` names is sent
 * regardless of its labels, and so is the change of a comment.
 * @throws ActionError if a request to GitHub fails
 */
async function findExemption(
  compared: Compared | undefined,
  sources: PullRequestLookup,
  step: Reads,
): Promise<Exemption> {
  const { context, inputs } = step
  const { event, repository } = context
  const origin = findEventOrigin(context)
  if (inputs.skipLabels.length === 0 || inputs.changeRange.kind === 'pull-request') return NOT_EXEMPT
  if (REQUEST_EVENT_KINDS.includes(event.kind)) return NOT_EXEMPT
  if (event.kind === 'pull-request' && isOfEvent(origin, step))
    return isExempt(event.subject, step) ? { numbers: [event.subject.number], isComplete: true } : NOT_EXEMPT
  const pullRequests: SourcePullRequest[] = []
  let isComplete = true
  if (isOfEvent(origin, step)) {
    const github = requireGitHub(step)
    pullRequests.push(
      ...(await Promise.all(
        origin.numbers.map((number) => github.readPullRequest({ repository, number }, { mayBeNew: true })),
      )),
    )
  } else {
    const commits = listChangeCommits(compared, step)
    for (const commit of commits) {
      const merged = (await sources.find(commit, commits)).filter(({ state }) => state === 'merged')
      pullRequests.push(...merged)
      isComplete &&= merged.length > 0
    }
    // A commit that GitHub does not list may come from any pull request.
    isComplete &&=
      compared !== undefined && compared.commits.length === compared.totalCommits && compared.unlisted === undefined
  }
  const exempt = new Set(pullRequests.filter((pullRequest) => isExempt(pullRequest, step)).map(({ number }) => number))
  const numbers = [...exempt].toSorted((a, b) => a - b)
  return {
    numbers,
    isComplete: isComplete && pullRequests.length > 0 && pullRequests.every(({ number }) => exempt.has(number)),
  }
}

/** Skips a change that `skip-labels` exempts, and renders any other one for the prompt. */
export async function applyExemption(
  { change, description, sources: ofRun }: ResolvedChange,
  step: Acts,
): Promise<ChangeFacts | Skip> {
  // A step that only attaches has no change.
  if (ofRun === undefined) return { promptContext: '' }
  const { repository = step.context.repository } = change ?? {}
  const isHere = isSameRepository(repository, step.context.repository)
  const sources = isHere ? ofRun : createPullRequestLookup(repository, step)
  const find = () =>
    findExemption(change, sources, step).catch((error: unknown): Exemption => {
      if (error !== TOO_MANY_LOOK_UPS) throw error
      // A change of many commits is sent with everything in it: no later run could look up fewer of them.
      return { ...NOT_EXEMPT, numbers: 'not-looked-up' }
    })
  const { numbers, isComplete } = await orNotSent(
    UNKNOWN_LABELS,
    find,
    GITHUB_RETRY_HINT,
    isHere ? formatGrant(step.inputs) : undefined,
  )
  const isLookedUp = numbers !== 'not-looked-up'
  if (isComplete && isLookedUp) {
    const list = formatNumbers(numbers, isHere ? undefined : (number) => quoteName(`${repository}#${number}`))
    return skip(`Every pull request of the change has a label from \`skip-labels\`: ${list}.`)
  }
  if (!isLookedUp)
    step.journal.notice(
      '`skip-labels` was not applied',
      `No pull request was exempted, because ${TOO_MANY_LOOK_UPS.message} The whole change is sent.`,
    )
  return { ...renderChange(change, numbers, step), description, sources, exempt: isLookedUp ? numbers : [] }
}
