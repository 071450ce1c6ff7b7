import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import * as z from 'zod'
import { runAction } from '../../scripts/small-runner/run-action.ts'
import { parseKeyValuePairs, readCommandFile } from '../../scripts/small-runner/file-commands.ts'
import { createStepFiles, stepEnvironment } from '../../scripts/small-runner/step-environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).default({})

const stepSchema = z.strictObject({
  id: z.string(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: texts,
  env: texts,
  run: z.string().optional(),
})

/** The part of a workflow that is played here. Whatever else one holds is refused, so that nothing is passed over. */
const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.unknown(),
  permissions: z.unknown().optional(),
  concurrency: z.unknown().optional(),
  jobs: z.record(
    z.string(),
    z.strictObject({
      'runs-on': z.string(),
      'timeout-minutes': z.number().optional(),
      env: texts,
      steps: z.array(stepSchema),
    }),
  ),
})

type Step = z.infer<typeof stepSchema>
type Texts = Readonly<Record<string, string>>

export interface PlayedStep {
  readonly conclusion: 'success' | 'failure' | 'cancelled' | 'skipped'
  readonly outputs: Texts
  /** What the step printed, nothing masked. */
  readonly output: string
}

export interface WorkflowSetting {
  readonly vars: Texts
  readonly secrets: Texts
  /** Runs the actions. */
  readonly node: string
  /** Variables of the runner itself, below those of the workflow. */
  readonly env?: Texts
  /** What the workflow may read of `github`; without it, nothing. */
  readonly github?: Texts
  /** By default `schedule`, with a payload that says nothing. */
  readonly eventName?: string
  readonly event?: unknown
  /** Stand-ins for actions of others, by what `uses` names: they give outputs for inputs. */
  readonly actions?: Readonly<Record<string, (inputs: Texts) => Texts>>
}

export interface PlayedWorkflow {
  /** By their ids. A step after one that failed was skipped, as was one whose condition did not hold. */
  readonly steps: Readonly<Record<string, PlayedStep>>
  readonly workspace: string
}

const SKIPPED: PlayedStep = { conclusion: 'skipped', outputs: {}, output: '' }

/** What `steps.a.outputs.b`, `vars.A`, `secrets.A` or `env.A` stands for: empty where there is no such thing, as on GitHub. */
type LookUp = (reference: string) => string

/** Empty where the event has no such text. */
function fieldOf(event: unknown, fields: string): string {
  const found = fields
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], event)
  return typeof found === 'string' ? found : ''
}

function createLookUp(
  { vars, secrets, github, event }: WorkflowSetting,
  env: Texts,
  steps: Readonly<Record<string, PlayedStep>>,
): LookUp {
  const contexts: Readonly<Record<string, Texts>> = { vars, secrets, env, ...(github && { github }) }
  const lookUp: LookUp = (reference) => {
    const [, first, otherwise] = /^(\S+) \|\| '([^']*)'$/.exec(reference) ?? []
    if (first !== undefined && otherwise !== undefined) return lookUp(first) || otherwise
    const [, id, output] = /^steps\.([\w-]+)\.outputs\.([\w-]+)$/.exec(reference) ?? []
    if (id !== undefined && output !== undefined) {
      if (steps[id] === undefined) throw new Error(`There is no step ${id} before this one.`)
      return steps[id].outputs[output] ?? ''
    }
    const fields = /^github\.event\.([\w.]+)$/.exec(reference)?.[1]
    if (fields !== undefined) return fieldOf(event, fields)
    const [, context = '', name = ''] = /^(\w+)\.(\w+)$/.exec(reference) ?? []
    const values = contexts[context]
    if (values === undefined) throw new Error(`This expression is not known here: ${reference}`)
    return values[name] ?? ''
  }
  return lookUp
}

function fillIn(given: Texts, lookUp: LookUp): Record<string, string> {
  const fill = (template: string): string =>
    template.replaceAll(/\$\{\{(.*?)\}\}/g, (_all, reference: string) => lookUp(reference.trim()))
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, fill(text)]))
}

