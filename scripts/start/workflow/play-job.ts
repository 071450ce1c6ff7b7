import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ALL_PERMISSIONS } from '../../../src/emulator/github/state.ts'
import { runAction, type RunResult } from '../../small-runner/run-action.ts'
import type { LogLine } from '../../small-runner/step-log.ts'
import type { Embedded } from '../embedded.ts'
import { heading, SECRET_INPUTS, showInputs, showLogLine, showOutputs, showVerdict } from '../report.ts'
import type { Session } from '../session.ts'
import { cleanForTerminal, type Paint } from '../terminal.ts'
import { createDemoOutputs, getPermissions } from './contexts.ts'
import {
  DEMO_PREFIX,
  evaluateCondition,
  evaluateText,
  evaluateTexts,
  nameDemoOutputs,
  NotEvaluable,
  type Scope,
} from './expressions.ts'
import { listCombinations } from './matrix.ts'
import { findMerge, merge } from './merge.ts'
import { findOwnAction, type OwnAction, REHEARSES_ALREADY } from './own-actions.ts'
import type { Job, Step } from './workflow-file.ts'

type Texts = Readonly<Record<string, string>>

/** What the steps of one run of the workflow share. */
export interface RunContext {
  readonly embedded: Embedded
  readonly session: Session
  /** The folder of this project. */
  readonly project: string
  readonly contexts: Readonly<Record<'github' | 'vars' | 'secrets' | 'inputs', unknown>>
  /** The `env` of the workflow. */
  readonly env: Job['env']
  /** The variables of the run, such as `GITHUB_SHA`. */
  readonly variables: Texts
  readonly eventName: string
  readonly payload: unknown
  /** The reader's repository. */
  readonly workspace: string
  /** A folder for files that a step writes. */
  readonly scratch: string
  /** The token that the workflow gets from GitHub. */
  readonly token: string
  /** Inputs of each step that replace those of the file, if the action has them. */
  readonly overrides: Texts
  readonly showsAll: boolean
  /** Called before each step of this action. */
  readonly onStep: (inputs: Texts) => void
}

/** A step of this action, or one that merges. */
export interface Played {
  readonly title: string
  readonly inputs: Texts
  readonly outputs: Texts
  /** A line. */
  readonly verdict: string
  readonly isRed: boolean
}

export interface JobEnd {
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: unknown
  readonly played: readonly Played[]
}

const createMissed = (title: string, paint: Paint): Played => ({
  title,
  inputs: {},
  outputs: {},
  verdict: paint('red', '✘ not played\n'),
  isRed: true,
})

interface StepEnd {
  readonly outcome: RunResult['conclusion'] | 'skipped'
  readonly conclusion: RunResult['conclusion'] | 'skipped'
  readonly outputs: unknown
}

const SKIPPED: StepEnd = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }

/** Whether a step that is not played would bring the files of a repository. */
const checksOut = ({ uses, run }: Step): boolean =>
  (uses?.text ?? '').includes('/checkout@') || /\bclone\b/.test(run?.text ?? '')

/** Replaces a prompt file that a script would write by a demo prompt, because scripts are not played. */
function replaceWrittenPrompt(given: Texts, unplayed: readonly Step[], workspace: string): Texts {
  const { 'prompt-file': file = '', ...others } = given
  const isWritten = file !== '' && unplayed.some(({ run }) => run?.text.includes(basename(file)))
  return isWritten && !existsSync(join(workspace, file)) ? { prompt: DEMO_PREFIX + file, ...others } : given
}

const describeSkip = ({ if: condition }: Pick<Job, 'if'>, scope: Scope): string =>
  condition === undefined ? 'skipped' : `skipped, its \`if\` is false${nameDemoOutputs(condition, scope)}`

/** A token of an app is from a step that is not played. */
const redirectToken = (given: string, { embedded, token }: RunContext): string =>
  given === '' || given === token ? given : embedded.github.token

/** The inputs of a step, with the embedded service and GitHub in place of those that it names. */
function redirectInputs(given: Texts, action: OwnAction, context: RunContext): Texts {
  const { embedded, token, overrides } = context
  const inputs: Record<string, string> = { ...given }
  for (const name of ['base-url', 'api-key']) if (inputs[name]) inputs[name] = embedded.inputs[name] ?? ''
  if (action.inputs.includes('github-token')) inputs['github-token'] ??= token
  if (inputs['github-token']) inputs['github-token'] = redirectToken(inputs['github-token'], context)
  for (const [name, value] of Object.entries(overrides)) if (action.inputs.includes(name)) inputs[name] = value
  return inputs
}

interface Combined {
  /** The job's id, with the values of its matrix. */
  readonly name: string
  readonly needs: unknown
  readonly matrix: unknown
}

