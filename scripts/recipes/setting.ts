import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

type Texts = Readonly<Record<string, string>>

const REGISTRY_SETTING =
  /^(?:npm_config_(?:registry|cafile)|pip_(?:index_url|cert|find_links)|https_proxy|no_proxy|node_extra_ca_certs)$/i

/** What npm and pip have to know in a step, and where they keep what they have fetched once. */
export function packageManagers(env: NodeJS.ProcessEnv): Texts {
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

const STAND_INS = join(import.meta.dirname, 'stand-ins')

/**
 * Which folders the engine takes in the place of repositories.
 * @param texts of the workflows
 * @param folder has this action in `action`, and the workflows of an organisation in `workflows`
 * @returns by `owner/name@ref`
 */
export function localRepositories(texts: readonly string[], folder: string): Texts {
  const uses = texts.flatMap((text) => [...text.matchAll(/uses: *([\w.-]+)\/([\w.-]+)(?:\/[^@\s]+)?@(\S+)/g)])
  return Object.fromEntries(
    uses.flatMap(([, owner = '', name = '', ref = '']) => {
      const standIn = join(STAND_INS, name)
      if (owner === 'your-org')
        return [[`${owner}/${name}@${ref}`, join(folder, name === 'workflows' ? name : 'action')]]
      return owner === 'actions' && existsSync(standIn) ? [[`${owner}/${name}@${ref}`, standIn]] : []
    }),
  )
}

/** The real `gh`, where it can be told to trust the embedded GitHub: Go reads SSL_CERT_FILE on Linux only. */
export function findGh(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'gh')).find((path) => existsSync(path))
}
