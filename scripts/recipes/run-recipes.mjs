/**
 * Runs every workflow of docs/recipes, and the steps of docs/migrating.md, under act, a real workflow engine, as it stands in the file: against the embedded
 * service, on this machine itself, without containers. A recipe that nobody checks is an error.
 *
 *   node scripts/recipes/run-recipes.mjs <path of act> [part of a recipe's path ...]
 *
 * Needs Git, Node 24, Python 3, the development dependencies, act 0.2.89 or newer, and the registries of npm and PyPI.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commit } from '../../__tests__/support/github-state.ts'
import { codeBlocks } from '../../__tests__/support/markdown-files.ts'
import { observeGitHub } from '../../__tests__/support/observe-github.ts'
import { demoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { logLine } from '../../src/emulator/request-log.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { NODE_24 } from '../small-runner/node-24.ts'
import { CHECKS, RUN_ELSEWHERE } from './checks.mjs'
import { findGaps } from './gaps.mjs'
import { judge } from './judge.mjs'
import { playPullRequestChecks } from './pull-request-checks.mjs'
import { runAct } from './run-act.mjs'
import { SERVICE_SPEED, TIME_SETTINGS, localRepositories, packageManagers } from './setting.mjs'
import { copyAction, commitAll, makeCaller, temporaryFolder } from './temporary-repositories.mjs'

/** @typedef {import('./checks.mjs').Check} Check */

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** What act dies of, rarely, where many jobs of a matrix fetch their actions at the same moment. It is no fault of a recipe. */
const ENGINE_CRASH = 'fatal error: concurrent map'
/** From the line that a check cancels at: the engine kills at once, maybe between that line and what the step does next. */
const CANCEL_DELAY_MS = 500
const STAND_INS = join(PROJECT, 'scripts/recipes/stand-ins')

/**
 * @param {Record<string, string>} outputs
 * @param {string} url the service's address, which is another one each time
 */
function withoutAddress(outputs, url) {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, value.replaceAll(url, '<service>')]))
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
 * @param {string} act
 * @param {string} recipe
 * @param {Check} check
 * @returns {Promise<string[]>} what is not as it must be
 */
