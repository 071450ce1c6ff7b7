import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parse } from 'yaml'
import { listCodeBlocks, readMarkdownFiles, root } from './markdown-files.ts'

export interface WorkflowFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string
  readonly text: string
}

/** Reads the recipes and the workflows of this repository. */
export function readWorkflowFiles(): WorkflowFile[] {
  return ['docs/recipes', '.github/workflows'].flatMap((folder) =>
    readdirSync(`${root}${folder}`)
      .filter((name) => name.endsWith('.yml'))
      .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(`${root}${folder}/${name}`, 'utf8') })),
  )
}

export interface Workflow {
  readonly on: object
  readonly permissions?: Readonly<Record<string, string>>
  readonly concurrency?: Concurrency
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly if?: string
        readonly needs?: string | readonly string[]
        readonly uses?: string
        readonly strategy?: { readonly 'fail-fast'?: boolean }
        readonly permissions?: Readonly<Record<string, string>>
        readonly concurrency?: Concurrency
        readonly steps?: readonly { id?: string; uses?: string; with?: Readonly<Record<string, unknown>> }[]
      }
    >
  >
}

/** The recipe for the central workflow of an organisation, and the name by which its repositories call it. */
export const CENTRAL_RECIPE = 'docs/recipes/organisation-workflow.yml'
export const CENTRAL_WORKFLOW = 'your-org/workflows/.github/workflows/docs.yml@main'

interface Concurrency {
  readonly group: string
  readonly queue?: string
  readonly 'cancel-in-progress'?: boolean
}

/** Returns the permissions of a job's tokens: its own and that of an app, if it creates one. */
export function getPermissions(workflow: Workflow, job: Workflow['jobs'][string]): Record<string, unknown> {
  const app = (job.steps ?? [])
    .flatMap(({ with: given = {} }) => Object.entries(given))
    .filter(([name]) => name.startsWith('permission-'))
    // If an input decides, assume that the permission is granted.
    .map(([name, access]) => [name.replace('permission-', ''), /read|write/.exec(String(access))?.[0]] as const)
  // A job's own permissions take the place of all of the workflow's.
  return { ...(job.permissions ?? workflow.permissions), ...Object.fromEntries(app) }
}

export const AGENT_ACTION = 'your-org/docs-agent-action@v1'
/** Later steps of its job use the embedded service and GitHub. */
export const REHEARSAL_ACTION = 'your-org/docs-agent-action/emulator@v1'

/** The value of a step's input on an event without inputs, such as a push. */
export const getDefaultInput = (value: unknown): string =>
  String(value).replace(/^\$\{\{ inputs\.[\w-]+ \|\| '([^']*)' \}\}$/, '$1')

export const readWorkflow = (path: string): Workflow => parse(readFileSync(`${root}${path}`, 'utf8')) as Workflow

/** Returns the step in the README's workflow, and the name of the event that starts it first. */
export function readExampleStep(): { readonly eventName: string; readonly inputs: Readonly<Record<string, string>> } {
  const code = listCodeBlocks(readFileSync(`${root}README.md`, 'utf8'), 'yaml').find((one) => /^jobs:/m.test(one))
  const { on, jobs } = parse(code ?? '') as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])
  const given = Object.entries(steps.find(({ uses }) => uses === AGENT_ACTION)?.with ?? {})
  const inputs = given.map(([name, value]) => [name, getDefaultInput(value)] as const)
  // What is left of expressions are variables and secrets.
  const plain = inputs.filter(([, value]) => !value.startsWith('${{'))
  return { eventName: Object.keys(on)[0] ?? '', inputs: Object.fromEntries(plain) }
}

/** Replaces a call of the organisation's workflow with its jobs. */
export function expandCalls(workflow: Workflow): Workflow {
  const jobs = Object.entries(workflow.jobs).flatMap(([name, job]) =>
    job.uses === CENTRAL_WORKFLOW
      ? Object.entries(readWorkflow(CENTRAL_RECIPE).jobs).map(([called, job]) => [`${name}/${called}`, job])
      : [[name, job]],
  )
  return { ...workflow, jobs: Object.fromEntries(jobs) as Workflow['jobs'] }
}

/** Lists the recipes and the complete workflows in the documents, with calls expanded. */
export function listWorkflowsToCopy(): { readonly name: string; readonly workflow: Workflow }[] {
  const recipes = readWorkflowFiles().filter(({ path }) => path.startsWith('docs/recipes/') && path !== CENTRAL_RECIPE)
  const examples = readMarkdownFiles().flatMap(({ path, text }) =>
    listCodeBlocks(text, 'yaml')
      .filter((code) => /^jobs:/m.test(code) && code.includes(AGENT_ACTION))
      .map((code, index) => ({ name: `${path}, example ${index + 1}`, text: code })),
  )
  return [...recipes.map(({ path, text }) => ({ name: basename(path), text })), ...examples].map(({ name, text }) => ({
    name,
    workflow: expandCalls(parse(text) as Workflow),
  }))
}
