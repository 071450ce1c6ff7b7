import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playInWorld } from '../../__tests__/support/embedded-world.ts'
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
import { locate } from '../pictures/places.mjs'
import { readMetadata } from '../small-runner/metadata.ts'
import { readOptions, type EmbeddedService } from '../start/options.ts'
import { pushOf } from '../start/surroundings.ts'
import { SCENES, type Scene } from './scenes.ts'

type Texts = Readonly<Record<string, string>>

/** Names that the reader cannot take for those of a real server. */
const SERVERS = {
  'base-url': 'https://docs.example.com',
  'project-id': DEFAULT_PROJECT_ID,
  'api-key': EMULATOR_KEY,
  'github-token': GITHUB_TOKEN,
}

async function playAgent(
  given: Texts,
  { scenario, gitHubScenarios }: EmbeddedService,
  cancelAfter = Infinity,
): Promise<string> {
  const redact = createRedactor([EMULATOR_KEY, GITHUB_TOKEN])
  let inputs: AgentInputs
  try {
    inputs = agentAction.parse(given, { workspace: '.', now: new Date(0) })
  } catch (error) {
    if (!(error instanceof ActionError)) throw error
    return agentAction.render(agentAction.notRun(error, 0), undefined, redact).summary()
  }
  const github = combineScenarios(gitHubScenarios)
  const push = pushOf({ state: demoState(github, DEFAULT_START_MS) })
  const { report } = await playInWorld({
    ...{ inputs, scenario, github, cancelAfterMs: cancelAfter * 1_000 },
    facts: { eventName: 'push', payload: push, sha: push.after, stepId: '' },
  })
  return agentAction.render(report, inputs, redact).summary()
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

function play({ flags }: Scene): Promise<string> {
  const words = [...flags.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''))
  const options = readOptions(words, {})
  if (options.kind !== 'run' || options.service.kind !== 'embedded') throw new Error(`npm start does not take ${flags}`)
  const given = Object.fromEntries(
    readMetadata(locate(options.action === 'agent' ? '.' : options.action)).inputs.map(({ name, default: usual }) => [
      name,
      ({ ...SERVERS, ...options.defaults, ...options.given } as Texts)[name] ?? usual,
    ]),
  )
  return options.action === 'visitors' ? playVisitors(given) : playAgent(given, options.service, options.cancelAfter)
}

const HEAD = `<!-- Written by npm run docs. -->

# All job summaries

What a step writes on the page of its run, for each way in which it can end. The runs are those of \`npm start\`, with clocks that show the same times in each, so that this page changes only where a summary does. GitHub shows it light or dark, as you have set it.
`

/** The page, as Markdown. It is the same in every run. */
export async function renderPage(): Promise<string> {
  const parts = [HEAD]
  for (const scene of SCENES) {
    const { flags, shows } = scene
    parts.push(`---\n\n_${shows}_, \`npm start${flags === '' ? '' : ` -- ${flags}`}\`:\n\n${await play(scene)}`)
  }
  return parts.join('\n')
}
