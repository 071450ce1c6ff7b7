import { dirname, join } from 'node:path'
import { cleanForTerminal } from '../terminal.ts'
import { canFail } from './advice.ts'
import { readCompositeAction, type CompositeAction } from './called-files.ts'
import {
  ENV_ID,
  evaluateCondition,
  evaluateText,
  evaluateTexts,
  hasStatusFunction,
  listDemoValues,
  NotEvaluable,
  type Scope,
} from './expressions.ts'
import { findMerge, merge } from './merge.ts'
import { findOwnAction, REHEARSES_ALREADY } from './own-actions.ts'
import {
  endStep,
  isCheckedOut,
  isIgnored,
  runOwnStep,
  redirectToken,
  withPermissions,
  type PlacedStep,
} from './run-own-step.ts'
import { createMissed, type Leg, type RunContext, type StepEnd, type Texts } from './run-model.ts'
import { isLocalPath, type Job, type Step } from './workflow-file.ts'

/** The steps of a job, or of a composite action that a step of it uses. */
interface StepList {
  readonly steps: readonly Step[]
  /** What only these steps see, such as the `inputs` of the action. */
  readonly contexts: Readonly<Record<string, unknown>>
  /** The variables of the step that uses the action. */
  readonly env: Texts
  /** The beginning of `GITHUB_ACTION`. */
  readonly prefix: string
  /** The file of the action. Undefined in a workflow. */
  readonly file?: string
  readonly depth: number
  /** The first step after these that can make the run fail. */
  readonly later?: Step | undefined
}

type Status = Scope['status']

/** The words of GitHub's runner. */
const NO_CHECKOUT = 'Did you forget to run actions/checkout before running your local action?'

/** Why a step or job does not run. */
export function describeSkip(
  { if: condition }: Pick<Job, 'if'>,
  scope: Scope,
  of: 'step' | 'job',
  { outputs }: RunContext,
): string {
  if (scope.status !== 'success' && !hasStatusFunction(condition))
    return scope.status === 'failure' ? `skipped, after a red ${of}` : `skipped, after a ${scope.status} ${of}`
  const demo = listDemoValues(condition?.text ?? '', scope).filter(({ reference }) => !reference.startsWith('vars.'))
  for (const { flag } of demo) outputs.hints.add(flag)
  const named = demo.map(({ reference, value }) => `${reference} is ${value}`).join(', ')
  return `skipped, its \`if\` is false${named === '' ? '' : `: ${named}, which only GitHub knows`}`
}

