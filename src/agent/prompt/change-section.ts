import { formatCount } from '../../text/sentences.ts'
import type { ComparedCommit } from '../../github/commits.ts'
import type { ChangedFile, Comparison } from '../../github/comparisons.ts'
import type { ChangeContext } from '../inputs/agent-inputs.ts'
import { bytesOf, cleanBlock, cleanName, cutBlock } from '../../text/fenced.ts'
import { takeFitting } from '../../text/untrusted.ts'
import { missing, type Body, type Section } from './sections.ts'

/** A change, ready to be told. */
export interface Change extends Pick<Comparison, 'commits' | 'totalCommits' | 'files' | 'fileList'> {
  readonly repository: string
  /** Our own words for it, such as `the push, from 1234567 to 89abcde`. */
  readonly title: string
  /** Pull requests that need no documentation: their commits, and the files that only they touch, are left out. */
  readonly exempt?: { readonly numbers: readonly number[] }
}

/** Pull requests that a line or a prompt names. */
const MAX_NAMED = 20

/** Pull requests by their numbers. */
export function formatNumbers(numbers: readonly number[]): string {
  const more = numbers.length > MAX_NAMED ? [`${numbers.length - MAX_NAMED} more`] : []
  return [...numbers.slice(0, MAX_NAMED).map((number) => `#${number}`), ...more].join(', ')
}

/** The beginning of a hunk says too little in no more bytes than these. */
const TOO_FEW_BYTES = 200

const STATUS_LETTERS: Readonly<Record<string, string>> = {
  added: 'A',
  removed: 'D',
  modified: 'M',
  changed: 'M',
  renamed: 'R',
  copied: 'C',
}

const HEADINGS = { commits: 'Commits, newest first:\n', files: '\nFiles:\n', hunks: '\nChanges:\n' }

export function commitLine({ sha, message, author }: ComparedCommit): string {
  const subject = cleanName(message.split('\n', 1)[0] ?? '')
  return `${sha.slice(0, 7)} ${subject}${author === '' ? '' : ` (${cleanName(author)})`}\n`
}

function fileLine({ status, path, previousPath }: ChangedFile): string {
  const from = previousPath === undefined ? '' : `${cleanName(previousPath)} -> `
  return `${STATUS_LETTERS[status] ?? '?'} ${from}${cleanName(path)}\n`
}

const statisticsOf = ({ additions, deletions }: ChangedFile): string => ` (+${additions} -${deletions})`
const hunkOf = ({ path, patch = '' }: ChangedFile): string => `--- ${cleanName(path)}\n${cleanBlock(patch)}\n`

/** A patch of more characters than there are bytes is not taken whole, and only its beginning is cleaned. */
function takeHunks(patched: readonly ChangedFile[], maxBytes: number) {
  const tooLong = patched.findIndex(({ patch = '' }) => patch.length > maxBytes)
  const short = tooLong === -1 ? patched : patched.slice(0, tooLong)
  const { texts: whole, bytesLeft } = takeFitting(short, hunkOf, maxBytes)
  const next = bytesLeft > TOO_FEW_BYTES ? patched[whole.length] : undefined
  if (next === undefined) return { whole, hunks: whole }
  const beginning = hunkOf({ ...next, patch: next.patch?.slice(0, maxBytes) })
  return { whole, hunks: [...whole, cutBlock(beginning, bytesLeft)] }
}

/** Names first, then statistics, then hunks: each only has bytes where all that comes before it was told. */
function bodyOf(change: Change, level: ChangeContext, maxBytes: number): Body {
  const hasFiles = level !== 'commits'
  const files = hasFiles ? change.files : []
  const patched = level === 'diff' ? files.filter(({ patch }) => patch !== undefined) : []
  const filesHeading = hasFiles ? HEADINGS.files : ''
  const bytes = maxBytes - bytesOf(HEADINGS.commits + filesHeading)
  // However many commits there are, file names have up to half of the bytes.
  const nameBytes = Math.min(Math.ceil(bytes / 2), bytesOf(files.map(fileLine).join('')))
  const commits = takeFitting(change.commits.toReversed(), commitLine, bytes - nameBytes)
  const names = takeFitting(files, fileLine, nameBytes + commits.bytesLeft)
  const statistics = takeFitting(files, statisticsOf, commits.isWhole && names.isWhole ? names.bytesLeft : 0)
  const hunkBytes = statistics.isWhole ? statistics.bytesLeft - HEADINGS.hunks.length : 0
  const { whole, hunks } = takeHunks(patched, hunkBytes)
  const lines = names.texts.map((line, index) => `${line.slice(0, -1)}${statistics.texts[index] ?? ''}\n`)
  const hunksHeading = hunks.length === 0 ? '' : HEADINGS.hunks
  const unpatched = level === 'diff' ? files.length - patched.length : 0
  return {
    text: [HEADINGS.commits, ...commits.texts, filesHeading, ...lines, hunksHeading, ...hunks].join(''),
    leftOut: [
      ...missing(change.totalCommits - commits.texts.length, 'commit'),
      ...missing(files.length - names.texts.length, 'file name'),
      ...(hasFiles && change.fileList !== 'whole' ? ['the files that GitHub does not list'] : []),
      ...missing(names.texts.length - statistics.texts.length, 'line count'),
      ...missing(patched.length - whole.length, 'diff, whole or in part', 'diffs, whole or in part'),
      ...missing(unpatched, 'file without a text diff', 'files without a text diff'),
    ],
  }
}

/** A range may have no commits: a schedule in a quiet week. */
export const isEmpty = ({ totalCommits, files }: Pick<Change, 'totalCommits' | 'files'>): boolean =>
  totalCommits === 0 && files.length === 0

const NAMES = {
  commits: 'the commits',
  files: 'the commits and the names of the files',
  diff: 'the commits, the files and their changes',
} as const satisfies Readonly<Record<Exclude<ChangeContext, 'none'>, string>>

export function changeSection(change: Change, level: keyof typeof NAMES): Section {
  const { repository, title, totalCommits, files, exempt } = change
  if (isEmpty(change)) return { name: NAMES[level], sentence: `Nothing changed in ${repository} (${title}).` }
  const counted = `${formatCount(totalCommits, 'commit')}${level === 'commits' ? '' : `, ${formatCount(files.length, 'file')}`}`
  const leftOut = exempt === undefined ? '' : ` Not to be documented, and left out: ${formatNumbers(exempt.numbers)}.`
  return {
    name: NAMES[level],
    sentence: `What changed in ${repository} (${title}): ${counted}.${leftOut}`,
    bodyOf: (maxBytes) => bodyOf(change, level, maxBytes),
  }
}
