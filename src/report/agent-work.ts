/** Reads the pull requests of the agent, and what their history comments prove. */
import type { History } from '../agent/history/state.ts'
import { listHistories } from '../agent/history/store.ts'
import { requireGitHub, type Step } from '../action/step.ts'
import { failsForAll } from '../github/github-error.ts'
import { hasLabel } from '../github/labels.ts'
import type { DetailedPullRequest } from '../github/pull-requests.ts'
import { type ActionError, catchExpected, orUndefined } from '../runtime/errors.ts'
import { findEdits, getKeptShare, type MergedRange } from './edits.ts'
import type { AgentPullRequest } from './numbers.ts'

export interface AgentWork {
  /** The open pull requests, and those that were opened in the period. */
  readonly pullRequests: readonly AgentPullRequest[]
  /** All pull requests that were opened since then are known, in ISO 8601. */
  readonly since: string
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
const UNKNOWN = ['forbidden', 'not-found', 'rejected', 'service-error', 'invalid-response'] as const

async function readKeptShare(repository: string, { base, agentHead, head }: MergedRange, step: Step) {
  const github = requireGitHub(step)
  const compare = (to: string) => orUndefined(github.compare(repository, base, to), ...UNKNOWN)
  const [byAgent, merged] = await Promise.all([compare(agentHead), compare(head)])
  return byAgent && merged && getKeptShare(byAgent, merged)
}

type Findings = Pick<AgentPullRequest, 'isEdited' | 'keptShare' | 'hasConflict' | 'hasFailedChecks'>

async function readMerged(repository: string, pull: DetailedPullRequest, step: Step): Promise<Findings> {
  const commits = await requireGitHub(step).listPullRequestCommits({ repository, number: pull.number })
  const { isEdited, kept } = findEdits(pull, commits)
  return { isEdited, keptShare: typeof kept === 'object' ? await readKeptShare(repository, kept, step) : kept && 1 }
}

async function readOpen(repository: string, { number, headSha }: DetailedPullRequest, step: Step): Promise<Findings> {
  const github = requireGitHub(step)
  const [{ mergeable }, found] = await Promise.all([
    github.readPullRequest({ repository, number }),
    orUndefined(github.readChecks(repository, headSha, step.context), ...UNKNOWN),
  ])
  return {
    hasConflict: mergeable === false,
    hasFailedChecks: found?.checks.some(({ state }) => state === 'failure'),
  }
}

/** @returns undefined if it is not the agent's */
async function readPullRequest(
  repository: string,
  pull: DetailedPullRequest,
  step: Step,
): Promise<AgentPullRequest | undefined> {
  const history = await readHistory(repository, pull.number, step)
  // People and labelers use the same label, so that only the history shows that the pull request of a person is the agent's.
  if (pull.author.type !== 'Bot' && history === undefined) return undefined
  const read = { open: readOpen, draft: readOpen, merged: readMerged, closed: undefined }[pull.state]
  return { ...pull, history, ...(await read?.(repository, pull, step)) }
}

/** At the same time. */
const MAX_PARALLEL = 8

/** Reads one after the other until a failure that concerns all, such as a rate limit. @throws ActionError if none can be read */
async function readEach<T extends { readonly number: number }, R>(items: readonly T[], read: (item: T) => Promise<R>) {
  const results = new Map<number, R>()
  let failure: ActionError | undefined
  for (let at = 0; at < items.length && (failure === undefined || !failsForAll(failure)); at += MAX_PARALLEL)
    await Promise.all(
      items.slice(at, at + MAX_PARALLEL).map(async (item) => {
        try {
          results.set(item.number, await read(item))
        } catch (caught) {
          failure = catchExpected(caught)
        }
      }),
    )
  if (failure !== undefined && results.size === 0) throw failure
  return { results, unread: items.filter(({ number }) => !results.has(number)), failure }
}

/**
 * Reads the agent's open pull requests, and those that were opened in the period.
 * @throws ActionError if they cannot be listed, or none can be read
 */
export async function readAgentWork(
  repository: string,
  labels: readonly string[],
  periodStart: Date,
  step: Step,
): Promise<AgentWork> {
  const github = requireGitHub(step)
  const start = periodStart.toISOString()
  const lists = await Promise.all([
    github.listUpdatedPullRequests(repository, 'open', ''),
    github.listUpdatedPullRequests(repository, 'closed', start),
  ])
  const isNewer = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other)
  const isRelevant = (pull: DetailedPullRequest): boolean =>
    hasOneOf(labels, pull.labels) && (pull.endedAt === undefined || !isNewer(start, pull.createdAt))
  const listed = lists.flatMap(({ pullRequests }) => pullRequests).filter(isRelevant)
  // It can be closed between the two requests. The open ones first, because somebody may have to act.
  const unique = [...new Map(listed.map((pull) => [pull.number, pull])).values()].toSorted(
    (a, b) => Number(b.endedAt === undefined) - Number(a.endedAt === undefined) || b.number - a.number,
  )
  const { results, unread, failure } = await readEach(unique, (pull) => readPullRequest(repository, pull, step))
  const cuts = lists.map(({ completeSince }) => completeSince)
  const since = [...cuts, ...unread.map(({ createdAt }) => createdAt)].reduce((a, b) => (isNewer(b, a) ? b : a), start)
  return {
    pullRequests: [...results.values()].filter((pull) => pull !== undefined).toSorted((a, b) => a.number - b.number),
    since,
    gap:
      failure?.message ??
      (since === start ? undefined : 'Only the 1,000 pull requests that were updated last are read.'),
  }
}
