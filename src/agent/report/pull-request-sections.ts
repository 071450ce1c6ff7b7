import type { Check } from '../../github/commit-checks.ts'
import { formatDuration } from '../../text/duration.ts'
import { foldedText, grid, inlineCode, linked, prose, quoted, someQuoted } from '../../text/markdown.ts'
import { formatCount } from '../../text/sentences.ts'
import { oneLine } from '../../text/untrusted.ts'
import { ownPullRequest, type Changes, type Report } from './report.ts'
import type { Turn } from './turn.ts'
import { formatEnd } from './turn-texts.ts'

/** So many files, checks and paths are named. */
const MOST_ROWS = 20
const LONGEST_TITLE = 200
const MOST_PROMPT_BYTES = 16 * 1024

const PAGE = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|html?|ipynb)$/i

/** The files as they are shown, documentation first. */
export function pagesFirst(files: Changes['files']): Changes['files'] {
  return [...files.filter(({ path }) => PAGE.test(path)), ...files.filter(({ path }) => !PAGE.test(path))]
}

/** The rows that are shown, and how many more there are. */
export function firstRows<T>(items: readonly T[], toRow: (item: T) => readonly string[]): (readonly string[])[] {
  const more = items.length - MOST_ROWS
  return [...items.slice(0, MOST_ROWS).map(toRow), ...(more > 0 ? [[`and ${more} more`]] : [])]
}

function heading(report: Report): string {
  const link = ownPullRequest(report)
  if (link === undefined) return ''
  const { href, number, repository } = link
  const title = report.pullRequest?.title ?? ''
  const place = number === undefined || repository === undefined ? '' : `#${number} in ${repository}`
  const name = place === '' ? 'Open the pull request' : `Pull request ${place}`
  const text = title === '' ? name : `${inlineCode(oneLine(title, LONGEST_TITLE))} ${place}`
  return `### [${text.trim().replaceAll('_', '&#95;')}](${href})`
}

function files({ changes }: Report): string[] {
  if (changes === undefined || changes.files.length === 0) return []
  const { files, isWhole } = changes
  const count = `${isWhole ? '' : 'at least '}${formatCount(files.length, 'file')}`
  const sumOf = (what: 'additions' | 'deletions'): number => files.reduce((sum, file) => sum + file[what], 0)
  const total = `+${sumOf('additions')} −${sumOf('deletions')}`
  const rows = firstRows(pagesFirst(files), ({ path, additions, deletions }) => [
    prose(quoted(path)),
    `+${additions}`,
    `−${deletions}`,
  ])
  return [`**Changed by this step:** ${count}, ${total}`, grid([], rows)]
}

const RESULTS = { failure: '❌ failed', pending: '⏳ not finished', success: '✅ passed' } as const
const WORST_FIRST = ['failure', 'pending', 'success'] as const

function checks({ pullRequest: { checkList = [] } = {} }: Report): string {
  const sorted = WORST_FIRST.flatMap((wanted) => checkList.filter(({ state }) => state === wanted))
  const toRow = ({ name, state, waitsForApproval, tookMs, detailsUrl: url }: Check): string[] => [
    linked({ text: quoted(name), url }),
    waitsForApproval === true ? '⏳ waits for approval' : RESULTS[state],
    tookMs === undefined ? '' : formatDuration(tookMs),
  ]
  return grid(['Check', 'Result', 'Time'], firstRows(sorted, toRow))
}

function round(turn: Turn, index: number): string[] {
  const { failing = [], task } = turn
  const names = someQuoted(failing.map(({ name }) => name))
  const sent = `**Round ${index + 1}:** ${prose(`sent ${names}; ${formatEnd(turn)}`)}`
  return task.kind === 'attach' ? [sent] : [sent, foldedText('What was sent', task.prompt, MOST_PROMPT_BYTES)]
}

/** The pull request by its title, what the step has changed in it, its checks, and each round; empty for what is not known. */
export function pullRequestSections(report: Report): string[] {
  return [heading(report), ...files(report), checks(report), ...report.rounds.flatMap(round)]
}
