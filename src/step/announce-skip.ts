import { readRunFacts, withholdsSecrets } from '../github/run-facts.ts'
import type { Environment, Host } from '../shared/host.ts'

/**
 * Says why a step without a key ends green: right where GitHub withholds the secrets of the repository, and worth a
 * warning anywhere else, as a misspelt secret would otherwise stay green for ever.
 */
export function announceSkip(host: Host, env: Environment): void {
  if (withholdsSecrets(readRunFacts(env)))
    host.notice('Docs Agent skipped', 'This run gets no secrets, so nothing was asked of the service.')
  else host.warn('Skipped: `api-key` is empty, although this run may have secrets. Check the name of the secret.')
}
