/** The variable with which a rehearsal redirects all later steps of its job to the embedded service and GitHub. */
import { isLoopback, parseUrl } from '../runtime/url.ts'
import type { RawInputs } from './inputs.ts'
import type { Runner } from './toolkit.ts'

export const REHEARSAL_VARIABLE = 'DOCS_AGENT_REHEARSAL'

/** The embedded service and GitHub. The URLs have no trailing slash. */
export interface Rehearsal {
  /** The URL of the documentation service. */
  readonly service: string
  /** The URL of GitHub's API. */
  readonly api: string
  /** The origin of GitHub's pages. */
  readonly server: string
  /** The key of the service. It is public. */
  readonly key: string
  /** The token of GitHub. It is public. */
  readonly token: string
}

function isLoopbackUrl(text: unknown): text is string {
  const url = typeof text === 'string' && /^[\x21-\x7e]+$/.test(text) ? parseUrl(text) : undefined
  return url?.protocol === 'http:' && url.username === '' && url.password === '' && isLoopback(url)
}

const isCredential = (text: unknown): text is string => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text)

/** Returns the rehearsal of the job. Undefined if there is none, or if any of its URLs leaves the machine. */
export function readRehearsal(env: NodeJS.ProcessEnv): Rehearsal | undefined {
  let given: Partial<Record<keyof Rehearsal, unknown>> | null
  try {
    given = JSON.parse(env[REHEARSAL_VARIABLE] ?? 'null') as typeof given
  } catch {
    return undefined
  }
  const { service, api, server, key, token } = given ?? {}
  if (!isLoopbackUrl(service) || !isLoopbackUrl(api) || !isLoopbackUrl(server)) return undefined
  return isCredential(key) && isCredential(token) ? { service, api, server, key, token } : undefined
}

/** Begins a step in a rehearsal with a warning, so that a forgotten rehearsal is seen. Returns undefined if there is none. */
export function enterRehearsal({ warn }: Pick<Runner, 'warn'>, env: NodeJS.ProcessEnv): Rehearsal | undefined {
  const rehearsal = readRehearsal(env)
  if (rehearsal !== undefined)
    warn(
      'This is a rehearsal: the step uses the embedded service and GitHub, whatever its inputs say. It starts no real job, and it changes nothing on GitHub. For a real run, remove the step that starts the rehearsal.',
    )
  else if (env[REHEARSAL_VARIABLE])
    warn(
      `\`${REHEARSAL_VARIABLE}\` is ignored: it is not what the rehearsal action exports, or its URLs lead to another machine. The step uses its inputs.`,
    )
  return rehearsal
}

/** Replaces the inputs that name the service and GitHub, so that no real key or token is sent. */
export function rehearseInputs(inputs: RawInputs, { service, key, token }: Rehearsal): RawInputs {
  const replaced = { 'base-url': service, 'api-key': key, 'github-token': token }
  return { ...inputs, ...Object.fromEntries(Object.entries(replaced).filter(([name]) => name in inputs)) }
}

/** Bypasses all proxies, because every URL of a rehearsal is on this machine. */
export function bypassProxies(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, NO_PROXY: '*', no_proxy: '*' }
}
