import { ActionError } from '../runtime/errors.ts'
import { isLoopback } from '../runtime/loopback.ts'
import { parseUrl } from '../runtime/parse-url.ts'
import type { AskGitHub } from './ask-github.ts'
import type { Download } from './download.ts'
import { LogWindow } from './log-window.ts'
import { splitRepository } from './repository-name.ts'

/** As the runner puts it before every line. */
const TIME_STAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z /
/** `##[error]`, which the log says at the beginning of a line. */
const COMMAND = /^##\[([a-z]+)\]/

function addressOf(location: string | undefined): URL {
  const url = parseUrl(location ?? '')
  if (url !== undefined && (url.protocol === 'https:' || isLoopback(url))) return url
  throw new ActionError('bad-answer', 'GitHub gave no usable address for the log.')
}

/**
 * The end of the log of a job of GitHub Actions, around its last error, without time stamps. GitHub gives an address that
 * is good for a minute and for whoever has it (`GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`); the token is not
 * shown there.
 * @throws ActionError if GitHub does not tell
 */
export async function readJobLog(
  ask: AskGitHub,
  download: Download,
  repository: string,
  jobId: number,
): Promise<string> {
  const location = await ask({ permission: 'actions: read', repository }, async ({ rest }) => {
    const where = { ...splitRepository(repository), job_id: jobId, request: { redirect: 'manual' } } as const
    return (await rest.actions.downloadJobLogsForWorkflowRun(where)).headers.location
  })
  const window = new LogWindow()
  await download(addressOf(location), (text) => {
    window.add(text)
  })
  return window
    .lines()
    .map((line) => line.replace(TIME_STAMP, '').replace(COMMAND, '$1: '))
    .join('\n')
}
