import type { GitHub } from '../../github/connect-github.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import type { RunFacts } from '../../github/run-facts.ts'
import type { Clock } from '../../shared/clock.ts'
import { ActionError } from '../../shared/errors.ts'
import { describePullRequest, examine, type HandOff } from './examine-pull-request.ts'
import type { GitHubInputs } from '../inputs/github-inputs.ts'
import type { PullRequestLink } from '../../service/pull-request-link.ts'
import { isMarkerComment, markerComment } from './pull-request-marker.ts'
import type { Shortfalls } from '../report/shortfalls.ts'

export interface HandOffPorts {
  /** Undefined without a token. */
  readonly github: GitHub | undefined
  readonly facts: RunFacts
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Of the whole step, on the clock's scale. */
  readonly deadlineAt: number
  readonly shortfalls: Shortfalls
  readonly log: (line: string) => void
}

function describeWanted({ label, waitForChecks, allowedPaths }: GitHubInputs): string {
  const wanted = [
    'its state',
    ...(label === '' ? [] : ['the label']),
    ...(waitForChecks ? ['its checks'] : []),
    ...(allowedPaths === undefined ? [] : ['its files']),
  ]
  return `Nothing is known of the pull request (${wanted.join(', ')})`
}

/** Why GitHub cannot be asked about this pull request. */
function findObstacle(link: PullRequestLink, facts: RunFacts, hasToken: boolean): ActionError | undefined {
  const host = new URL(link.href).host
  if (!hasToken)
    return new ActionError('unauthorized', 'there is no `github-token`.', {
      hint: 'Leave `github-token` at its default and grant the job `pull-requests: write`, or give a token that has it.',
    })
  if (host !== new URL(facts.serverUrl).host)
    return new ActionError('rejected', `it is at ${host}, and this run's GitHub is ${new URL(facts.serverUrl).host}.`)
  if (link.repository === undefined || link.number === undefined || !/^[^/]+\/[^/]+$/.test(link.repository))
    return new ActionError('rejected', 'its address does not say which repository and number it has.')
  return undefined
}

/** Whether there is anything to do. Without a token, what nobody asked for by name is not missed. */
export function wantsHandOff({ token, waitForChecks, allowedPaths }: GitHubInputs): boolean {
  return token !== '' || waitForChecks || allowedPaths !== undefined
}

/**
 * Takes the job's pull request to the point where it can be merged: marks it, waits for its checks, and looks at its
 * files. Whatever GitHub does, the job's result stands.
 * @throws ActionError `cancelled`
 */
export async function handOff(
  link: PullRequestLink,
  jobId: string,
  inputs: GitHubInputs,
  ports: HandOffPorts,
): Promise<HandOff> {
  const { github, facts, shortfalls } = ports
  const lost = describeWanted(inputs)
  const obstacle = findObstacle(link, facts, github !== undefined)
  if (github === undefined || obstacle !== undefined) {
    if (obstacle !== undefined) shortfalls.add(lost, obstacle)
    return {}
  }
  const address = { repository: link.repository ?? '', number: Number(link.number) }
  const pullRequest = await shortfalls.attempt(lost, () => github.readPullRequest(address))
  if (pullRequest === undefined) return {}
  await mark(pullRequest, jobId, inputs.label, github, shortfalls)
  return inputs.waitForChecks || inputs.allowedPaths !== undefined
    ? examine(pullRequest, inputs, { ...ports, github })
    : describePullRequest(pullRequest)
}

/** The label and the marker; both are looked for first, so that a re-run adds nothing. */
async function mark(
  { labels, ...address }: PullRequestAddress & { readonly labels: readonly string[] },
  jobId: string,
  label: string,
  github: GitHub,
  shortfalls: Shortfalls,
): Promise<void> {
  if (label === '') return
  if (!labels.some((name) => name.toLowerCase() === label.toLowerCase()))
    await shortfalls.attempt('The label was not put on the pull request', () => github.addLabel(address, label))
  await shortfalls.attempt('The comment that names the job was not written', async () => {
    const comments = await github.listTrustedComments(address)
    if (comments.some(({ body }) => isMarkerComment(body, jobId))) return
    await github.addComment(address, markerComment(jobId))
  })
}
