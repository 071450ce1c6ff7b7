import type { Conclusion } from '../../action/conclusion.ts'
import type { PullRequestLink } from '../../docs-service/pull-request-link.ts'
import { redactAll, type Redact } from '../../text/redact.ts'
import { oneLine } from '../../text/untrusted.ts'
import { changedOf, continuedOf } from './outputs.ts'
import { pagesFirst } from './pull-request-sections.ts'
import { isInScope, jobIdOf, ownPullRequest, type Report } from './report.ts'
import type { Result } from './result-schema.ts'
import { formatLosses } from './journal.ts'
import { formatEnd } from './turn-texts.ts'

const MOST_BYTES = 32 * 1024
const LONGEST_NAME = 300
const LONGEST_SENTENCE = 1_500
const LONGEST_URL = 2_000
const MOST_ROUND_CHECKS = 20

const LISTS = ['files', 'checks', 'outside', 'rounds', 'not_done'] as const

/** What is made of a value; null of one that is not known. */
const orNull = <T, R>(value: T | undefined, make: (value: T) => R): R | null =>
  value === undefined ? null : make(value)
const sentence = (text: string): string => oneLine(text, LONGEST_SENTENCE)
const name = (text: string): string => oneLine(text, LONGEST_NAME)
const urlOf = (url = ''): string | null => (url.length <= LONGEST_URL && /^https?:/.test(url) ? url : null)

function pullRequestOf({ operation, pullRequest: found = {} }: Report, link: PullRequestLink): Result['pull_request'] {
  return {
    url: link.href,
    number: orNull(link.number, Number),
    repository: orNull(link.repository, name),
    title: orNull(found.title, name),
    state: found.state ?? null,
    branch: orNull(found.branch, name),
    head_sha: orNull(found.headSha, name),
    mergeable: found.mergeable ?? null,
    operation: operation ?? null,
    checks: found.checks ?? null,
    in_scope: isInScope(found) ?? null,
  }
}

function listsOf({ changes, pullRequest, rounds, shortfalls }: Report): Pick<Result, (typeof LISTS)[number]> {
  return {
    files: pagesFirst(changes?.files ?? []).map((file) => ({ ...file, path: name(file.path) })),
    checks: (pullRequest?.checkList ?? []).map((check) => ({
      name: name(check.name),
      result: check.state,
      url: urlOf(check.detailsUrl),
      seconds: orNull(check.tookMs, (ms) => ms / 1_000),
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
  return {
    version: 1,
    outcome,
    green: isGreen,
    title,
    text: sentence(text),
    advice: orNull(advice, sentence),
    triggered_by: orNull(startedBy, ({ text, url }) => ({ text, url: urlOf(url) })),
    change: orNull(change, sentence),
    changed: changedOf(report) ?? null,
    continued: continuedOf(report) ?? null,
    job: orNull(jobIdOf(report), (id) => ({
      id,
      status: job?.status ?? null,
      model: orNull(job?.model, name),
      repository: orNull(job?.repository, name),
      ref: orNull(job?.ref, name),
    })),
    pull_request: orNull(ownPullRequest(report), (link) => pullRequestOf(report, link)),
    ...listsOf(report),
    error: orNull(error, ({ code, message, hint }) => ({
      code,
      message: sentence(message),
      hint: orNull(hint, sentence),
    })),
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
