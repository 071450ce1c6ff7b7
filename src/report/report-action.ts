/** Runs a report: reads the merged changes, then the agent's pull requests, and judges each change. Writes nothing on GitHub. */
import type { Action } from '../action/run-action.ts'
import type { Step } from '../action/step.ts'
import { connectGitHub } from '../github/github.ts'
import { isSameRepository } from '../github/schemas.ts'
import { ActionError, type ErrorCode, logCauses } from '../runtime/errors.ts'
import { formatCount } from '../text/format.ts'
import { quoteName } from '../text/markdown.ts'
import { findOwn, readAgentWork } from './agent-work.ts'
import { findRange, readChanges } from './changes.ts'
import { parseReportInputs, REPORT_FIELDS, type ReportInputs } from './inputs.ts'
import { countPullRequests, isInPeriod, startOfPeriod } from './numbers.ts'
import { concludeReport, nameRef, type Report, toReportOutputs } from './report.ts'
import { renderReportSummary } from './summary.ts'
import { type ReportedChange, type Evidence, judgeChange } from './verdict.ts'

const GRANT =
  "Grant the workflow's job these permissions: `permissions: { contents: read, pull-requests: read }`. If `github-token` is another token, that token needs them instead."

/** What to do about errors whose usual advice is about a job of the agent. */
const HINTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthorized: 'Check `github-token`. The token of a GitHub App lasts one hour, so create it in the same job.',
  'rate-limited': 'Run the step again in an hour, or use a smaller `range`.',
}

function adviseReader(error: ActionError): ActionError {
  // An error about one permission names both, because the workflow would fail at the second one otherwise.
  const hint = error.lacksPermissionIn !== undefined ? GRANT : (HINTS[error.code] ?? error.hint)
  return new ActionError(error.code, error.message, { cause: error, hint })
}

/** @throws ActionError */
async function readReport(inputs: ReportInputs, step: Step): Promise<Partial<Report>> {
  const { clock, context, runner } = step
  const { days, failOn, label, prRepository, skipLabels } = inputs
  const { repository } = context
  const range = await findRange(inputs, step)
  if (range === undefined && failOn === 'no-trace')
    throw new ActionError('invalid-input', 'The repository has no published release to begin at.', {
      hint: 'Set `range` to `BASE...HEAD`.',
    })
  if (range !== undefined) runner.log(`Reading what was merged from ${nameRef(range.base)} to ${nameRef(range.head)}.`)
  const changes = range === undefined ? [] : await readChanges(range, inputs, step)
  const now = clock.wallTime()
  const periodStart = startOfPeriod(days, now)
  runner.log(`Reading the pull requests with the label ${quoteName(label)}.`)
  const work = await readAgentWork(inputs, changes, periodStart, step)
  const byAgent = work.pullRequests.filter(({ isByAgent }) => isByAgent)
  const agentRepository = prRepository === '' ? repository : prRepository
  const evidence: Evidence = {
    repository,
    prRepository: agentRepository,
    ...work,
    skipLabels,
    own: new Set(isSameRepository(repository, agentRepository) ? byAgent.map(({ number }) => number) : []),
    now,
  }
  const isUndecided = (change: ReportedChange): boolean =>
    ['no-trace', 'not-readable'].includes(judgeChange(change, evidence).kind)
  const { own, problems } = await findOwn(changes.filter(isUndecided), [...evidence.own], step)
  const judged = changes.map((change) => {
    const problem = change.unreadable ?? problems.get(change.number ?? 0)
    const known = problem === undefined ? change : { ...change, unreadable: problem }
    return { ...change, verdict: judgeChange(known, { ...evidence, own }) }
  })
  const byItself = judged.filter(({ verdict }) => verdict.kind === 'own').length
  runner.log(
    `Found ${formatCount(changes.length, 'change')}${byItself === 0 ? '' : `, ${byItself} of them by the agent itself`}.`,
  )
  const pullRequests = byAgent.filter((pullRequest) => isInPeriod(pullRequest, periodStart))
  const numbers = countPullRequests(pullRequests, work.completeSince, periodStart, now)
  return { range, changes: judged, pullRequests, numbers, at: now }
}

/** Makes the report. Throws only in case of a defect. */
async function runReportStep(inputs: ReportInputs, step: Step): Promise<Report> {
  const { clock, context, runner, startedAt } = step
  const { days, failOn, prRepository } = inputs
  const { repository, serverUrl, isRehearsal } = context
  const create = (read: Partial<Report>): Report => ({
    repository,
    prRepository: prRepository === '' ? repository : prRepository,
    serverUrl,
    days,
    failOn,
    isRehearsal,
    durationMs: clock.now() - startedAt,
    ...read,
  })
  try {
    return create(await readReport(inputs, step))
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    logCauses(error, runner.debug)
    return create({ error: adviseReader(error) })
  }
}

export const reportAction: Action<ReportInputs, Report> = {
  fields: REPORT_FIELDS,
  initialOutputs: { result: '' },
  connectGitHub,
  parse: parseReportInputs,
  needsNoKey: () => true,
  run: runReportStep,
  createSkippedReport: (error, durationMs, isRehearsal) => ({ error, durationMs, isRehearsal }),
  render(report) {
    const conclusion = concludeReport(report)
    return {
      ...conclusion,
      outputs: toReportOutputs(report, conclusion),
      summary: renderReportSummary(report, conclusion),
    }
  },
}
