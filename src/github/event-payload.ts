import * as fs from 'node:fs'
import type { Environment } from '../network/proxy.ts'

/**
 * The event that started the workflow, as GitHub wrote it for the runner; undefined outside of one, and where it cannot be
 * read. The toolkit has it too, together with all that talks to GitHub, which is much to load for one file.
 */
export function readEventPayload(env: Environment): unknown {
  try {
    return JSON.parse(fs.readFileSync(env['GITHUB_EVENT_PATH'] ?? '', 'utf8'))
  } catch {
    return undefined
  }
}
