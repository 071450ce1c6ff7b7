import * as z from 'zod/mini'
import type { Conclusion } from '../../action/conclusion.ts'
import { ERROR_TITLES } from '../../runtime/error-titles.ts'
import type { ErrorCode } from '../../runtime/errors.ts'
import { redactAll, type Redact } from '../../text/redact.ts'
import { oneLine } from '../../text/untrusted.ts'
import { changedOf, continuedOf } from './outputs.ts'
import { pagesFirst } from './pull-request-sections.ts'
import { jobIdOf, OUTCOMES, ownPullRequest, type Report } from './report.ts'
import { formatLosses } from './shortfalls.ts'
import { formatEnd } from './turn-texts.ts'

const MOST_BYTES = 32 * 1024
const LONGEST_NAME = 300
const LONGEST_SENTENCE = 1_500
const LONGEST_URL = 2_000
const MOST_ROUND_CHECKS = 20

const text = z.string()
const orNull = <T extends z.ZodMiniType>(schema: T) => z.nullable(schema)
const count = z.int().check(z.nonnegative())
const about = (sentence: string) => z.describe(sentence)

const lists = {
  files: z
    .array(z.object({ path: text, additions: count, deletions: count }))
    .check(about('The files that this step has changed in the pull request, documentation first.')),
  checks: z
    .array(
      z.object({
        name: text,
        result: z.enum(['success', 'failure', 'pending']),
        seconds: orNull(z.number()),
        url: orNull(text),
      }),
    )
    .check(about('The checks of the head, with `wait-for-checks`.')),
  outside: z.array(text).check(about('The paths outside of `allowed-paths`.')),
  rounds: z
    .array(z.object({ checks: z.array(text), end: text }))
    .check(about('Each round: the failing checks that were sent, and what came of it.')),
  not_done: z.array(text).check(about('What could not be done on GitHub, and why.')),
}

const LISTS = ['files', 'checks', 'outside', 'rounds', 'not_done'] as const

/** The output `result`. What is not known is null. */
export const resultSchema = z.object({
  version: z.literal(1),
  outcome: z.enum(OUTCOMES),
  green: z.boolean().check(about('Whether the step is green.')),
  title: text.check(about('The verdict.')),
  text: text.check(about('What happened.')),
  advice: orNull(text).check(about('What to do.')),
  triggered_by: orNull(z.object({ text, url: orNull(text) })).check(about('What started the run.')),
  change: orNull(text).check(about('The change that was looked at.')),
  changed: orNull(z.boolean()),
  continued: orNull(z.enum(['pull-request', 'comment'])),
  job: orNull(
    z.object({ id: text, status: orNull(text), model: orNull(text), repository: orNull(text), ref: orNull(text) }),
  ),
  pull_request: orNull(
    z.object({
      ...{ url: text, number: orNull(z.int()), repository: orNull(text), title: orNull(text) },
      state: orNull(z.enum(['open', 'draft', 'closed', 'merged'])),
      ...{ branch: orNull(text), head_sha: orNull(text), mergeable: orNull(z.boolean()) },
      operation: orNull(z.enum(['created', 'updated', 'unchanged'])),
      checks: orNull(z.enum(['success', 'failure', 'pending', 'none'])),
      in_scope: orNull(z.boolean()),
    }),
  ),
  ...lists,
  error: orNull(
    z.object({ code: z.enum(Object.keys(ERROR_TITLES) as ErrorCode[]), message: text, hint: orNull(text) }),
  ),
  duration_seconds: z.number(),
  left_out: z
    .object({ files: count, checks: count, outside: count, rounds: count, not_done: count })
    .check(about('How many items each list lacks, which would have made the whole too long.')),
})
type Result = z.infer<typeof resultSchema>

const short = (text: string | undefined, most: number): string | null =>
  text === undefined ? null : oneLine(text, most)
const sentence = (text: string): string => oneLine(text, LONGEST_SENTENCE)
const name = (text: string): string => oneLine(text, LONGEST_NAME)
const urlOf = (url: string | undefined): string | null =>
  url !== undefined && url.length <= LONGEST_URL && /^https?:/.test(url) ? url : null

