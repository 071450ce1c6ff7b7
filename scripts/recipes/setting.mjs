import { homedir } from 'node:os'
import { join } from 'node:path'
import { timesFaster } from '../small-runner/faster-time.ts'
import { preload } from '../small-runner/preload.ts'

/** The project that the service names when it starts. */
export const DEFAULT_PROJECT_ID = 'docs-demo'

/** How fast the service's time runs, in seconds of its time in one second. */
export const SERVICE_SPEED = 30

/**
 * Ten times as fast the usual 10 seconds between two looks at a job take one.
 *
 * @type {Readonly<Record<'real' | 'tenfold', Record<string, string>>>}
 */
export const TIME_SETTINGS = { real: {}, tenfold: preload(timesFaster(10)) }

/** How this machine reaches the registries. */
const REGISTRY_SETTING =
  /^(?:npm_config_(?:registry|cafile)|pip_(?:index_url|cert|find_links)|https_proxy|no_proxy|node_extra_ca_certs)$/i

/**
 * What npm and pip have to know in a step, and where they keep what they have fetched once.
 *
 * @param {Readonly<Record<string, string | undefined>>} env of this machine
 * @returns {Record<string, string>}
 */
export function packageManagers(env) {
  const cache = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'docs-agent-action')
  const settings = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && REGISTRY_SETTING.test(name) ? [[name, value]] : [],
  )
  return {
    .../** @type {Record<string, string>} */ (Object.fromEntries(settings)),
    ...{ npm_config_cache: join(cache, 'npm'), npm_config_update_notifier: 'false' },
    ...{ PIP_CACHE_DIR: join(cache, 'pip'), PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  }
}

/**
 * The actions of GitHub that recipes use and that have a stand-in, by `owner/name`.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const STAND_INS = {
  'actions/upload-artifact': 'upload-artifact',
  'actions/download-artifact': 'download-artifact',
  'actions/create-github-app-token': 'create-github-app-token',
}

const OWN = /^your-org\/docs-agent-action$/

/**
 * Which folders the engine takes in the place of repositories.
 *
 * @param {readonly string[]} texts of the workflows
 * @param {{ action: string, standIns: string }} folders
 * @returns {Record<string, string>} by `owner/name@ref`
 */
export function localRepositories(texts, { action, standIns }) {
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: *([\w.-]+\/[\w.-]+)(?:\/[^@\s]+)?@(\S+)/g)])
  return Object.fromEntries(
    uses.flatMap(([, name = '', ref = '']) => {
      const standIn = STAND_INS[name]
      if (OWN.test(name)) return [[`${name}@${ref}`, action]]
      return standIn === undefined ? [] : [[`${name}@${ref}`, `${standIns}/${standIn}`]]
    }),
  )
}