/** Plays a job with one combination of its matrix. @throws NotEvaluable for an expression of the job itself */
async function playSteps(context: RunContext, job: Job, { name, needs, matrix }: Combined): Promise<JobEnd> {
  const { embedded, session, token } = context
  const { print, paint } = session
  const github = { ...(context.contexts.github as object), job: job.id }
  const runner = { os: 'Linux', arch: 'X64', temp: context.scratch, environment: 'github-hosted' }
  const steps: Record<string, StepEnd> = {}
  const played: Played[] = []
  const unplayed: Step[] = []
  let status: 'success' | 'failure' = 'success'
  let env: Texts = {}
  const getScope = (ofStep: Texts = {}): Scope => ({
    contexts: {
      ...context.contexts,
      github,
      needs,
      matrix,
      runner,
      steps,
      env: { ...env, ...ofStep },
      job: { status },
    },
    status,
  })
  env = evaluateTexts(context.env, getScope())
  env = { ...env, ...evaluateTexts(job.env, getScope()) }

  /** Gives the workflow's own token the job's permissions. */
  async function withPermissions<T>(used: string | undefined, run: () => Promise<T>): Promise<T> {
    const { state } = embedded.github
    const before = state.permissions
    // A scenario about permissions decides itself.
    if (before === ALL_PERMISSIONS && used === token) state.permissions = getPermissions(job)
    try {
      return await run()
    } finally {
      state.permissions = before
    }
  }

  const mayFail = ({ mayFail: template }: Step, scope: Scope): boolean =>
    template !== undefined && evaluateText(template, scope) === 'true'

  async function playAction(action: OwnAction, step: Step, ofStep: Texts, title: string, id: string): Promise<StepEnd> {
    const stepEnv = { ...env, ...ofStep }
    const scope = getScope(stepEnv)
    // Before a checkout, the workspace is empty.
    const isCheckedOut = unplayed.some(checksOut) && !action.inputs.includes('output-file')
    const workspace = isCheckedOut ? context.workspace : context.scratch
    const given = replaceWrittenPrompt(evaluateTexts(step.with, scope), unplayed, workspace)
    const inputs = redirectInputs(given, action, context)
    context.onStep(inputs)
    print(`${heading(title, paint)}${showInputs(inputs)}\n`)
    const startedAtMs = embedded.now()
    const run = {
      action: action.folder,
      inputs,
      env: {
        // The only variable of `env` that the actions read. Others could load code, or send requests through a proxy.
        ...(stepEnv['DOCS_AGENT_BASE_URL'] && { DOCS_AGENT_BASE_URL: embedded.url }),
        ...context.variables,
        GITHUB_JOB: job.id,
        GITHUB_ACTION: id,
        ...embedded.createStepEnv(),
      },
      eventName: context.eventName,
      event: context.payload,
      workspace,
      cancel: session.cancel,
      secrets: [embedded.github.token, ...SECRET_INPUTS.flatMap((name) => inputs[name] ?? [])],
      onLine: (line: LogLine) => {
        print(showLogLine(line, paint))
      },
    }
    const result = await withPermissions(inputs['github-token'], () => runAction(run))
    const { conclusion, outputs } = result
    env = { ...env, ...result.exported }
    const verdict = showVerdict({ ...result, durationMs: embedded.now() - startedAtMs }, paint)
    print(`${context.showsAll ? showOutputs(result, paint) : ''}${verdict}`)
    const isRed = conclusion !== 'success' && !mayFail(step, scope)
    played.push({ title, inputs, outputs, verdict, isRed })
    return { outcome: conclusion, conclusion: isRed ? conclusion : 'success', outputs }
  }

  /** @returns undefined for a step that merges nothing */
  async function playMerge(
    step: Step,
    ofStep: Texts,
    title: string,
    note: (text: string) => void,
  ): Promise<StepEnd | undefined> {
    if (!step.run?.text.includes('gh pr merge')) return undefined
    const stepEnv = { ...env, ...ofStep }
    const scope = getScope(stepEnv)
    const found = findMerge(evaluateText(step.run, scope), stepEnv, context.variables['GITHUB_REPOSITORY'] ?? '')
    if (found === undefined) return undefined
    const used = redirectToken(stepEnv['GH_TOKEN'] ?? stepEnv['GITHUB_TOKEN'] ?? '', context)
    const { isRefused, text } =
      used === ''
        ? { isRefused: true, text: '`gh` needs a token: add GH_TOKEN to the `env` of the step' }
        : await withPermissions(used, () => merge(found, embedded.github.apiUrl, used))
    note(`played: ${text}`)
    const isRed = isRefused && !mayFail(step, scope)
    const verdict = isRefused ? paint('red', `✘ ${text}\n`) : `${paint('green', '✔')} ${text}\n`
    played.push({ title, inputs: {}, outputs: {}, verdict, isRed })
    return { outcome: isRefused ? 'failure' : 'success', conclusion: isRed ? 'failure' : 'success', outputs: {} }
  }

  async function playStep(step: Step, id: string): Promise<StepEnd> {
    const action =
      step.uses === undefined ? undefined : findOwnAction(step.uses.text, context.project, context.workspace)
    let { text: title } = step.title
    const getName = (): string => `${title} (line ${step.line})`
    const note = (text: string): void => {
      print(paint('dim', `○ ${cleanForTerminal(`${getName()}: ${text}`)}\n`))
    }
    const noteMissed = (): void => {
      played.push(createMissed(`${name}: ${getName()}`, paint))
    }
    try {
      const ofStep = evaluateTexts(step.env, getScope())
      const scope = getScope(ofStep)
      title = evaluateText(step.title, scope)
      if (!evaluateCondition(step.if, scope)) {
        note(describeSkip(step, scope))
        return SKIPPED
      }
      if (typeof action === 'object') return await playAction(action, step, ofStep, `${name}: ${getName()}`, id)
      const noteRun = (text: string): void => {
        note(`${step.if === undefined ? '' : 'its `if` is true; '}${text}`)
      }
      const merged = await playMerge(step, ofStep, `${name}: ${getName()}`, noteRun)
      if (merged !== undefined) return merged
      const [line = '', ...others] = step.run?.text.trim().split('\n') ?? []
      const what = action ?? (line || step.uses?.text) ?? title
      if (others.length > 0) noteRun(`GitHub would run it (${others.length + 1} lines, not played)`)
      else noteRun(what === step.title.text ? 'not played' : `not played, ${what}`)
      if (typeof action === 'string' && action !== REHEARSES_ALREADY) noteMissed()
    } catch (error) {
      if (!(error instanceof NotEvaluable)) throw error
      note(`not played. ${error.message}`)
      if (typeof action === 'object') noteMissed()
    }
    unplayed.push(step)
    return { outcome: 'success', conclusion: 'success', outputs: createDemoOutputs(id) }
  }

  /** Outputs from steps that are not played may need more than a demo value. */
  function getOutputs(): unknown {
    try {
      return evaluateTexts(job.outputs, getScope())
    } catch (error) {
      if (!(error instanceof NotEvaluable)) throw error
      print(paint('dim', `○ Outputs of job ${job.id}: ${cleanForTerminal(error.message)}\n`))
      return createDemoOutputs(job.id)
    }
  }

  const parallel = job.steps.find(({ isParallel }) => isParallel)
  if (parallel !== undefined)
    print(
      paint(
        'dim',
        `○ GitHub runs some steps at the same time (line ${parallel.line}). Here they are played in order.\n`,
      ),
    )
  for (const [index, step] of job.steps.entries()) {
    if (session.cancel.aborted) break
    const end = await playStep(step, step.id ?? `__step_${index + 1}`)
    if (step.id !== undefined) steps[step.id] = end
    if (end.conclusion === 'failure' || end.conclusion === 'cancelled') status = 'failure'
  }
  return { result: status, outputs: getOutputs(), played }
}

