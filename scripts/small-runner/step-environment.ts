import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const COMMAND_FILES = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'] as const
export type CommandFile = (typeof COMMAND_FILES)[number]

type Texts = Readonly<Record<string, string>>

/** What a step gets from its workflow and its run. */
export interface StepContext {
  /** The workflow's `env`. */
  readonly env?: Texts
  /** The state that an earlier stage saved. */
  readonly state?: Texts
  readonly eventName?: string
  readonly event?: unknown
  /** Default: the current folder. */
  readonly workspace?: string
  /** Enables step debug logging. */
  readonly debug?: boolean
}

/**
 * Variables that a process needs from the machine. Others are not passed on, so that a run does not depend on the user's
 * shell.
 */
const MACHINE_VARIABLES = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'SystemRoot',
  'SystemDrive',
  'ComSpec',
  'PATHEXT',
]

const RUNNER_OS: Readonly<Record<string, string | undefined>> = { win32: 'Windows', darwin: 'macOS' }

export function createCommandFiles(folder: string): Readonly<Record<CommandFile, string>> {
  const paths = COMMAND_FILES.map((name) => [name, join(folder, name.toLowerCase())] as const)
  for (const [, path] of paths) writeFileSync(path, '')
  return Object.fromEntries(paths) as Record<CommandFile, string>
}

/**
 * The environment of a step, lowest precedence first: the machine, the runner, the workflow's `env`, the inputs.
 * @param folder an empty folder for the event and temporary files
 */
export function stepEnvironment(context: StepContext, inputs: Texts, folder: string): Record<string, string> {
  const { workspace = process.cwd(), eventName = 'workflow_dispatch', event = {}, debug, state = {}, env } = context
  const eventFile = join(folder, 'event.json')
  const tempFolder = join(folder, 'temp')
  writeFileSync(eventFile, JSON.stringify(event))
  mkdirSync(tempFolder)
  return {
    ...Object.fromEntries(MACHINE_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTOR: 'octocat',
    GITHUB_API_URL: 'https://api.github.com',
    GITHUB_GRAPHQL_URL: 'https://api.github.com/graphql',
    GITHUB_EVENT_NAME: eventName,
    GITHUB_EVENT_PATH: eventFile,
    GITHUB_JOB: 'docs',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_REF_NAME: 'main',
    GITHUB_REF_TYPE: 'branch',
    GITHUB_REPOSITORY: 'acme/docs',
    GITHUB_REPOSITORY_OWNER: 'acme',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_RUN_ID: '1',
    GITHUB_RUN_NUMBER: '1',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_SHA: '0'.repeat(40),
    GITHUB_WORKFLOW: 'Docs',
    GITHUB_WORKSPACE: workspace,
    RUNNER_ARCH: process.arch.toUpperCase(),
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_NAME: 'small-runner',
    RUNNER_OS: RUNNER_OS[process.platform] ?? 'Linux',
    RUNNER_TEMP: tempFolder,
    RUNNER_TOOL_CACHE: tempFolder,
    ...(debug === true && { RUNNER_DEBUG: '1' }),
    ...env,
    ...renameKeys(inputs, (name) => `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`),
    ...renameKeys(state, (name) => `STATE_${name}`),
  }
}

function renameKeys(values: Texts, rename: (name: string) => string): Texts {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]))
}
