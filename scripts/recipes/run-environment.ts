import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

type Texts = Readonly<Record<string, string>>

const REGISTRY_SETTING =
  /^(?:npm_config_(?:registry|cafile)|pip_(?:index_url|cert|find_links)|https_proxy|no_proxy|node_extra_ca_certs)$/i

/**
 * Returns the variables that npm and pip need in a step: the settings of the machine, and a cache that survives the
 * run.
 */
export function getPackageManagerVariables(env: NodeJS.ProcessEnv): Texts {
  const cache = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'docs-agent-action')
  const settings = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && REGISTRY_SETTING.test(name) ? [[name, value] as const] : [],
  )
  return {
    ...Object.fromEntries(settings),
    npm_config_cache: join(cache, 'npm'),
    npm_config_update_notifier: 'false',
    PIP_CACHE_DIR: join(cache, 'pip'),
    PIP_DISABLE_PIP_VERSION_CHECK: '1',
  }
}

const FAKES = join(import.meta.dirname, 'fakes')

/**
 * Returns the folders that the engine uses instead of repositories, by `owner/name@ref`.
 * @param texts the workflows
 * @param folder contains this action in `action`, and the workflows of an organisation in `workflows`
 */
export function mapLocalRepositories(texts: readonly string[], folder: string): Texts {
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: *([\w.-]+)\/([\w.-]+)(?:\/[^@\s]+)?@(\S+)/g)])
  return Object.fromEntries(
    uses.flatMap(([, owner = '', name = '', ref = '']) => {
      const fake = join(FAKES, name)
      // Their owners are placeholders, until the action has one.
      if (name === 'docs-agent-action') return [[`${owner}/${name}@${ref}`, join(folder, 'action')]]
      if (owner === 'your-org') return [[`${owner}/${name}@${ref}`, join(folder, name)]]
      return owner === 'actions' && existsSync(fake) ? [[`${owner}/${name}@${ref}`, fake]] : []
    }),
  )
}
