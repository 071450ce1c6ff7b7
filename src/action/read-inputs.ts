import type { Core } from './core.ts'
import type { Environment } from '../runtime/environment.ts'
import { isGiven, type RawInputs } from './parse-inputs.ts'

/** What must not be shown, by the names of the inputs. */
const SECRETS = ['api-key', 'github-token']

/**
 * Reads the inputs of a step that talks to the service. Secrets are masked before anything else is looked at, and the
 * address gets its default from the environment.
 */
export function readInputs(names: readonly string[], core: Core, env: Environment): RawInputs {
  for (const name of SECRETS.filter((name) => names.includes(name))) {
    const secret = core.input(name)
    core.mask(secret)
    core.mask(secret.trim())
  }
  const inputs = Object.fromEntries(names.map((name) => [name, core.input(name)]))
  return isGiven(inputs, 'base-url') ? inputs : { ...inputs, 'base-url': env['DOCS_AGENT_BASE_URL'] ?? '' }
}

/**
 * Where secrets are withheld, a step may be asked to end green. Nothing else is looked at then: other inputs may come
 * from secrets too.
 */
export function isSkipped(raw: RawInputs): boolean {
  return !isGiven(raw, 'api-key') && raw['on-missing-key']?.trim() === 'skip'
}

/** Whether a summary is wanted, for a step whose inputs could not be parsed. */
export function wantsSummary(raw: RawInputs): boolean {
  return raw['summary']?.trim().toLowerCase() !== 'false'
}
