import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeBlocks } from '../../__tests__/support/markdown-files.ts'
import { observeGitHub } from '../../__tests__/support/observe-github.ts'
import { demoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { logLine } from '../../src/emulator/request-log.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { NODE_24 } from '../small-runner/node-24.ts'
import { judge } from './judge.mjs'
import { OF_A_NEW_JOB, playPullRequestChecks } from './pull-request-checks.mjs'
import { runAct } from './run-act.mjs'
import { SERVICE_SPEED, TIME_SETTINGS, localRepositories, packageManagers } from './setting.mjs'
import { copyAction, commitAll, makeCaller, temporaryFolder } from './temporary-repositories.mjs'

/**
 * @typedef {import('./checks.mjs').Check} Check
 * @typedef {import('./checks.mjs').Run} Run
 */

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** What act dies of, rarely, where many jobs of a matrix fetch their actions at the same moment. It is no fault of a recipe. */
export const ENGINE_CRASH = 'fatal error: concurrent map'
/** From the line that a check cancels at: the engine kills at once, maybe between that line and what the step does next. */
const CANCEL_DELAY_MS = 500
/** The id of a check's first run. Those that GitHub knows from the start have lower ones. */
const FIRST_RUN = 42
const STAND_INS = join(PROJECT, 'scripts/recipes/stand-ins')

/**
 * @param {Record<string, string>} outputs
 * @param {string} url the service's address, which is another one each time
 */
function withoutAddress(outputs, url) {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, value.replaceAll(url, '<service>')]))
}

/** The service begins with pull requests of other jobs. */
function isOpenForUs(
  /** @type {import('../../src/emulator/github/pull-state.ts').PullState} */ { state, branch, labels },
) {
  return state === 'open' && (labels.length > 0 || OF_A_NEW_JOB.test(branch))
}

/**
 * A workflow of the steps in a document, one after the other.
 *
 * @param {string} folder
 * @param {string} document its path
 * @returns {string} the path of the workflow
 */
function workflowOfBlocks(folder, document) {
  const steps = codeBlocks(readFileSync(document, 'utf8'), 'yaml')
    .join('')
    .replaceAll(/^(?=.)/gm, '      ')
  const path = join(folder, 'steps.yml')
  const job = `  steps:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`
  writeFileSync(path, `on: workflow_dispatch\npermissions: {}\njobs:\n${job}`)
  return path
}

/**
 * @param {string} folder
 * @param {string} recipe
 * @param {Check['history']} history
 */
function prepare(folder, recipe, history) {
  const action = join(folder, 'action')
  copyAction(PROJECT, action)
  const path = resolve(PROJECT, recipe)
  if (recipe.endsWith('.md')) return { action, ...makeCaller(folder, workflowOfBlocks(folder, path)) }
  if (!recipe.startsWith('.github/')) return { action, ...makeCaller(folder, path, history) }
  commitAll(action)
  return { action, repository: action, workflow: recipe }
}

/**
 * Runs a workflow as GitHub does for a pull request: without secrets.
 *
 * @param {string} act
 * @param {string} workflow its path
 * @param {Record<string, string>} files
 * @param {object} event
 */
async function runOnPullRequest(act, workflow, files, event) {
  const { folder, remove } = temporaryFolder('docs-agent-checks-')
  try {
    return await runAct({
      ...{ act, folder, ...makeCaller(folder, workflow, [{ daysAgo: 0, files }]), eventName: 'pull_request', event },
      ...{ vars: {}, secrets: {}, env: packageManagers(process.env), node: NODE_24 },
      ...{ programs: join(STAND_INS, 'bin'), repositories: {} },
    })
  } finally {
    remove()
  }
}

/**
 * Runs a recipe as often as a check says. All of its runs meet the same service and the same GitHub, which knows how the runs
 * before ended.
 *
 * @param {string} act
 * @param {string} recipe
 * @param {Check} check
 * @returns {Promise<string[]>} what is not as it must be
 */
