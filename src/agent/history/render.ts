/**
 * Renders the history comment that people read from its state. Hides the table, and which rows are dropped when the comment is
 * full.
 */
import { formatCount, formatUtc, joinWords } from '../../text/format.ts'
import { linked } from '../../text/markdown.ts'
import { type History, isOpenRow, type HistoryRow, BEGINNING } from './state.ts'

/** The references that the table shows of each row. The state has all of them. */
const MAX_REFERENCES = 5

function renderRow({ start, startedBy, sources, end, result = '', commits, step, url }: HistoryRow): string {
  const startTime = formatUtc(new Date(start)).slice(0, 'YYYY-MM-DD hh:mm'.length)

  const isPullRequest = (source: string): boolean => source.includes('#')
  // GitHub links the beginning of a commit's id, alone or after the repository and `@`.
  const toCommitReference = (source: string): string =>
    source.replace(/^@/, '').replace(/[0-9a-f]+$/, (sha) => sha.slice(0, 10))
  const references = [
    ...sources.filter(isPullRequest),
    ...sources.filter((source) => !isPullRequest(source)).map(toCommitReference),
  ]
  const unlisted = references.length - MAX_REFERENCES
  const listed = [...references.slice(0, MAX_REFERENCES), ...(unlisted > 0 ? [`${unlisted} more`] : [])]
  const about = listed.length === 0 ? '' : `, about ${joinWords(listed)}`

  const since = `working since ${startTime.slice('YYYY-MM-DD '.length)} UTC`
  const working = `⏳ ${result === '' ? since : 'the agent may still be working'}, do not merge yet`
  const shownResult = end === undefined ? [result, working].filter(Boolean).join('; ') : result

  const stepName = step === undefined ? '' : `, step \`${step.replaceAll('`', "'")}\``
  const run = url === undefined ? '' : linked({ text: `run${stepName}`, url })
  return `| ${startTime} | ${linked(startedBy)}${about} | ${linked({ text: shownResult, url: commits })} | ${run} |`
}

export const REVIEW = 'Review it.'

export const COMPARE = 'Compare its branch with the base branch: some of its commits may not be merged.'

const WAIT = 'Wait until the agent has finished.'

/** From this share of the limit on, the number of remaining follow-ups is shown. */
const WARNING_SHARE = 0.75

/** A sentence about the remaining follow-ups; empty while many are left. */
export function warnOfLimit(used: number, max: number): string {
  if (used < max * WARNING_SHARE) return ''
  return used < max
    ? `Only ${max - used} left: merge or close this pull request before they are used up.`
    : 'None left: merge or close this pull request, or the next run fails.'
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '\\u003C', '>': '\\u003E', '&': '\\u0026' }

function render(history: History): string {
  const { command, followUps, limit, rows, dropped, left } = history
  const json = JSON.stringify(history).replace(/[<>&]/g, (character) => ESCAPES[character] ?? '')
  const growing = ', and adds commits to it when there is more to document, until somebody merges or closes it'
  const table = ['| When (UTC) | Started by | Result | |', '| --- | --- | --- | --- |', ...rows.map(renderRow)]
  const nextSteps = (left?.items ?? []).map((item) => (item === REVIEW && rows.some(isOpenRow) ? WAIT : item))
  // Nobody edits the list after the merge, so it must stay true.
  const heading = nextSteps.includes(COMPARE) ? 'After it was merged or closed' : 'Before it is merged'
  const warning = limit === undefined ? '' : warnOfLimit(followUps, limit)
  return [
    `${BEGINNING}${json} -->`,
    // The readers have not read the documentation of this action.
    `An AI agent opened this pull request${limit === undefined ? '' : growing}. Review it like any other, and push commits of your own if you like.`,
    command &&
      `**To ask the agent for a change,** begin a comment with \`${command}\`, such as \`${command} Shorten the introduction\`. This needs write access.`,
    dropped > 0 && `${formatCount(dropped, 'earlier row is', 'earlier rows are')} not listed.`,
    rows.length > 0 && table.join('\n'),
    left &&
      nextSteps.length > 0 &&
      [`**${heading}** (${formatUtc(new Date(left.at))} UTC)`, '', ...nextSteps.map((item) => `- ${item}`)].join('\n'),
    warning && `${followUps} of ${limit} updates are used. ${warning}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** GitHub's limit is 65,536 characters. */
const MAX_CHARACTERS = 60_000

/** Renders the comment. The oldest rows are dropped if it would be too long. */
export function renderHistory(history: History): string {
  let shortened = history
  let text = render(shortened)
  while (text.length > MAX_CHARACTERS && shortened.rows.length > 1) {
    const surplus = Math.max(1, Math.floor(shortened.rows.length * (1 - MAX_CHARACTERS / text.length)))
    shortened = { ...shortened, rows: shortened.rows.slice(surplus), dropped: shortened.dropped + surplus }
    text = render(shortened)
  }
  return text
}
