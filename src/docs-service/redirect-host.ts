import { parseUrl } from '../runtime/parse-url.ts'

const LONGEST_ADDRESS = 2_048
const LONGEST_HOST = 200

/** The host that a `Location` header names, where it is fit to be shown; undefined for a path of the same host. */
export function redirectHost(location: string | undefined): string | undefined {
  if (location === undefined || location.length > LONGEST_ADDRESS) return undefined
  const address = location.startsWith('//') ? `https:${location}` : location
  const host = /^https?:\/\//i.test(address) ? (parseUrl(address)?.host ?? '') : ''
  return host.length <= LONGEST_HOST && /^[a-z0-9.:[\]-]+$/.test(host) ? host : undefined
}
