import { toPullRequestAddress } from '../../github/pull-requests.ts'
import { rethrowFatal } from '../../runtime/errors.ts'
import { openGitHub } from '../../action/step.ts'
import type { AgentStep } from '../report/journal.ts'
import type { Changes } from '../report/report.ts'

/** It is only shown. In milliseconds. */
const QUESTION_MS = 10_000

/**
 * The files that the step has changed in its pull request, up to its head as it was read last: of a new one these are all. It
 * is worth no shortfall if GitHub does not tell.
 * @throws ActionError `cancelled`
 */
export async function readChanges(step: AgentStep): Promise<Changes | undefined> {
  const { heads, newest, turns } = step.journal
  const link = newest.result?.job?.prLink
  try {
    const pullRequest = link && heads.newest(toPullRequestAddress(link, step.context))
    const first = turns.find(({ result }) => result?.operation === 'created' || result?.added !== undefined)
    if (pullRequest === undefined || first === undefined) return undefined
    const github = openGitHub(step, QUESTION_MS)
    const since = first.result?.added?.since
    const found =
      since === undefined
        ? await heads.compareWithBase(pullRequest, github)
        : await github.compare(pullRequest.repository, since, pullRequest.headSha)
    // Of a rewritten branch it is not known what is new.
    if (found.relation !== 'ahead') return undefined
    const files = found.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
    return { files, isWhole: found.fileList === 'whole' }
  } catch (error) {
    rethrowFatal(error)
    return undefined
  }
}
