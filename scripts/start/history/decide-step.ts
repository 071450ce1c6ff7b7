import { inputNames, type RawInputs } from '../../../src/action/inputs.ts'
import type { Context, Step } from '../../../src/action/step.ts'
import type { Runner } from '../../../src/action/toolkit.ts'
import { resolveChange } from '../../../src/agent/change/change.ts'
import type { AgentInputs } from '../../../src/agent/facts.ts'
import { applyExemption } from '../../../src/agent/features/exempt.ts'
import { AGENT_FIELDS, parseAgentInputs } from '../../../src/agent/inputs.ts'
import type { PathRule } from '../../../src/agent/path-filter.ts'
import { type Acts, openAgentStep } from '../../../src/agent/step.ts'
import { isSkip } from '../../../src/agent/skip.ts'
import type { GitHub } from '../../../src/github/github.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { ActionError, describeError } from '../../../src/runtime/errors.ts'

/** The size of what a step adds to its prompt. */
export interface PromptSize {
  readonly bytes: number
  readonly files: number
  readonly commits: number
  /** What does not fit, such as `12 file names`. Empty: everything fits. */
  readonly leftOut: string
}

/** How a step decides. */
export type Decided =
  | { readonly kind: 'skipped' | 'red'; readonly reason: string }
  | { readonly kind: 'prompt'; readonly step: Acts; readonly size: PromptSize }

/** A service that nothing is sent to. */
const SERVICE: RawInputs = { 'base-url': 'https://docs.example.com', 'poll-interval-seconds': '' }

/** Many changes have the same paths, and matching takes most of the time. */
function remember(matches: PathRule['matches']): PathRule['matches'] {
  const known = new Map<string, boolean>()
  return (path) => {
    const found = known.get(path)
    if (found !== undefined) return found
    const isMatch = matches(path)
    known.set(path, isMatch)
    return isMatch
  }
}

const rememberAll = (rules: readonly PathRule[]): readonly PathRule[] =>
  rules.map((rule) => ({
    ...rule,
    matches: remember(rule.matches),
    matchesFolderOf: rule.matchesFolderOf && remember(rule.matchesFolderOf),
  }))

/** Parses the inputs of each step once. */
export function createInputParser(
  defaults: Readonly<Record<string, string>>,
  workspace: string,
): (given: Readonly<Record<string, string>>) => AgentInputs {
  const parsed = new Map<string, AgentInputs>()
  const empty = Object.fromEntries(inputNames(AGENT_FIELDS).map((name) => [name, '']))
  return (given) => {
    const key = JSON.stringify(given)
    const known = parsed.get(key)
    if (known !== undefined) return known
    const { 'prompt-file': file = '', ...others } = given
    // A file that an earlier step writes is not there, and the text of the prompt decides nothing.
    const prompt = file === '' ? {} : { prompt: file }
    const inputs = parseAgentInputs({ ...empty, ...defaults, ...others, ...prompt, ...SERVICE }, workspace)
    const remembered = { ...inputs, paths: rememberAll(inputs.paths) }
    parsed.set(key, remembered)
    return remembered
  }
}

const ignore = (): undefined => undefined

const SILENT: Runner = {
  input: () => '',
  mask: ignore,
  redact: (text) => text,
  log: ignore,
  logQuote: ignore,
  startGroup: ignore,
  endGroup: ignore,
  debug: ignore,
  warn: ignore,
  notice: ignore,
  fail: ignore,
  setOutput: ignore,
  writeSummary: ignore,
  savedState: () => '',
  saveState: ignore,
  exportVariable: ignore,
  addPath: ignore,
}

const SIGNAL = new AbortController().signal

/** Waits for nothing: the decisions are made, without the waits. */
function createClock(): Clock {
  let nowMs = 0
  return {
    now: () => nowMs,
    wallTime: () => new Date(nowMs),
    sleep: (ms) => {
      nowMs += ms
      return Promise.resolve()
    },
    yieldToEventLoop: () => Promise.resolve(),
  }
}

function openStep(inputs: AgentInputs, context: Context, github: GitHub): Acts {
  const step: Step = {
    runner: SILENT,
    clock: createClock(),
    signal: SIGNAL,
    random: () => 0.5,
    startedAt: 0,
    deadlineAt: inputs.timeoutMs,
    // Everything here is decided before the service gets a request.
    client: {} as Step['client'],
    context,
    github: inputs.githubToken === '' ? undefined : github,
  }
  return openAgentStep(inputs, step).step
}

const LEFT_OUT = /^Left out: (.*)\.$/gm

/**
 * Decides what a step does with the change of its event, up to the choice of the job that gets the prompt. The decision is the
 * packaged action's own.
 */
export async function decideStep(inputs: AgentInputs, context: Context, github: GitHub): Promise<Decided> {
  const step = openStep(inputs, context, github)
  try {
    const resolved = await resolveChange(step, ignore)
    const change = isSkip(resolved) ? resolved : await applyExemption(resolved, step)
    if (isSkip(change)) return { kind: 'skipped', reason: change.reason }
    const { promptContext, compared } = change
    const leftOut = Array.from(promptContext.matchAll(LEFT_OUT), ([, what = '']) => what).join('; ')
    const [files, commits] = [compared?.files.length ?? 0, compared?.totalCommits ?? 0]
    return { kind: 'prompt', step, size: { bytes: Buffer.byteLength(promptContext), files, commits, leftOut } }
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return { kind: 'red', reason: describeError(error) }
  }
}
