import { readEvent, withholdsSecrets } from '../github/event.ts'
import { readRunFacts } from '../github/run-facts.ts'
import { announceSkip } from '../runner/announce-skip.ts'
import { execute, type StepPorts, type StepResult } from '../runner/execute.ts'
import { OutputsLost, type Host } from '../runner/host.ts'
import { readInputs } from '../runner/step-inputs.ts'
import { connect } from '../service/connect.ts'
import type { Job } from '../service/schemas.ts'
import { ActionError } from '../shared/errors.ts'
import { isSkipped, wantsSummary } from '../shared/parse-inputs.ts'
import { joinSentences } from '../shared/sentences.ts'
import { readWorkspaceFile } from '../shared/workspace-file.ts'
import { conclude } from '../agent/report/conclusion.ts'
import {
  INPUT_NAMES,
  parseAgentInputs,
  type AgentInputs,
  type AgentRawInputs,
  type FailOn,
} from '../agent/inputs/inputs.ts'
import { toOutputs } from '../agent/report/outputs.ts'
import { redactReport } from '../agent/report/redact-report.ts'
import type { Outcome, Report } from '../agent/report/report.ts'
import { runStep, type StepSurroundings } from '../agent/step.ts'
import { tellShortfalls } from '../agent/report/shortfalls.ts'
import { renderSummary } from '../agent/report/summary.ts'

const MAX_PROMPT_BYTES = 4 * 1024 * 1024

function parse(raw: AgentRawInputs): AgentInputs {
  const workspace = process.env['GITHUB_WORKSPACE'] ?? process.cwd()
  return parseAgentInputs(raw, (path) => readWorkspaceFile(workspace, path, MAX_PROMPT_BYTES))
}

/**
 * Written as early as possible: a run that is killed later has still told the next step its job. Where that is not to be,
 * the job is waited for all the same, and the log and the end of the step tell it.
 */
function writeAcceptedJob(job: Job, host: Host): void {
  try {
    host.setOutput('job-id', job.id)
    host.setOutput('status', job.status)
    host.setOutput('outcome', 'submitted' satisfies Outcome)
  } catch (error) {
    if (!(error instanceof OutputsLost)) throw error
    host.log(error.message)
  }
}

/**
 * What talks to GitHub is large, and many a step asks it nothing.
 * @throws ActionError where it cannot be started: the toolkit reads the proxies and the API's address as it is loaded
 */
async function loadGitHub(
  token: string,
  deadlineAt: number,
  { host, clock, signal }: StepPorts,
): Promise<StepSurroundings> {
  try {
    const facts = readRunFacts(process.env)
    if (token === '') return { facts, github: undefined }
    const { connectGitHub } = await import('../github/connect-github.ts')
    const { apiUrl } = facts
    return {
      facts,
      github: connectGitHub({
        token,
        apiUrl,
        env: process.env,
        clock,
        signal,
        deadlineAt,
        debug: host.debug,
        redact: host.redact,
      }),
    }
  } catch {
    throw new ActionError('proxy', 'its client could not be started.', {
      hint: 'Check `HTTPS_PROXY`, `HTTP_PROXY` and `GITHUB_API_URL`.',
    })
  }
}

function run(inputs: AgentInputs, { host, clock, signal }: StepPorts, startedAt: number): Promise<Report> {
  const ports = { clock, signal, random: Math.random, log: host.log }
  const deadlineAt = startedAt + inputs.timeoutMs
  const client = connect(
    { ...inputs, env: process.env, deadlineAt },
    { ...ports, debug: host.debug, mask: host.mask, redact: host.redact },
  )
  return runStep(inputs, {
    ...ports,
    eventName: process.env['GITHUB_EVENT_NAME'] ?? '',
    loadGitHub: (until) => loadGitHub(inputs.github.token, until, { host, clock, signal }),
    client,
    startedAt,
    warn: host.warn,
    onJobAccepted: (job) => {
      writeAcceptedJob(job, host)
    },
  })
}

function toResult(whole: Report, failOn: ReadonlySet<FailOn>, summary: boolean, { redact }: Host): StepResult {
  const report = redactReport(whole, redact)
  const conclusion = conclude(report, failOn)
  const outputs = toOutputs(report)
  const link = outputs['pr-link'] === '' ? [] : [`Pull request: ${outputs['pr-link']}`]
  const quote = report.error?.quote === undefined ? [] : [`The service says: “${report.error.quote}”`]
  return {
    isGreen: conclusion.isGreen,
    title: conclusion.title,
    // A period behind a link would be taken for a part of it.
    text: [joinSentences([conclusion.text, ...quote, ...conclusion.advice]), ...link].join(' '),
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
  host.mask(raw['github-token'].trim())
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
    announceSkip(host, withholdsSecrets(readEvent(process.env)))
    return toResult(ended('skipped'), new Set(), wantsSummary(raw), host)
  }
  try {
    const inputs = parse(raw)
    if (inputs.task.kind !== 'create') host.setOutput('job-id', inputs.task.jobId)
    const report = await run(inputs, ports, startedAt)
    const notice = tellShortfalls(report.shortfalls ?? [])
    if (notice !== undefined) host.notice('Not done on GitHub', notice)
    return toResult(report, inputs.failOn, inputs.summary, host)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return toResult(ended('error', error), new Set(), wantsSummary(raw), host)
  }
})
