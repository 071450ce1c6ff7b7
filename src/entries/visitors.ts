import { readEvent, withholdsSecrets } from '../github/event.ts'
import { announceSkip } from '../runner/announce-skip.ts'
import { execute, type StepPorts, type StepResult } from '../runner/execute.ts'
import { readInputs } from '../runner/step-inputs.ts'
import { connect } from '../service/connect.ts'
import { ActionError } from '../shared/errors.ts'
import { isSkipped, wantsSummary } from '../shared/parse-inputs.ts'
import { joinSentences } from '../shared/sentences.ts'
import { findOutputPlace, openOutputFile, type OutputFile, type OutputPlace } from '../shared/workspace-output.ts'
import { conclude, explainDoubts } from '../visitors/conclusion.ts'
import { INPUT_NAMES, parseVisitorsInputs, type VisitorsInputs, type VisitorsRawInputs } from '../visitors/inputs.ts'
import { toOutputs } from '../visitors/outputs.ts'
import type { Ending, Report } from '../visitors/report.ts'
import { exportVisitors } from '../visitors/step.ts'
import { renderSummary } from '../visitors/summary.ts'

function parse(raw: VisitorsRawInputs, now: Date): VisitorsInputs {
  const workspace = process.env['GITHUB_WORKSPACE'] ?? process.cwd()
  return parseVisitorsInputs(raw, { now, findPlace: (file) => findOutputPlace(workspace, file) })
}

/** A second signal, or a defect, ends the process at once; then too no half file stays. */
function openFile(place: OutputPlace): OutputFile {
  const file = openOutputFile(place)
  process.once('exit', file.discard)
  return file
}

async function run(inputs: VisitorsInputs, { host, clock, signal }: StepPorts, startedAt: number): Promise<Report> {
  const ports = { clock, signal, random: Math.random, log: host.log, redact: host.redact }
  const deadlineAt = startedAt + inputs.timeoutMs
  const client = connect({ ...inputs, env: process.env, deadlineAt }, { ...ports, debug: host.debug, mask: host.mask })
  const report = await exportVisitors(inputs, { ...ports, client, startedAt, openFile })
  if (report.ending === 'uncertain') host.warn(explainDoubts(report.doubts))
  return report
}

function toResult(report: Report, summary: boolean): StepResult {
  const conclusion = conclude(report)
  const { error } = report
  const quote = error instanceof ActionError && error.quote !== undefined ? [`The service says: “${error.quote}”`] : []
  return {
    isGreen: conclusion.isGreen,
    title: conclusion.title,
    text: joinSentences([conclusion.text, ...quote, ...conclusion.advice]),
    outputs: toOutputs(report),
    summary: summary ? renderSummary(report, conclusion) : undefined,
  }
}

await execute(async (ports) => {
  const { host, clock } = ports
  const startedAt = clock.now()
  const ended = (ending: Ending, error?: ActionError): Report => ({
    ending,
    error,
    range: undefined,
    place: undefined,
    totals: undefined,
    rows: 0,
    topPages: [],
    doubts: [],
    durationMs: clock.now() - startedAt,
  })
  // Whatever happens from here on, a later step does not take a file for whole that nobody spoke for.
  host.setOutput('complete', 'false')
  const raw = readInputs(INPUT_NAMES, host, process.env)
  if (isSkipped(raw)) {
    announceSkip(host, withholdsSecrets(readEvent(process.env)))
    return toResult(ended('skipped'), wantsSummary(raw))
  }
  try {
    const inputs = parse(raw, clock.wallTime())
    return toResult(await run(inputs, ports, startedAt), inputs.summary)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return toResult(ended('error', error), wantsSummary(raw))
  }
})
