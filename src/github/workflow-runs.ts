/**
 * Reads workflow runs, and selects those that count as a base. Reads the logs of jobs, which can have any length and
 * contain secrets.
 */
import * as z from 'zod/mini'
import type { HttpResponse } from '../http/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import { ActionError } from '../runtime/errors.ts'
import { type Deadline, withDeadline } from '../runtime/deadline.ts'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import { quoteName } from '../text/markdown.ts'
import type { Redact } from '../text/redact.ts'
import { DEPENDABOT } from './event.ts'
import { toTransportFailure, TransportFailure } from './github-error.ts'
import { type Call, type Cursor, getNextCursor, PAGE_SIZE, readAll } from './pages.ts'
import { parseResponse, skipMalformed, stringField } from './schemas.ts'
import type { GitHubOptions, Send } from './transport.ts'

interface WorkflowBranch {
  readonly repository: string
  /** The file name of the workflow, such as `docs.yml`, or its id. */
  readonly workflow: string
  readonly branch: string
  /** The current run. Later runs do not count, so that a re-run starts at the same point as its first attempt. */
  readonly runId: number
  /** Whether this is the workflow that triggers the current one. If so, its own runs by `workflow_run` count, too. */
  readonly isOther?: boolean
  /** Whether to take a branch without a success in the lists as new, however many runs the other branches have. */
  readonly mayBeNew?: boolean
}

/**
 * Events whose runs cover the branch, so that they can be the base of a range. A run for a pull request, an issue or a
 * comment succeeds without covering the earlier commits of the branch.
 */
export const BRANCH_EVENTS: readonly string[] = [
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'merge_group',
]

/**
 * GitHub records such a run with the newest commit of the default branch, although it may have covered an older commit
 * or another branch.
 */
const STARTED_BY_RUN = 'workflow_run'

/** Events whose runs cover everything since the success before them. People can start a manual run with another range. */
const COVERING_EVENTS: readonly string[] = ['push', 'schedule', 'merge_group']

/** Whether this run, if it is green, is a base for later runs of the same workflow on the same branch. */
export function countsAsBase({ event, actor }: { readonly event: string; readonly actor: string }): boolean {
  // A push by Dependabot has no access to secrets, so its run can be green without having sent anything.
  return BRANCH_EVENTS.includes(event) && !(event === 'push' && actor === DEPENDABOT)
}

/** The list is newest first, and contains the runs of all branches. Older runs are only looked for in the filtered list. */
const MAX_PAGES = 5

/** A run of a deleted fork has no repository, so it is skipped as malformed. */
const runSchema = z.lazy(() =>
  z.pipe(
    z.object({
      id: z.int(),
      event: z.string(),
      head_branch: z.string(),
      head_sha: z.string(),
      conclusion: stringField,
      actor: z.object({ login: z.string() }),
      head_repository: z.object({ full_name: z.string() }),
      repository: z.object({ full_name: z.string() }),
    }),
    z.transform(({ id, event, head_branch: branch, head_sha: headSha, conclusion, actor, ...run }) => ({
      id,
      event,
      branch,
      headSha,
      isSuccess: conclusion === 'success',
      actor: actor.login,
      isOfFork: run.head_repository.full_name !== run.repository.full_name,
    })),
  ),
)

type Run = z.infer<typeof runSchema>

const pageSchema = z.lazy(() =>
  z.pipe(
    z.object({ workflow_runs: skipMalformed(runSchema) }),
    z.transform(({ workflow_runs: runs }) => runs),
  ),
)

/** The successful runs of a workflow on a branch around the current run. */
export interface Successes {
  /** The head commit of the newest one before the current run. Undefined if there is none. */
  readonly before: string | undefined
  /** The id of a run after the current one that covered everything since the success before it. Only a re-run can have one. */
  readonly coveredBy?: number | undefined
}

export interface WorkflowRuns {
  /**
   * Finds the successful runs of a workflow on a branch around the current run (`GET
   * /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs`).
   *
   * GitHub's lists by branch or status are stale or empty for hours at times, so the complete list is filtered here. Only if its
   * newest 500 runs have no such run is the list by branch and status read, once.
   * @throws ActionError `rejected` if older runs may have succeeded, that list names none, and the branch cannot be new
   */
  readonly findSuccesses: (around: WorkflowBranch) => Promise<Successes>
}

/** What to do if the range since the last success cannot be determined, however often a run tries. */
export const MOVE_BASE_HINT =
  'Run this workflow once by hand with `change-range: BASE...HEAD`, from an input of `workflow_dispatch`: later runs begin where that run succeeded.'

