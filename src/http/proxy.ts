import { BlockList, isIP } from 'node:net'
import { ActionError } from '../runtime/errors.ts'
import { parseUrl } from '../runtime/url.ts'

/** Both spellings are in use; the lower case one wins, and an empty one is none, as in curl. */
function read(env: NodeJS.ProcessEnv, name: string): string {
  const values = [env[name.toLowerCase()], env[name.toUpperCase()]].map((value) => value?.trim() ?? '')
  return values.find((value) => value !== '') ?? ''
}

interface NoProxyEntry {
  /** Without a leading `.` or `*.`, a trailing dot, or the brackets of an IPv6 address. */
  readonly name: string
  readonly port: string | undefined
}

function parseNoProxyEntry(entry: string): NoProxyEntry {
  // An IPv6 address without brackets has no port.
  if (/^(?!\[).*:.*:/.test(entry)) return { name: entry, port: undefined }
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
  return {
    name: name
      .replace(/^\*?\./, '')
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, ''),
    port,
  }
}

/** Whether an IP address is the one that `rule` names, or in its CIDR block. Addresses have no suffixes. */
function isAddressIn(address: string, rule: string): boolean {
  const [network = '', bits, ...rest] = rule.split('/')
  const family = isIP(network)
  if (family === 0 || family !== isIP(address) || rest.length > 0) return false
  const type = family === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  if (bits === undefined) list.addAddress(network, type)
  else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
    list.addSubnet(network, Number(bits), type)
  return list.check(address, type)
}

/**
 * Whether `NO_PROXY` names the host, as curl reads it: `*`, a domain with all below it, an IP address, or a CIDR block. As
 * other programs do, it takes `*.domain` and a port, too.
 */
function isBypassed({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true
      const { name, port: rulePort = ownPort } = parseNoProxyEntry(entry)
      if (name === '' || rulePort !== ownPort) return false
      return isIP(host) === 0 ? host === name || host.endsWith(`.${name}`) : isAddressIn(host, name)
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
  throw new ActionError('proxy', 'The proxy URL in the environment is invalid.', {
    hint: 'Set `HTTPS_PROXY` or `HTTP_PROXY` to an `http:` or `https:` URL, or add the service to `NO_PROXY`.',
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

/** The `Proxy-Authorization` header for a proxy's address; empty if it holds no user information. */
export function proxyAuthorization({ username, password }: URL): string {
  const credentials = `${decode(username)}:${decode(password)}`
  return credentials === ':' ? '' : `Basic ${Buffer.from(credentials).toString('base64')}`
}

/**
 * What of a proxy's address must not be shown: its password, and the header that is made of its user information. A name
 * that stands alone is a token; beside a password it is a plain word, which would be hidden everywhere.
 */
function listSecrets(proxy: URL): string[] {
  const secret = proxy.password || proxy.username
  return secret === '' ? [] : [decode(secret), secret, proxyAuthorization(proxy).slice('Basic '.length)]
}

/** The secrets of all proxies that the environment names: one that is not used for the service may be used for GitHub. */
export function proxySecrets(env: NodeJS.ProcessEnv): string[] {
  const secrets = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].flatMap((name) => {
    const proxy = parseProxy(env[name]?.trim() ?? '')
    return proxy === undefined ? [] : listSecrets(proxy)
  })
  return [...new Set(secrets)]
}