export async function runCheck(act, recipe, check) {
  const { folder, remove } = temporaryFolder('docs-agent-recipe-')
  /** @type {string[]} */
  const serviceLog = []
  // The visits lie in the days before, which is where recipes look for them.
  const startMs = Date.parse(new Date().toISOString().slice(0, 10))
  const { permissions = {}, from = 'acme/docs', repositories = {}, scenarios = [] } = check.github ?? {}
  const { edits, checks: workflow, plan } = check.github ?? {}
  const scenario = {
    ...{ ...combineScenarios(scenarios), permissions },
    ...(edits && { edits }),
    ...(plan && { checks: plan }),
    // Nothing but what really runs.
    ...(workflow && { checks: [[]], checksBefore: [] }),
  }
  const usual = demoState(scenario, startMs)
  const state = { ...usual, repositories: { ...usual.repositories, ...structuredClone(repositories) } }
  const startedAt = performance.now()
  const nowMs = () => startMs + (performance.now() - startedAt) * SERVICE_SPEED
  const checks = playPullRequestChecks({
    ...{ workflow: workflow && resolve(PROJECT, workflow), nowMs },
    run: (workflow, files, event) => runOnPullRequest(act, workflow, files, event),
  })
  const observed = observeGitHub({
    scenario,
    state,
    beforeAnswer: (_operation, _before, github) => {
      checks.look(github.state)
    },
  })
  const service = await startEmulator({
    speed: SERVICE_SPEED,
    startMs,
    github: observed.options,
    ...(check.scenario && { scenario: check.scenario }),
    onRequest: (request) => serviceLog.push(logLine(request)),
  })
  /**
   * @param {Run} run
   * @param {number} id
   * @param {{ action: string, repository: string, workflow: string }} prepared
   * @returns {Promise<string[]>}
   */
  async function runOnce(run, id, { action, ...caller }) {
    const known = { asked: observed.requests.length, logged: serviceLog.length, prompts: service.requests.length }
    const files = join(folder, `run-${id}`)
    const artifacts = join(files, 'artifacts')
    mkdirSync(artifacts, { recursive: true })
    const eventName = run.eventName ?? 'workflow_dispatch'
    const event = typeof run.event === 'function' ? run.event(state) : (run.event ?? {})
    const branch = /^refs\/heads\/(.+)$/.exec(String(event['ref']))?.[1] ?? 'main'
    const headSha = state.repositories[from]?.branches[branch] ?? state.repositories[from]?.branches['main'] ?? ''
    const texts = [recipe, '.github/workflows/fleet.yml'].map((path) => readFileSync(resolve(PROJECT, path), 'utf8'))
    const cancel = new AbortController()
    const result = await runAct({
      act,
      folder: files,
      ...caller,
      eventName,
      event: { ...event, ...(run.inputs && { inputs: run.inputs }) },
      ...(run.matrix && { matrix: run.matrix }),
      vars: {
        DOCS_AGENT_BASE_URL: service.url,
        DOCS_AGENT_PROJECT_ID: service.projectId,
        DOCS_APP_CLIENT_ID: '1',
        ...run.vars,
      },
      secrets: {
        GITHUB_TOKEN: service.github.token,
        ...(run.secrets !== 'withheld' && { DOCS_AGENT_API_KEY: service.apiKey, DOCS_APP_PRIVATE_KEY: 'private' }),
      },
      env: {
        ARTIFACTS_FOLDER: artifacts,
        APP_TOKEN: service.github.token,
        GITHUB_REPOSITORY: from,
        GITHUB_REPOSITORY_OWNER: 'acme',
        GITHUB_RUN_ID: String(id),
        GITHUB_WORKFLOW_REF: `${from}/${caller.workflow}@refs/heads/main`,
        SHA_REF: headSha,
        GITHUB_API_URL: service.github.apiUrl,
        // The pull requests of the service are this GitHub's.
        GITHUB_SERVER_URL: service.url,
        ...TIME_SETTINGS[run.time ?? 'tenfold'],
        ...(check.packages && packageManagers(process.env)),
      },
      node: NODE_24,
      programs: join(STAND_INS, 'bin'),
      repositories: localRepositories(texts, { action, standIns: STAND_INS }),
      cancel: cancel.signal,
      onLine: (line) => {
        if (run.cancelAt === undefined || !line.includes(run.cancelAt)) return
        setTimeout(() => {
          cancel.abort()
        }, CANCEL_DELAY_MS)
      },
    })
    if (result.log.includes(ENGINE_CRASH)) return [ENGINE_CRASH]
    state.repositories[from]?.workflowRuns.push({
      ...{ id, workflow: basename(caller.workflow), branch, headSha, event: eventName, createdAtMs: nowMs() },
      ...{ status: 'completed', conclusion: result.exitCode === 0 ? 'success' : 'failure' },
    })
    const commandLog = join(artifacts, 'gh.log')
    const pulls = Object.entries(state.repositories['acme/docs']?.pulls ?? {})
    const head = pulls.find(([number]) => number === '4')?.[1].headSha ?? 'none'
    const commands = (existsSync(commandLog) ? readFileSync(commandLog, 'utf8').trimEnd().split('\n') : []).map(
      (command) => command.replace(head, '<head>'),
    )
    const problems = judge(
      run.expected,
      { ...result, outputs: withoutAddress(result.outputs, service.url) },
      {
        ...{ serviceLog: serviceLog.slice(known.logged), github: observed.requests.slice(known.asked), commands },
        told: service.requests
          .slice(known.prompts)
          .map(({ prompt = '' }) => prompt)
          .join('\n'),
        labels: pulls.flatMap(([, pull]) => pull.labels),
        open: pulls.filter(([, pull]) => isOpenForUs(pull)).map(([number]) => Number(number)),
        pullRequestChecks: await checks.ends(),
      },
    )
    return problems.length === 0
      ? []
      : [...problems, 'What the steps printed:', result.text || result.log.slice(-4_000)]
  }

  try {
    const prepared = prepare(folder, recipe, check.history)
    state.repositories[from]?.workflows.push(basename(prepared.workflow))
    /** @type {Run[]} */
    const runs = [
      check,
      ...(check.then ?? []).map((run) => ({ ...check, secrets: /** @type {const} */ ('given'), ...run })),
    ]
    for (const [index, run] of runs.entries()) {
      const problems = await runOnce(run, FIRST_RUN + index, prepared)
      if (problems.length > 0) return index === 0 ? problems : [`In run ${index + 1}:`, ...problems]
    }
    return observed.violations.slice()
  } finally {
    await service.close()
    remove()
  }
}
