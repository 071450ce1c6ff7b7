/**
 * The history comment of a pull request: the state that steps share, and the table that people read, which is rendered from
 * it. Hides the syntax of the comment, how the state is merged, and which rows are dropped when the comment is full.
 */
import * as z from 'zod/mini'
import type { ListedComment } from '../../github/comments.ts'
import type { GitHub } from '../../github/github.ts'
import { hasLabel } from '../../github/labels.ts'
import type { PullRequestAddress } from '../../github/pull-requests.ts'
import { formatCount, formatUtc } from '../../text/format.ts'
import { linked } from '../../text/markdown.ts'
import { REPLICA_LAG_MS, TURN_START_TIMEOUT_MS } from '../turn/poll-schedule.ts'

/** Every comment of this action begins like this, also a reply to a command. */
const BEGINNING = '<!-- docs-agent-action: '
/** The state is one line of JSON, in which `>` is escaped, so it cannot end early. */
const STATE_LINE = /^<!-- docs-agent-action: (\{[^\r\n]*\}) -->\r?(?:\n|$)/

const countField = () => z.int().check(z.nonnegative())
/** Shown as it is, so that it is a reference. An earlier version also named commits, which are not shown. */
const sourceField = () => z.string().check(z.regex(/^(?:[\w.-]+\/[\w.-]+)?(?:#\d+|@[0-9a-f]*)$/))

const rowSchema = z.lazy(() =>
  z.object({
    /** The run, its attempt, its job and step, the start and the turn identify a row. */
    run: z.int(),
    attempt: z.int(),
    job: z.string(),
    action: z.string(),
    turn: z.int(),
    /** When the turn began, in ISO 8601. */
    start: z.iso.datetime(),
    /** When its step ends at the latest, or when it ended without seeing the agent finish, in ISO 8601. */
    until: z.iso.datetime(),
    /** When the row was completed, in ISO 8601. Missing: the agent is working, or may be. */
    end: z.optional(z.iso.datetime()),
    startedBy: z.object({ text: z.string(), url: z.optional(z.string()) }),
    /** The id of the step in the workflow, if it has one and readers may know it. */
    step: z.optional(z.string()),
    /** The page of the run, if readers may know it. */
    url: z.optional(z.string()),
    /** How the turn ended, as a value of the output `outcome`. */
    outcome: z.optional(z.string()),
    /** The same in words. */
    result: z.optional(z.string()),
    /** The page that shows the agent's new commits. */
    commits: z.optional(z.string()),
    /** What the turn did to the pull request. */
    effect: z.optional(z.enum(['created', 'updated', 'unchanged', 'none', 'unknown'])),
    /** The pull requests that the turn was about: `#12` or `owner/name#12`. */
    sources: z.array(sourceField()),
    /** The first 8 hex digits of the SHA-256 of the workflow's prompt, or `command`. Missing: the step sent no prompt of its own. */
    prompt: z.optional(z.string().check(z.regex(/^(?:[0-9a-f]{8}|command)$/))),
    /** The path of `prompt-file`, if readers may know it. */
    file: z.optional(z.string()),
  }),
)

const historySchema = z.lazy(() =>
  z.object({
    v: z.literal(1),
    /** The id of the job that opened the pull request. */
    job: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,128}$/)),
    /** The labels whose steps share the pull request. */
    labels: z.array(z.string()),
    /** The word with which a comment on the pull request asks the agent, such as `/docs`, as far as known. */
    command: z.optional(z.string().check(z.regex(/^\/[\w-]{1,50}$/))),
    /** How many follow-ups `on-open-pr` has sent. */
    followUps: countField(),
    /** The `max-follow-ups` of the step that last counted one. */
    limit: z.optional(z.int()),
    /** Oldest first. */
    rows: z.array(rowSchema),
    /** How many older rows no longer fit into the comment. */
    dropped: countField(),
    /** What to do before the merge, as Markdown, and when that was read. */
    left: z.optional(z.object({ at: z.iso.datetime(), items: z.array(z.string()) })),
  }),
)

/** One turn of the agent on the pull request. */
export type HistoryRow = Readonly<z.infer<typeof rowSchema>>
/** The state in the hidden first line of the comment. */
export type History = Readonly<z.infer<typeof historySchema>>

/** Whether this action wrote a comment, if its author is trusted. Anybody can copy the beginning. */
export const isOwnComment = (body: string): boolean => body.startsWith(BEGINNING)

