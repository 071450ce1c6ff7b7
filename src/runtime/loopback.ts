const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Whether an address stays on this machine, where it may go without TLS. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK_HOST.test(url.hostname)
}
