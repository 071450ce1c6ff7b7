import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { observeGitHub } from '../../testing/observe-github.ts'
import { CENTRAL_RECIPE, expandCalls, getPermissions, type Workflow } from '../../testing/workflow-files.ts'
import { createDemoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import type { GitHubState, TokenPermissions } from '../../src/emulator/github/state.ts'
import { type Emulator, startEmulator } from '../../src/emulator/server.ts'
import { timesFaster } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { readActLog } from './act-log.ts'
import { type Chat, openChat } from './chat.ts'
import type { Check, Payload, Run } from './check.ts'
import { findProblems, listPrompts, readGitHubState } from './find-problems.ts'
import { runAct } from './run-act.ts'
import { mapLocalRepositories, getPackageManagerVariables } from './run-environment.ts'
import { createRepositories, readWorkflowText } from './temporary-repositories.ts'

/** act rarely crashes with this error if many jobs of a matrix fetch their actions at the same moment. */
export const ENGINE_CRASH = 'fatal error: concurrent map'
/** The runs that GitHub has from the start have lower ids. */
const FIRST_RUN_ID = 42
/** The factors by which time runs faster. A poll interval of 10 seconds takes one second. */
const [SERVICE_SPEED, STEP_SPEED] = [10, 10]
const DEFAULT_EVENTS: Readonly<Record<string, Payload>> = {
  push: { ref: 'refs/heads/main', before: 'a'.repeat(40), after: 'b'.repeat(40) },
}

const getRepository = (run: Run, check: Check): string => run.from ?? check.from ?? 'acme/docs'

/** Returns the permissions of all tokens of a workflow. */
function collectPermissions(workflow: Workflow): TokenPermissions {
  const jobs = Object.values(expandCalls(workflow).jobs)
  return Object.assign({}, ...jobs.map((job) => getPermissions(workflow, job))) as TokenPermissions
}

/** Returns the branch or tag that GitHub records for a run. For a release, this is its tag. */
function findRefName({ ref, release }: Payload): string {
  const tag = (release as { readonly tag_name?: string } | undefined)?.tag_name
  return tag ?? /^refs\/heads\/(.+)$/.exec(String(ref))?.[1] ?? 'main'
}

/** Triggers the event of a run. Returns it with the branch of the run and its head commit. */
function resolveStart(run: Run, check: Check, state: GitHubState, defaultEvent: string) {
  const { eventName = defaultEvent, inputs, event: trigger = DEFAULT_EVENTS[eventName] ?? {} } = { ...check, ...run }
  const event = typeof trigger === 'function' ? trigger(state) : trigger
  const from = getRepository(run, check)
  const { branches = {} } = state.repositories[from] ?? {}
  const branch = findRefName(event)
  const headSha = branches[branch] ?? branches['main'] ?? ''
  // Scheduled runs have no repository (zephyrproject-rtos/zephyr#49041).
  const repository = { name: from.split('/')[1], full_name: from }
  const common = { ...(eventName !== 'schedule' && { repository }), ...(inputs && { inputs }) }
  return { eventName, event: { ...common, ...event }, from, branch, headSha }
}

/** Lists the repositories that the app is installed in. */
const appRepositories = ({ others = {} }: Check): string => ['acme/docs', 'acme/code', ...Object.keys(others)].join(',')

/** The paths of programs. */
export interface Programs {
  readonly act: string
  /** Evaluates `--jq`, as a part of gh does. */
  readonly gojq: string
}

interface Servers {
  readonly service: Emulator
  readonly chat: Chat
}

function createSettings({ service, chat }: Servers, check: Check, run: Run) {
  const { url, projectId, apiKey, github } = service
  const defaults = { DOCS_AGENT_BASE_URL: url, DOCS_AGENT_PROJECT_ID: projectId, DOCS_APP_CLIENT_ID: '1' }
  return {
    vars: { ...defaults, ...check.vars, ...run.vars },
    secrets: {
      GITHUB_TOKEN: github.token,
      ...(check.hasChat === true && { CHAT_WEBHOOK_URL: chat.url }),
      ...(run.secrets !== 'withheld' && { DOCS_AGENT_API_KEY: apiKey, DOCS_APP_PRIVATE_KEY: 'private' }),
    },
    env: {
      APP_TOKEN: github.token,
      APP_REPOSITORIES: appRepositories(check),
      GITHUB_REPOSITORY: getRepository(run, check),
      GITHUB_REPOSITORY_OWNER: 'acme',
      GITHUB_API_URL: github.apiUrl,
      // The pull requests of the service are on this GitHub.
      GITHUB_SERVER_URL: url,
      ...(check.isRealTime ? {} : preload(timesFaster(STEP_SPEED))),
      ...getPackageManagerVariables(process.env),
    },
  }
}

/**
 * Runs a recipe for each run of a check, against one service and one GitHub, which knows the results of earlier runs.
 * The token has the permissions that the workflow grants.
 * @returns the problems of the first run that has any
 */
export async function runCheck(programs: Programs, recipe: string, check: Check): Promise<string[]> {
  const { path: folder, remove } = openScratchFolder('docs-agent-recipe-')
  const { docs, code, others, projects, scenario, scenarios = [], edits, plan } = check
  const text = readWorkflowText(recipe, check.changes)
  const workflow = parse(text) as Workflow
  const [defaultEvent = ''] = typeof workflow.on === 'string' ? [workflow.on] : Object.keys(workflow.on)
  // The recipes read the visits of the days before, so the service starts at midnight.
  const startMs = Date.parse(new Date().toISOString().slice(0, 10))
  const gitHubScenario = {
    ...combineScenarios(scenarios),
    permissions: collectPermissions(workflow),
    ...(edits && { edits }),
    ...(plan && { checks: plan }),
  }
  const state = createDemoState(gitHubScenario, startMs)
  const given = { ...(docs && { 'acme/docs': docs }), ...(code && { 'acme/code': code }), ...others }
  Object.assign(state.repositories, structuredClone(given))
  let beforeMerge: Run['beforeMerge']
  const observed = observeGitHub({
    scenario: gitHubScenario,
    state,
    onBeforeResponse: (operation) => {
      if (operation === 'pulls/merge') beforeMerge?.(state)
    },
  })
  const service = await startEmulator({
    speed: SERVICE_SPEED,
    startMs,
    github: observed.options,
    ...(scenario && { scenario }),
    ...(projects && { repositories: projects }),
  })
  // The agent's earlier work.
  service.github.catchUp(startMs)
  const chat = await openChat()
  const caller = createRepositories(folder, recipe, text, check.history)
  const file = basename(caller.workflow)
  for (const from of new Set(check.runs.map((run) => getRepository(run, check))))
    state.repositories[from]?.workflows.push(file)

  async function runAndCheck(run: Run, id: number): Promise<string[]> {
    const [gitHubRequests, serviceRequests] = [observed.requests.length, service.requests.length]
    const files = join(folder, `run-${id}`)
    const { attempt = 1, matrix = check.matrix ?? [] } = run
    const runId = attempt === 1 ? id : FIRST_RUN_ID
    const commandLog = join(files, 'gh.log')
    mkdirSync(files)
    const { from, branch, headSha, ...begin } = resolveStart(run, check, state, defaultEvent)
    const { env, ...given } = createSettings({ service, chat }, check, run)
    beforeMerge = run.beforeMerge
    const { exitCode, log } = await runAct({
      act: programs.act,
      folder: files,
      ...caller,
      ...begin,
      ...given,
      matrix,
      env: {
        ...env,
        GOJQ: programs.gojq,
        GH_LOG: commandLog,
        GITHUB_RUN_ID: String(runId),
        GITHUB_RUN_ATTEMPT: String(attempt),
        GITHUB_WORKFLOW_REF: `${from}/${caller.workflow}@refs/heads/main`,
        SHA_REF: headSha,
      },
      repositories: mapLocalRepositories([text, readWorkflowText(CENTRAL_RECIPE)], folder),
    })
    if (log.includes(ENGINE_CRASH)) return [ENGINE_CRASH]
    const result = readActLog(log.replaceAll(service.url, '<service>'))
    const conclusion = exitCode !== 0 ? 'failure' : result.jobs.length === 0 ? 'skipped' : 'success'
    const ended = { id, workflow: file, branch, headSha, event: begin.eventName, createdAtMs: startMs + id, conclusion }
    state.repositories[from]?.workflowRuns.push({ ...ended, conclusion, status: 'completed' })
    // The service's URL differs in each run.
    const hideUrl = (text: string): string => text.replaceAll(service.url, '<service>')
    const requests = service.requests.slice(serviceRequests)
    const seen = readGitHubState(state, commandLog)
    const problems = findProblems(run, {
      ...result,
      ...seen,
      commands: seen.commands.map(hideUrl),
      posted: seen.posted.map(hideUrl),
      chat: chat.takeMessages().map(hideUrl),
      isRed: exitCode !== 0,
      prompts: listPrompts(requests),
      promptTexts: requests.map(({ prompt = '' }) => prompt).join('\n'),
      github: observed.requests.slice(gitHubRequests),
    })
    if (problems.length === 0) return []
    return [
      `In run ${id - FIRST_RUN_ID + 1}:`,
      ...problems,
      'What the steps printed:',
      result.printed || log.slice(-4_000),
    ]
  }

  try {
    for (const [index, run] of check.runs.entries()) {
      const problems = await runAndCheck(run, FIRST_RUN_ID + index)
      if (problems.length > 0) return problems
    }
    return observed.violations.slice()
  } finally {
    await service.close()
    await chat.close()
    remove()
  }
}
