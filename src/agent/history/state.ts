/**
 * The state that the steps of a pull request share, in the hidden first line of its history comment. Hides the syntax of that
 * line, and how the state is merged.
 */
import * as z from 'zod/mini'
import { hasLabel } from '../../github/labels.ts'
import { REPLICA_LAG_MS, TURN_START_TIMEOUT_MS } from '../turn/schedule.ts'

/** Every comment of this action begins like this, also a reply to a command. */
export const BEGINNING = '<!-- docs-agent-action: '

/** The state is one line of JSON, in which `>` is escaped, so it cannot end early. */
const STATE_LINE = /^<!-- docs-agent-action: (\{[^\r\n]*\}) -->\r?(?:\n|$)/

const countField = () => z.int().check(z.nonnegative())

const shaField = () => z.string().check(z.regex(/^[0-9a-f]{40,64}$/))

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
    /** The head commit of the pull request when the turn began, and as last read after its end, as far as known. */
    head: z.optional(z.object({ before: z.optional(shaField()), after: z.optional(shaField()) })),
    /**
     * What the turn was about: `#12` or `owner/name#12`, and for a commit without a pull request `@<sha>`. No other text could be
     * shown as a reference.
     */
    sources: z.array(z.string().check(z.regex(/^(?:[\w.-]+\/[\w.-]+)?(?:#\d+|@[0-9a-f]+)$/))),
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

/** Replies are left out: an author who is trusted without a look-up would make the author of the history untrusted. */
export const mayBeHistory = (body: string): boolean => body.startsWith(`${BEGINNING}{`)

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

/** The state of a job whose pull request has no history yet. */
export const startHistory = (job: string): History => ({ v: 1, job, labels: [], followUps: 0, rows: [], dropped: 0 })

export const isOpenRow = ({ end }: HistoryRow): boolean => end === undefined

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

/** Merges an update into the state: rows by key, the newest list of what is left, and one more follow-up. */
export function mergeHistory(state: History, update: HistoryUpdate, now: Date): History {
  const { label, rows, countsFollowUp = false } = update
  const { command = state.command, limit = state.limit, left = state.left } = update
  const ownRows = new Map(rows.map((row) => [getKey(row), row]))
  const otherRows = state.rows
    .filter((row) => !ownRows.has(getKey(row)))
    .map((row): HistoryRow => {
      const isOver = isOpenRow(row) && new Date(row.until) < now
      if (!isOver) return row
      // Its step ended without seeing the agent finish. Without a result, the run was killed. The row of the step that writes now
      // says whether the agent is still working.
      return { outcome: 'error', result: 'not known, because the run ended first', ...row, end: row.until }
    })
  return {
    ...state,
    labels: label === '' || hasLabel(label, state.labels) ? state.labels : [...state.labels, label],
    command,
    followUps: state.followUps + (countsFollowUp ? 1 : 0),
    limit,
    rows: [...otherRows, ...ownRows.values()].toSorted((a, b) => a.start.localeCompare(b.start) || a.turn - b.turn),
    left,
  }
}

/**
 * Returns how much longer a turn may have been running, in milliseconds: 0 if the history shows that the last one ended
 * longer ago than replicas lag.
 * @param ageMs since the comment was last written, on GitHub's clock; undefined if unknown
 */
export function getRemainingLagMs({ rows }: History, ageMs: number | undefined): number {
  if (ageMs === undefined) return REPLICA_LAG_MS
  // A step that was killed, timed out or did not wait leaves such a row, and its turn may have ended just now.
  if (rows.some(isOpenRow)) return REPLICA_LAG_MS
  return Math.max(0, REPLICA_LAG_MS - ageMs)
}

/**
 * Returns how much longer a turn that another step has announced may take to begin, in milliseconds: 0 if there is none, or if
 * the comment was written so long ago that the turn must have begun.
 * @param own the rows of this step
 * @param ageMs since the comment was last written, on GitHub's clock; unknown counts as long ago, so that the wait ends
 * @param now the time of the step, with which rows are compared
 */
export function getRemainingStartMs(
  { rows }: History,
  own: readonly HistoryRow[],
  ageMs: number | undefined,
  now: Date,
): number {
  const ownKeys = new Set(own.map(getKey))
  // A row that another step has completed does not show that its turn has ended.
  const isUnseen = ({ end, until }: HistoryRow): boolean =>
    end === undefined || (end === until && Date.parse(until) + TURN_START_TIMEOUT_MS > now.getTime())
  const isAnnounced = rows.some((row) => isUnseen(row) && !ownKeys.has(getKey(row)))
  return isAnnounced ? Math.max(0, TURN_START_TIMEOUT_MS - (ageMs ?? Infinity)) : 0
}
