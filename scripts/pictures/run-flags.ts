import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { playStep, type PlayedStep } from '../../testing/play-step.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import { root } from '../../testing/markdown-files.ts'
import { playFeature, type Played } from '../../testing/play-feature.ts'
import { playReport } from '../../testing/play-report.ts'
import { splitCommand } from '../../testing/split-command.ts'
import type { Respond } from '../../testing/respond-in-process.ts'
import { agentAction } from '../../src/agent/run.ts'
import { createService, DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { replayMonth } from './replay-month.ts'
import { readMetadata } from '../small-runner/metadata.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { readOptions, type EmbeddedService } from '../start/options.ts'
import { readExampleInputs } from '../start/readme-inputs.ts'
import { noteSuccess, listRuns } from '../start/workflow-runs.ts'

type Texts = Readonly<Record<string, string>>

/** Names that are obviously not those of a real server. */
const SERVERS = {
  'base-url': 'https://docs.example.com',
  'project-id': DEFAULT_PROJECT_ID,
  'api-key': EMULATOR_KEY,
  'github-token': GITHUB_TOKEN,
}

export interface Shown {
  readonly summary: string
  /** The embedded service's page of the pull request, as HTML. Empty if there is none. */
  readonly page: string
  /** What the terminal shows. Empty unless the flags replay a history. */
  readonly screen: string
  readonly outcome: string
  /** The log of the last run, with annotations. */
  readonly log: string
}

const show = ({ summary, outputs, hostCalls, line }: Played<unknown>, page = ''): Shown => ({
  summary,
  page,
  screen: '',
  outcome: outputs['outcome'] ?? '',
  log: [...hostCalls, line].join('\n'),
})

/** When each run of a rolling pull request starts, in hours after the start of the servers' history: on two working days. */
const ROLLING_STARTS_H = [129.23, 134.62, 154.03, 160.8]

/** @throws ActionError if inputs are invalid */
async function runAgent(
  given: Texts,
  embedded: EmbeddedService,
  cancelAfter = Infinity,
): Promise<PlayedStep | undefined> {
  const { scenario, gitHubScenarios, isRolling } = embedded
  const github = combineScenarios(gitHubScenarios)
  const { github: before } = createService({
    baseUrl: BASE_URL,
    projectId: DEFAULT_PROJECT_ID,
    github: { scenario: github },
  })
  before.catchUp(DEFAULT_START_MS)
  let after: PlayedStep | undefined
  for (const [index, begin] of listRuns(isRolling).entries()) {
    const startMs = isRolling ? (ROLLING_STARTS_H[index] ?? 0) * 3_600_000 : 0
    if (after !== undefined) await after.baseClock.passUntil(after.baseClock.sleep(startMs - after.baseClock.now()))
    const nowMs = DEFAULT_START_MS + startMs
    const run = begin((after?.service.github ?? before).state, BASE_URL, nowMs)
    const { id: runId, headSha: sha, eventName, event: payload } = run
    after = await playStep({
      inputs: agentAction.parse({ ...given, ...run.inputs }, '.', new Date(0)),
      scenario,
      github,
      cancelAfterMs: cancelAfter * 1_000,
      startMs,
      after,
      facts: { sha, stepId: '', workflow: 'docs.yml', runId, eventName, payload },
    })
    noteSuccess(after.service.github.state, run, nowMs)
  }
  return after
}

function getPage({ outputs, service, baseClock }: PlayedStep): string {
  const { 'pr-link': link = '' } = outputs
  if (link === '') return ''
  const request = { method: 'GET', target: new URL(link).pathname, headers: {}, body: '' }
  return service.handle(request, baseClock.wallTime().getTime()).body
}

const EXAMPLE = readExampleInputs(readFileSync(join(root, 'README.md'), 'utf8'))

/**
 * Returns what `npm start` shows with these flags. It runs on a virtual clock, so the result is the same in every run.
 * @throws Error if the flags are invalid
 */
export async function runFlags(flags: string): Promise<Shown> {
  const options = readOptions(splitCommand(flags), {}, EXAMPLE)
  if (options.kind === 'history') return { summary: '', page: '', screen: replayMonth(flags), outcome: '', log: '' }
  if (options.kind !== 'run' || options.service.kind !== 'embedded') throw new Error(`npm start does not take ${flags}`)
  const { inputs } = readMetadata(join(root, options.action === 'agent' ? '.' : options.action))
  const chosen: Texts = { ...SERVERS, ...options.defaults, ...options.given }
  const given = Object.fromEntries(inputs.map(({ name, default: usual }) => [name, chosen[name] ?? usual]))
  const { path: workspace, remove } = openScratchFolder('pictures-')
  try {
    const { scenario } = options.service
    const service = createService({ baseUrl: SERVERS['base-url'], scenario })
    const respond: Respond = (request, nowMs) => service.handle(request, nowMs)
    const step = { given, workspace, respond }
    if (options.action === 'report')
      return show(await playReport(given, { scenario: combineScenarios(options.service.gitHubScenarios) }))
    if (options.action === 'visitors') return show(await playFeature(visitorsAction, step))
    const result = await runAgent(given, options.service, options.cancelAfter).catch((error: unknown) => {
      if (error instanceof ActionError) return undefined
      throw error
    })
    return result === undefined ? show(await playFeature(agentAction, step)) : show(result, getPage(result))
  } finally {
    remove()
  }
}
