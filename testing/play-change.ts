import { expect } from '@jest/globals'
import { isSkip } from '../src/agent/skip.ts'
import { formatWarnings } from '../src/agent/journal.ts'
import { applyExemption } from '../src/agent/features/exempt.ts'
import { resolveChange } from '../src/agent/change/change.ts'
import type { GitHub } from '../src/github/github.ts'
import { joinSentences } from '../src/text/format.ts'
import { fakeClock } from './fake-clock.ts'
import { fakeGitHub, RUN_FACTS, type GivenRun } from './fake-github.ts'
import { fakeRunner } from './fake-runner.ts'
import { agentInputs, openFakeStep } from './fake-step.ts'

export type Given = Readonly<Record<string, string>>
export type GivenEvent = readonly [name: string, payload?: unknown]

/** Null: the step has no token. */
export type Responses = Partial<GitHub> | null

interface PlayedChange {
  /** Why the step sends no prompt. Undefined if it sends one. */
  readonly skip: string | undefined
  readonly prompt: string | undefined
  readonly change: string | undefined
  readonly warnings: string | undefined
  readonly log: string
  /** The warnings in the log. */
  readonly logWarnings: readonly string[]
  readonly calls: readonly string[]
  readonly sleptMs: number
  readonly notices: readonly string[]
}

/** Resolves the change that started a run with the label `docs-agent`, on a fake clock. */
export async function playChange(
  given: Given,
  [eventName, payload = {}]: GivenEvent,
  responses: Responses = {},
  facts: Partial<GivenRun> = {},
): Promise<PlayedChange> {
  const notices: string[] = []
  const runner = { ...fakeRunner(), notice: (_title: string, text: string) => notices.push(text) }
  const clock = fakeClock()
  const github = fakeGitHub(responses ?? {})
  const inputs = agentInputs({}, { label: 'docs-agent', 'github-token': 'ghs_token', ...given })
  const context = { ...RUN_FACTS, ...facts, eventName, payload }
  const { timeoutMs } = inputs
  const { step, record } = openFakeStep({
    inputs,
    runner,
    clock,
    github: responses === null ? undefined : github,
    context,
    timeoutMs,
  })
  const resolved = await resolveChange(step, record.add)
  const found = isSkip(resolved) ? resolved : await applyExemption(resolved, step)
  // As in run.ts.
  if (!isSkip(found)) record.add({ change: joinSentences([found.description, found.added]) || undefined })
  return {
    skip: isSkip(found) ? found.reason : undefined,
    prompt: isSkip(found) ? undefined : found.promptContext,
    change: record.read().change,
    warnings: formatWarnings(step.journal.warnings),
    log: runner.lines('log').join('\n'),
    logWarnings: runner.lines('warn'),
    calls: github.calls,
    sleptMs: clock.passed(),
    notices,
  }
}

export const containing = (text: string | undefined): unknown =>
  text === undefined ? undefined : expect.stringContaining(text)