/** Ends of all jobs before a job count, also of those that it does not need itself. */
function combineStatus(before: readonly JobEnd[]): Scope['status'] {
  if (before.some(({ result }) => result === 'failure')) return 'failure'
  return before.every(({ result }) => result === 'success') ? 'success' : 'skipped'
}

/** An end as the context `needs` has it. */
const describeEnd = ({ result, outputs }: Partial<JobEnd> = {}): unknown => ({ result, outputs })

/**
 * Plays the steps of this action in a job, and lists the others.
 * @param ended the jobs before it, by id
 */
export async function playJob(context: RunContext, job: Job, ended: ReadonlyMap<string, JobEnd>): Promise<JobEnd> {
  const { print, paint } = context.session
  const note = (text: string): void => {
    print(paint('dim', `○ Job ${job.id} (line ${job.line}): ${cleanForTerminal(text)}\n`))
  }
  const needs = Object.fromEntries(job.needs.map((id) => [id, describeEnd(ended.get(id))]))
  const status = combineStatus(job.after.flatMap((id) => ended.get(id) ?? []))
  const scope: Scope = { contexts: { ...context.contexts, needs }, status }
  const notPlayed: JobEnd = { result: 'success', outputs: createDemoOutputs(job.id), played: [] }
  try {
    if (!evaluateCondition(job.if, scope)) {
      note(describeSkip(job, scope))
      return { result: 'skipped', outputs: {}, played: [] }
    }
    if (job.uses !== undefined) {
      note(`not played, it calls the reusable workflow ${job.uses.text}`)
      return notPlayed
    }
    const ends: JobEnd[] = []
    for (const matrix of listCombinations(job.matrix, scope)) {
      const values = Object.values(matrix).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      const name = values.length === 0 ? job.id : `${job.id} (${values.join(', ')})`
      if (values.length > 0) print(`\n${paint('bold', cleanForTerminal(`Job ${name}`))}\n`)
      ends.push(await playSteps(context, job, { name, needs, matrix }))
    }
    return {
      result: ends.some(({ result }) => result === 'failure') ? 'failure' : 'success',
      outputs: ends.at(-1)?.outputs ?? {},
      played: ends.flatMap(({ played }) => played),
    }
  } catch (error) {
    if (!(error instanceof NotEvaluable)) throw error
    note(`not played. ${error.message}`)
    const hasOwn = job.steps.some(
      ({ uses }) => typeof findOwnAction(uses?.text ?? '', context.project, context.workspace) === 'object',
    )
    return { ...notPlayed, played: hasOwn ? [createMissed(job.id, paint)] : [] }
  }
}
