import { ActionError } from '../shared/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Both spellings are in use; the lower case one wins, as it does in curl. */
function read(env: Environment, name: string): string {
  return (env[name.toLowerCase()] ?? env[name.toUpperCase()] ?? '').trim()
}

function isBypassed(url: URL, noProxy: string): boolean {
  const host = url.hostname.toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, name = '', entryPort] =
        /^(.*?)(?::(\d+))?$/.exec(entry.startsWith('[') ? entry : entry.replace(/^\*?\./, '')) ?? []
      if (entryPort !== undefined && entryPort !== port) return false
      return host === name || host.endsWith(`.${name}`)
    })
}

/**
 * The proxy that a request to `url` has to take, or undefined where it goes directly. Loopback is no exception: it goes
 * through the proxy unless `NO_PROXY` names it, as with curl.
 * @throws ActionError `proxy` where the environment's address is none
 */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const proxy = read(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy')
  if (proxy === '' || isBypassed(url, read(env, 'no_proxy'))) return undefined
  const address = proxy.includes('://') ? proxy : `http://${proxy}`
  if (URL.canParse(address)) return new URL(address)
  throw new ActionError('proxy', 'The address of the proxy in the environment cannot be read.', {
    hint: 'Correct `HTTPS_PROXY` or `HTTP_PROXY`, or name the service in `NO_PROXY`.',
  })
}

/** What of a proxy's address must not be shown: its password, and the header that is made of its user information. */
export function proxySecrets(proxy: URL): string[] {
  if (proxy.username === '' && proxy.password === '') return []
  const user = decodeURIComponent(proxy.username)
  const password = decodeURIComponent(proxy.password)
  return [password, proxy.password, Buffer.from(`${user}:${password}`).toString('base64')].filter((text) => text !== '')
}
