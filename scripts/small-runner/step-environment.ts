import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const COMMAND_FILES = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'] as const
export type CommandFile = (typeof COMMAND_FILES)[number]

/** What a process needs from the machine. Nothing else is handed on, so that a run does not depend on whose shell it is. */
const FROM_THE_MACHINE = [
  ...['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP'],
  ...['USERPROFILE', 'SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT'],
]

const RUNNER_OS: Readonly<Record<string, string | undefined>> = { win32: 'Windows', darwin: 'macOS' }

/** The files of one run, all of them inside one temporary folder. */
export interface StepFiles {
  readonly commandFiles: Readonly<Record<CommandFile, string>>
  readonly eventFile: string
  readonly tempFolder: string
}

/**
 * @param folder an empty folder
 * @param event the event's payload
 */
export function createStepFiles(folder: string, event: unknown): StepFiles {
  const tempFolder = join(folder, 'temp')
  const eventFile = join(folder, 'event.json')
  const paths = COMMAND_FILES.map((name) => [name, join(folder, name.toLowerCase())] as const)
  mkdirSync(tempFolder)
  writeFileSync(eventFile, JSON.stringify(event))
  for (const [, path] of paths) writeFileSync(path, '')
  return { commandFiles: Object.fromEntries(paths) as Record<CommandFile, string>, eventFile, tempFolder }
}

export interface StepSetting {
  readonly files: StepFiles
  readonly workspace: string
  readonly eventName: string
  readonly debug: boolean
  readonly inputs: Readonly<Record<string, string>>
  /** What an earlier stage of the same action saved. */
  readonly state: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
}

/** The variables that a step sees, lowest precedence first: the machine, the runner, `env` of the workflow, the inputs. */
export function stepEnvironment(
  { files, workspace, eventName, debug, inputs, state, env }: StepSetting,
  machine: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  return {
    ...Object.fromEntries(FROM_THE_MACHINE.flatMap((name) => (machine[name] ? [[name, machine[name]]] : []))),
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTOR: 'octocat',
    GITHUB_API_URL: 'https://api.github.com',
    GITHUB_GRAPHQL_URL: 'https://api.github.com/graphql',
    GITHUB_EVENT_NAME: eventName,
    GITHUB_EVENT_PATH: files.eventFile,
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
    RUNNER_TEMP: files.tempFolder,
    RUNNER_TOOL_CACHE: files.tempFolder,
    ...(debug && { RUNNER_DEBUG: '1' }),
    ...env,
    ...files.commandFiles,
    ...renamed(inputs, (name) => `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`),
    ...renamed(state, (name) => `STATE_${name}`),
  }
}

function renamed(values: Readonly<Record<string, string>>, rename: (name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]))
}
