/** Reads the pull requests of the agent, and what their history comments prove. */
import type { History } from '../agent/history/state.ts'
import { listHistories, type FoundHistories } from '../agent/history/store.ts'
import { requireGitHub, type Step } from '../action/step.ts'
import { isByOwner, listOwners } from '../github/commits.ts'
import { failsForAll } from '../github/github-error.ts'
import { hasLabel } from '../github/labels.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'
import { asExpectedError } from '../runtime/errors.ts'
import { type AgentPullRequest, isInPeriod } from './numbers.ts'

export interface AgentWork {
  /** The pull requests of the period, by number. */
  readonly pullRequests: readonly AgentPullRequest[]
  /** The list is complete back to this time, in ISO 8601. */
  readonly completeSince: string
}

/** At the same time. */
const MAX_PARALLEL = 8

/** Maps in batches, so that GitHub gets few requests at the same time. */
async function mapInBatches<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += MAX_PARALLEL)
    results.push(...(await Promise.all(items.slice(at, at + MAX_PARALLEL).map(map))))
  return results
}

/**
 * Returns the message of an error that concerns one item only.
 * @throws the error itself if it would concern all items, or is a bug
 */
function explainFailure(caught: unknown): string {
  const error = asExpectedError(caught)
  if (failsForAll(error)) throw error
  return error.message
}

function explainProblem({ histories, hasBroken }: FoundHistories, number: number): string | undefined {
  if (hasBroken) return `Somebody has edited the history comment of #${number}, so its turns are not counted.`
  const hasAuthor = (wanted: 'bot' | 'trusted'): boolean => histories.some(({ author }) => author === wanted)
  const isForeign = hasAuthor('bot') && !hasAuthor('trusted')
  return isForeign
    ? `The history comment of #${number} is by an app, and \`github-token\` is not of this app, so its turns are not counted.`
    : undefined
}

/** Returns the histories in comments by trusted authors, and logs why others are missing. */
async function readHistories(repository: string, number: number, step: Step): Promise<readonly History[]> {
  const { runner } = step
  try {
    const found = await listHistories({ repository, number }, requireGitHub(step))
    const problem = explainProblem(found, number)
    if (problem !== undefined) runner.log(problem)
    return found.histories.filter(({ author }) => author === 'trusted').map(({ history }) => history)
  } catch (error) {
    runner.log(`The comments of #${number} could not be read, so its turns are not counted: ${explainFailure(error)}`)
    return []
  }
}

/** Whether somebody else wrote the merged head: a squash hides nothing, because the pull request keeps its own commits. */
async function readIsEdited(
  repository: string,
  { number, author, headSha }: DetailedPullRequest,
  step: Step,
): Promise<boolean | undefined> {
  try {
    const commits = await requireGitHub(step).listPullRequestCommits({ repository, number })
    const head = commits.find(({ sha }) => sha === headSha)
    return head && !isByOwner(head, listOwners(author, commits, headSha))
  } catch (error) {
    explainFailure(error)
    return undefined
  }
}

/**
 * Reads the agent's open pull requests with the label, and those that were opened or have ended in the period.
 * @throws ActionError if they cannot be listed, or a request fails for a reason that concerns all
 */
export async function readAgentWork(
  repository: string,
  label: string,
  periodStart: Date,
  step: Step,
): Promise<AgentWork> {
  const github = requireGitHub(step)
  const lists = await Promise.all([
    github.listUpdatedPullRequests(repository, 'open', ''),
    github.listUpdatedPullRequests(repository, 'closed', periodStart.toISOString()),
  ])
  const listed = lists
    .flatMap(({ pullRequests }) => pullRequests)
    .filter((pull) => hasLabel(label, pull.labels) && isInPeriod(pull, periodStart))
  // It can be closed between the two requests.
  const unique = [...new Map(listed.map((pull) => [pull.number, pull])).values()]
  const read = await mapInBatches(unique, async (pull): Promise<AgentPullRequest | undefined> => {
    const histories = await readHistories(repository, pull.number, step)
    // People and labelers use the same label, so that only the history shows that the pull request of a person is the agent's.
    if (pull.author.type !== 'Bot' && histories.length === 0) return undefined
    const isEdited = pull.state === 'merged' ? await readIsEdited(repository, pull, step) : undefined
    return { ...pull, histories, isEdited }
  })
  const pullRequests = read.filter((pull) => pull !== undefined).toSorted((a, b) => a.number - b.number)
  const [completeSince = ''] = lists
    .map((list) => list.completeSince)
    .toSorted()
    .toReversed()
  return { pullRequests, completeSince }
}
