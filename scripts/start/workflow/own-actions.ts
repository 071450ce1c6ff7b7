import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readMetadata } from '../../small-runner/metadata.ts'

/** An action of this project. */
export interface OwnAction {
  /** The folder of its action.yml. */
  readonly folder: string
  readonly inputs: readonly string[]
}

/** Why the step of a rehearsal is not run, which changes nothing. */
export const REHEARSES_ALREADY = 'npm start brings its own service; choose its scenario with --scenario'

/** Another owner's or a fork's copy counts too. A path leads to no other folder, whose code would run. */
const USES = /^(?:[^/@]+\/[^/@]*docs-agent-action[^/@]*(?<sub>(?:\/[\w-]+)+)?@.+|\.(?<local>(?:\/[\w-]+)*)\/?)$/i

/**
 * Finds the action that a step uses.
 * @param project the folder of this project
 * @param workspace the repository of the workflow file, which local paths are about
 * @returns why the action cannot be run; undefined for somebody else's action
 */
export function findOwnAction(uses: string, project: string, workspace: string): OwnAction | string | undefined {
  const { sub = '', local } = USES.exec(uses)?.groups ?? {}
  if (!USES.test(uses)) return undefined
  if (local !== undefined && relative(project, workspace) !== '') return undefined
  const folder = join(project, local ?? sub)
  if (!existsSync(join(folder, 'action.yml')))
    return local === undefined ? `this copy of the project has no ${sub.slice(1)}/action.yml` : undefined
  if ((local ?? sub) === '/emulator') return REHEARSES_ALREADY
  const { inputs, runs } = readMetadata(folder)
  if (runs.main === undefined) return 'it is not a JavaScript action'
  return { folder, inputs: inputs.map(({ name }) => name) }
}
