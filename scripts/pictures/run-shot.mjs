import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NODE_24 } from '../small-runner/node-24.ts'
import { readMetadata } from '../small-runner/metadata.ts'
import { runAction } from '../small-runner/run-action.ts'
import { readOptions } from '../start/options.ts'
import { openSurroundings } from '../start/surroundings.ts'
import { locate } from './places.mjs'

/** @import { Shot } from './shots.mjs' */

/** The day of all pictures, for the service and the step alike. */
const DAY_MS = Date.parse('2026-01-01')

/**
 * Runs the packaged action as `npm start` does.
 *
 * @param {Shot} shot
 * @returns {Promise<string>} its job summary, as Markdown
 * @throws {Error} with the log, where the run does not end as it must
 */
export async function runShot({ action = '.', flags, conclusion }) {
  const options = readOptions(flags, {})
  if (options.kind !== 'run') throw new Error(`npm start does not take ${flags.join(' ')}`)
  const { inputs, env, event, eventName, close } = await openSurroundings(options.service, {}, DAY_MS)
  const workspace = mkdtempSync(join(tmpdir(), 'summary-picture-'))
  try {
    const known = readMetadata(locate(action)).inputs.map(({ name }) => name)
    const given = Object.entries({ ...inputs, ...options.inputs }).filter(([name]) => known.includes(name))
    const run = await runAction({
      action: locate(action),
      workspace,
      node: NODE_24,
      inputs: Object.fromEntries(given),
      ...{ env, event, eventName },
    })
    if (run.conclusion !== conclusion) throw new Error(`The run ended with ${run.conclusion}:\n${run.rawOutput}`)
    return run.summary
  } finally {
    await close()
    rmSync(workspace, { recursive: true, force: true, maxRetries: 3 })
  }
}
