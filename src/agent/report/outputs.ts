/** Converts a report to the outputs and to `result`. Hides their formats and limits. */
import type { Conclusion } from '../../action/step.ts'
import { type Redact, redactAll } from '../../text/redact.ts'
import { oneLine, toOutputJson } from '../../text/untrusted.ts'
import type { Task } from '../inputs.ts'
import { listWarnings, type Report } from './report.ts'
import { OUTCOME_RULES, formatEnd } from './outcomes.ts'
import {
  getError,
  getJob,
  getJobId,
  getLastReadJob,
  getOperation,
  getOutcome,
  getOwnLink,
  getOwnTurn,
  getPullRequest,
  getRounds,
  getStepFollowUpReason,
  getStepProgress,
  getTask,
} from './turns.ts'
import { sortPagesFirst } from './summary.ts'
import { type FollowUpReason, isInScope, isSent, type Progress } from './turn.ts'

/** Whether the service may have accepted the step's prompt. A step that attaches reports the work of an earlier prompt. */
function mayBeAccepted({ kind }: Task, report: Report): boolean {
  const code = getError(report)?.code
  const turn = getOwnTurn(report)
  const isUnknown = code === 'unknown-fate' || code === 'internal'
  return kind === 'attach' || isUnknown || (turn !== undefined && isSent(turn))
}

/** Whether the service is known to have accepted the prompt of a follow-up. */
function isAccepted(progress: Progress | undefined): boolean {
  switch (progress) {
    case 'accepted':
    case 'started':
      return true
    case 'unsent':
    case undefined:
      return false
  }
}

/** Whether a pull request contains work of this step, not only of earlier turns. Undefined if that is unknown. */
function getChanged(report: Report): boolean | undefined {
  const [operation, task] = [getOperation(report), getTask(report)]
  if (operation !== undefined) return operation !== 'unchanged'
  return task && mayBeAccepted(task, report) ? OUTCOME_RULES[getOutcome(report)].changed(report) : false
}

/** Returns the reason only if the service is known to have accepted the prompt. */
function getContinued(report: Report): FollowUpReason | undefined {
  return isAccepted(getStepProgress(report)) ? getStepFollowUpReason(report) : undefined
}

/** Returns `undefined` if fix rounds are not enabled. */
function countRounds(report: Report): number | undefined {
  const { rounds, stop } = getRounds(report)
  return rounds.length === 0 && stop === 'may-follow' ? undefined : rounds.length
}

/** The outputs in the order of `action.yml`. An undefined value becomes an empty output. */
const OUTPUTS = {
  outcome: getOutcome,
  status: (report) => getLastReadJob(report)?.status,
  changed: getChanged,
  'pr-link': (report) => getOwnLink(report)?.href,
  'pr-number': (report) => getOwnLink(report)?.number,
  'pr-head-sha': (report) => getPullRequest(report).headSha,
  checks: (report) => getPullRequest(report).checks,
  'in-scope': (report) => isInScope(getPullRequest(report)),
  'job-id': getJobId,
  'pr-state': (report) => getPullRequest(report).state,
} satisfies Readonly<Record<string, (report: Report) => string | number | boolean | undefined>>

/** All outputs except `result`. Empty: there is no value, or it is unknown. */
export type Outputs = Readonly<Record<keyof typeof OUTPUTS, string>>

export function toOutputs(report: Report): Outputs {
  const outputs = Object.entries(OUTPUTS).map(([name, getValue]) => [name, String(getValue(report) ?? '')])
  return Object.fromEntries(outputs) as Outputs
}

const MAX_RESULT_BYTES = 32 * 1024
const MAX_OUTPUT_NAME_CHARS = 300
const MAX_SENTENCE_CHARS = 1_500
const MAX_URL_CHARS = 2_000
const MAX_ROUND_CHECKS = 20

const toName = (text?: string): string | undefined => text && oneLine(text, MAX_OUTPUT_NAME_CHARS)
const toSentence = (text?: string): string | undefined => text && oneLine(text, MAX_SENTENCE_CHARS)
const toUrl = (url = ''): string | undefined => (url.length <= MAX_URL_CHARS && /^https?:/.test(url) ? url : undefined)

/** Creates the output `result`, as defined in `docs/result.schema.json`. Undefined values are unknown. */
function toResult(report: Report, { isGreen, title, text, advice }: Conclusion) {
  const { startedBy, change, durationMs } = report
  const [job, found, error] = [getJob(report), getPullRequest(report), getError(report)]
  const [id, link] = [getJobId(report), getOwnLink(report)]
  return {
    version: 1,
    outcome: getOutcome(report),
    green: isGreen,
    title,
    text: toSentence(text),
    advice: toSentence(advice),
    triggered_by: startedBy && { text: startedBy.text, url: toUrl(startedBy.url) },
    change: toSentence(change),
    changed: getChanged(report),
    continued: getContinued(report),
    fix_rounds: countRounds(report),
    job: id && {
      id,
      status: getLastReadJob(report)?.status,
      model: toName(job?.model),
      repository: toName(job?.repository),
      ref: toName(job?.ref),
    },
    pull_request: link && {
      url: link.href,
      number: link.number && Number(link.number),
      repository: toName(link.repository),
      title: toName(found.title),
      state: found.state,
      branch: toName(found.branch),
      head_sha: toName(found.headSha),
      mergeable: found.mergeable,
      operation: getOperation(report),
      checks: found.checks,
      in_scope: isInScope(found),
    },
    files: sortPagesFirst(report.changes?.files ?? []).map((file) => ({ ...file, path: toName(file.path) })),
    checks: (found.checkList ?? []).map((check) => ({
      name: toName(check.name),
      result: check.state,
      url: toUrl(check.detailsUrl),
      seconds: check.tookMs && check.tookMs / 1_000,
    })),
    outside: (found.outside ?? []).map(toName),
    rounds: getRounds(report).rounds.map((turn) => ({
      checks: (turn.failing ?? []).slice(0, MAX_ROUND_CHECKS).map((check) => toName(check.name)),
      end: formatEnd(turn),
    })),
    not_done: listWarnings(report.warnings).map(toSentence),
    error: error && { code: error.code, message: toSentence(error.message), hint: toSentence(error.hint) },
    duration_seconds: Number((durationMs / 1_000).toFixed(1)),
    rehearsal: report.isRehearsal ?? false,
    left_out: { files: 0, checks: 0, outside: 0, rounds: 0, not_done: 0 },
  }
}

const LISTS = ['files', 'checks', 'outside', 'rounds', 'not_done'] as const

/** How much of a list is removed at a time, because the whole result is measured after each removal. */
const REMOVED_SHARE = 1 / 20

const countBytes = (value: unknown): number => Buffer.byteLength(toOutputJson(value))

/**
 * Renders everything that the step knows as JSON of at most 32 KiB. While it is longer, the end of its longest list is
 * removed and counted in `left_out`.
 */
export function renderResult(report: Report, conclusion: Conclusion, redact: Redact): string {
  let result = redactAll(toResult(report, conclusion), redact)
  while (countBytes(result) > MAX_RESULT_BYTES) {
    const [longest] = LISTS.toSorted((a, b) => countBytes(result[b]) - countBytes(result[a]))
    if (longest === undefined || result[longest].length === 0) break
    const removed = Math.ceil(result[longest].length * REMOVED_SHARE)
    const left_out = { ...result.left_out, [longest]: result.left_out[longest] + removed }
    result = { ...result, [longest]: result[longest].slice(0, -removed), left_out }
  }
  return toOutputJson(result)
}
