import { NODE_24 } from '../small-runner/node-24.ts'
import { readMetadata } from '../small-runner/metadata.ts'
import { runAction } from '../small-runner/run-action.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import { readOptions } from '../start/options.ts'
import { chooseInputs, openSurroundings } from '../start/surroundings.ts'
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
export async function runShot({ flags, conclusion }) {
  const options = readOptions(flags, {})
  if (options.kind !== 'run') throw new Error(`npm start does not take ${flags.join(' ')}`)
  const action = locate(options.action === 'agent' ? '.' : options.action)
  const surroundings = await openSurroundings(options.service, {}, DAY_MS)
  const { path: workspace, remove } = openScratchFolder('summary-picture-')
  try {
    const [begin] = surroundings.runs
    if (begin === undefined) throw new Error('There is no run.')
    const { env, event, eventName } = begin()
    const inputs = chooseInputs(surroundings, options, readMetadata(action))
    const run = await runAction({ action, workspace, node: NODE_24, inputs, env, event, eventName })
    if (run.conclusion !== conclusion) throw new Error(`The run ended with ${run.conclusion}:\n${run.rawOutput}`)
    return run.summary
  } finally {
    await surroundings.close()
    remove()
  }
}