async function runCheck(act, recipe, check) {
  const { folder, remove } = temporaryFolder('docs-agent-recipe-')
  /** @type {string[]} */
  const serviceLog = []
  // The visits lie in the days before, which is where recipes look for them.
  const startMs = Date.parse(new Date().toISOString().slice(0, 10))
  const { permissions = {}, from = 'acme/docs', repositories = {}, scenarios = [] } = check.github ?? {}
  const { edits, checks: workflow } = check.github ?? {}
  const scenario = {
    ...{ ...combineScenarios(scenarios), permissions },
    ...(edits && { edits }),
    // Nothing but what really runs.
    ...(workflow && { checks: [[]], checksBefore: [] }),
  }
  const usual = demoState(scenario, startMs)
  const state = { ...usual, repositories: { ...usual.repositories, ...repositories } }
  const startedAt = performance.now()
  const checks = playPullRequestChecks({
    workflow: workflow && resolve(PROJECT, workflow),
    nowMs: () => startMs + (performance.now() - startedAt) * SERVICE_SPEED,
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
  const cancel = new AbortController()
  try {
    const { action, ...caller } = prepare(folder, recipe, check.history)
    const texts = [recipe, '.github/workflows/fleet.yml'].map((path) => readFileSync(resolve(PROJECT, path), 'utf8'))
    const artifacts = join(folder, 'artifacts')
    mkdirSync(artifacts)
    const result = await runAct({
      act,
      folder,
      ...caller,
      eventName: check.eventName ?? 'workflow_dispatch',
      event: { ...check.event, ...(check.inputs && { inputs: check.inputs }) },
      ...(check.matrix && { matrix: check.matrix }),
      vars: {
        DOCS_AGENT_BASE_URL: service.url,
        DOCS_AGENT_PROJECT_ID: service.projectId,
        DOCS_APP_ID: '1',
        ...check.vars,
      },
      secrets: {
        GITHUB_TOKEN: service.github.token,
        ...(check.secrets !== 'withheld' && { DOCS_AGENT_API_KEY: service.apiKey, DOCS_APP_PRIVATE_KEY: 'private' }),
      },
      env: {
        ARTIFACTS_FOLDER: artifacts,
        APP_TOKEN: service.github.token,
        GITHUB_REPOSITORY: from,
        GITHUB_REPOSITORY_OWNER: 'acme',
        GITHUB_RUN_ID: '42',
        GITHUB_WORKFLOW_REF: `${from}/${caller.workflow}@refs/heads/main`,
        SHA_REF: commit('b'),
        GITHUB_API_URL: service.github.apiUrl,
        // The pull requests of the service are this GitHub's.
        GITHUB_SERVER_URL: service.url,
        ...TIME_SETTINGS[check.time ?? 'tenfold'],
        ...(check.packages && packageManagers(process.env)),
      },
      node: NODE_24,
      programs: join(STAND_INS, 'bin'),
      repositories: localRepositories(texts, { action, standIns: STAND_INS }),
      cancel: cancel.signal,
      onLine: (line) => {
        if (check.cancelAt === undefined || !line.includes(check.cancelAt)) return
        setTimeout(() => {
          cancel.abort()
        }, CANCEL_DELAY_MS)
      },
    })
    if (result.log.includes(ENGINE_CRASH)) return [ENGINE_CRASH]
    const commandLog = join(artifacts, 'gh.log')
    const head = state.repositories['acme/docs']?.pulls[4]?.headSha ?? 'none'
    const commands = (existsSync(commandLog) ? readFileSync(commandLog, 'utf8').trimEnd().split('\n') : []).map(
      (command) => command.replace(head, '<head>'),
    )
    const problems = [
      ...judge(
        check.expected,
        { ...result, outputs: withoutAddress(result.outputs, service.url) },
        {
          ...{ serviceLog, github: observed.requests, commands },
          told: service.requests.map(({ prompt = '' }) => prompt).join('\n'),
          labels: Object.values(state.repositories['acme/docs']?.pulls ?? {}).flatMap((pull) => pull.labels),
          pullRequestChecks: await checks.ends(),
        },
      ),
      ...observed.violations,
    ]
    return problems.length === 0
      ? []
      : [...problems, 'What the steps printed:', result.text || result.log.slice(-4_000)]
  } finally {
    await service.close()
    remove()
  }
}

/**
 * @param {string} act
 * @param {readonly string[]} parts
 */
async function runAll(act, parts) {
  const gaps = findGaps(PROJECT, [...Object.keys(CHECKS), ...Object.keys(RUN_ELSEWHERE)])
  for (const gap of gaps) console.error(gap)
  let failed = gaps.length
  for (const [recipe, why] of Object.entries(RUN_ELSEWHERE)) console.log(`${recipe}\n  not run here: ${why}`)
  for (const [recipe, checks] of Object.entries(CHECKS)) {
    if (parts.length > 0 && !parts.some((part) => recipe.includes(part))) continue
    console.log(recipe)
    for (const check of checks) {
      const startedAt = performance.now()
      let problems = await runCheck(act, recipe, check)
      if (problems.includes(ENGINE_CRASH)) problems = await runCheck(act, recipe, check)
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      console.log(`  ${problems.length === 0 ? 'ok' : 'FAILED'} (${seconds} s): ${check.name}`)
      for (const problem of problems) console.log(problem.replaceAll(/^/gm, '    '))
      if (problems.length > 0) failed += 1
    }
  }
  process.exitCode = failed === 0 ? 0 : 1
}

const [act, ...parts] = process.argv.slice(2)
if (act === undefined) {
  console.error('Give the path of act: node scripts/recipes/run-recipes.mjs <path of act> [part of a path ...]')
  process.exitCode = 2
} else {
  await runAll(resolve(act), parts)
}
