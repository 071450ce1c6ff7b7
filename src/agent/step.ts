import type { GitHub } from '../github/connect-github.ts'
import type { RunFacts } from '../github/run-facts.ts'
import { ActionError } from '../shared/errors.ts'
import type { HandOff } from './pull-request/examine-pull-request.ts'
import { handOff, wantsHandOff } from './pull-request/hand-off.ts'
import type { AgentInputs, Task } from './inputs/inputs.ts'
import { lookAtChange, wantsChange, type ChangeFindings } from './change/look-at-change.ts'
import { cleanPullRequestLink } from '../service/pull-request-link.ts'
import type { Report } from './report/report.ts'
import { runAgent, type RunPorts } from './job/run.ts'
import { Shortfalls } from './report/shortfalls.ts'

export interface StepSurroundings {
  readonly facts: RunFacts
  /** Undefined without a token. */
  readonly github: GitHub | undefined
}

export interface AgentStepPorts extends RunPorts {
  readonly eventName: string
  /**
   * Loads what talks to GitHub: a step that asks it nothing does not pay for it.
   * @throws ActionError where it cannot be started
   */
  readonly loadGitHub: (deadlineAt: number) => Promise<StepSurroundings>
}

/** Questions that come before the job get this much of the step's time, in milliseconds, and no more than half of it. */
const LOOK_MS = 120_000

const NO_FINDINGS: ChangeFindings = { skipReason: undefined, context: '', told: undefined }

function withContext(task: Task, context: string): Task {
  return task.kind === 'attach' ? task : { ...task, prompt: task.prompt + context }
}

/** From the event to the pull request: what changed, the agent's job, and what has become of its pull request on GitHub. */
export async function runStep(inputs: AgentInputs, ports: AgentStepPorts): Promise<Report> {
  const { clock, startedAt, log } = ports
  const deadlineAt = startedAt + inputs.timeoutMs
  const shortfalls = new Shortfalls(log)

  const load = (until: number): Promise<StepSurroundings | undefined> =>
    shortfalls.attempt('GitHub was not asked', () => ports.loadGitHub(until))

  /** Attaching spends nothing and sends nothing, so it needs no reason. */
  async function look(): Promise<ChangeFindings> {
    if (inputs.task.kind === 'attach' || !wantsChange(inputs.github, ports.eventName)) return NO_FINDINGS
    const surroundings = await load(startedAt + Math.min(LOOK_MS, inputs.timeoutMs / 2))
    if (surroundings === undefined) return NO_FINDINGS
    return lookAtChange(inputs.github, { ...surroundings, shortfalls, log })
  }

  function ended(outcome: Report['outcome'], findings: ChangeFindings, error?: ActionError): Report {
    const { skipReason, told } = findings
    return {
      outcome,
      error,
      task: inputs.task,
      job: undefined,
      timeline: [],
      durationMs: clock.now() - startedAt,
      lastProblem: undefined,
      shortfalls: shortfalls.list,
      ...(skipReason === undefined ? {} : { skipReason }),
      ...(told === undefined ? {} : { change: told }),
    }
  }

  async function finish(report: Report): Promise<Report> {
    const link = report.job?.prLink === undefined ? undefined : cleanPullRequestLink(report.job.prLink)
    if (report.outcome !== 'pull-request' || report.job === undefined || link === undefined) return report
    if (!wantsHandOff(inputs.github)) return report
    const surroundings = await load(deadlineAt)
    if (surroundings === undefined) return report
    const found: HandOff = await handOff(link, report.job.id, inputs.github, {
      ...ports,
      ...surroundings,
      deadlineAt,
      shortfalls,
    })
    return { ...report, handOff: found }
  }

  let findings = NO_FINDINGS
  try {
    findings = await look()
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return ended('cancelled', findings, error)
  }
  if (findings.skipReason !== undefined) return ended('skipped', findings)

  const report = await runAgent({ ...inputs, task: withContext(inputs.task, findings.context) }, ports)
  const told = findings.told === undefined ? {} : { change: findings.told }
  const rest = (): Partial<Report> => ({
    ...told,
    durationMs: clock.now() - startedAt,
    shortfalls: shortfalls.list,
  })
  try {
    return { ...(await finish(report)), ...rest() }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return { ...report, ...rest(), outcome: 'cancelled', error }
  }
}