/** Reads the state. Undefined if the comment is no history comment, or the state is broken. */
export function parseHistory(body: string): History | undefined {
  const [, json] = STATE_LINE.exec(body) ?? []
  if (json === undefined) return undefined
  try {
    const parsed = historySchema.safeParse(JSON.parse(json))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** A history comment on GitHub. */
export interface ListedHistory extends Omit<ListedComment, 'body'> {
  readonly history: History
}

/** The history comments of a pull request, and the comments that begin like one but cannot be read. */
export interface FoundHistories {
  /** Oldest first. */
  readonly histories: readonly ListedHistory[]
  /** Whether somebody has edited a history comment so that it can no longer be read. */
  readonly hasBroken: boolean
}

const STATE_BEGINNING = '<!-- docs-agent-action: {'
/** Replies are left out: an author who is trusted without a look-up would make the author of the history untrusted. */
const mayBeHistory = (body: string): boolean => body.startsWith(STATE_BEGINNING)

/** @throws ActionError if the comments cannot be read */
export async function listHistories(
  { repository, number }: PullRequestAddress,
  github: Pick<GitHub, 'listComments'>,
): Promise<FoundHistories> {
  // The address of a comment has more fields, with which only the replies to it are listed.
  const comments = await github.listComments({ repository, number }, mayBeHistory)
  const histories = comments.flatMap(({ body, ...comment }) => {
    const history = parseHistory(body)
    return history === undefined ? [] : [{ ...comment, history }]
  })
  const hasBroken = comments.some(({ body, author }) => author !== 'untrusted' && !parseHistory(body))
  return { histories, hasBroken }
}

/** Picks the comment to write to: the oldest by a trusted author, otherwise the oldest by an app of an earlier step. */
export function pickOwn(comments: readonly ListedHistory[]): ListedHistory | undefined {
  return comments.find(({ author }) => author === 'trusted') ?? comments.find(({ author }) => author === 'bot')
}

/** What a step adds to the history. */
export interface HistoryUpdate {
  readonly label: string
  /** One for each turn of the step. */
  readonly rows: readonly HistoryRow[]
  /** Whether to count one more follow-up. */
  readonly countsFollowUp?: boolean
  readonly limit?: number | undefined
  /** Undefined keeps what is in the comment. */
  readonly command?: string | undefined
  /** Undefined keeps what is in the comment. */
  readonly left?: History['left']
}

/** Legs of a matrix have the same job and action, and in another repository neither is named. */
const getKey = ({ run, attempt, job, action, start, turn }: HistoryRow): string =>
  [run, attempt, job, action, start, turn].join('\n')

/**
 * Completes a row whose step has ended without seeing the agent finish. Without a result, the run was killed. The row of the
 * step that writes now says whether the agent is still working.
 */
const completeRow = (row: HistoryRow): HistoryRow => ({
  outcome: 'error',
  result: 'not known, because the run ended first',
  ...row,
  end: row.until,
})

/** Merges an update into the state: rows by key, the newest list of what is left, and one more follow-up. */
export function mergeHistory(state: History, update: HistoryUpdate, now: Date): History {
  const { label, rows, countsFollowUp = false } = update
  const { command = state.command, limit = state.limit, left = state.left } = update
  const own = new Map(rows.map((row) => [getKey(row), row]))
  const otherRows = state.rows
    .filter((row) => !own.has(getKey(row)))
    .map((row) => (isOpenRow(row) && new Date(row.until) < now ? completeRow(row) : row))
  return {
    ...state,
    labels: label === '' || hasLabel(label, state.labels) ? state.labels : [...state.labels, label],
    command,
    followUps: state.followUps + (countsFollowUp ? 1 : 0),
    limit,
    rows: [...otherRows, ...own.values()].toSorted((a, b) => a.start.localeCompare(b.start) || a.turn - b.turn),
    left,
  }
}

/** The state of a job whose pull request has no history yet. */
export const startHistory = (job: string): History => ({ v: 1, job, labels: [], followUps: 0, rows: [], dropped: 0 })

const isOpenRow = ({ end }: HistoryRow): boolean => end === undefined

const toTimeOfDay = (iso: string): string => formatUtc(new Date(iso)).slice('YYYY-MM-DD '.length, -':ss'.length)

/** The references that the table shows of each row. The state has all of them. */
const MAX_REFERENCES = 5

function formatSources({ sources }: HistoryRow): string {
  const pullRequests = sources.filter((source) => source.includes('#'))
  const [shown, more] = [pullRequests.slice(0, MAX_REFERENCES), pullRequests.length - MAX_REFERENCES]
  if (shown.length === 0) return ''
  if (more > 0) return `, about ${shown.join(', ')} and ${more} more`
  return `, about ${shown.slice(0, -1).join(', ')}${shown.length > 1 ? ' and ' : ''}${shown.at(-1) ?? ''}`
}

function formatResult({ start, end, result = '' }: HistoryRow): string {
  if (end !== undefined) return result
  const working = result === '' ? `working since ${toTimeOfDay(start)} UTC` : 'the agent may still be working'
  return `${result === '' ? '' : `${result}; `}⏳ ${working}, do not merge yet`
}

function renderRow(row: HistoryRow): string {
  const { start, startedBy, commits, url, step } = row
  const when = formatUtc(new Date(start)).slice(0, 'YYYY-MM-DD hh:mm'.length)
  const why = `${linked(startedBy)}${formatSources(row)}`
  const place = step === undefined ? '' : `, step \`${step.replaceAll('`', "'")}\``
  const run = url === undefined ? '' : linked({ text: `run${place}`, url })
  return `| ${when} | ${why} | ${linked({ text: formatResult(row), url: commits })} | ${run} |`
}

export const REVIEW = 'Review it.'
export const COMPARE = 'Compare its branch with the base branch: some of its commits may not be merged.'
const WAIT = 'Wait until the agent has finished.'

/** From this share of the limit on, the number of remaining follow-ups is shown. */
const WARNING_SHARE = 0.75

/** A sentence about the remaining follow-ups; empty while many are left. */
export function warnOfLimit(used: number, max: number): string {
  if (used < max * WARNING_SHARE) return ''
  return used < max
    ? `Only ${max - used} left: merge or close this pull request before they are used up.`
    : 'None left: merge or close this pull request, or the next run fails.'
}

function renderLeft({ left, rows }: History): string {
  if (left === undefined || left.items.length === 0) return ''
  const items = rows.some(isOpenRow) ? left.items.map((item) => (item === REVIEW ? WAIT : item)) : left.items
  // Nobody edits the list after the merge, so it must stay true.
  const heading = items.includes(COMPARE) ? 'After it was merged or closed' : 'Before it is merged'
  return [`**${heading}** (${formatUtc(new Date(left.at))} UTC)`, '', ...items.map((item) => `- ${item}`)].join('\n')
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '\\u003C', '>': '\\u003E', '&': '\\u0026' }

/** Speaks to people who have not read the documentation of this action. */
function renderIntroduction({ command, limit }: History): string {
  const growing = ', and adds commits to it when there is more to document, until somebody merges or closes it'
  const how = `**To ask the agent for a change,** begin a comment with \`${command}\`, such as \`${command} Shorten the introduction\`. This needs write access.`
  return [
    `An AI agent opened this pull request${limit === undefined ? '' : growing}. Review it like any other, and push commits of your own if you like.`,
    ...(command === undefined ? [] : [how]),
  ].join('\n\n')
}

function render(history: History): string {
  const { followUps, limit, rows, dropped } = history
  const json = JSON.stringify(history).replace(/[<>&]/g, (character) => ESCAPES[character] ?? '')
  const table = ['| When (UTC) | Started by | Result | |', '| --- | --- | --- | --- |', ...rows.map(renderRow)].join(
    '\n',
  )
  const warning = limit === undefined ? '' : warnOfLimit(followUps, limit)
  return [
    `${BEGINNING}${json} -->`,
    renderIntroduction(history),
    dropped === 0 ? '' : `${formatCount(dropped, 'earlier turn is', 'earlier turns are')} not listed.`,
    rows.length === 0 ? '' : table,
    renderLeft(history),
    warning && `${followUps} of ${limit} updates are used. ${warning}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** GitHub's limit is 65,536 characters. */
const MAX_CHARACTERS = 60_000

/** Renders the comment. The oldest rows are dropped if it would be too long. */
export function renderHistory(history: History): string {
  let shown = history
  let text = render(shown)
  while (text.length > MAX_CHARACTERS && shown.rows.length > 1) {
    const surplus = Math.max(1, Math.floor(shown.rows.length * (1 - MAX_CHARACTERS / text.length)))
    shown = { ...shown, rows: shown.rows.slice(surplus), dropped: shown.dropped + surplus }
    text = render(shown)
  }
  return text
}

/**
 * Returns how much longer a turn may have been running, in milliseconds: 0 if the history shows that the last one ended
 * longer ago than replicas lag.
 * @param ageMs since the comment was last written, on GitHub's clock; undefined if unknown
 */
export function getRemainingLagMs({ rows }: History, ageMs: number | undefined): number {
  if (ageMs === undefined) return REPLICA_LAG_MS
  if (rows.some(isOpenRow) && ageMs < TURN_START_TIMEOUT_MS) return REPLICA_LAG_MS
  return Math.max(0, REPLICA_LAG_MS - ageMs)
}
