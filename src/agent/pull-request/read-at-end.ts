import { endingAt, openGitHub } from '../../action/step.ts'
import { isOpen, toPullRequestAddress } from '../../github/pull-requests.ts'
import { unlessFailed } from '../../runtime/errors.ts'
import type { AgentStep } from '../report/journal.ts'
import { describePullRequest } from '../report/pull-request-findings.ts'
import { getEnd, getFindings, getWork } from '../report/turn.ts'
import type { Changes } from '../report/report.ts'

/** The time of all reads that only improve the summary, in milliseconds, waits for a rate limit included. */
const READS_AT_END_MS = 60_000
/** The part of it for the changed files. */
const CHANGES_MS = 10_000

/**
 * The files that the step has changed in its pull request, up to its head as it was read last: of a new one these are all.
 * @throws ActionError if GitHub does not tell
 */
async function readChanges(step: AgentStep): Promise<Changes | undefined> {
  const { heads, newest, turns } = step.journal
  const end = getEnd(newest)
  const link = end?.kind === 'ended' || end?.kind === 'left-behind' ? end.job.prLink : undefined
  const pullRequest = link && heads.newest(toPullRequestAddress(link, step.context))
  const works = turns.map(getWork)
  const work = works.find(({ kind }) => kind === 'created' || kind === 'updated')
  if (pullRequest === undefined || work === undefined) return undefined
  const github = openGitHub(step, CHANGES_MS)
  const found =
    work.kind === 'updated'
      ? await github.compare(pullRequest.repository, work.since, pullRequest.headSha)
      : await heads.compareWithBase(pullRequest, github)
  // Of a rewritten branch it is not known what is new.
  if (found.relation !== 'ahead') return undefined
  // A comparison does not tell the agent's files from those of a merge of the base branch, or of commits by others.
  const added = works.reduce((sum, one) => sum + (one.kind === 'updated' ? one.commits : 0), 0)
  if (work.kind === 'updated' && found.totalCommits !== added) return undefined
  const files = found.files.map(({ path, additions, deletions }) => ({ path, additions, deletions }))
  return { files, isWhole: found.fileList === 'whole' }
}

/** GitHub begins to find out when it is first asked, and is mostly done within seconds. */
const PAUSES_MS = [1_000, 2_000, 3_000, 5_000]

/**
 * Reads an open pull request once more if a round has led no further since it was read, and a few times more if GitHub did not
 * know yet whether it conflicts with its base. Where another commit has come, all of it stays as it was.
 */
async function readMergeability({ clock, context, deadlineAt, github, journal, signal }: AgentStep): Promise<void> {
  const { pullRequest: found, job } = journal.report()
  if (github === undefined || job?.prLink === undefined || found === undefined || signal.aborted) return
  const isOld = getFindings(journal.newest) === undefined
  const { prLink } = job
  const read = async () => github.readPullRequest(toPullRequestAddress(prLink, context))
  let known = found
  for (const pauseMs of isOld ? [0, ...PAUSES_MS] : PAUSES_MS) {
    const isSettled = pauseMs > 0 && known.mergeable !== undefined
    if (!isOpen(known) || isSettled || clock.now() + pauseMs >= deadlineAt) return
    await clock.sleep(pauseMs, signal)
    const now = await unlessFailed(read())
    // Checks and files were looked at for one commit, and this is about the same one or it is not told.
    if (now === undefined || now.headSha !== known.headSha) return
    known = { ...known, ...describePullRequest(now) }
    journal.updatePullRequest(known)
  }
}

/**
 * Reads what is only shown: the changed files, and whether the pull request can be merged. A read that fails is no shortfall,
 * and a GitHub that hangs or limits requests delays the end of the step by one minute at most.
 * @throws ActionError `cancelled`
 */
export async function readAtEnd(step: AgentStep): Promise<void> {
  const { clock, deadlineAt, journal, signal } = step
  if (signal.aborted) return
  const brief = endingAt(step, Math.min(clock.now() + READS_AT_END_MS, deadlineAt))
  journal.add({ changes: await unlessFailed(readChanges(brief)) })
  await readMergeability(brief)
}
