/** Reads the pull requests with the label, and what their history comments prove. */
import { type FoundHistories, listHistories } from '../agent/pull-request/history.ts'
import { openGitHub, type Step } from '../action/step.ts'
import { isByOwner, listOwners } from '../github/commits.ts'
import { hasLabel } from '../github/labels.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'
import { mapInBatches, explainFailure } from './changes.ts'
import type { ReportInputs } from './inputs.ts'
import { type AgentPullRequest, isInPeriod } from './numbers.ts'
import type { ReportedChange, LabelledPullRequest } from './verdict.ts'

export interface AgentWork {
  /** All with the label. Includes pull requests by people. */
  readonly pullRequests: readonly AgentPullRequest[]
  /** The list is complete back to this time, in ISO 8601. Empty: it is complete. */
  readonly completeSince: string
}

/** What the comments of a pull request prove. */
type Read = Pick<LabelledPullRequest, 'histories' | 'problem'>

function explainProblem({ histories, hasBroken }: FoundHistories, number: number): string | undefined {
  if (hasBroken) return `somebody has edited the history comment of #${number}`
  const hasAuthor = (wanted: 'bot' | 'trusted'): boolean => histories.some(({ author }) => author === wanted)
  const isForeign = hasAuthor('bot') && !hasAuthor('trusted')
  return isForeign
    ? `the history comment of #${number} is by an app, and \`github-token\` is not of this app`
    : undefined
}

async function readHistories(repository: string, number: number, step: Step): Promise<Read> {
  try {
    const found = await listHistories({ repository, number }, openGitHub(step))
    const trusted = found.histories.filter(({ author }) => author === 'trusted')
    return { histories: trusted.map(({ history }) => history), problem: explainProblem(found, number) }
  } catch (error) {
    return { histories: [], problem: `the comments of #${number} could not be read: ${explainFailure(error)}` }
  }
}

/** Whether somebody else wrote the merged head: a squash hides nothing, because the pull request keeps its own commits. */
async function readIsEdited(
  repository: string,
  { number, author, headSha }: DetailedPullRequest,
  step: Step,
): Promise<boolean | undefined> {
  try {
    const commits = await openGitHub(step).listPullRequestCommits({ repository, number })
    const head = commits.find(({ sha }) => sha === headSha)
    return head && !isByOwner(head, listOwners(author, commits, headSha))
  } catch (error) {
    explainFailure(error)
    return undefined
  }
}

/** Returns a time that is not after the beginning of the period or of a change. Empty if one of them is unknown. */
function findEarliest(changes: readonly ReportedChange[], periodStart: Date): string {
  const times = changes.map(({ since }) => Date.parse(since ?? ''))
  const earliest = Math.min(periodStart.getTime(), ...times)
  return Number.isNaN(earliest) ? '' : new Date(earliest).toISOString()
}

/**
 * Reads the open pull requests with the label, and those that have ended since the period or the first change began.
 * @throws ActionError if they cannot be listed, or a request fails for a reason that concerns all
 */
export async function readAgentWork(
  { label, prRepository }: Pick<ReportInputs, 'label' | 'prRepository'>,
  changes: readonly ReportedChange[],
  periodStart: Date,
  step: Step,
): Promise<AgentWork> {
  const repository = prRepository === '' ? step.context.repository : prRepository
  const github = openGitHub(step)
  const earliest = findEarliest(changes, periodStart)
  const lists = await Promise.all([
    github.listUpdatedPullRequests(repository, 'open', ''),
    github.listUpdatedPullRequests(repository, 'closed', earliest),
  ])
  const listed = lists.flatMap(({ pullRequests }) => pullRequests).filter(({ labels }) => hasLabel(label, labels))
  // It can be closed between the two requests.
  const unique = [...new Map(listed.map((pull) => [pull.number, pull])).values()]
  const pullRequests = await mapInBatches(unique, async (pull): Promise<AgentPullRequest> => {
    const read = { ...pull, ...(await readHistories(repository, pull.number, step)) }
    // People and labelers use the same label, so that only the history shows that the pull request of a person is the agent's.
    const isByAgent = pull.author.type === 'Bot' || read.histories.length > 0
    const isCounted = isByAgent && isInPeriod(pull, periodStart)
    return {
      ...read,
      isByAgent,
      isEdited: isCounted && pull.state === 'merged' ? await readIsEdited(repository, pull, step) : undefined,
    }
  })
  const [completeSince = ''] = lists
    .map((list) => list.completeSince)
    .toSorted()
    .toReversed()
  return { pullRequests: pullRequests.toSorted((a, b) => a.number - b.number), completeSince }
}

/** What is known of pull requests that may be the agent's own. */
export interface OwnWork {
  readonly own: ReadonlySet<number>
  /** Why it is not known, by number. */
  readonly problems: ReadonlyMap<number, string>
}

/**
 * Finds the changes that are pull requests of the agent: those with a trusted history of any label.
 * @param known numbers of pull requests of the agent
 */
export async function findOwn(
  changes: readonly ReportedChange[],
  known: readonly number[],
  step: Step,
): Promise<OwnWork> {
  const own = new Set(known)
  const problems = new Map<number, string>()
  const numbers = changes.flatMap(({ number }) => (number === undefined || own.has(number) ? [] : number))
  await mapInBatches(numbers, async (number) => {
    const { histories, problem } = await readHistories(step.context.repository, number, step)
    if (histories.length > 0) own.add(number)
    else if (problem !== undefined) problems.set(number, problem)
  })
  return { own, problems }
}
