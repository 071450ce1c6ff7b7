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
    facts: { eventName: 'push', payload: push, sha: push.after, stepId: '', workflow: 'docs.yml' },
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

# Job summaries

What a step writes on the page of its run, for each way in which it can end: the runs of \`npm start\`, on a clock of its own. The first one is whole. Of the others, the job's facts, the time line, the prompt, what comes next, rows that stand above, and all rows of a list but three are left out.
`

/** What the reader knows from the summaries above. */
function leaveOutKnown(summary: string, known: Set<string>): string {
  const isFirst = known.size === 0
  const rows = summary.split('\n').filter((line) => line.startsWith('<tr>') && !line.startsWith('<tr><th>'))
  const shown = isFirst
    ? summary
    : summary
        .replace(
          /### Time line\n\n<table>[^]*?<\/table>\n*|<table>\n(?:<tr><td><b>.*\n)*?<tr><td><b>Job<[^]*?<\/table>\n*|<details>.*<\/details>\n*|### What next\n[^]*$/g,
          '',
        )
        .split('\n')
        .filter((line) => !known.has(line) && !line.startsWith('<tr><td><b>Pull request</b>'))
        .join('\n')
        .replace(/((?:<tr><td><code>.*\n){3})(?:<tr><td><code>.*\n)+/g, '$1')
        .replace(/(?:### On GitHub\n\n)?<table>\n<\/table>\n*/g, '')
  for (const row of rows) known.add(row)
  return `${shown.trimEnd()}\n`
}

/** The page, as Markdown. It is the same in every run. */
export async function renderPage(): Promise<string> {
  const parts = [HEAD]
  const known = new Set<string>()
  for (const scene of SCENES) {
    const { flags, shows } = scene
    const summary = leaveOutKnown(await play(scene), known)
    parts.push(`---\n\n_${shows}_, \`npm start${flags === '' ? '' : ` -- ${flags}`}\`:\n\n${summary}`)
  }
  return parts.join('\n')
}
