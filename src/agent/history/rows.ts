/** Makes the rows of the history from the turns of a step. Hides what the readers of the pull request may not know. */
import { hashText } from '../../action/inputs.ts'
import { canName, isSameRepository } from '../../github/schemas.ts'
import { escapeSentence, type LinkedText, quoteNames } from '../../text/markdown.ts'
import { oneLine } from '../../text/untrusted.ts'
import { getPullRequestFacts, mayBeSent, mayStillRun } from '../selectors.ts'
import type { Turn, Run } from '../record.ts'
import type { HistoryRef, OwnHistory } from '../step.ts'
import { getUnsuccessfulStatus, isTerminal } from '../../docs-service/schemas.ts'
import { concludeTurn } from '../conclude.ts'
import type { History, HistoryRow, HistoryUpdate } from './state.ts'
import { isPullRequestClosed, linkCommits, listBlockers } from '../words.ts'
import type { Facts } from '../facts.ts'
import { COMPARE, REVIEW } from './render.ts'

/** Whether a turn has opened another pull request than that of the history. */
const hasOpenedOther = ({ effect, job }: Turn, { pullRequest }: HistoryRef): boolean =>
  effect?.kind === 'created' && Number(job?.prLink?.number) !== pullRequest.number

/** Creates the part of a row that says how the turn ended. Empty while the turn runs. */
function toRowEnd(turn: Turn, ref: HistoryRef, now: Date): Partial<HistoryRow> {
  if (turn.end === undefined && turn.error === undefined) return {}
  const isElsewhere = hasOpenedOther(turn, ref)
  // The agent may be working when the step ends: on its prompt, or on another one. Unknown without a read of the job.
  const mayBeWorking = mayStillRun(turn) || turn.job === undefined || !isTerminal(turn.job)
  const at = now.toISOString()
  const { outcome, words } = concludeTurn(turn)
  return {
    ...(mayBeWorking ? { until: at } : { end: at }),
    outcome,
    result: isElsewhere ? 'opened another pull request' : words,
    effect: isElsewhere ? 'none' : (turn.effect?.kind ?? 'unknown'),
  }
}

/** When an update is made, and when the step ends at the latest. */
interface UpdateTimes {
  readonly now: Date
  readonly until: Date
}

const PROMPT_HASH_DIGITS = 8
const MAX_PATH_CHARS = 200

type PromptName = Pick<HistoryRow, 'prompt' | 'file'>

/** Names the workflow's own prompt, without the change that is added to it. The prompts of all commands count as one. */
export async function namePrompt({ inputs: { command, task, promptPath } }: Facts): Promise<PromptName> {
  if (command !== '') return { prompt: 'command' }
  if (task.kind === 'attach') return {}
  const prompt = (await hashText(task.prompt)).slice(0, PROMPT_HASH_DIGITS)
  return { prompt, file: promptPath && oneLine(promptPath, MAX_PATH_CHARS) }
}

/**
 * Creates the row of a turn, without names that readers of the pull request may not know.
 * @param promptName the prompt of the step's own turn
 */
function toRow(
  turn: Turn,
  index: number,
  run: Run,
  promptName: PromptName,
  ref: HistoryRef,
  { now, until }: UpdateTimes,
  { context }: Facts,
): HistoryRow | undefined {
  if (turn.startedAt === undefined) return undefined
  const { serverUrl, repository, event, runId, runAttempt, workflowJob, runnerStepId, stepId } = context
  const { pullRequest } = ref
  const isNamed = canName({ repository, ...event }, pullRequest)
  const sources = (index === 0 ? (run.sources ?? []) : []).flatMap((source) => {
    const { visibility = 'private', number, sha } = source
    const isHere = isSameRepository(source.repository, pullRequest.repository)
    // A reference to another repository also shows the pull request to the readers of that repository.
    if (!isHere && visibility !== (pullRequest.visibility ?? 'public')) return []
    if (isHere && number === pullRequest.number) return []
    return [`${isHere ? '' : source.repository}${number === undefined ? `@${sha}` : `#${number}`}`]
  })
  const attempt = runAttempt > 1 ? `/attempts/${runAttempt}` : ''
  const { text, url }: LinkedText =
    turn.failing !== undefined
      ? { text: `checks failed: ${quoteNames(turn.failing.map(({ name }) => name))}` }
      : isNamed
        ? (run.startedBy ?? { text: 'a run' })
        : { text: 'a run in another repository' }
  const commits = linkCommits([turn], `${serverUrl}/${pullRequest.repository}`)?.url
  return {
    run: runId,
    attempt: runAttempt,
    job: isNamed ? workflowJob : '',
    action: isNamed ? runnerStepId : '',
    turn: index,
    start: turn.startedAt.toISOString(),
    until: until.toISOString(),
    startedBy: { text, url },
    ...(isNamed && { url: `${serverUrl}/${repository}/actions/runs/${runId}${attempt}`, step: stepId || undefined }),
    ...toRowEnd(turn, ref, now),
    commits,
    head: { before: turn.headBefore, after: hasOpenedOther(turn, ref) ? undefined : turn.pullRequest?.headSha },
    sources,
    prompt: index === 0 ? promptName.prompt : undefined,
    file: index === 0 && isNamed ? promptName.file : undefined,
  }
}

const UNFINISHED = 'The agent did not finish its work: check what is missing.'

/** Lists what to do before the merge, most serious first. Undefined if the step has not read the pull request. */
function listLeft(run: Run, now: Date): History['left'] {
  const facts = getPullRequestFacts(run)
  if (facts.state === undefined) return undefined
  const at = now.toISOString()
  if (isPullRequestClosed(facts)) {
    const mayMissWork = run.turns.some((turn) => mayStillRun(turn) || turn.error?.code === 'merged-too-early')
    return { at, items: mayMissWork ? [COMPARE] : [] }
  }
  const blockers = listBlockers(run).map(({ sentence }) => escapeSentence(sentence))
  const status = run.turns.at(-1)?.job?.status
  const last = status !== undefined && getUnsuccessfulStatus(status) !== undefined ? UNFINISHED : REVIEW
  return { at, items: blockers.length === 0 ? [last] : blockers }
}

/** @param promptName the prompt of the step's own turn */
export function createUpdate(
  history: OwnHistory & { readonly ref: HistoryRef },
  promptName: PromptName,
  times: UpdateTimes,
  step: Facts,
): HistoryUpdate {
  const { context, inputs } = step
  const { ref, announced } = history
  const run = history.read()
  const newest = run.turns.at(-1)
  const rows = run.turns.flatMap((turn, index) => {
    const hasEnded = turn.end !== undefined || turn.error !== undefined
    // Leave out a fix round that was neither announced nor sent.
    if (index > 0 && !announced.has(index) && !mayBeSent(turn) && hasEnded) return []
    const row = toRow(turn, index, run, promptName, ref, times, step)
    return row === undefined ? [] : [row]
  })
  return {
    label: inputs.label,
    rows,
    // Only comments in the workflow's own repository start it.
    command: isSameRepository(context.repository, ref.pullRequest.repository) ? inputs.command || undefined : undefined,
    limit: inputs.onOpenPr === 'follow-up' ? inputs.maxFollowUps : undefined,
    left: newest !== undefined && hasOpenedOther(newest, ref) ? undefined : listLeft(run, times.now),
  }
}

/** Shows whether an update would change the comment, apart from times. */
export const toUpdateFingerprint = ({ rows, left }: HistoryUpdate): string =>
  JSON.stringify([rows.map((row) => ({ ...row, until: '', end: row.end && '' })), left?.items])
