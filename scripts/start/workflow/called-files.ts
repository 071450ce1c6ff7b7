import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getActionSchema } from '@actions/workflow-parser/actions/action-schema'
import { readTemplate } from '@actions/workflow-parser/templates/template-reader'
import type { TemplateToken } from '@actions/workflow-parser/templates/tokens/index'
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader'
import { NotEvaluable } from './expressions.ts'
import { createContext, getEntry, getText, listEntries, toLocated, type Template } from './located.ts'
import { MAX_CALL_DEPTH } from './run-model.ts'
import {
  findStepsWithoutRef,
  isLocalPath,
  readSteps,
  readWorkflow,
  type Job,
  type Step,
  type Workflow,
} from './workflow-file.ts'

type Templates = Readonly<Record<string, Template>>

/** A composite action of the reader's repository. */
export interface CompositeAction {
  /** Its file, from the root of the repository. */
  readonly file: string
  readonly defaults: Templates
  readonly outputs: Templates
  readonly steps: readonly Step[]
}

/** A path of the repository itself, such as that in `./.github/actions/setup`. */
const toPath = (uses: string): string => uses.slice(2).replace(/\/+$/, '')

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

function refuseDepth(file: string, depth: number): void {
  if (depth >= MAX_CALL_DEPTH)
    throw new NotEvaluable(`${file} would be file ${depth + 1} in a chain of calls, and ${MAX_CALL_DEPTH} are run.`)
}

const getTemplates = (entries: ReturnType<typeof listEntries>, name: string): Templates =>
  Object.fromEntries(
    entries.flatMap(([key, value]) => {
      const text = getText(getEntry(value, name))
      return text === undefined ? [] : [[key, text] as const]
    }),
  )

/** The parser's own function demands what only the Marketplace needs, such as a description. */
const ACTION_ROOT = 'action-root'

/** @throws NotEvaluable for a file that GitHub's runner would not accept */
function parseAction(file: string, content: string): TemplateToken {
  const context = createContext(getActionSchema())
  const id = context.getFileId(file)
  const reader = new YamlObjectReader(id, content)
  for (const { message, range } of reader.errors) context.error(id, message, range)
  const value = reader.errors.length > 0 ? undefined : readTemplate(context, ACTION_ROOT, reader, id)
  const problems = context.errors.getErrors().map(({ message }) => message)
  if (value === undefined || problems.length > 0) throw new NotEvaluable(problems.join(' '))
  return value
}

/**
 * Reads an action of the reader's repository.
 * @param depth how many files call each other up to the one that uses it
 * @returns undefined if it is not composite
 * @throws NotEvaluable for an action that GitHub would not find or accept
 */
export function readCompositeAction(uses: string, workspace: string, depth: number): CompositeAction | undefined {
  if (!isLocalPath(uses)) return undefined
  const folder = toPath(uses)
  if (existsSync(join(workspace, folder, 'Dockerfile'))) return undefined
  const name = ['action.yml', 'action.yaml'].find((one) => isFile(join(workspace, folder, one)))
  // The sentence of GitHub's runner.
  if (name === undefined)
    throw new NotEvaluable(`Can't find 'action.yml', 'action.yaml' or 'Dockerfile' under '${folder}'.`)
  const file = folder === '' ? name : `${folder}/${name}`
  const content = readFileSync(join(workspace, file), 'utf8')
  const root = toLocated(parseAction(file, content))
  const runs = getEntry(root, 'runs')
  if (getText(getEntry(runs, 'using'))?.text !== 'composite') return undefined
  refuseDepth(file, depth)
  const steps = readSteps(getEntry(runs, 'steps'))
  for (const { problem, line } of findStepsWithoutRef(steps))
    throw new NotEvaluable(`${file}, line ${line}: ${problem}.`)
  return {
    file,
    defaults: getTemplates(listEntries(getEntry(root, 'inputs')), 'default'),
    outputs: getTemplates(listEntries(getEntry(root, 'outputs')), 'value'),
    steps,
  }
}

/** What GitHub says about a call when it starts the workflow. */
function* findCallProblems({ call }: Workflow, { with: given, secrets }: Job): Generator<string> {
  if (call === undefined) yield 'workflow is not reusable as it is missing a `on.workflow_call` trigger'
  const [inputs, known] = [call?.inputs ?? [], call?.secrets ?? []]
  for (const { name, isRequired } of inputs)
    if (isRequired && !Object.hasOwn(given, name)) yield `Input ${name} is required, but not provided while calling.`
  for (const name of Object.keys(given))
    if (inputs.every((input) => input.name !== name))
      yield `Invalid input, ${name} is not defined in the referenced workflow.`
  if (secrets === 'inherit') return
  for (const { name, isRequired } of known)
    if (isRequired && !Object.hasOwn(secrets, name)) yield `Secret ${name} is required, but not provided while calling.`
  for (const name of Object.keys(secrets))
    if (known.every((secret) => secret.name !== name))
      yield `Invalid secret, ${name} is not defined in the referenced workflow.`
}

/**
 * Reads the reusable workflow of the reader's repository that a job calls.
 * @param depth how many files call each other up to the one that calls it
 * @throws NotEvaluable for a call that GitHub would refuse, in GitHub's words
 */
export async function readCalledWorkflow(
  job: Job,
  workspace: string,
  depth: number,
): Promise<Workflow & { readonly file: string }> {
  const file = toPath(job.uses?.text ?? '')
  refuseDepth(file, depth)
  const fail = (problem: string): never => {
    throw new NotEvaluable(`error parsing called workflow "${file}": ${problem}`)
  }
  if (!isFile(join(workspace, file))) return fail('workflow was not found.')
  const content = readFileSync(join(workspace, file), 'utf8')
  const workflow = await readWorkflow(file, content).catch((error: unknown) => fail((error as Error).message))
  for (const problem of findCallProblems(workflow, job)) fail(problem)
  return { ...workflow, file }
}
