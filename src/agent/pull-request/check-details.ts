import { openGitHub } from '../../action/step.ts'
import type { Check } from '../../github/commit-checks.ts'
import { rethrowFatal, type ErrorCode } from '../../runtime/errors.ts'
import type { FailedCheck } from '../prompt/failing-checks.ts'
import type { AgentStep } from '../report/journal.ts'

/** Of all details together: a round must not wait for long for what it only may tell. */
const DETAILS_MS = 120_000
/** Past so many, checks are told by name, title and summary only. */
const MOST_DETAILED = 10

/** The job of GitHub Actions that a check run stands for. */
const JOB_PAGE = /\/actions\/runs\/\d+\/job\/(\d+)/

/** A log that is gone or broken costs this log. All else is the same for the next one. */
const OF_ONE: readonly ErrorCode[] = ['rejected', 'not-found', 'bad-answer', 'redirected']

/** Asks for a detail of one check after the other. What is lost is said once for each reason, and what is refused is not asked for again. */
function askForEach(what: string, { journal }: AgentStep) {
  const said = new Set<string>()
  let isRefused = false
  return async <T>(perform: () => Promise<T>): Promise<T | undefined> => {
    if (isRefused) return undefined
    try {
      return await perform()
    } catch (caught) {
      const error = rethrowFatal(caught)
      isRefused = !OF_ONE.includes(error.code)
      if (!said.has(error.message))
        journal.reportSkipped(`Some ${what} of failing checks were not sent to the agent`, error)
      said.add(error.message)
      return undefined
    }
  }
}

/** What GitHub tells of failing checks: of the first ones all, of the others no details. */
export async function readDetails(
  failed: readonly Check[],
  repository: string,
  step: AgentStep,
): Promise<readonly FailedCheck[]> {
  const github = openGitHub(step, DETAILS_MS)
  const [askAnnotations, askLog] = [askForEach('annotations', step), askForEach('logs', step)]
  const found: FailedCheck[] = []
  for (const check of failed.slice(0, MOST_DETAILED)) {
    const { id, app, detailsUrl = '' } = check
    const jobId = app === 'github-actions' ? JOB_PAGE.exec(detailsUrl)?.[1] : undefined
    const mayHaveAny = id !== undefined && check.annotations !== 0
    const annotations = mayHaveAny ? await askAnnotations(() => github.listAnnotations(repository, id)) : undefined
    const log = jobId && (await askLog(() => github.readJobLog(repository, Number(jobId))))
    found.push({ check, annotations, log })
  }
  return [...found, ...failed.slice(MOST_DETAILED).map((check) => ({ check }))]
}
