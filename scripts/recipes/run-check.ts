import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { observeGitHub } from '../../__tests__/support/observe-github.ts'
import { CENTRAL_RECIPE, expandCalls, granted, type Workflow } from '../../__tests__/support/workflow-files.ts'
import { createDemoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import type { GitHubState, Permissions } from '../../src/emulator/github/state.ts'
import { createCertificate } from '../../src/emulator/http/self-signed-certificate.ts'
import { type Emulator, startEmulator } from '../../src/emulator/server.ts'
import { timesFaster } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { readActLog } from './act-log.ts'
import { type Chat, openChat } from './chat.ts'
import type { Check, Payload, Run } from './check.ts'
import { judge, promptsIn, seenIn } from './judge.ts'
import { runAct } from './run-act.ts'
import { findGh, localRepositories, packageManagers } from './setting.ts'
import { prepare, workflowText } from './temporary-repositories.ts'

/** What act dies of, rarely, where many jobs of a matrix fetch their actions at the same moment. It is no fault of a recipe. */
export const ENGINE_CRASH = 'fatal error: concurrent map'
/** From the line that a check cancels at: the engine kills at once, maybe between that line and what the step does next. */
const CANCEL_DELAY_MS = 500
/** The id of a check's first run. Those that GitHub knows from the start have lower ones. */
const FIRST_RUN = 42
/** Workflows that recipes call. */
const CALLED = ['.github/workflows/fleet.yml', CENTRAL_RECIPE]
/** `18–24 November 2026`, as `Intl` writes it. */
const DATE_RANGE = /\b\d{1,2}(?: [A-Z][a-z]+)?(?: \d{4})?\s?–\s?\d{1,2} [A-Z][a-z]+ \d{4}\b/g
/** How fast the service's time runs. With that of the steps their 10 seconds between two looks take one. */
const [SERVICE_SPEED, STEP_SPEED] = [30, 10]
const USUAL_EVENTS: Readonly<Record<string, Payload>> = {
  push: { ref: 'refs/heads/main', before: 'a'.repeat(40), after: 'b'.repeat(40) },
}

const getRepository = (run: Run, check: Check): string => run.from ?? check.from ?? 'acme/docs'

/** What the tokens of a workflow may do, those of the fleet included. */
function getPermissions(workflow: Workflow): Permissions {
  const jobs = Object.values(expandCalls(workflow).jobs)
  const isFleet = jobs.some(({ uses = '' }) => uses.includes('/fleet.yml@'))
  const called = isFleet ? getPermissions(parse(workflowText('.github/workflows/fleet.yml')) as Workflow) : {}
  const own = Object.assign({}, ...jobs.map((job) => granted(workflow, job))) as Permissions
  return { ...called, ...own }
}

/** The branch or tag that GitHub records a run with: of a release its tag. */
function findRefName({ ref, release }: Payload): string {
  const tag = (release as { readonly tag_name?: string } | undefined)?.tag_name
  return tag ?? /^refs\/heads\/(.+)$/.exec(String(ref))?.[1] ?? 'main'
}

/** Where a run begins: the event, and the branch that it is on with its head. */
function beginOf(run: Run, check: Check, state: GitHubState, usualEvent: string) {
  const { eventName = usualEvent, inputs, event: happening = USUAL_EVENTS[eventName] ?? {} } = { ...check, ...run }
  const event = typeof happening === 'function' ? happening(state) : happening
  const from = getRepository(run, check)
  const { branches = {} } = state.repositories[from] ?? {}
  const branch = findRefName(event)
  const headSha = branches[branch] ?? branches['main'] ?? ''
  return { eventName, event: { ...event, ...(inputs && { inputs }) }, from, branch, headSha }
}

/** The repositories that the docs app is installed in: all that the workflow or a project of it can use. */
const appRepositories = ({ others = {} }: Check): string => ['acme/docs', 'acme/code', ...Object.keys(others)].join(',')

interface Surroundings {
  readonly service: Emulator
  readonly chat: Chat
  readonly certificateFile: string
}

function givenBy({ service, chat, certificateFile }: Surroundings, check: Check, run: Run) {
  const { url, projectId, apiKey, github } = service
  const usual = { DOCS_AGENT_BASE_URL: url, DOCS_AGENT_PROJECT_ID: projectId, DOCS_APP_CLIENT_ID: '1' }
  return {
    vars: { ...usual, ...check.vars, ...run.vars },
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
      // The pull requests of the service are this GitHub's.
      GITHUB_SERVER_URL: url,
      EMBEDDED_GH_HOST: github.host ?? '',
      EMBEDDED_CERTIFICATE: certificateFile,
      REAL_GH: findGh() ?? '',
      ...(check.isRealTime ? {} : preload(timesFaster(STEP_SPEED))),
      ...packageManagers(process.env),
    },
  }
}

