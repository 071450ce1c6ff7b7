import { announceSkip } from '../runner/announce-skip.ts'
import { execute, type StepPorts, type StepResult } from '../runner/execute.ts'
import type { Host } from '../runner/host.ts'
import { readInputs } from '../runner/step-inputs.ts'
import { connect } from '../service/connect.ts'
import type { Job } from '../service/schemas.ts'
import { ActionError } from '../shared/errors.ts'
import { isSkipped, wantsSummary } from '../shared/parse-inputs.ts'
import { readWorkspaceFile } from '../shared/workspace-file.ts'
import { conclude } from './conclusion.ts'
import { INPUT_NAMES, parseAgentInputs, type AgentInputs, type AgentRawInputs, type FailOn } from './inputs.ts'
import { toOutputs } from './outputs.ts'
import type { Outcome, Report } from './report.ts'
import { runAgent } from './run.ts'
import { renderSummary } from './summary.ts'

const MAX_PROMPT_BYTES = 4 * 1024 * 1024

function parse(raw: AgentRawInputs): AgentInputs {
  const workspace = process.env['GITHUB_WORKSPACE'] ?? process.cwd()
  return parseAgentInputs(raw, (path) => readWorkspaceFile(workspace, path, MAX_PROMPT_BYTES))
}

/** Written as early as possible: a run that is killed later has still told the next step its job. */
function writeAcceptedJob(job: Job, host: Host): void {
  host.setOutput('job-id', job.id)
  host.setOutput('status', job.status)
  host.setOutput('outcome', 'submitted' satisfies Outcome)
}

function run(inputs: AgentInputs, { host, clock, signal }: StepPorts, startedAt: number): Promise<Report> {
  const ports = { clock, signal, random: Math.random, log: host.log }
  const deadlineAt = startedAt + inputs.timeoutMs
  const client = connect(
    { ...inputs, env: process.env, deadlineAt },
    { ...ports, mask: host.mask, redact: host.redact },
  )
  return runAgent(inputs, {
    ...ports,
    client,
    startedAt,
    warn: host.warn,
    onJobAccepted: (job) => {
      writeAcceptedJob(job, host)
    },
  })
}

function toResult(report: Report, failOn: ReadonlySet<FailOn>, summary: boolean): StepResult {
  const conclusion = conclude(report, failOn)
  const outputs = toOutputs(report)
  const link = outputs['pr-link'] === '' ? [] : [`Pull request: ${outputs['pr-link']}`]
  const quote = report.error?.quote === undefined ? [] : [`The service says: “${report.error.quote}”`]
  return {
    isGreen: conclusion.isGreen,
    title: conclusion.title,
    text: [conclusion.text, ...quote, ...conclusion.advice, ...link].join(' '),
    outputs,
    summary: summary ? renderSummary(report, conclusion) : undefined,
  }
}

await execute(async (ports) => {
  const { host, clock } = ports
  const startedAt = clock.now()
  // Whatever happens from here on, an outcome that nobody wrote would read as if the step had not run.
  host.setOutput('outcome', 'error' satisfies Outcome)
  const raw = readInputs(INPUT_NAMES, host, process.env)
  const ended = (outcome: Outcome, error?: ActionError): Report => ({
    outcome,
    error,
    task: undefined,
    job: undefined,
    timeline: [],
    durationMs: clock.now() - startedAt,
    lastProblem: undefined,
  })
  if (isSkipped(raw)) {
    const { readEvent, withholdsSecrets } = await import('../github/event.ts')
    announceSkip(host, withholdsSecrets(readEvent()))
    return toResult(ended('skipped'), new Set(), wantsSummary(raw))
  }
  try {
    const inputs = parse(raw)
    return toResult(await run(inputs, ports, startedAt), inputs.failOn, inputs.summary)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return toResult(ended('error', error), new Set(), wantsSummary(raw))
  }
})
