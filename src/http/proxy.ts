import { ActionError } from '../runtime/errors.ts'
import { parseUrl } from '../runtime/url.ts'

/** Both spellings are in use; the lower case one wins, and an empty one is none, as in curl. */
function read(env: NodeJS.ProcessEnv, name: string): string {
  const values = [env[name.toLowerCase()], env[name.toUpperCase()]].map((value) => value?.trim() ?? '')
  return values.find((value) => value !== '') ?? ''
}

interface BypassRule {
  readonly name: string
  readonly port: string | undefined
}

/** `host`, `.host`, `*.host`, each with a port or without, and IPv6 addresses, in brackets or bare. */
function parseBypassRule(entry: string): BypassRule {
  if (/^[^[].*:.*:/.test(entry) || entry.startsWith('::')) return { name: `[${entry}]`, port: undefined }
  const [, name = '', port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? []
  return { name, port }
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
      const rule = parseBypassRule(entry)
      if (rule.port !== undefined && rule.port !== port) return false
      return host === rule.name || host.endsWith(`.${rule.name}`)
    })
}

function parseProxy(text: string): URL | undefined {
  const address = text.includes('://') ? text : `http://${text}`
  return /^https?:\/\//i.test(address) ? parseUrl(address) : undefined
}

/**
 * The proxy that a request to `url` has to take, or undefined if it goes directly. Loopback is no exception: it goes
 * through the proxy unless `NO_PROXY` names it, as with curl.
 * @throws ActionError `proxy` if the environment's address is none
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const proxy = read(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy')
  if (proxy === '' || isBypassed(url, read(env, 'no_proxy'))) return undefined
  const address = parseProxy(proxy)
  if (address !== undefined) return address
  throw new ActionError('proxy', 'The address of the proxy in the environment cannot be used.', {
    hint: 'Give an `http:` or `https:` address in `HTTPS_PROXY` or `HTTP_PROXY`, or name the service in `NO_PROXY`.',
  })
}

/** A `%` that begins no escape stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function base64Credentials({ username, password }: URL): string {
  return Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64')
}

/** The `Proxy-Authorization` header for a proxy's address, or undefined if it holds no user information. */
export function proxyAuthorization(proxy: URL): string | undefined {
  return proxy.username === '' && proxy.password === '' ? undefined : `Basic ${base64Credentials(proxy)}`
}

/**
 * What of a proxy's address must not be shown: its password, and the header that is made of its user information. A name
 * that stands alone is a token; beside a password it is a plain word, which would be hidden everywhere.
 */
function secretsOf(proxy: URL): string[] {
  if (proxyAuthorization(proxy) === undefined) return []
  const secret = proxy.password === '' ? proxy.username : proxy.password
  return [decode(secret), secret, base64Credentials(proxy)]
}

/** The secrets of all proxies that the environment names: one that is not used for the service may be used for GitHub. */
export function proxySecrets(env: NodeJS.ProcessEnv): string[] {
  const addresses = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].map((name) => env[name]?.trim() ?? '')
  const proxies = addresses.map(parseProxy).filter((proxy) => proxy !== undefined)
  return [...new Set(proxies.flatMap(secretsOf))]
}
