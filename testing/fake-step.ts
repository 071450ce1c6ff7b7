import { inputNames } from '../src/action/inputs.ts'
import { AGENT_FIELDS, parseAgentInputs } from '../src/agent/inputs.ts'
import type { AgentInputs } from '../src/agent/facts.ts'
import type { DocsServiceClient } from '../src/docs-service/client.ts'
import type { GitHub } from '../src/github/github.ts'
import { type Acts, openAgentStep } from '../src/agent/step.ts'
import type { Step } from '../src/action/step.ts'
import { fakeClock } from './fake-clock.ts'
import { readRun, RUN_FACTS, type GivenRun } from './given-run.ts'
import { fakeRunner } from './fake-runner.ts'

const GIVEN = {
  prompt: 'Fix the guide.',
  'project-id': 'docs-demo',
  'api-key': 'docs_key',
  'base-url': 'https://docs.example.com',
}

/** Parses inputs as a step does, with defaults for all that a test does not set. */
export function agentInputs(
  fields: Partial<AgentInputs> = {},
  given: Readonly<Record<string, string>> = {},
): AgentInputs {
  const raw = { ...Object.fromEntries(inputNames(AGENT_FIELDS).map((name) => [name, ''])), ...GIVEN, ...given }
  return { ...parseAgentInputs(raw, '.'), ...fields }
}

const refuse = (): never => {
  throw new Error('Unexpected request.')
}

const NO_SERVICE: DocsServiceClient = {
  createJob: refuse,
  sendMessage: refuse,
  getJob: refuse,
  getVisitors: refuse,
  rateLimitsInARow: () => 0,
}

export interface StepFields extends Partial<Omit<Step, 'github' | 'context'>> {
  readonly inputs?: AgentInputs
  readonly context?: GivenRun
  readonly github?: GitHub | undefined
  readonly timeoutMs?: number
}

/** Opens a step with a timeout of one hour and its record, on a fake clock, without servers. */
export function openFakeStep({
  github,
  inputs = agentInputs(),
  timeoutMs = 3_600_000,
  ...fields
}: StepFields = {}): ReturnType<typeof openAgentStep> {
  const clock = fields.clock ?? fakeClock()
  const startedAt = fields.startedAt ?? clock.now()
  const { context = RUN_FACTS } = fields
  const given = {
    runner: fakeRunner(),
    clock,
    signal: new AbortController().signal,
    random: () => 0.5,
    startedAt,
    deadlineAt: startedAt + timeoutMs,
    client: NO_SERVICE,
    github,
    ...fields,
    // Tests set the payload; the event is parsed from it.
    context: readRun(context),
  }
  return openAgentStep(inputs, given)
}

/** Opens a step whose record nobody reads. */
export const fakeStep = (fields?: StepFields): Acts => openFakeStep(fields).step
