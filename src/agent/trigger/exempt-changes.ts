import { openGitHub } from '../../action/step.ts'
import type { EventCommit } from '../../github/event-parts.ts'
import { hasLabel } from '../../github/labels.ts'
import { rethrowFatal } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import { formatNumbers } from '../prompt/change-section.ts'
import type { Compared } from './compare-range.ts'
import type { EventOrigin } from './event-origin.ts'
import { matchCommits, MAX_LOOK_UPS, type SourceLookUp, type SourcePullRequest } from './source-pull-requests.ts'

const allExempt = (numbers: readonly number[]): string =>
  `Every pull request of the change has a label of \`skip-labels\`: ${formatNumbers(numbers)}.`

const isExempt = (labels: readonly string[], { inputs }: AgentStep): boolean =>
  inputs.skipLabels.some((label) => hasLabel(label, labels))

/** A pull request that `change-range` names is sent whatever its labels are. */
const isOverridden = ({ inputs: { skipLabels, changeRange } }: AgentStep): boolean =>
  skipLabels.length === 0 || changeRange.kind === 'pull-request'

/** A person who comments or reviews asks for the work whatever the labels are. */
const ASKED_BY_PEOPLE: readonly string[] = ['comment', 'review', 'issue']

/** Whether the event's own pull requests decide, and not the commits of a range. */
const isOfEvent = ({ numbers }: EventOrigin, { context: { event }, inputs }: AgentStep): boolean =>
  inputs.changeRange.kind === 'event' && (numbers.length > 0 || event.kind === 'pull-request')

/**
 * Checks the labels of the pull requests that the event names: those of its payload, or as they are now.
 * @returns why the step is skipped, as a full sentence
 * @throws ActionError if GitHub does not provide them
 */
export async function checkEventLabels(origin: EventOrigin, step: AgentStep): Promise<string | undefined> {
  const { event, repository } = step.context
  if (isOverridden(step) || !isOfEvent(origin, step) || ASKED_BY_PEOPLE.includes(event.kind)) return undefined
  if (event.kind === 'pull-request')
    return isExempt(event.subject.labels, step) ? allExempt([event.subject.number]) : undefined
  for (const number of origin.numbers)
    if (!isExempt((await openGitHub(step).readPullRequest({ repository, number })).labels, step)) return undefined
  return allExempt(origin.numbers)
}

interface Sources {
  /** The merged pull requests that brought commits, by number. */
  readonly pullRequests: ReadonlyMap<number, SourcePullRequest>
  /** Which of them brought each commit. A commit that came without one, or was not looked up, has none. */
  readonly ofCommit: ReadonlyMap<string, ReadonlySet<number>>
}

/** @param commits newest first */
async function findSources(commits: readonly EventCommit[], sources: SourceLookUp, step: AgentStep): Promise<Sources> {
  const pullRequests = new Map<number, SourcePullRequest>()
  const ofCommit = new Map<string, Set<number>>(commits.map(({ sha }) => [sha, new Set()]))
  let lookUps = 0
  for (const commit of commits) {
    if (ofCommit.get(commit.sha)?.size !== 0) continue
    if (++lookUps > MAX_LOOK_UPS) {
      step.core.log(
        `\`skip-labels\`: only ${MAX_LOOK_UPS} of ${commits.length} commits were looked up; the others count.`,
      )
      break
    }
    const found = (await sources.find(commit)).filter(({ state }) => state === 'merged')
    for (const pullRequest of found) {
      const { number } = pullRequest
      pullRequests.set(number, pullRequest)
      const listed = commits.length === 1 ? [] : await sources.listCommits(number)
      for (const sha of [commit.sha, ...matchCommits(listed, commit, commits)]) ofCommit.get(sha)?.add(number)
    }
  }
  return { pullRequests, ofCommit }
}

/** Each costs a request. */
const MAX_FILE_LISTS = 30

/**
 * The files that only exempt pull requests touch. If it would take too many requests, or GitHub lists only a part, none:
 * the agent is then sent a file more than needed.
 * @throws ActionError if GitHub does not provide a list
 */
async function findExemptPaths(
  { repository, files }: Compared,
  { pullRequests, ofCommit }: Sources,
  exempt: ReadonlySet<number>,
  step: AgentStep,
): Promise<ReadonlySet<string>> {
  const counted = [...pullRequests.keys()].filter((number) => !exempt.has(number))
  const direct = [...ofCommit].flatMap(([sha, numbers]) => (numbers.size === 0 ? [sha] : []))
  if (exempt.size + counted.length + direct.length > MAX_FILE_LISTS) return new Set()
  const github = openGitHub(step)
  const listAll = async (numbers: Iterable<number>): Promise<string[]> => {
    const paths: string[] = []
    for (const number of numbers) paths.push(...(await github.listPullRequestPaths({ repository, number })))
    return paths
  }
  try {
    const candidates = new Set(await listAll(exempt))
    if (!files.some(({ path }) => candidates.has(path))) return new Set()
    for (const path of await listAll(counted)) candidates.delete(path)
    for (const sha of direct) for (const path of await github.listCommitPaths(repository, sha)) candidates.delete(path)
    return candidates
  } catch (error) {
    rethrowFatal(error, 'rejected')
    return new Set()
  }
}

/**
 * Takes out of a change what came with merged pull requests that have a label of `skip-labels`.
 * @returns the rest of the change, or why the step is skipped, as a full sentence
 * @throws ActionError if GitHub does not provide what is needed
 */
export async function leaveOutExempt<Change extends Compared>(
  compared: Change,
  needsFiles: boolean,
  origin: EventOrigin,
  sources: SourceLookUp,
  step: AgentStep,
): Promise<Change | string> {
  const isAsked = ASKED_BY_PEOPLE.includes(step.context.event.kind)
  if (isOverridden(step) || isOfEvent(origin, step) || isAsked) return compared
  const commits = compared.commits.toReversed().map((commit) => {
    // What did not come with the event is older than any lag.
    return origin.commits.find(({ sha }) => sha === commit.sha) ?? { ...commit, isByPusher: true }
  })
  const found = await findSources(commits, sources, step)
  const labelled = [...found.pullRequests.values()].filter(({ labels }) => isExempt(labels, step))
  const numbers = new Set(labelled.map(({ number }) => number))
  const isLeftOut = (sha: string): boolean => {
    const brought = [...(found.ofCommit.get(sha) ?? [])]
    return brought.length > 0 && brought.every((number) => numbers.has(number))
  }
  const left = compared.commits.filter(({ sha }) => !isLeftOut(sha))
  const leftOut = compared.commits.length - left.length
  if (leftOut === 0) return compared
  const sorted = [...numbers].sort((a, b) => a - b)
  if (leftOut === compared.totalCommits && compared.unlisted === undefined) return allExempt(sorted)
  const paths = needsFiles ? await findExemptPaths(compared, found, numbers, step) : new Set<string>()
  return {
    ...compared,
    commits: left,
    totalCommits: compared.totalCommits - leftOut,
    files: compared.files.filter(({ path }) => !paths.has(path)),
    exempt: {
      numbers: sorted,
      commits: new Set(compared.commits.filter(({ sha }) => isLeftOut(sha)).map(({ sha }) => sha)),
    },
  }
}
