/** Reads the pull requests of the agent, and what their history comments prove. */
import type { History } from '../agent/history/state.ts'
import { listHistories } from '../agent/history/store.ts'
import { requireGitHub, type Step } from '../action/step.ts'
import { failsForAll } from '../github/github-error.ts'
import { hasLabel } from '../github/labels.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'
import { type ActionError, catchExpected, orUndefined } from '../runtime/errors.ts'
import { type EditedRange, findEdits, getKeptShare } from './edits.ts'
import type { AgentPullRequest } from './numbers.ts'

export interface AgentWork {
  /** The open pull requests, and those that were opened in the period, in the order of their numbers. */
  readonly pullRequests: readonly AgentPullRequest[]
  /** All pull requests that were opened since then are known. */
  readonly since: Date
  /** Why this is later than the beginning of the period, as a sentence. Undefined if it is not. */
  readonly gap?: string | undefined
}

/** GitHub ignores the case of labels. */
const hasOneOf = (wanted: readonly string[], labels: readonly string[]): boolean =>
  wanted.some((label) =>
    label.endsWith('*')
      ? labels.some((name) => name.toLowerCase().startsWith(label.slice(0, -1).toLowerCase()))
      : hasLabel(label, labels),
  )

/** Returns the history in a comment by a trusted author, and logs why another one does not count. */
async function readHistory(repository: string, number: number, step: Step): Promise<History | undefined> {
  const { histories, hasBroken } = await listHistories({ repository, number }, requireGitHub(step))
  const history = histories.find(({ author }) => author === 'trusted')
  const name = `The history comment of #${number} is not counted`
  if (history === undefined && hasBroken) step.runner.log(`${name}: somebody has edited it.`)
  else if (history === undefined && histories.some(({ author }) => author === 'bot'))
    step.runner.log(`${name}: it is by an app, and \`github-token\` is not of this app.`)
  return history?.history
}

/** A comparison that GitHub cannot make, or a permission that the token lacks, leaves a value unknown. */
const orUnknown = <T>(request: Promise<T>): Promise<T | undefined> =>
  orUndefined(request, 'forbidden', 'not-found', 'rejected', 'service-error', 'invalid-response')

async function readKeptShare(
  repository: string,
  { base, agentHead, head }: EditedRange,
  step: Step,
): Promise<number | undefined> {
  if (agentHead === head) return 1
  const compare = (to: string) => orUnknown(requireGitHub(step).compare(repository, base, to))
  const [byAgent, merged] = await Promise.all([compare(agentHead), compare(head)])
  return byAgent && merged && getKeptShare(byAgent, merged)
}

/** @returns undefined if it is not the agent's */
async function readPullRequest(
  repository: string,
  pull: DetailedPullRequest,
  step: Step,
): Promise<AgentPullRequest | undefined> {
  const github = requireGitHub(step)
  const { number, headSha, state } = pull
  const history = await readHistory(repository, number, step)
  // People and labelers use the same label, so that only the history shows that the pull request of a person is the agent's.
  if (pull.author.type !== 'Bot' && history === undefined) return undefined
  const known = { ...pull, history, url: `${step.context.serverUrl}/${repository}/pull/${number}` }
  if (state === 'closed') return known
  if (state === 'merged') {
    const commits = await github.listPullRequestCommits({ repository, number })
    const { isEdited, range } = findEdits(pull, commits, history)
    return { ...known, isEdited, keptShare: range && (await readKeptShare(repository, range, step)) }
  }
  const [{ mergeable }, found] = await Promise.all([
    github.readPullRequest({ repository, number }),
    orUnknown(github.readChecks(repository, headSha, step.context)),
  ])
  const hasFailedChecks = found?.checks.some((check) => check.state === 'failure')
  return { ...known, hasConflict: mergeable === false, hasFailedChecks }
}

/**
 * Reads the agent's open pull requests, and those that were opened in the period.
 * @throws ActionError if they cannot be listed, or none can be read
 */
export async function readAgentWork(
  repository: string,
  labels: readonly string[],
  start: Date,
  step: Step,
): Promise<AgentWork> {
  const github = requireGitHub(step)
  const lists = await Promise.all([
    github.listUpdatedPullRequests(repository, 'open', ''),
    github.listUpdatedPullRequests(repository, 'closed', start.toISOString()),
  ])
  // The open ones first, because somebody may have to act, and then the newest first.
  const listed = lists
    .flatMap(({ pullRequests }) => pullRequests.toSorted((a, b) => b.number - a.number))
    .filter((pull) => hasOneOf(labels, pull.labels))
    .filter(({ endedAt, createdAt }) => endedAt === undefined || new Date(createdAt) >= start)
  // A pull request can be closed between the two requests.
  const unread = new Map(listed.map((pull) => [pull.number, pull]))
  const found: (AgentPullRequest | undefined)[] = []
  let failure: ActionError | undefined
  // One after the other, as GitHub advises: parallel requests meet its secondary rate limit.
  for (const [number, pull] of unread) {
    try {
      found.push(await readPullRequest(repository, pull, step))
      unread.delete(number)
    } catch (error) {
      failure = catchExpected(error)
      if (failsForAll(failure)) break
    }
  }
  if (failure !== undefined && found.length === 0) throw failure

  const unreadFrom = Array.from(unread.values(), ({ createdAt }) => createdAt)
  const cuts = [...lists.map(({ completeSince }) => completeSince), ...unreadFrom]
  const since = new Date(Math.max(start.getTime(), ...cuts.map((iso) => Date.parse(iso) || 0)))
  const isCut = since > start
  return {
    pullRequests: found.filter((pull) => pull !== undefined).toSorted((a, b) => a.number - b.number),
    since,
    gap: failure?.message ?? (isCut ? 'Only the 1,000 pull requests that were updated last are read.' : undefined),
  }
}