/**
 * Runs a recipe as often as a check says. All of its runs meet the same service and the same GitHub, which knows how the runs
 * before ended. The token may do what the workflow grants it.
 * @returns what is not as it must be
 */
export async function runCheck(act: string, recipe: string, check: Check): Promise<string[]> {
  const { path: folder, remove } = openScratchFolder('docs-agent-recipe-')
  const { docs, code, others, projects, scenario, scenarios = [], edits, plan, cancelAt } = check
  const text = workflowText(recipe)
  const workflow = parse(text) as Workflow
  const [usualEvent = ''] = typeof workflow.on === 'string' ? [workflow.on] : Object.keys(workflow.on)
  // The visits lie in the days before, which is where recipes look for them.
  const startMs = Date.parse(new Date().toISOString().slice(0, 10))
  const gitHubScenario = {
    ...combineScenarios(scenarios),
    permissions: getPermissions(workflow),
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
    onBeforeResponse: (_operation, _before, _github, body) => {
      if (body.includes('mergePullRequest')) beforeMerge?.(state)
    },
  })
  const certificate = createCertificate()
  const certificateFile = join(folder, 'certificate.pem')
  writeFileSync(certificateFile, certificate.cert)
  const service = await startEmulator({
    speed: SERVICE_SPEED,
    startMs,
    certificate,
    github: observed.options,
    ...(scenario && { scenario }),
    ...(projects && { repositories: projects }),
  })
  const chat = await openChat()
  const caller = prepare(folder, recipe, check.history)
  const file = basename(caller.workflow)
  for (const from of new Set(check.runs.map((run) => getRepository(run, check))))
    state.repositories[from]?.workflows.push(file)

  async function playAndJudge(run: Run, id: number): Promise<string[]> {
    const [asked, sent] = [observed.requests.length, service.requests.length]
    const files = join(folder, `run-${id}`)
    const artifacts = join(files, 'artifacts')
    mkdirSync(artifacts, { recursive: true })
    const { from, branch, headSha, ...begin } = beginOf(run, check, state, usualEvent)
    const { env, ...given } = givenBy({ service, chat, certificateFile }, check, run)
    const cancel = new AbortController()
    beforeMerge = run.beforeMerge
    const { exitCode, log } = await runAct({
      act,
      folder: files,
      ...caller,
      ...begin,
      ...given,
      matrix: check.matrix ?? [],
      env: {
        ...env,
        ARTIFACTS_FOLDER: artifacts,
        GITHUB_RUN_ID: String(id),
        GITHUB_WORKFLOW_REF: `${from}/${caller.workflow}@refs/heads/main`,
        SHA_REF: headSha,
      },
      repositories: localRepositories([text, ...CALLED.map(workflowText)], folder),
      cancel: cancel.signal,
      onLine: (line) => {
        if (cancelAt !== undefined && line.includes(cancelAt)) setTimeout(cancel.abort.bind(cancel), CANCEL_DELAY_MS)
      },
    })
    if (log.includes(ENGINE_CRASH)) return [ENGINE_CRASH]
    const conclusion = exitCode === 0 ? 'success' : 'failure'
    const ended = { id, workflow: file, branch, headSha, event: begin.eventName, createdAtMs: startMs + id, conclusion }
    state.repositories[from]?.workflowRuns.push({ ...ended, conclusion, status: 'completed' })
    // The service's address and today's date are others each time.
    const hideVarying = (text: string): string =>
      text.replaceAll(service.url, '<service>').replaceAll(DATE_RANGE, '<days>')
    const result = readActLog(log.replaceAll(service.url, '<service>'))
    const requests = service.requests.slice(sent)
    const seen = seenIn(state, join(artifacts, 'gh.log'))
    const problems = judge(run, {
      ...result,
      ...seen,
      posted: seen.posted.map(hideVarying),
      chat: chat.takeMessages().map(hideVarying),
      isRed: exitCode !== 0,
      prompts: promptsIn(requests),
      told: requests.map(({ prompt = '' }) => prompt).join('\n'),
      github: observed.requests.slice(asked),
    })
    if (problems.length === 0) return []
    return [
      `In run ${id - FIRST_RUN + 1}:`,
      ...problems,
      'What the steps printed:',
      result.printed || log.slice(-4_000),
    ]
  }

  try {
    for (const [index, run] of check.runs.entries()) {
      const problems = await playAndJudge(run, FIRST_RUN + index)
      if (problems.length > 0) return problems
    }
    return observed.violations.slice()
  } finally {
    await service.close()
    chat.close()
    remove()
  }
}