export const connectWorkflowRuns = (call: Call): WorkflowRuns => ({
  findSuccesses: ({ repository, workflow, branch, runId, isOther = false, mayBeNew = false }) => {
    const isSuccess = ({ event, actor, ...run }: Run): boolean =>
      run.isSuccess &&
      run.branch === branch &&
      (countsAsBase({ event, actor }) || (isOther && event === STARTED_BY_RUN)) &&
      !run.isOfFork
    const isBase = (run: Run): boolean => run.id < runId && isSuccess(run)
    const isCovering = (run: Run): boolean => run.id > runId && isSuccess(run) && COVERING_EVENTS.includes(run.event)
    return call('actions: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs'
      const query = { ...repo, workflow_id: workflow, per_page: PAGE_SIZE, exclude_pull_requests: true } as const
      const nextCursors: (Cursor | undefined)[] = []
      const readPage = async (cursor: Cursor) => {
        const response = await request(route, { ...query, ...cursor })
        nextCursors.push(getNextCursor(response))
        return response
      }
      const limits = { maxPages: MAX_PAGES, canBeCut: true } as const
      const runs = await readAll(readPage, { page: pageSchema, ...limits, isLast: isBase })
      const newest = runs.find(isBase)
      const coveredBy = runs.find(isCovering)?.id
      if (newest !== undefined || nextCursors.at(-1) === undefined) return { before: newest?.headSha, coveredBy }
      const successes = parseResponse(pageSchema, await request(route, { ...query, branch, status: 'success' }))
      const older = successes.find(isBase)
      if (older === undefined && !mayBeNew) {
        const text = `none of the newest ${MAX_PAGES * PAGE_SIZE} runs of \`${workflow}\` was successful on ${quoteName(branch)}, and GitHub lists no older one.`
        throw new ActionError('rejected', text, {
          hint: isOther
            ? 'Start that workflow once by hand: later runs begin where that run succeeded.'
            : MOVE_BASE_HINT,
        })
      }
      return { before: older?.headSha, coveredBy }
    })
  },
})

const MAX_LOG_BYTES = 1024 * 1024

/**
 * Reads the last `MAX_LOG_BYTES` of a log, and at most one chunk more, without keeping more in memory. Leaves out the
 * first line of a log that is cut, because it can begin within a secret.
 */
export async function readEnd(body: HttpResponse['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isCut = false
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    while (bytes - (chunks[0]?.length ?? bytes) >= MAX_LOG_BYTES) {
      bytes -= chunks.shift()?.length ?? 0
      isCut = true
    }
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks))
  return isCut ? text.replace(/^[^\n]*\n?/, '') : text
}

/** For the complete download. */
const DOWNLOAD_TIMEOUT_MS = 60_000

/**
 * Downloads the end of a log from a URL that needs no token. The timeout covers the complete download, however slowly it
 * arrives.
 * @throws ActionError
 */
export async function downloadLog(url: URL, send: Send, clock: Clock, deadline: Deadline): Promise<string> {
  const timedOut = new ActionError('deadline', 'The log was not received in time.')
  const read = async (end: AbortSignal): Promise<string> => {
    try {
      const { status, body } = await send({ method: 'GET', url, headers: {} }, end)
      if (status !== 200) throw new ActionError('rejected', `The URL of the log responded with ${status}.`)
      return await readEnd(body)
    } catch (error) {
      throw toTransportFailure(error)
    }
  }
  try {
    const timeoutMs = Math.min(DOWNLOAD_TIMEOUT_MS, deadline.getLeftMs())
    return await withDeadline(read, { clock, signal: deadline.signal, timeoutMs, timedOut })
  } catch (error) {
    // The cause can quote the URL, which is a secret while it is valid.
    throw error instanceof TransportFailure ? new ActionError('unreachable', 'The log could not be read.') : error
  }
}

/** The runner's prefix of every line. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z /
/** A command at the beginning of a line, such as `##[error]`. */
const COMMAND = /^##\[([a-z]+)\]/

const MAX_LINES = 200
const MAX_LINE_CHARS = 4_000

/**
 * Returns the last lines of a log without timestamps, and cuts long lines. Redacts the log first, because a secret can be at
 * any place where it is cut.
 */
export function takeLastLines(log: string, redact: Redact): string {
  return redact(log)
    .replace(/\n$/, '')
    .split('\n')
    .slice(-MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_CHARS).replace(TIMESTAMP, '').replace(COMMAND, '$1: '))
    .join('\n')
}

export interface JobLogs {
  /**
   * Reads the last lines of a job's log, without timestamps (`GET
   * /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`). GitHub redirects to a URL that anybody can use for a minute, so
   * the token is not sent there.
   */
  readonly readJobLog: (repository: string, jobId: number) => Promise<string>
}

export const connectJobLogs = (
  call: Call,
  send: Send,
  deadline: Deadline,
  { clock, redact }: Pick<GitHubOptions, 'clock' | 'redact'>,
): JobLogs => ({
  readJobLog: (repository, jobId) =>
    call('actions: read', repository, async ({ request, repo }) => {
      const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'
      const { headers } = await request(route, { ...repo, job_id: jobId, request: { redirect: 'manual' } })
      const url = parseUrl(headers.location ?? '')
      if (url === undefined || (url.protocol !== 'https:' && !isLoopback(url)))
        throw new ActionError('invalid-response', 'GitHub returned no usable URL for the log.')
      return takeLastLines(await downloadLog(url, send, clock, deadline), redact)
    }),
})