function holds(condition: string | undefined, lookUp: LookUp): boolean {
  if (condition === undefined) return true
  return condition.split(' && ').every((part) => holdsAlone(part.trim(), lookUp))
}

function holdsAlone(condition: string, lookUp: LookUp): boolean {
  const [, reference, operator, value] = /^(\S+) (==|!=) '([^']*)'$/.exec(condition) ?? []
  if (reference === undefined) throw new Error(`This condition is not known here: ${condition}`)
  return (lookUp(reference) === value) === (operator === '==')
}

async function playAction(
  uses: string,
  inputs: Texts,
  env: Texts,
  workspace: string,
  { node, github, eventName = 'schedule', event, actions }: WorkflowSetting,
): Promise<PlayedStep> {
  const standIn = actions?.[uses]
  if (standIn !== undefined) return { conclusion: 'success', outputs: standIn(inputs), output: '' }
  const [, folder] = /^your-org\/docs-agent-action((?:\/[a-z-]+)?)@v1$/.exec(uses) ?? []
  if (folder === undefined) throw new Error(`This action is not known here: ${uses}`)
  const { conclusion, outputs, rawOutput } = await runAction({
    action: join(ROOT, folder),
    node,
    workspace,
    inputs,
    env,
    eventName,
    ...(event !== undefined && { event }),
    githubToken: github?.['token'] ?? '',
  })
  return { conclusion, outputs, output: rawOutput }
}

/** Not synchronously: a script may ask the server of this very process. */
async function playScript(script: string, env: Texts, workspace: string): Promise<PlayedStep> {
  if (script.includes('${{')) throw new Error('An expression in a script lets a text from outside become a part of it.')
  const files = createStepFiles(temporaryFolder(), {})
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: stepEnvironment({ files, workspace, eventName: 'schedule', debug: false, inputs: {}, state: {}, env }),
  })
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = (await closed) as [number | null]
  const { pairs, error } = parseKeyValuePairs(readCommandFile(files.commandFiles.GITHUB_OUTPUT).text)
  const isGood = status === 0 && error === undefined
  return { conclusion: isGood ? 'success' : 'failure', outputs: Object.fromEntries(pairs), output: stdout + stderr }
}

async function playStep(
  step: Step,
  env: Texts,
  lookUp: LookUp,
  setting: WorkflowSetting,
  workspace: string,
): Promise<PlayedStep> {
  const variables = { ...setting.env, ...env, ...fillIn(step.env, lookUp) }
  if (step.uses !== undefined && step.run === undefined) {
    return playAction(step.uses, fillIn(step.with, lookUp), variables, workspace, setting)
  }
  if (step.run === undefined || Object.keys(step.with).length > 0)
    throw new Error(`Step ${step.id} is neither an action nor a script.`)
  return playScript(step.run, variables, workspace)
}

/**
 * Plays a workflow of one job, as GitHub would with the actions of this repository.
 * @throws Error at the first thing that it does not know
 */
export async function playWorkflow(yaml: string, setting: WorkflowSetting): Promise<PlayedWorkflow> {
  const [job, ...others] = Object.values(workflowSchema.parse(parse(yaml)).jobs)
  if (job === undefined || others.length > 0) throw new Error('Only a workflow of one job can be played.')
  const workspace = temporaryFolder()
  const steps: Record<string, PlayedStep> = {}
  const env = fillIn(job.env, createLookUp(setting, {}, steps))
  let isGood = true
  for (const step of job.steps) {
    const lookUp = createLookUp(setting, env, steps)
    const played: PlayedStep =
      isGood && holds(step.if, lookUp) ? await playStep(step, env, lookUp, setting, workspace) : SKIPPED
    steps[step.id] = played
    isGood &&= played.conclusion === 'success' || played.conclusion === 'skipped'
  }
  return { steps, workspace }
}
