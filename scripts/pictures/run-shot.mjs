import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { demoState } from '../../src/emulator/github/demo-state.ts'
import { USUAL_GITHUB } from '../../src/emulator/github/github-scenarios.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { NODE_24 } from '../small-runner/node-24.ts'
import { runAction } from '../small-runner/run-action.ts'
import { locate } from './places.mjs'

/** @import { Shot } from './shots.mjs' */

/** The service's day. The step lives on it too, so that all times of a picture fit together. */
const DAY = '2026-01-01'

/**
 * Makes the step's clock, date and timers go faster, as the service's do.
 *
 * @param {number} factor
 */
function nodeOptions(factor) {
  const code = `
    const [start, now, RealDate] = [globalThis.setTimeout, performance.now.bind(performance), Date]
    const today = () => RealDate.parse('${DAY}') + performance.now()
    globalThis.setTimeout = (task, ms, ...args) => start(task, ms / ${factor}, ...args)
    performance.now = () => now() * ${factor}
    globalThis.Date = class extends RealDate {
      constructor(...args) { super(...(args.length === 0 ? [today()] : args)) }
      static now() { return today() }
    }
  `
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

/**
 * Runs the packaged action as a runner does.
 *
 * @param {Shot} shot
 * @returns {Promise<string>} its job summary, as Markdown
 * @throws {Error} with the log, where the run does not end as it must
 */
export async function runShot({ action, scenario, inputs, conclusion, faster, repository, push }) {
  const workspace = mkdtempSync(join(tmpdir(), 'summary-picture-'))
  const state = demoState(USUAL_GITHUB, Date.parse(DAY))
  if (repository !== undefined) state.repositories['acme/docs'] = repository
  const service = await startEmulator({ scenario, speed: faster, startMs: Date.parse(DAY), github: { state } })
  try {
    const { url, projectId, apiKey, github } = service
    const run = await runAction({
      action: locate(action),
      workspace,
      node: NODE_24,
      inputs: { 'base-url': url, 'project-id': projectId, 'api-key': apiKey, ...inputs },
      githubToken: repository === undefined ? '' : github.token,
      ...(push === undefined ? {} : { eventName: 'push', event: push }),
      env: {
        NODE_OPTIONS: nodeOptions(faster),
        // The embedded service shows its pull requests itself, so it is the host of this run's GitHub.
        GITHUB_SERVER_URL: url,
        GITHUB_API_URL: github.apiUrl,
        GITHUB_RUN_ID: '42',
      },
    })
    if (run.conclusion !== conclusion) throw new Error(`The run ended with ${run.conclusion}:\n${run.rawOutput}`)
    return run.summary
  } finally {
    await service.close()
    rmSync(workspace, { recursive: true, force: true, maxRetries: 3 })
  }
}
