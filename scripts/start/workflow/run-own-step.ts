import { existsSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { baseUrlInput, SECRET_INPUTS } from '../../../src/action/inputs.ts'
import { ALL_PERMISSIONS } from '../../../src/emulator/github/state.ts'
import { runAction, type RunResult } from '../../small-runner/run-action.ts'
import type { LogLine } from '../../small-runner/step-log.ts'
import { heading, showInputs, showLogLine, showOutputs, showVerdict } from '../report.ts'
import { cleanForTerminal } from '../terminal.ts'
import { DEMO_PREFIX, evaluateText, evaluateTexts, type Scope } from './expressions.ts'
import type { OwnAction } from './own-actions.ts'
import { createMissed, type Leg, type RunContext, type StepEnd, type Texts, type TimeLimit } from './run-model.ts'
import type { Step } from './workflow-file.ts'

/** A step at its place in a job. */
export interface PlacedStep {
  readonly step: Step
  /** `GITHUB_ACTION` */
  readonly id: string
  /** With the job, and expressions evaluated. */
  readonly title: string
  /** The variables of the step and its job. */
  readonly env: Texts
  readonly scope: Scope
  /** A later step of the job that can make the run fail. */
  readonly later: Step | undefined
}

/** Whether a step that is not run would bring the files of a repository. */
const checksOut = ({ uses, run }: Step): boolean =>
  (uses?.text ?? '').includes('/checkout@') || /\bclone\b/.test(run?.text ?? '')

export const isCheckedOut = ({ notRun }: Leg): boolean => notRun.some(checksOut)

interface Checkout {
  /** The path of a file of the workspace in this checkout. */
  readonly path: string
  readonly isOwn: boolean
}

/** Finds the innermost checkout that a file of the workspace is in. */
function findCheckout({ notRun, context }: Leg, file: string, scope: Scope): Checkout | undefined {
  const own = context.variables['GITHUB_REPOSITORY'] ?? ''
  const checkouts = notRun.filter(checksOut).map(({ with: { path, repository } }): Checkout => {
    const folder = path === undefined ? '' : evaluateText(path, scope)
    const name = repository === undefined ? '' : evaluateText(repository, scope)
    return { path: posix.relative(folder, file), isOwn: ['', own.toLowerCase()].includes(name.toLowerCase()) }
  })
  return checkouts
    .filter(({ path }) => !path.startsWith('../'))
    .toSorted((one, other) => one.path.length - other.path.length)[0]
}

/**
 * Finds the prompt file in the reader's repository. Replaces it by a demo prompt if it is in another repository, or if a script
 * would write it.
 * @returns the inputs, and the folder in which the step runs
 */
function placePrompt(given: Texts, leg: Leg, scope: Scope): readonly [inputs: Texts, workspace: string] {
  const { context, notRun } = leg
  const { 'prompt-file': file = '', ...others } = given
  if (file === '') return [given, context.scratch]
  const checkout = findCheckout(leg, file, scope)
  if (checkout?.isOwn && existsSync(join(context.workspace, checkout.path)))
    return [{ ...given, 'prompt-file': checkout.path }, context.workspace]
  const isElsewhere = checkout?.isOwn === false || notRun.some(({ run }) => run?.text.includes(basename(file)))
  return [isElsewhere ? { prompt: DEMO_PREFIX + file, ...others } : given, context.scratch]
}

/** A token of an app is from a step that is not run. */
export const redirectToken = (given: string, { embedded, token }: RunContext): string =>
  given === '' || given === token ? given : embedded.github.token

/** The action itself refuses an invalid address, before any request. */
function isRefusedAddress(address: string): boolean {
  if (address.includes(DEMO_PREFIX)) return false
  try {
    baseUrlInput(address.trim(), {}, '')
    return false
  } catch {
    return true
  }
}

/** The inputs of a step, with the embedded service and GitHub in place of those that it names. */
function redirectInputs(given: Texts, action: OwnAction, context: RunContext): Texts {
  const { embedded, token, isDryRun } = context
  const inputs: Record<string, string> = { ...given }
  for (const name of ['base-url', 'api-key'])
    if (inputs[name] && !(name === 'base-url' && isRefusedAddress(inputs[name])))
      inputs[name] = embedded.inputs[name] ?? ''
  if (action.inputs.includes('github-token')) inputs['github-token'] ??= token
  if (inputs['github-token']) inputs['github-token'] = redirectToken(inputs['github-token'], context)
  if (isDryRun && action.inputs.includes('dry-run')) inputs['dry-run'] = 'true'
  const all = Object.entries({ ...inputs, ...context.given })
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])))
}

/** Gives the workflow's own token the job's permissions. */
export async function withPermissions<T>(leg: Leg, used: string | undefined, run: () => Promise<T>): Promise<T> {
  const { state } = leg.context.embedded.github
  const before = state.permissions
  // A scenario about permissions decides itself, and other inputs than the README's can need others than the README's.
  const isOfFile = used === leg.context.token && Object.keys(leg.context.given).length === 0
  if (before === ALL_PERMISSIONS && isOfFile) state.permissions = leg.permissions
  try {
    return await run()
  } finally {
    state.permissions = before
  }
}

export const isIgnored = ({ mayFail }: Step, scope: Scope): boolean =>
  mayFail !== undefined && evaluateText(mayFail, scope) === 'true'

