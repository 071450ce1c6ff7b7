import { execute, type StepPorts, type StepResult } from '../runner/execute.ts'
import type { Host } from '../runner/host.ts'
import { createClient } from '../service/client.ts'
import { proxyFor, proxySecrets } from '../service/proxy.ts'
import type { Job } from '../service/schemas.ts'
import { createTransport } from '../service/transport.ts'
import { ActionError } from '../shared/errors.ts'
import { readWorkspaceFile } from '../shared/workspace-file.ts'
import { conclude } from './conclusion.ts'
import {
  INPUT_NAMES,
  isSkipped,
  parseAgentInputs,
  type AgentInputs,
  type AgentRawInputs,
  type FailOn,
} from './inputs.ts'
import { toOutputs } from './outputs.ts'
import type { Outcome, Report } from './report.ts'
import { runAgent } from './run.ts'
import { renderSummary } from './summary.ts'

const MAX_PROMPT_BYTES = 4 * 1024 * 1024
const USER_AGENT = 'docs-agent-action'

/** The key is masked before anything else is looked at; the address gets its default from the environment. */
function readInputs(host: Host): AgentRawInputs {
  const apiKey = host.input('api-key')
  host.mask(apiKey)
  host.mask(apiKey.trim())
  const raw = Object.fromEntries(INPUT_NAMES.map((name) => [name, host.input(name)])) as AgentRawInputs
  const baseUrl = raw['base-url'].trim() === '' ? (process.env['DOCS_AGENT_BASE_URL'] ?? '') : raw['base-url']
  return { ...raw, 'base-url': baseUrl }
}

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
  const { baseUrl, apiKey, projectId, timeoutMs } = inputs
  const proxy = proxyFor(new URL(baseUrl), process.env)
  if (proxy !== undefined) proxySecrets(proxy).forEach(host.mask)
  const transport = createTransport({ baseUrl, apiKey, proxy, userAgent: USER_AGENT, clock })
  const shared = { clock, signal, random: Math.random, log: host.log }
  const client = createClient({
    ...shared,
    transport,
    projectId,
    redact: host.redact,
    deadlineAt: startedAt + timeoutMs,
  })
  return runAgent(inputs, {
    ...shared,
    client,
    startedAt,
    warn: host.warn,
    onJobAccepted: (job) => {
      writeAcceptedJob(job, host)
    },
  })
}

/** Asked to end green without a key: right where GitHub withholds secrets, and worth a warning anywhere else. */
async function skip(host: Host): Promise<void> {
  const { readEvent, withholdsSecrets } = await import('../github/event.ts')
  if (withholdsSecrets(readEvent()))
    host.notice('Docs Agent skipped', 'This run gets no secrets, so nothing was asked of the service.')
  else
    host.warn(
      '`api-key` is empty, although this run may have secrets. Check the name of the secret. The step is skipped.',
    )
}

function toResult(report: Report, failOn: ReadonlySet<FailOn>, wantsSummary: boolean): StepResult {
  const conclusion = conclude(report, failOn)
  const outputs = toOutputs(report)
  const link = outputs['pr-link'] === '' ? [] : [`Pull request: ${outputs['pr-link']}`]
  const quote = report.error?.quote === undefined ? [] : [`The service says: “${report.error.quote}”`]
  return {
    isGreen: conclusion.isGreen,
    title: conclusion.title,
    text: [conclusion.text, ...quote, ...conclusion.advice, ...link].join(' '),
    outputs,
    summary: wantsSummary ? renderSummary(report, conclusion) : undefined,
  }
}

await execute(async (ports) => {
  const { host, clock } = ports
  const startedAt = clock.now()
  // Whatever happens from here on, an outcome that nobody wrote would read as if the step had not run.
  host.setOutput('outcome', 'error' satisfies Outcome)
  const raw = readInputs(host)
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
    await skip(host)
    return toResult(ended('skipped'), new Set(), raw.summary.trim() !== 'false')
  }
  try {
    const inputs = parse(raw)
    return toResult(await run(inputs, ports, startedAt), inputs.failOn, inputs.summary)
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return toResult(ended('error', error), new Set(), raw.summary.trim() !== 'false')
  }
})
