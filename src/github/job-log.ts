import type { Redact } from '../text/redact.ts'
import { ActionError } from '../runtime/errors.ts'
import { isLoopback, parseUrl } from '../runtime/url.ts'
import { path, type AskGitHub } from './ask-github.ts'
import type { Download } from './download.ts'
import { LogWindow } from './log-window.ts'

/** As the runner puts it before every line. */
const TIME_STAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z /
/** `##[error]`, which the log says at the beginning of a line. */
const COMMAND = /^##\[([a-z]+)\]/

function addressOf(location: string | undefined): URL {
  const url = parseUrl(location ?? '')
  if (url !== undefined && (url.protocol === 'https:' || isLoopback(url))) return url
  throw new ActionError('bad-answer', 'GitHub gave no usable address for the log.')
}

export interface JobLogs {
  /**
   * The end of the log of a job of GitHub Actions, around its last error, without time stamps. GitHub gives an address that
   * is good for a minute and for whoever has it (`GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs`); the token is not
   * shown there.
   */
  readonly readJobLog: (repository: string, jobId: number) => Promise<string>
}

export const connectJobLogs = (ask: AskGitHub, download: Download, redact: Redact): JobLogs => ({
  readJobLog: async (repository, jobId) => {
    const location = await ask({ permission: 'actions: read', repository }, (api) =>
      api.locate(path`/actions/jobs/${jobId}/logs`),
    )
    const window = new LogWindow()
    await download(addressOf(location), (text) => {
      window.add(text)
    })
    const lines = window.lines().map((line) => line.replace(TIME_STAMP, '').replace(COMMAND, '$1: '))
    return redact(lines.join('\n'))
  },
})
