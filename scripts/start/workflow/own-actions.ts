import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readMetadata } from '../../small-runner/metadata.ts'

/** An action of this project. */
export interface OwnAction {
  /** The folder of its action.yml. */
  readonly folder: string
  readonly inputs: readonly string[]
}

/** Another owner's or a fork's copy counts too. A local path is an action of this project only if the project has it. */
const USES = /^(?:[^/@]+\/[^/@]*docs-agent-action[^/@]*(?<sub>\/[^@]+)?@.+|\.(?<local>\/[^@]*)?)$/

/**
 * Finds the action that a step uses.
 * @param project the folder of this project
 * @returns why the action cannot be played; undefined for somebody else's action
 */
export function findOwnAction(uses: string, project: string): OwnAction | string | undefined {
  const { sub = '', local } = USES.exec(uses)?.groups ?? {}
  if (!USES.test(uses)) return undefined
  const folder = join(project, local ?? sub)
  if (!existsSync(join(folder, 'action.yml')))
    return local === undefined ? `this copy of the project has no ${sub.slice(1)}/action.yml` : undefined
  if (/^\/?emulator\/?$/.test((local ?? sub).slice(1)))
    return 'npm start brings its own service; choose its scenario with --scenario'
  const { inputs, runs } = readMetadata(folder)
  if (runs.main === undefined) return 'it is not a JavaScript action'
  return { folder, inputs: inputs.map(({ name }) => name) }
}
