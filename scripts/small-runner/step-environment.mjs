import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {'GITHUB_OUTPUT' | 'GITHUB_ENV' | 'GITHUB_PATH' | 'GITHUB_STATE' | 'GITHUB_STEP_SUMMARY'} CommandFile */

/** @type {readonly CommandFile[]} */
const COMMAND_FILES = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY']

/** What a process needs from the machine. Nothing else is handed on, so that a run does not depend on whose shell it is. */
const FROM_THE_MACHINE = [
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

const RUNNER_OS = /** @type {Record<string, string | undefined>} */ ({ win32: 'Windows', darwin: 'macOS' })

/**
 * @typedef {object} StepFiles the files of one run, all of them inside one temporary folder
 * @property {Record<CommandFile, string>} commandFiles
 * @property {string} eventFile
 * @property {string} tempFolder
 */

/**
 * @param {string} folder an empty folder
 * @param {unknown} event the event's payload
 * @returns {StepFiles}
 */
export function createStepFiles(folder, event) {
  const at = (/** @type {CommandFile} */ name) => join(folder, name.toLowerCase())
  const tempFolder = join(folder, 'temp')
  const eventFile = join(folder, 'event.json')
  mkdirSync(tempFolder)
  writeFileSync(eventFile, JSON.stringify(event))
  for (const name of COMMAND_FILES) writeFileSync(at(name), '')
  return {
    commandFiles: {
      GITHUB_OUTPUT: at('GITHUB_OUTPUT'),
      GITHUB_ENV: at('GITHUB_ENV'),
      GITHUB_PATH: at('GITHUB_PATH'),
      GITHUB_STATE: at('GITHUB_STATE'),
      GITHUB_STEP_SUMMARY: at('GITHUB_STEP_SUMMARY'),
    },
    eventFile,
    tempFolder,
  }
}

/**
 * The variables that a step sees, lowest precedence first: the machine, the runner, `env` of the workflow, the inputs.
 *
 * @param {object} options
 * @param {StepFiles} options.files
 * @param {string} options.workspace
 * @param {string} options.eventName
 * @param {boolean} options.debug
 * @param {Record<string, string>} options.inputs
 * @param {Record<string, string>} options.state what an earlier stage of the same action saved
 * @param {Record<string, string>} options.env
 * @param {NodeJS.ProcessEnv} [machine]
 * @returns {Record<string, string>}
 */
export function stepEnvironment({ files, workspace, eventName, debug, inputs, state, env }, machine = process.env) {
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
    ...withNames(inputs, (name) => `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`),
    ...withNames(state, (name) => `STATE_${name}`),
  }
}

/**
 * @param {Record<string, string>} values
 * @param {(name: string) => string} rename
 * @returns {Record<string, string>}
 */
function withNames(values, rename) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]))
}
