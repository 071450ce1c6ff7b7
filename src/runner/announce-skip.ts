import type { Host } from '../shared/host.ts'

/**
 * Says why a step without a key ends green: right where GitHub withholds the secrets of the repository, and worth a
 * warning anywhere else, as a misspelt secret would otherwise stay green for ever.
 */
export function announceSkip(host: Host, withholdsSecrets: boolean): void {
  if (withholdsSecrets)
    host.notice('Docs Agent skipped', 'This run gets no secrets, so nothing was asked of the service.')
  else host.warn('Skipped: `api-key` is empty, although this run may have secrets. Check the name of the secret.')
}
