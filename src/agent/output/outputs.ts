/** Converts a report to the outputs and to `result`. Hides their formats and limits. */
import { OutputsLost, type Runner } from '../../action/toolkit.ts'
import { type Redact, redactAll } from '../../text/redact.ts'
import { oneLine, toOutputJson } from '../../text/untrusted.ts'
import { type AgentConclusion, conclude } from '../conclude.ts'
import {
  getError,
  getPullRequestFacts,
  getJob,
  getJobId,
  getLastReadJob,
  getOperation,
  getOwnLink,
  getOwnTurn,
  getRoundStop,
  isInScope,
  listSentRounds,
} from '../selectors.ts'
import { listWarnings } from '../journal.ts'
import type { FollowUpReason, Run } from '../record.ts'
import { redactRun } from '../redact-run.ts'
import { sortPagesFirst } from './summary.ts'

/** Returns the reason only if the service is known to have accepted the prompt. */
function getContinued(run: Run): FollowUpReason | undefined {
  const { sent, followUpReason } = getOwnTurn(run) ?? {}
  return sent === 'accepted' || sent === 'started' ? followUpReason : undefined
}

/**
 * The outputs in the order of `action.yml`. An undefined value becomes an empty output. `outcome`, the link and `job-id` are about
 * the step's own turn; `status`, `changed`, and what is known of the pull request include the fix rounds.
 */
const OUTPUTS = {
  outcome: (_run, { outcome }) => outcome,
  status: (run) => getLastReadJob(run)?.status,
  changed: (_run, { changed }) => changed,
  'pr-link': (run) => getOwnLink(run)?.href,
  'pr-number': (run) => getOwnLink(run)?.number,
  'pr-head-sha': (run) => getPullRequestFacts(run).headSha,
  checks: (run) => getPullRequestFacts(run).checks,
  'in-scope': (run) => isInScope(getPullRequestFacts(run)),
  'job-id': getJobId,
  'pr-state': (run) => getPullRequestFacts(run).state,
} satisfies Readonly<Record<string, (run: Run, conclusion: AgentConclusion) => string | number | boolean | undefined>>

/** All outputs except `result`. Empty: there is no value, or it is unknown. */
export type Outputs = Readonly<Record<keyof typeof OUTPUTS, string>>

export function toOutputs(run: Run, conclusion: AgentConclusion): Outputs {
  const outputs = Object.entries(OUTPUTS).map(([name, getValue]) => [name, String(getValue(run, conclusion) ?? '')])
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
function toResult(run: Run, conclusion: AgentConclusion) {
  const { outcome, changed, isGreen, title, text, advice, rounds } = conclusion
  const { startedBy, change, durationMs } = run
  const [job, facts, error] = [getJob(run), getPullRequestFacts(run), getError(run) ?? run.untracked]
  const [id, link] = [getJobId(run), getOwnLink(run)]
  const roundCount = listSentRounds(run).length
  const hasRounds = roundCount > 0 || getRoundStop(run) !== undefined
  return {
    version: 1,
    outcome,
    green: isGreen,
    title,
    text: toSentence(text),
    advice: toSentence(advice),
    triggered_by: startedBy && { text: startedBy.text, url: toUrl(startedBy.url) },
    change: toSentence(change),
    changed,
    continued: getContinued(run),
    fix_rounds: hasRounds ? roundCount : undefined,
    job: id && {
      id,
      status: getLastReadJob(run)?.status,
      model: toName(job?.model),
      repository: toName(job?.repository),
      ref: toName(job?.ref),
    },
    pull_request: link && {
      url: link.href,
      number: link.number && Number(link.number),
      repository: toName(link.repository),
      title: toName(facts.title),
      state: facts.state,
      branch: toName(facts.branch),
      head_sha: toName(facts.headSha),
      mergeable: facts.mergeable,
      operation: getOperation(run),
      checks: facts.checks,
      in_scope: isInScope(facts),
    },
    files: sortPagesFirst(run.files?.files ?? []).map((file) => ({ ...file, path: toName(file.path) })),
    checks: [
      ...(facts.checkList ?? []).map((check) => ({ ...check, result: check.state })),
      ...(facts.ignoredChecks ?? []).map((check) => ({ ...check, result: 'ignored' as const })),
    ].map((check) => ({
      name: toName(check.name),
      result: check.result,
      url: toUrl(check.detailsUrl),
      seconds: check.tookMs && check.tookMs / 1_000,
    })),
    outside: (facts.outside ?? []).map(toName),
    rounds: rounds.map(({ failing = [], words }) => ({
      checks: failing.slice(0, MAX_ROUND_CHECKS).map((check) => toName(check.name)),
      end: words,
    })),
    not_done: listWarnings(run.warnings).map(toSentence),
    error: error && { code: error.code, message: toSentence(error.message), hint: toSentence(error.hint) },
    duration_seconds: Number((durationMs / 1_000).toFixed(1)),
    rehearsal: run.isRehearsal ?? false,
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
export function renderResult(run: Run, conclusion: AgentConclusion, redact: Redact): string {
  let result = redactAll(toResult(run, conclusion), redact)
  while (countBytes(result) > MAX_RESULT_BYTES) {
    const bytes = LISTS.map((list) => countBytes(result[list]))
    const longest = LISTS[bytes.indexOf(Math.max(...bytes))]
    if (longest === undefined || result[longest].length === 0) break
    const removed = Math.ceil(result[longest].length * REMOVED_SHARE)
    const left_out = { ...result.left_out, [longest]: result.left_out[longest] + removed }
    result = { ...result, [longest]: result[longest].slice(0, -removed), left_out }
  }
  return toOutputJson(result)
}

const NOT_ENDED = {
  isGreen: false,
  title: 'The step has not ended',
  text: 'This result was written while the step was running. If it is still here afterwards, the step was killed.',
}

/**
 * The outputs that stay empty until the step's end. They can change until then, and a later step must not mistake a killed
 * step for one that has checked everything. `result` has them, but says that the step has not ended.
 */
const AT_END: readonly string[] = ['checks', 'in-scope'] satisfies readonly (keyof Outputs)[]

/** Writes the outputs before the step's end, because the step can be killed. Every write makes the output file longer. */
export function writeEarlyOutputs(unredacted: Run, runner: Runner): void {
  const run = redactRun(unredacted, runner.redact)
  const conclusion = conclude(run)
  const result = renderResult(run, { ...conclusion, ...NOT_ENDED }, runner.redact)
  const outputs = Object.entries({ ...toOutputs(run, conclusion), result }).filter(([name]) => !AT_END.includes(name))
  try {
    for (const [name, value] of outputs) runner.setOutput(name, value)
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    runner.log(error.message)
  }
}
