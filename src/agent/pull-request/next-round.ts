import type { Annotation } from '../../github/checks.ts'
import type { Check } from '../../github/commit-checks.ts'
import type { GitHub } from '../../github/github.ts'
import { toPullRequestAddress } from '../../github/pull-request-address.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { Job } from '../../docs-service/schemas.ts'
import { ActionError, rethrowFatal, type ErrorCode } from '../../runtime/errors.ts'
import { oneLine } from '../../text/untrusted.ts'
import type { Step } from '../../action/step.ts'
import type { AgentInputs } from '../inputs/agent-inputs.ts'
import { formatStop } from '../report/fixing.ts'
import type { OpenReport } from '../report/open-report.ts'
import type { PullRequestFindings } from '../report/report.ts'
import { failedByChange } from './failing-checks.ts'
import { renderFixPrompt, type FailedCheck } from '../prompt/failing-checks.ts'
import { stopAtLastLook, stopBeforeAsking, stopForCommits, stopForJob } from './fix-rounds.ts'

/** Of the details of all failing checks together: a round must not wait for long for what it only may tell. */
const DETAILS_MS = 120_000
/** Past so many, checks are told by name, title and summary only. */
const MOST_DETAILED = 10
const LONGEST_NAME = 60
const LOST = 'The failing checks were not sent to the agent'

/** The job of GitHub Actions that a check run stands for. */
const JOB_PAGE = /\/actions\/runs\/\d+\/job\/(\d+)/

/** A log that is gone or broken costs this log. All else is the same for the next one. */
const OF_ONE: readonly ErrorCode[] = ['rejected', 'not-found', 'bad-answer', 'redirected']

/** Asks for a detail of one check after the other. What is lost is said once for each reason, and what is refused is not asked for again. */
function askForEach<T>(otherwise: T, lost: string, known: OpenReport): (perform: () => Promise<T>) => Promise<T> {
  const said = new Set<string>()
  let isRefused = false
  return async (perform) => {
    if (isRefused) return otherwise
    try {
      return await perform()
    } catch (caught) {
      const error = rethrowFatal(caught)
      isRefused = !OF_ONE.includes(error.code)
      if (!said.has(error.message)) known.reportSkipped(lost, error)
      said.add(error.message)
      return otherwise
    }
  }
}

async function readDetails(
  failed: readonly Check[],
  repository: string,
  github: GitHub,
  known: OpenReport,
): Promise<readonly FailedCheck[]> {
  const askAnnotations = askForEach<readonly Annotation[]>(
    [],
    'The agent was not told all annotations of failing checks',
    known,
  )
  const askLog = askForEach('', 'The agent was not told all logs of failing checks', known)
  const found: FailedCheck[] = []
  for (const [index, check] of failed.entries()) {
    const { id, app, detailsUrl = '' } = check
    const isDetailed = index < MOST_DETAILED
    const jobId = app === 'github-actions' ? JOB_PAGE.exec(detailsUrl)?.[1] : undefined
    found.push({
      check,
      annotations:
        id === undefined || !isDetailed ? [] : await askAnnotations(() => github.listAnnotations(repository, id)),
      log: jobId === undefined || !isDetailed ? '' : await askLog(() => github.readJobLog(repository, Number(jobId))),
    })
  }
  return found
}

/** The failing checks that are to be told. */
async function findFailing(
  pullRequest: PullRequest,
  failed: readonly Check[],
  github: GitHub,
  step: Step,
  known: OpenReport,
): Promise<readonly Check[]> {
  const { repository, baseRef, headSha } = pullRequest
  const lost = 'Checks that failed without these changes, too, are not told apart'
  const before = await known.bestEffort(lost, async () => {
    const { mergeBase } = await github.compare(repository, baseRef, headSha)
    return github.readChecks(repository, mergeBase, step.context)
  })
  return failedByChange(failed, before ?? [])
}

function describeRound(failed: readonly Check[], headSha: string, round: number, maxRounds: number): string {
  const names = failed.map(({ name }) => oneLine(name, LONGEST_NAME)).join(', ')
  return `Round ${round} of ${maxRounds}: sending the failing checks of ${headSha.slice(0, 7)} back to the agent (${names}).`
}

/** One message to the job. The job may be busy for long, so that the pull request is looked at once more before it is sent. */
interface Round {
  readonly prompt: string
  readonly beforeSending: (before: Job, stands: () => Promise<boolean>) => Promise<'send' | 'again'>
}

/**
 * What to tell the job of the checks that fail on its pull request; undefined if it is to be told nothing, and then the
 * reason is in the report. Whatever GitHub does, the job's result stands.
 * @param headOfLastRound what the last round was about; undefined before the first one
 * @throws ActionError `cancelled`
 */
export async function nextRound(
  { prLink, status }: Job,
  found: PullRequestFindings,
  headOfLastRound: string | undefined,
  inputs: AgentInputs,
  step: Step,
  known: OpenReport,
): Promise<Round | undefined> {
  const { fixRounds: maxRounds, changeContextBytes } = inputs
  if (maxRounds === 0 || prLink === undefined) return undefined
  const sent = known.roundsSent
  const leftMs = (): number => step.deadlineAt - step.clock.now()
  const isBroken = status === 'failed' || status === 'archived'
  const stop =
    stopBeforeAsking({ found, headOfLastRound, sent, maxRounds, leftMs: leftMs() }) ?? (isBroken ? status : undefined)
  if (stop !== undefined) {
    known.stopFixing(stop)
    return undefined
  }
  const asked = await known.bestEffort(LOST, async () => {
    const github = await step.github()
    if (github === undefined) return undefined
    const { headSha = '', failed = [] } = found
    const address = toPullRequestAddress(prLink, step.context)
    const read = (): Promise<PullRequest> => known.heads.read(() => github.readPullRequest(address))
    const pullRequest = await read()
    const commits = await github.listPullRequestCommits(address)
    const isOthers = stopAtLastLook(pullRequest, headSha) ?? stopForCommits(commits, pullRequest, headOfLastRound)
    if (isOthers !== undefined) return isOthers
    const failing = await findFailing(pullRequest, failed, github, step, known)
    if (failing.length === 0) return 'red-before'
    const endsAt = Math.min(step.clock.now() + DETAILS_MS, step.deadlineAt)
    const details = await readDetails(failing, address.repository, github.until(endsAt), known)
    let isSaid = false
    const beforeSending: Round['beforeSending'] = async (before, stands) => {
      if (!(await stands())) return 'again'
      const now = await known.bestEffort(LOST, read)
      const stop =
        now === undefined
          ? 'not-sent'
          : (stopForJob(before, prLink) ??
            stopAtLastLook(now, headSha) ??
            stopBeforeAsking({ found, headOfLastRound, sent, maxRounds, leftMs: leftMs() }))
      if (stop === undefined) {
        if (!isSaid) known.note(describeRound(failing, headSha, sent + 1, maxRounds))
        isSaid = true
        return 'send'
      }
      known.stopFixing(stop)
      throw new ActionError('not-sent', formatStop(stop))
    }
    return { prompt: renderFixPrompt(details, headSha, changeContextBytes), beforeSending }
  })
  if (typeof asked === 'object') return asked
  known.stopFixing(asked ?? 'not-sent')
  return undefined
}