/** How a step ends that may have `continue-on-error`. */
export const endStep = (outcome: RunResult['conclusion'], outputs: unknown, isTolerated: boolean): StepEnd => ({
  outcome,
  conclusion: outcome === 'failure' && isTolerated ? 'success' : outcome,
  outputs,
})

/** The limit that comes first. */
function findLimit({ context, limit }: Leg, { step, scope }: PlacedStep): TimeLimit | undefined {
  const minutes = step.timeoutMinutes === undefined ? NaN : Number(evaluateText(step.timeoutMinutes, scope))
  if (!(minutes > 0)) return limit
  const endsAtMs = context.embedded.now() + minutes * 60_000
  return limit !== undefined && limit.endsAtMs <= endsAtMs ? limit : { minutes, endsAtMs, of: 'step' }
}

/** Timers take no longer delay. */
const MAX_DELAY_MS = 2 ** 31 - 1

function startTimer({ embedded, speed }: RunContext, limit: TimeLimit | undefined): AbortSignal | undefined {
  if (limit === undefined) return undefined
  const delayMs = Math.ceil((limit.endsAtMs - embedded.now()) / speed)
  return AbortSignal.timeout(Math.min(Math.max(0, delayMs), MAX_DELAY_MS))
}

/** In the words of GitHub's runner, and what that leaves behind. */
function explainTimeout({ minutes, of }: TimeLimit, title: string, { 'job-id': job = '' }: Texts): string {
  const ended =
    of === 'step'
      ? `The action '${title}' has timed out after ${minutes} minutes.`
      : `The job has exceeded the maximum execution time of ${minutes} minutes.`
  const left =
    job === ''
      ? ''
      : ` The agent goes on with ${job}, which is billed, and its pull request stays unmarked, so that the next change can open another one.`
  return `${ended}${left} Set the input \`timeout-minutes\` of the step below the ${minutes} minutes of the ${of}.`
}

/** Runs a step of this action against the embedded service and GitHub. */
export async function runOwnStep(leg: Leg, action: OwnAction, placed: PlacedStep): Promise<StepEnd> {
  const { context, job, stepRuns, stages } = leg
  const { embedded, session } = context
  const { print, paint } = session
  const { step, id, title, env, scope, later } = placed
  const isTolerated = isIgnored(step, scope)
  const literal = SECRET_INPUTS.find((name) => step.with[name]?.text.trim() && !step.with[name].text.includes('${{'))
  if (literal !== undefined) {
    const problem = `\`${literal}\` is written in the file, where everybody who reads it has it. Revoke it, and pass a new one from a secret`
    print(`${heading(title, paint)}${paint('red', `✘ ${problem}.\n`)}`)
    stepRuns.push(createMissed(title, leg, paint, `not run here: ${problem}`))
    return endStep('failure', {}, isTolerated)
  }
  const [given, folder] = placePrompt(evaluateTexts(step.with, scope), leg, scope)
  const workspace = context.given['prompt-file'] === undefined ? folder : context.workspace
  const inputs = redirectInputs(given, action, context)
  context.onStep(inputs)
  print(`${heading(title, paint)}${showInputs(inputs)}\n`)
  const startedAtMs = embedded.now()
  const limit = findLimit(leg, placed)
  const timer = startTimer(context, limit)
  const { DOCS_AGENT_BASE_URL: address = '' } = env
  const result = await withPermissions(leg, inputs['github-token'], () =>
    runAction({
      action: action.folder,
      inputs,
      env: {
        // The only variable of `env` that the actions read. Others could load code, or send requests through a proxy.
        ...(address !== '' && { DOCS_AGENT_BASE_URL: isRefusedAddress(address) ? address : embedded.url }),
        ...context.variables,
        GITHUB_JOB: job.id,
        GITHUB_ACTION: id,
        ...embedded.createStepEnv(),
      },
      eventName: context.eventName,
      event: context.payload,
      workspace,
      cancel: timer === undefined ? session.cancel : AbortSignal.any([session.cancel, timer]),
      secrets: [embedded.github.token, ...SECRET_INPUTS.flatMap((name) => inputs[name] ?? [])],
      onLine: (line: LogLine) => {
        print(showLogLine(line, paint))
      },
    }),
  )
  leg.env = { ...leg.env, ...result.exported }
  const { outputs } = result
  const wasEnded = result.conclusion === 'cancelled' && limit !== undefined && timer?.aborted === true
  const conclusion = wasEnded && limit.of === 'step' ? 'failure' : result.conclusion
  const unknown = Object.keys(given).filter((name) => !action.inputs.includes(name))
  const problems = [
    ...(wasEnded ? [explainTimeout(limit, step.title.text, outputs)] : []),
    ...unknown.map((name) => `The action has no input \`${name}\`, which GitHub only warns about.`),
  ]
  const notes = [
    ...problems.map((problem) => paint('red', `✘ ${cleanForTerminal(problem)}\n`)),
    ...(conclusion === 'failure' && isTolerated
      ? ['○ With `continue-on-error`, the job goes on as after a green step.\n']
      : []),
  ]
  const verdict =
    showVerdict({ ...result, conclusion, durationMs: embedded.now() - startedAtMs }, paint) + notes.join('')
  print(`${context.showsAll ? showOutputs(result, paint) : ''}${verdict}`)
  const isRed = conclusion !== 'success' || problems.length > 0
  const shown = verdict.replaceAll(/\n(?=.)/g, '\n  ')
  stepRuns.push({ title, inputs, outputs, verdict: shown, isRed, stages, step, limit, later })
  return endStep(conclusion, outputs, isTolerated)
}
