import { DEPENDABOT } from '../github/event.ts'
import type { GitHub } from '../github/github.ts'
import { hasLabel, type PullRequestInList } from '../github/labels.ts'
import type { Account } from '../github/pull-requests.ts'
import { MARKER_BEGINNING, type MarkerComment } from '../github/comments.ts'
import { oneLine } from '../text/untrusted.ts'

/** How many signatures of counted follow-ups a marker keeps: more than can be counted at the same time. */
const MAX_SIGNATURES = 100

/** What the hidden lines at the top of a marker comment say. Anybody can write them: they point to a job and prove nothing. */
export interface Marker {
  readonly jobId: string
  /** The labels that the pull request has, or is to have: each names a conversation that it belongs to. */
  readonly labels: readonly string[]
  /** How many follow-ups `on-open-pr` has sent. */
  readonly followUps: number
  /** A signature for each of the newest follow-ups, by which a step sees whether another one has overwritten its count. */
  readonly countedBy: readonly string[]
}

const hiddenLine = (name: string, value: string): string => `${MARKER_BEGINNING}${name}=${value} -->\n`
const HIDDEN_FACT = `${MARKER_BEGINNING}[a-z-]+=[^\\s<>]* -->[^\\S\\n]*`
/** The first lines of a comment that each have one fact. Browsers send a carriage return at the end of each line. */
const HIDDEN_LINES = new RegExp(`^(?:${HIDDEN_FACT}\\n)*${HIDDEN_FACT}\\n?`)
const FACT = new RegExp(`^${MARKER_BEGINNING}([a-z-]+)=(\\S*) -->`, 'gm')
const JOB_ID = /^[A-Za-z0-9_-]{1,128}$/
const SIGNATURE = /^[\w.-]{1,100}$/

/** Comma and `-->` cannot be in a value. */
function decodeLabel(text: string): readonly string[] {
  try {
    const label = decodeURIComponent(text)
    return label === '' ? [] : [label]
  } catch {
    return []
  }
}

function renderMarker({ jobId, labels, followUps, countedBy }: Marker): string {
  return [
    hiddenLine('job', jobId),
    labels.length === 0 ? '' : hiddenLine('labels', labels.map((label) => encodeURIComponent(label)).join(',')),
    followUps === 0 ? '' : hiddenLine('follow-ups', String(followUps)),
    countedBy.length === 0 ? '' : hiddenLine('counted-by', countedBy.slice(-MAX_SIGNATURES).join(',')),
  ].join('')
}

/** @returns undefined if the comment does not begin with a marker */
export function readMarker(body: string): Marker | undefined {
  const [lines = ''] = HIDDEN_LINES.exec(body) ?? []
  const facts = Array.from(lines.matchAll(FACT), ([, name = '', value = '']) => [name, value] as const)
  const { job: jobId = '', labels = '', ...counts } = Object.fromEntries(facts)
  const { 'follow-ups': followUps = '', 'counted-by': countedBy = '' } = counts
  if (facts[0]?.[0] !== 'job' || !JOB_ID.test(jobId)) return undefined
  return {
    jobId,
    labels: labels.split(',').flatMap(decodeLabel),
    followUps: /^\d{1,6}$/.test(followUps) ? Number(followUps) : 0,
    countedBy: countedBy.split(',').filter((signature) => SIGNATURE.test(signature)),
  }
}

/** A new marker comment. Its hidden lines do not show. @param note a sentence to add */
export function createMarkerComment(jobId: string, labels: readonly string[], note = ''): string {
  const lines = renderMarker({ jobId, labels, followUps: 0, countedBy: [] })
  return `${lines}This pull request comes from the docs agent job \`${oneLine(jobId, 128)}\`. ${note}`.trimEnd()
}

/** A marker comment that says something else; what follows its hidden lines stays as it is. */
export function updateMarker(body: string, changes: Partial<Omit<Marker, 'jobId'>>): string {
  const marker = readMarker(body)
  return marker === undefined ? body : body.replace(HIDDEN_LINES, () => renderMarker({ ...marker, ...changes }))
}

/** The share of `max-follow-ups` from which people are told how many follow-ups are left. */
const WARNING_SHARE = 0.75

/** What to do before a pull request takes no more follow-ups, as a sentence; empty while many are left. */
export function warnOfLimit(used: number, max: number): string {
  if (used < max * WARNING_SHARE) return ''
  return used < max
    ? `Only ${max - used} left: merge or close this pull request before they are used up.`
    : 'None left: merge or close this pull request, or the next run fails.'
}

/** Whether a comment is the marker comment of this job, or without a job, of any. A comment that quotes one is not. */
export function isMarkerComment(body: string, jobId?: string): boolean {
  const named = readMarker(body)?.jobId
  return named !== undefined && named === (jobId ?? named)
}

/** Whether a marker comment assigns its pull request to the conversation of a label. */
export function isMarkedWithLabel(body: string, label: string): boolean {
  return hasLabel(label, readMarker(body)?.labels ?? [])
}

/**
 * The comments that count: those by trusted authors, and without any, those by apps, because an earlier step may have had the
 * token of an app. What others write proves nothing.
 */
export function mostTrusted<Comment extends Pick<MarkerComment, 'author'>>(
  comments: readonly Comment[],
): readonly Comment[] {
  const trusted = comments.filter(({ author }) => author === 'trusted')
  return trusted.length > 0 ? trusted : comments.filter(({ author }) => author === 'bot')
}

/** The first line of the log in a marker comment. */
export const LOG_BEGINNING = `${MARKER_BEGINNING}log -->`

/**
 * The marker comment of a job to write to: the newest one that has the log, because an older one may be full, and because
 * people can add marker comments, too. Without a log the newest one.
 */
export function pickLogComment<Comment extends Pick<MarkerComment, 'author' | 'body'>>(
  comments: readonly Comment[],
): Comment | undefined {
  const counted = mostTrusted(comments)
  return counted.findLast(({ body }) => body.includes(LOG_BEGINNING)) ?? counted.at(-1)
}

/** These bots open many pull requests, none of them for a job. */
export const OTHER_BOTS: readonly string[] = [DEPENDABOT, 'renovate[bot]']

/** Each costs a request for the comments of a pull request. */
const MAX_ACCOUNTS = 3

/** The newest pull request of each author, newest first. Authors whose account was deleted are left out. */
export function pickNewestByAuthor(pullRequests: readonly PullRequestInList[]): readonly PullRequestInList[] {
  const logins = pullRequests.map(({ author }) => author.login)
  return pullRequests.filter(({ author }, index) => author.login !== '' && logins.indexOf(author.login) === index)
}

/**
 * Finds the accounts that the agent works with: those that authored earlier pull requests with the label, in any state, whose
 * newest one has a marker comment by a trusted author. Costs one list, and the comments of at most three pull requests.
 * @param label not empty
 * @throws ActionError if GitHub cannot be asked
 */
export async function findAgentAccounts(
  repository: string,
  label: string,
  github: Pick<GitHub, 'listNewestPullRequests' | 'listMarkerComments'>,
): Promise<readonly Account[]> {
  const newest = pickNewestByAuthor(await github.listNewestPullRequests(repository, label))
  const accounts: Account[] = []
  for (const pullRequest of newest.slice(0, MAX_ACCOUNTS)) {
    const comments = await github.listMarkerComments(pullRequest, isMarkerComment)
    if (comments.some(({ author }) => author === 'trusted')) accounts.push(pullRequest.author)
  }
  return accounts
}