/** The variables that a script sets for later steps, by the usual ways to write them. */
function listSetVariables({ run }: Step): readonly string[] {
  if (!run?.text.includes('GITHUB_ENV')) return []
  const lines = run.text.split('\n').filter((line) => !line.includes('GITHUB_OUTPUT'))
  return lines.flatMap(
    (line) => /^\s*(?:(?:echo|printf|Write-Output)\s+)?["']?([A-Za-z_]\w*)(?:=|<<)/.exec(line)?.[1] ?? [],
  )
}

async function runComposite(leg: Leg, action: CompositeAction, placed: PlacedStep, depth: number): Promise<StepEnd> {
  const { step, scope, id, env } = placed
  const defaults = evaluateTexts(action.defaults, { ...scope, contexts: { ...scope.contexts, inputs: {} } })
  const inputs = { ...defaults, ...evaluateTexts(step.with, scope) }
  const github = {
    ...(leg.contexts['github'] as object),
    action_path: join(leg.context.workspace, dirname(action.file)),
  }
  const contexts = { github, inputs, secrets: {}, vars: {}, needs: {} }
  const { file, steps } = action
  const list = { steps, contexts, env, prefix: `${id}_`, file, depth: depth + 1, later: placed.later }
  const end = await runSteps(leg, list)
  const outcome = end.status === 'skipped' ? 'success' : end.status
  return endStep(outcome, evaluateTexts(action.outputs, end), isIgnored(step, scope))
}

/** @returns undefined for a step that merges nothing */
async function runMerge(
  leg: Leg,
  { step, title, env, scope, later }: PlacedStep,
  note: (text: string) => void,
): Promise<StepEnd | undefined> {
  const { context, stages } = leg
  const { paint } = context.session
  if (!step.run?.text.includes('gh pr merge')) return undefined
  const found = findMerge(evaluateText(step.run, scope), env, context.variables['GITHUB_REPOSITORY'] ?? '')
  if (found === undefined) return undefined
  const used = redirectToken(env['GH_TOKEN'] ?? env['GITHUB_TOKEN'] ?? '', context)
  const { isRefused, text } =
    used === ''
      ? { isRefused: true, text: '`gh` needs a token: add GH_TOKEN to the `env` of the step' }
      : await withPermissions(leg, used, () => merge(found, context.embedded.github.apiUrl, used))
  note(`run here: ${text}`)
  const verdict = isRefused ? paint('red', `✘ ${text}\n`) : `${paint('green', '✔')} ${text}\n`
  leg.stepRuns.push({ title, inputs: {}, outputs: {}, verdict, isRed: isRefused, stages, later })
  return endStep(isRefused ? 'failure' : 'success', {}, isIgnored(step, scope))
}

/**
 * Reads a composite action of the reader's repository.
 * @throws NotEvaluable for an action that GitHub would not find
 */
function readLocalAction(leg: Leg, { depth }: StepList, uses: string): CompositeAction | undefined {
  // GitHub downloads an action after `$/`, at the commit that is running (vitejs/vite#23305).
  if (uses.startsWith('$') || isCheckedOut(leg)) return readCompositeAction(uses, leg.context.workspace, depth)
  throw new NotEvaluable(`Can't find ${uses}. ${NO_CHECKOUT}`)
}

/** @param reason why a step of this project is not run */
function describeNotRun({ uses, run, title: template }: Step, title: string, reason: string | undefined): string {
  const [first = '', ...others] = run?.text.trim().split('\n') ?? []
  if (others.length > 0) return `GitHub would run it (${others.length + 1} lines, not run here)`
  const what = reason ?? (first || uses?.text) ?? title
  return what === template.text ? 'not run here' : `not run here, ${what}`
}

/** How GitHub ends a step that is not run here: green, with outputs and variables that only GitHub knows. */
function endNotRun(leg: Leg, step: Step, id: string): StepEnd {
  const { outputs } = leg.context
  leg.notRun.push(step)
  const set = outputs.createDemo(ENV_ID)
  const variables = listSetVariables(step).map((name) => [name, set.get(name).coerceString()] as const)
  leg.env = { ...leg.env, ...Object.fromEntries(variables) }
  return endStep('success', outputs.createDemo(step.id ?? id), false)
}

/** Runs a step as far as it is one of this action, merges, or is a composite action with such steps. */
async function runStep(
  leg: Leg,
  list: StepList,
  {
    step,
    id,
    later,
    getScope,
  }: Pick<PlacedStep, 'step' | 'id' | 'later'> & { readonly getScope: (env?: Texts) => Scope },
): Promise<StepEnd> {
  const { context, name } = leg
  const { print, paint } = context.session
  const { uses, line, if: condition } = step
  const action = uses === undefined ? undefined : findOwnAction(uses.text, context.project, context.workspace)
  const local = action === undefined && uses !== undefined && isLocalPath(uses.text) ? uses.text : undefined
  const file = list.file ?? context.file
  let { text: title } = step.title
  const getName = (): string => `${title} (line ${line}${file === undefined ? '' : ` of ${file}`})`
  const note = (text: string): void => {
    print(paint('dim', `○ ${cleanForTerminal(`${getName()}: ${text}`)}\n`))
  }
  const noteRun = (text: string): void => {
    note(`${condition === undefined ? '' : 'its `if` is true; '}${text}`)
  }
  const noteMissed = (): void => {
    leg.stepRuns.push(createMissed(`${name}: ${getName()}`, leg, paint))
  }
  try {
    const ofStep = evaluateTexts(step.env, getScope())
    const scope = getScope(ofStep)
    title = evaluateText(step.title, scope)
    if (!evaluateCondition(condition, scope)) {
      note(describeSkip(step, scope, 'step', context))
      return { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
    }
    const env = { ...leg.env, ...list.env, ...ofStep }
    const placed: PlacedStep = { step, id, title: `${name}: ${getName()}`, env, scope, later }
    if (typeof action === 'object') return await runOwnStep(leg, action, placed)
    const composite = local === undefined ? undefined : readLocalAction(leg, list, local)
    if (composite !== undefined) return await runComposite(leg, composite, placed, list.depth)
    const merged = await runMerge(leg, placed, noteRun)
    if (merged !== undefined) return merged
    noteRun(describeNotRun(step, title, action))
    if (typeof action === 'string' && action !== REHEARSES_ALREADY) noteMissed()
  } catch (error) {
    if (!(error instanceof NotEvaluable)) throw error
    note(`not run here. ${error.message}`)
    if (typeof action === 'object' || local !== undefined) noteMissed()
  }
  return endNotRun(leg, step, id)
}

/** Runs steps in order. @returns what the outputs of their job or action can refer to, and how the steps have ended */
export async function runSteps(leg: Leg, list: StepList): Promise<Scope> {
  const { embedded, session } = leg.context
  const ends = new Map<string, StepEnd>()
  let status: Status = 'success'
  const getScope = (ofStep: Texts = {}): Scope => ({
    contexts: {
      ...leg.contexts,
      ...list.contexts,
      steps: Object.fromEntries(ends),
      env: { ...leg.env, ...list.env, ...ofStep },
      job: { status },
    },
    status,
  })
  const parallel = list.steps.find(({ isParallel }) => isParallel)
  if (parallel !== undefined)
    session.print(
      session.paint(
        'dim',
        `○ GitHub runs some steps at the same time (line ${parallel.line}). Here they run in order.\n`,
      ),
    )
  for (const [index, step] of list.steps.entries()) {
    if (session.cancel.aborted) break
    if (leg.limit !== undefined && embedded.now() >= leg.limit.endsAtMs) status = 'cancelled'
    const id = list.prefix + (step.id ?? `__step_${index + 1}`)
    const later = list.steps.slice(index + 1).find((one) => (one.uses ?? one.run) && canFail(one)) ?? list.later
    const end = await runStep(leg, list, { step, id, later, getScope })
    if (step.id !== undefined) ends.set(step.id, end)
    if (end.conclusion === 'cancelled') status = 'cancelled'
    if (end.conclusion === 'failure' && status === 'success') status = 'failure'
  }
  return getScope()
}
