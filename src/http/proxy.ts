/** Finds the proxy of a request in the environment, as curl does. */
import { BlockList, isIP } from 'node:net'
import { ActionError } from '../runtime/errors.ts'
import { parseUrl } from '../runtime/url.ts'

/** Both spellings are in use. As in curl, lower case takes precedence, and an empty value is no value. */
function readVariable(env: NodeJS.ProcessEnv, name: string): string {
  const values = [env[name.toLowerCase()], env[name.toUpperCase()]].map((value) => value?.trim() ?? '')
  return values.find((value) => value !== '') ?? ''
}

interface NoProxyEntry {
  /** Without the brackets of an IPv6 address. */
  readonly name: string
  readonly port: string | undefined
}

function parseNoProxyEntry(entry: string): NoProxyEntry {
  // An IPv6 address without brackets has no port.
  if (/^(?!\[).*:.*:/.test(entry)) return { name: entry, port: undefined }
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
  return { name: name.replace(/^\[(.*)\]$/, '$1'), port }
}

/** Whether a host is this domain or below it. The domain can begin with `.` or `*.` and end with a dot. */
function matchesDomain(host: string, rule: string): boolean {
  const domain = rule.replace(/^\*?\./, '').replace(/\.$/, '')
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
}

/**
 * Whether `rule` is the IP address or a CIDR block that contains it. Suffixes are for domains only. A block of 0 bits
 * is a single address, as in curl; otherwise it would bypass the proxy for every request.
 */
function isAddressIn(address: string, rule: string): boolean {
  const [network = '', bits, ...rest] = rule.split('/')
  const family = isIP(network)
  if (family === 0 || family !== isIP(address) || rest.length > 0) return false
  const type = family === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  if (bits === undefined || /^0{1,3}$/.test(bits)) list.addAddress(network, type)
  else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
    list.addSubnet(network, Number(bits), type)
  return list.check(address, type)
}

/**
 * Whether `NO_PROXY` contains the host: as in curl, by `*` alone, or by a list of domains (with their subdomains), IP
 * addresses and CIDR blocks; as in other programs, it also matches by `*.domain`, with a port and with brackets. A
 * malformed entry matches no host, because a misspelled entry must not bypass the proxy.
 */
function isBypassed({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (noProxy === '*') return true
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const { name, port: rulePort = ownPort } = parseNoProxyEntry(entry)
      if (rulePort !== ownPort) return false
      return isIP(host) === 0 ? matchesDomain(host, name) : isAddressIn(host, name)
    })
}

function parseProxy(text: string): URL | undefined {
  // For `DOMAIN\user`: as in curl, a backslash belongs to the user name. In a URL, it would end the host.
  const encoded = text.replaceAll('\\', '%5C')
  const address = encoded.includes('://') ? encoded : `http://${encoded}`
  return /^https?:\/\//i.test(address) ? parseUrl(address) : undefined
}

/**
 * Returns the proxy for a request to `url`, or `undefined` for a direct connection. As in curl, requests to loopback
 * also use the proxy unless `NO_PROXY` contains the host.
 * @throws ActionError `proxy` if the proxy URL in the environment is invalid
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const proxy = readVariable(env, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy')
  if (proxy === '' || isBypassed(url, readVariable(env, 'no_proxy'))) return undefined
  const address = parseProxy(proxy)
  if (address !== undefined) return address
  throw new ActionError('proxy', 'The proxy URL in the environment is invalid.', {
    hint: 'Set `HTTPS_PROXY` or `HTTP_PROXY` to an `http:` or `https:` URL, or add the service to `NO_PROXY`. In a user name or a password, write `#`, `/`, `?` and `@` as `%23`, `%2F`, `%3F` and `%40`.',
  })
}

/** Returns the text unchanged if it contains a `%` that begins no escape. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the `Proxy-Authorization` header for a proxy URL. Empty if the URL has no user information. */
export function proxyAuthorization({ username, password }: URL): string {
  const credentials = `${decode(username)}:${decode(password)}`
  return credentials === ':' ? '' : `Basic ${Buffer.from(credentials).toString('base64')}`
}

/**
 * Lists the secrets of a proxy URL: the password, and the header that contains it. A user name without a password is a
 * token. A user name with a password is not secret: it can be a common word, which would be redacted everywhere.
 */
function listSecrets(proxy: URL): string[] {
  const secret = proxy.password || proxy.username
  return secret === '' ? [] : [decode(secret), secret, proxyAuthorization(proxy).slice('Basic '.length)]
}

/**
 * Lists the secrets of all proxies in the environment. A proxy that the service is not reached through may be GitHub's.
 */
export function proxySecrets(env: NodeJS.ProcessEnv): string[] {
  const secrets = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].flatMap((name) => {
    const proxy = parseProxy(env[name]?.trim() ?? '')
    return proxy === undefined ? [] : listSecrets(proxy)
  })
  return [...new Set(secrets)]
}
