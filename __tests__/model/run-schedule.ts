import { conclude, type Conclusion } from '../../src/agent/report/conclusion.ts'
import type { Task } from '../../src/agent/inputs/inputs.ts'
import { toOutputs } from '../../src/agent/report/outputs.ts'
import { redactReport } from '../../src/agent/report/redact-report.ts'
import type { Report } from '../../src/agent/report/report.ts'
import { runAgent } from '../../src/agent/job/run.ts'
import { renderSummary } from '../../src/agent/report/summary.ts'
import { createClient } from '../../src/service/client.ts'
import { ActionError } from '../../src/shared/errors.ts'
import { createRedactor } from '../../src/shared/redact.ts'
import { cleanLines } from '../../src/shared/untrusted-text.ts'
import { stepClockOf } from '../support/fake-clock.ts'
import { KEY } from './planted-key.ts'
import type { Schedule } from './schedule.ts'
import { createServiceModel, JOB_ID, PROJECT_ID, type ServiceModel } from './service-model.ts'
import { virtualClock } from './virtual-clock.ts'

/** All that a run showed to the outside, and all that the model knows about it. */
export interface Trace {
  readonly schedule: Schedule
  readonly service: ServiceModel
  readonly report: Report
  readonly conclusion: Conclusion
  /** As the runner gets them. */
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  readonly log: readonly string[]
  readonly warnings: readonly string[]
  /** Jobs that were handed on, and when. */
  readonly accepted: readonly { readonly id: string; readonly at: number }[]
  readonly endedAt: number
}

const redact = createRedactor([KEY])

/** What the host does with every line: redacted before and after it is cleaned. */
function shownLines(text: string): string[] {
  return cleanLines(redact(text)).map(redact)
}

const PROMPT_CUT_BYTES = 32 * 1024

function taskOf({ task, promptHoldsKey }: Schedule): Task {
  const prompt = promptHoldsKey ? `${'p'.repeat(PROMPT_CUT_BYTES - 20)}${KEY} and so on` : 'Fix the guide.'
  const tasks: Readonly<Record<Schedule['task'], Task>> = {
    create: { kind: 'create', prompt },
    'follow-up': { kind: 'follow-up', prompt, jobId: JOB_ID },
    attach: { kind: 'attach', jobId: JOB_ID },
  }
  return tasks[task]
}

/** Runs the real use case with the real client against the model; only sockets, timers and the runner are not real. */
export async function runSchedule(schedule: Schedule): Promise<Trace> {
  const clock = virtualClock(schedule.wallJump)
  const service = createServiceModel(schedule, clock)
  const controller = new AbortController()
  if (schedule.cancelAtMs !== undefined) {
    clock.at(schedule.cancelAtMs, () => {
      controller.abort(new ActionError('cancelled', 'The run was cancelled.'))
    })
  }
  const log: string[] = []
  const warnings: string[] = []
  const accepted: { id: string; at: number }[] = []
  const { wait, timeoutMs, pollIntervalMs } = schedule
  const failOn = new Set(schedule.failOn)
  const stepClock = stepClockOf(clock)
  const startedAt = stepClock.now()
  const ports = {
    clock: stepClock,
    signal: controller.signal,
    random: () => schedule.random,
    log: (line: string) => log.push(...shownLines(line)),
  }
  const client = createClient({
    ...ports,
    transport: service.transport,
    projectId: PROJECT_ID,
    redact,
    deadlineAt: startedAt + timeoutMs,
  })
  const inputs = {
    task: taskOf(schedule),
    projectId: PROJECT_ID,
    apiKey: KEY,
    baseUrl: 'https://docs.example.com',
    wait,
    timeoutMs,
    pollIntervalMs,
    failOn,
    summary: true,
  }
  const whole = await clock.passUntil(
    runAgent(inputs, {
      ...ports,
      client,
      startedAt,
      warn: (line) => warnings.push(...shownLines(line)),
      onJobAccepted: ({ id }) => accepted.push({ id, at: clock.now() }),
    }),
  )
  const report = redactReport(whole, redact)
  const conclusion = conclude(report, failOn)
  const outputs = Object.fromEntries(Object.entries(toOutputs(report)).map(([name, value]) => [name, redact(value)]))
  const summary = redact(renderSummary(report, conclusion))
  return { schedule, service, report, conclusion, outputs, summary, log, warnings, accepted, endedAt: clock.now() }
}