function pullRequestOf(report: Report): Result['pull_request'] {
  const { operation, pullRequest: found = {} } = report
  const link = ownPullRequest(report)
  if (link === undefined) return null
  return {
    url: link.href,
    number: link.number === undefined ? null : Number(link.number),
    repository: short(link.repository, LONGEST_NAME),
    title: short(found.title, LONGEST_NAME),
    state: found.state ?? null,
    branch: short(found.branch, LONGEST_NAME),
    head_sha: short(found.headSha, LONGEST_NAME),
    mergeable: found.mergeable ?? null,
    operation: operation ?? null,
    checks: found.checks ?? null,
    in_scope: found.scope === undefined ? null : found.scope.outside.length === 0,
  }
}

function listsOf({ changes, pullRequest, rounds, shortfalls }: Report): Pick<Result, (typeof LISTS)[number]> {
  return {
    files: pagesFirst(changes?.files ?? []).map((file) => ({ ...file, path: name(file.path) })),
    checks: (pullRequest?.checkList ?? []).map((check) => ({
      ...{ name: name(check.name), result: check.state, url: urlOf(check.detailsUrl) },
      seconds: check.tookMs === undefined ? null : check.tookMs / 1_000,
    })),
    outside: (pullRequest?.scope?.outside ?? []).map(name),
    rounds: rounds.map((turn) => ({
      checks: (turn.failing ?? []).slice(0, MOST_ROUND_CHECKS).map((check) => name(check.name)),
      end: formatEnd(turn),
    })),
    not_done: formatLosses(shortfalls).map(sentence),
  }
}

function toResult(report: Report, { isGreen, title, text, advice }: Conclusion): Result {
  const { outcome, startedBy, change, job, error, durationMs } = report
  const id = jobIdOf(report)
  return {
    ...{ version: 1, outcome, green: isGreen, title, text: sentence(text), advice: short(advice, LONGEST_SENTENCE) },
    triggered_by: startedBy === undefined ? null : { text: startedBy.text, url: urlOf(startedBy.url) },
    change: short(change, LONGEST_SENTENCE),
    changed: changedOf(report) ?? null,
    continued: continuedOf(report) ?? null,
    job:
      id === undefined
        ? null
        : {
            ...{ id, status: job?.status ?? null, model: short(job?.model, LONGEST_NAME) },
            ...{ repository: short(job?.repository, LONGEST_NAME), ref: short(job?.ref, LONGEST_NAME) },
          },
    pull_request: pullRequestOf(report),
    ...listsOf(report),
    error:
      error === undefined
        ? null
        : { code: error.code, message: sentence(error.message), hint: short(error.hint, LONGEST_SENTENCE) },
    duration_seconds: Number((durationMs / 1_000).toFixed(1)),
    left_out: { files: 0, checks: 0, outside: 0, rounds: 0, not_done: 0 },
  }
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** What is taken from a list at once: one by one, each time all of it would be measured again. */
const SHARE_AT_ONCE = 1 / 20

/** Takes from the end of the longest list, and counts it, until the whole is short enough. */
function cutLists(result: Result): Result {
  let left = result
  while (bytesOf(left) > MOST_BYTES) {
    const [longest] = LISTS.toSorted((a, b) => bytesOf(left[b]) - bytesOf(left[a]))
    if (longest === undefined || left[longest].length === 0) break
    const gone = Math.ceil(left[longest].length * SHARE_AT_ONCE)
    const left_out = { ...left.left_out, [longest]: left.left_out[longest] + gone }
    left = { ...left, [longest]: left[longest].slice(0, -gone), left_out }
  }
  return left
}

/** All that the step knows, as JSON of at most 32 KiB. */
export function renderResult(report: Report, conclusion: Conclusion, redact: Redact): string {
  return JSON.stringify(cutLists(redactAll(toResult(report, conclusion), redact)))
}
