/**
 * Renders the history comment that people read from its state. Hides the table, and which rows are dropped when the comment is
 * full.
 */
import { formatCount, formatUtc } from '../../text/format.ts'
import { linked } from '../../text/markdown.ts'
import { type History, isOpenRow, type HistoryRow, BEGINNING } from './state.ts'

const toTimeOfDay = (iso: string): string => formatUtc(new Date(iso)).slice('YYYY-MM-DD '.length, -':ss'.length)

/** The references that the table shows of each row. The state has all of them. */
const MAX_REFERENCES = 5

/** GitHub links the beginning of a commit's id, alone or after the repository and `@`. */
const toCommitReference = (source: string): string =>
  source.replace(/^@/, '').replace(/[0-9a-f]+$/, (sha) => sha.slice(0, 10))

function formatSources({ sources }: HistoryRow): string {
  const pullRequests = sources.filter((source) => source.includes('#'))
  const commits = sources.filter((source) => !source.includes('#')).map(toCommitReference)
  const listed = [...pullRequests, ...commits].slice(0, MAX_REFERENCES)
  const more = sources.length - MAX_REFERENCES
  if (listed.length === 0) return ''
  if (more > 0) return `, about ${listed.join(', ')} and ${more} more`
  return `, about ${listed.slice(0, -1).join(', ')}${listed.length > 1 ? ' and ' : ''}${listed.at(-1) ?? ''}`
}

function formatResult({ start, end, result = '' }: HistoryRow): string {
  if (end !== undefined) return result
  const working = result === '' ? `working since ${toTimeOfDay(start)} UTC` : 'the agent may still be working'
  return `${result === '' ? '' : `${result}; `}⏳ ${working}, do not merge yet`
}

function renderRow(row: HistoryRow): string {
  const { start, startedBy, commits, url, step } = row
  const when = formatUtc(new Date(start)).slice(0, 'YYYY-MM-DD hh:mm'.length)
  const why = `${linked(startedBy)}${formatSources(row)}`
  const place = step === undefined ? '' : `, step \`${step.replaceAll('`', "'")}\``
  const run = url === undefined ? '' : linked({ text: `run${place}`, url })
  return `| ${when} | ${why} | ${linked({ text: formatResult(row), url: commits })} | ${run} |`
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

function renderLeft({ left, rows }: History): string {
  if (left === undefined || left.items.length === 0) return ''
  const items = rows.some(isOpenRow) ? left.items.map((item) => (item === REVIEW ? WAIT : item)) : left.items
  // Nobody edits the list after the merge, so it must stay true.
  const heading = items.includes(COMPARE) ? 'After it was merged or closed' : 'Before it is merged'
  return [`**${heading}** (${formatUtc(new Date(left.at))} UTC)`, '', ...items.map((item) => `- ${item}`)].join('\n')
}

const ESCAPES: Readonly<Record<string, string>> = { '<': '\\u003C', '>': '\\u003E', '&': '\\u0026' }

/** Speaks to people who have not read the documentation of this action. */
function renderIntroduction({ command, limit }: History): string {
  const growing = ', and adds commits to it when there is more to document, until somebody merges or closes it'
  const how = `**To ask the agent for a change,** begin a comment with \`${command}\`, such as \`${command} Shorten the introduction\`. This needs write access.`
  return [
    `An AI agent opened this pull request${limit === undefined ? '' : growing}. Review it like any other, and push commits of your own if you like.`,
    ...(command === undefined ? [] : [how]),
  ].join('\n\n')
}

function render(history: History): string {
  const { followUps, limit, rows, dropped } = history
  const json = JSON.stringify(history).replace(/[<>&]/g, (character) => ESCAPES[character] ?? '')
  const table = ['| When (UTC) | Started by | Result | |', '| --- | --- | --- | --- |', ...rows.map(renderRow)].join(
    '\n',
  )
  const warning = limit === undefined ? '' : warnOfLimit(followUps, limit)
  return [
    `${BEGINNING}${json} -->`,
    renderIntroduction(history),
    dropped === 0 ? '' : `${formatCount(dropped, 'earlier row is', 'earlier rows are')} not listed.`,
    rows.length === 0 ? '' : table,
    renderLeft(history),
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
