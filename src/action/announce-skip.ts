import { readContext, withholdsSecrets } from './context.ts'
import type { Core } from './core.ts'
import type { Environment } from '../runtime/environment.ts'

/**
 * Says why a step without a key ends green: right where GitHub withholds the secrets of the repository, and worth a
 * warning anywhere else, as a misspelt secret would otherwise stay green for ever.
 */
export function announceSkip(core: Core, env: Environment): void {
  if (withholdsSecrets(readContext(env)))
    core.notice('Docs Agent skipped', 'This run gets no secrets, so nothing was asked of the service.')
  else core.warn('Skipped: `api-key` is empty, although this run may have secrets. Check the name of the secret.')
}
