import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playInWorld, type World } from '../../__tests__/support/embedded-world.ts'
import { BASE_URL } from '../../__tests__/support/in-process-github.ts'
import { root } from '../../__tests__/support/markdown-files.ts'
import { playFeature } from '../../__tests__/support/play-feature.ts'
import { agentAction } from '../../src/agent/agent-action.ts'
import type { AgentInputs } from '../../src/agent/inputs/agent-inputs.ts'
import { createService, DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { demoState, GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios } from '../../src/emulator/github/github-scenarios.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { DEFAULT_PROJECT_ID } from '../../src/emulator/server.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { createRedactor } from '../../src/text/redact.ts'
import { visitorsAction } from '../../src/visitors/visitors-action.ts'
import { readMetadata } from '../small-runner/metadata.ts'
import { readOptions, type EmbeddedService } from '../start/options.ts'
import { noteSuccess, runsOf } from '../start/workflow-runs.ts'

type Texts = Readonly<Record<string, string>>

/** Names that the reader cannot take for those of a real server. */
const SERVERS = {
  'base-url': 'https://docs.example.com',
  'project-id': DEFAULT_PROJECT_ID,
  'api-key': EMULATOR_KEY,
  'github-token': GITHUB_TOKEN,
}

export interface Shown {
  /** The job summary of the last run, in Markdown. */
  readonly summary: string
  /** The embedded service's page of the pull request, in HTML; empty if there is none. */
  readonly page: string
}

function readInputs(given: Texts): AgentInputs | ActionError {
  try {
    return agentAction.parse(given, { workspace: '.', now: new Date(0) })
  } catch (error) {
    if (error instanceof ActionError) return error
    throw error
  }
}

async function playAgent(given: Texts, embedded: EmbeddedService, cancelAfter = Infinity): Promise<Shown> {
  const { scenario, gitHubScenarios, isRolling } = embedded
  const redact = createRedactor([EMULATOR_KEY, GITHUB_TOKEN])
  const github = combineScenarios(gitHubScenarios)
  const before = demoState(github, DEFAULT_START_MS)
  let after: World | undefined
  let summary = ''
  for (const begin of runsOf(isRolling)) {
    const nowMs = after?.world.wallTime().getTime() ?? DEFAULT_START_MS
    const run = begin(after?.service.github.state ?? before, BASE_URL, nowMs)
    const inputs = readInputs({ ...given, ...run.inputs })
    if (inputs instanceof ActionError)
      return { summary: agentAction.render(agentAction.notRun(inputs, 0), undefined, redact).summary(), page: '' }
    const { id: runId, headSha: sha, eventName, event: payload } = run
    after = await playInWorld({
      inputs,
      scenario,
      github,
      cancelAfterMs: cancelAfter * 1_000,
      after,
      facts: { sha, stepId: '', workflow: 'docs.yml', runId, eventName, payload },
    })
    noteSuccess(after.service.github.state, run, nowMs)
    summary = agentAction.render(after.report, inputs, redact).summary()
  }
  return { summary, page: pageOf(after) }
}

function pageOf(world: World | undefined): string {
  const { 'pr-link': link = '' } = world?.outputs ?? {}
  if (world === undefined || link === '') return ''
  const request = { method: 'GET', target: new URL(link).pathname, headers: {}, body: '' }
  return world.service.handle(request, world.world.wallTime().getTime()).body
}

async function playVisitors(given: Texts): Promise<string> {
  const workspace = mkdtempSync(join(tmpdir(), 'summary-page-'))
  try {
    const service = createService({ baseUrl: SERVERS['base-url'] })
    return (
      await playFeature(visitorsAction, {
        ...{ given, workspace },
        respond: (request, nowMs) => service.handle(request, nowMs),
      })
    ).summary
  } finally {
    rmSync(workspace, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * What `npm start` shows with these flags, on a clock of its own, and so the same in every run.
 * @throws Error if it does not take them
 */
export async function playFlags(flags: string): Promise<Shown> {
  const words = [...flags.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''))
  const options = readOptions(words, {})
  if (options.kind !== 'run' || options.service.kind !== 'embedded') throw new Error(`npm start does not take ${flags}`)
  const given = Object.fromEntries(
    readMetadata(join(root, options.action === 'agent' ? '.' : options.action)).inputs.map(
      ({ name, default: usual }) => [
        name,
        ({ ...SERVERS, ...options.defaults, ...options.given } as Texts)[name] ?? usual,
      ],
    ),
  )
  return options.action === 'visitors'
    ? { summary: await playVisitors(given), page: '' }
    : playAgent(given, options.service, options.cancelAfter)
}
