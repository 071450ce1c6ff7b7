import { join } from 'node:path'
import { playStep, type PlayedStep } from '../../testing/play-step.ts'
import { BASE_URL } from '../../testing/in-process-github.ts'
import { root } from '../../testing/markdown-files.ts'
import { playFeature, type Played } from '../../testing/play-feature.ts'
import { playReport } from '../../testing/play-report.ts'
import { splitCommand } from '../../testing/split-command.ts'
import { readExampleStep } from '../../testing/workflow-files.ts'
import type { Respond } from '../../testing/respond-in-process.ts'
import { agentAction } from '../../src/agent/run.ts'
import { createService, DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import { schedule, type Scene } from '../../src/emulator/github/trigger-events.ts'
import { createPushEvent, type WebhookEvent } from '../../src/emulator/github/webhook-events.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { replayMonth } from './replay-month.ts'
import { readMetadata } from '../small-runner/metadata.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { readOptions, type EmbeddedService } from '../start/options.ts'
import { isOnComment, type StoryEvent } from '../start/stories.ts'
import { commentOnAgentPull, findCommentEvent, FIRST_RUN, noteSuccess } from '../start/workflow/events.ts'

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

/** When each run of the rolling pull request starts, in hours after the start of the servers' history: at night, except for the comment. */
const ROLLING_STARTS_H = [123.39, 147.39, 154.03, 171.39]

/** Triggers the event of a run of the README's workflow. */
function triggerRun(happening: StoryEvent, scene: Scene, docs: RepositoryState): WebhookEvent {
  happening.happen?.(docs, scene.nowMs)
  const { comment } = happening
  const written = comment === undefined ? findCommentEvent(scene, docs) : commentOnAgentPull(scene, docs, comment)
  if (isOnComment(happening) && written !== undefined) return written
  return EXAMPLE.eventName === 'push'
    ? createPushEvent(scene.state, scene.repository, { ...scene, branch: 'main' })
    : schedule(scene, '')
}

/** @throws ActionError if inputs are invalid */
async function runAgent(
  getInputs: (ofEvent: Texts) => Texts,
  { scenario, gitHubScenarios, story }: EmbeddedService,
  cancelAfter = Infinity,
): Promise<PlayedStep | undefined> {
  const github = combineScenarios(gitHubScenarios)
  const { github: before } = createService({
    baseUrl: BASE_URL,
    projectId: DEFAULT_PROJECT_ID,
    github: { scenario: github },
  })
  before.catchUp(DEFAULT_START_MS)
  let after: PlayedStep | undefined
  for (const [index, happening] of story.entries()) {
    const startMs = story.length > 1 ? (ROLLING_STARTS_H[index] ?? 0) * 3_600_000 : 0
    if (after !== undefined) await after.baseClock.passUntil(after.baseClock.sleep(startMs - after.baseClock.now()))
    const nowMs = DEFAULT_START_MS + startMs
    const { state } = after?.service.github ?? before
    const docs = state.repositories['acme/docs'] ?? createRepositoryState()
    const scene = { state, repository: 'acme/docs', baseUrl: BASE_URL, nowMs }
    const { name: eventName, payload } = triggerRun(happening, scene, docs)
    const [runId, sha] = [FIRST_RUN + index, docs.branches['main'] ?? '']
    after = await playStep({
      inputs: agentAction.parse(getInputs(happening.inputs ?? {}), '.', new Date(0)),
      scenario,
      github,
      cancelAfterMs: cancelAfter * 1_000,
      startMs,
      after,
      facts: { sha, stepId: '', workflow: 'docs.yml', runId, eventName, payload },
    })
    if (!after.isGreen) return after
    noteSuccess(after.service.github.state, { id: runId, event: eventName, headSha: sha }, nowMs)
  }
  return after
}

function getPage({ outputs, service, baseClock }: PlayedStep): string {
  const { 'pr-link': link = '' } = outputs
  if (link === '') return ''
  const request = { method: 'GET', target: new URL(link).pathname, headers: {}, body: '' }
  return service.handle(request, baseClock.wallTime().getTime()).body
}

const EXAMPLE = readExampleStep()

/**
 * Returns what `npm start` shows with these flags. It runs on a virtual clock, so the result is the same in every run.
 * @throws Error if the flags are invalid
 */
export async function runFlags(flags: string): Promise<Shown> {
  const options = readOptions(splitCommand(flags), {})
  if (options.kind === 'history') return { summary: '', page: '', screen: replayMonth(flags), outcome: '', log: '' }
  if (!('service' in options) || options.kind === 'check' || options.service.kind !== 'embedded')
    throw new Error(`npm start does not take ${flags}`)
  const { service } = options
  const action = options.kind === 'run' ? options.action : 'agent'
  const { inputs } = readMetadata(join(root, action === 'agent' ? '.' : action))
  const getInputs = (ofEvent: Texts = {}): Texts => {
    const { given, defaults } =
      options.kind === 'run' ? options : { defaults: EXAMPLE.inputs, given: { ...ofEvent, ...options.example?.inputs } }
    const chosen: Readonly<Record<string, string | undefined>> = { ...SERVERS, ...defaults, ...given }
    return Object.fromEntries(inputs.map(({ name, default: usual }) => [name, chosen[name] ?? usual]))
  }
  const { path: workspace, remove } = openScratchFolder('pictures-')
  try {
    const played = createService({ baseUrl: SERVERS['base-url'], scenario: service.scenario })
    const respond: Respond = (request, nowMs) => played.handle(request, nowMs)
    const step = { given: getInputs(service.story[0]?.inputs), workspace, respond }
    if (action === 'report')
      return show(await playReport(step.given, { scenario: combineScenarios(service.gitHubScenarios) }))
    if (action === 'visitors') return show(await playFeature(visitorsAction, step))
    const result = await runAgent(getInputs, service, options.cancelAfter).catch((error: unknown) => {
      if (error instanceof ActionError) return undefined
      throw error
    })
    return result === undefined ? show(await playFeature(agentAction, step)) : show(result, getPage(result))
  } finally {
    remove()
  }
}
