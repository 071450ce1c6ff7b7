import type { ChangedFile, ComparedCommit } from '../../github/comparisons.ts'
import type { ChangeContext } from '../inputs/agent-inputs.ts'
import { bytesOf, cleanBlock, cleanName, cutBlock, fenced, IS_DATA, MOST_FENCE_BYTES } from '../../text/fenced.ts'

/** A change, ready to be told. */
export interface Change {
  readonly repository: string
  /** Our own words for it, such as `the push, from 1234567 to 89abcde`. */
  readonly title: string
  /** Oldest first. */
  readonly commits: readonly ComparedCommit[]
  readonly totalCommits: number
  readonly files: readonly ChangedFile[]
  readonly fileList: 'whole' | 'cut'
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

const count = (many: number, one: string, more = `${one}s`): string => `${many} ${many === 1 ? one : more}`

function commitLine({ sha, message, author }: ComparedCommit): string {
  const subject = cleanName(message.split('\n', 1)[0] ?? '')
  return `${sha.slice(0, 7)} ${subject}${author === '' ? '' : ` (${cleanName(author)})`}\n`
}

function fileLine({ status, path, previousPath }: ChangedFile): string {
  const from = previousPath === undefined ? '' : `${cleanName(previousPath)} -> `
  return `${STATUS_LETTERS[status] ?? '?'} ${from}${cleanName(path)}\n`
}

const statisticsOf = ({ additions, deletions }: ChangedFile): string => ` (+${additions} -${deletions})`
const hunkOf = ({ path, patch = '' }: ChangedFile): string => `--- ${cleanName(path)}\n${cleanBlock(patch)}\n`

interface Taken {
  readonly texts: readonly string[]
  /** How many were not taken, or not as a whole. */
  readonly leftOut: number
  readonly bytesLeft: number
}

/** The first items whose texts fit into `maxBytes`. */
function takeFitting<T>(items: readonly T[], render: (item: T) => string, maxBytes: number): Taken {
  const texts: string[] = []
  let bytesLeft = maxBytes
  for (const item of items) {
    const text = render(item)
    if (bytesOf(text) > bytesLeft) break
    texts.push(text)
    bytesLeft -= bytesOf(text)
  }
  return { texts, leftOut: items.length - texts.length, bytesLeft }
}

/** A patch of more characters than there are bytes is not taken whole, and only its beginning is cleaned. */
function takeHunks(patched: readonly ChangedFile[], maxBytes: number): Taken {
  const tooLong = patched.findIndex(({ patch = '' }) => patch.length > maxBytes)
  const whole = takeFitting(tooLong === -1 ? patched : patched.slice(0, tooLong), hunkOf, maxBytes)
  const next = patched[whole.texts.length]
  const leftOut = patched.length - whole.texts.length
  if (next === undefined || whole.bytesLeft <= TOO_FEW_BYTES) return { ...whole, leftOut }
  const beginning = hunkOf({ ...next, patch: next.patch?.slice(0, maxBytes) })
  return { texts: [...whole.texts, cutBlock(beginning, whole.bytesLeft)], leftOut, bytesLeft: 0 }
}

type Body = Readonly<Record<'commits' | 'names' | 'statistics' | 'hunks', Taken>>

/** Names first, then statistics, then hunks: each only has bytes where all that comes before it was told. */
function takeBody(change: Change, level: ChangeContext, maxBytes: number): Body {
  const files = level === 'commits' ? [] : change.files
  const patched = level === 'diff' ? files.filter(({ patch }) => patch !== undefined) : []
  const bytes = maxBytes - bytesOf(HEADINGS.commits) - (level === 'commits' ? 0 : bytesOf(HEADINGS.files))
  // However many commits there are, file names have up to half of the bytes.
  const nameBytes = Math.min(Math.ceil(bytes / 2), bytesOf(files.map(fileLine).join('')))
  const commits = takeFitting(change.commits.toReversed(), commitLine, bytes - nameBytes)
  const names = takeFitting(files, fileLine, commits.bytesLeft + nameBytes)
  const hasAllNames = commits.leftOut === 0 && names.leftOut === 0
  const statistics = takeFitting(files, statisticsOf, hasAllNames ? names.bytesLeft : 0)
  const hunks = takeHunks(patched, statistics.leftOut === 0 ? statistics.bytesLeft - bytesOf(HEADINGS.hunks) : 0)
  return { commits, names, statistics, hunks }
}

function renderBody({ commits, names, statistics, hunks }: Body, level: ChangeContext): string {
  const files = names.texts.map((line, index) => line.replace(/\n$/, `${statistics.texts[index] ?? ''}\n`))
  return [
    HEADINGS.commits,
    ...commits.texts,
    ...(level === 'commits' ? [] : [HEADINGS.files, ...files]),
    ...(hunks.texts.length === 0 ? [] : [HEADINGS.hunks, ...hunks.texts]),
  ].join('')
}

const missing = (many: number, one: string, more?: string): string[] => (many > 0 ? [count(many, one, more)] : [])

function renderLeftOut({ totalCommits, files, fileList }: Change, level: ChangeContext, body: Body): string {
  const { commits, names, statistics, hunks } = body
  const unpatched = level === 'diff' ? files.filter(({ patch }) => patch === undefined) : []
  const leftOut = [
    ...missing(totalCommits - commits.texts.length, 'commit'),
    ...missing(names.leftOut, 'file name'),
    ...(level !== 'commits' && fileList === 'cut' ? ['the files that GitHub does not list'] : []),
    ...missing(names.texts.length - statistics.texts.length, 'line count'),
    ...missing(hunks.leftOut, 'diff, whole or in part', 'diffs, whole or in part'),
    ...missing(unpatched.length, 'file without a text diff', 'files without a text diff'),
  ]
  return leftOut.length === 0 ? '' : `\nLeft out: ${leftOut.join('; ')}.`
}

function frame(change: Change, level: ChangeContext, body: Body): string {
  const { repository, title, totalCommits, files } = change
  const counted = level === 'commits' ? '' : `, ${count(files.length, 'file')}`
  return [
    `\n\nWhat changed in ${repository} (${title}): ${count(totalCommits, 'commit')}${counted}.`,
    IS_DATA,
    '',
    `${fenced(renderBody(body, level))}${renderLeftOut(change, level, body)}`,
    '',
  ].join('\n')
}

/** A range may have no commits: a schedule in a quiet week. */
export const isEmpty = ({ totalCommits, files }: Pick<Change, 'totalCommits' | 'files'>): boolean =>
  totalCommits === 0 && files.length === 0

/**
 * Tells what changed as a text to put behind a prompt, in at most `maxBytes` bytes of UTF-8. It is fenced and named as data,
 * and says what was left out. Empty where `maxBytes` would hold the frame only.
 */
export function renderChangeContext(change: Change, level: ChangeContext, maxBytes: number): string {
  if (level === 'none') return ''
  if (isEmpty(change)) return cutWhole(`\n\nNothing changed in ${change.repository} (${change.title}).\n`, maxBytes)
  // A body of no bytes leaves out the most; its frame and the longest fence are what every other one has to make room for.
  const frameBytes = bytesOf(frame(change, level, takeBody(change, level, 0))) + MOST_FENCE_BYTES
  const context = frame(change, level, takeBody(change, level, maxBytes - frameBytes))
  return cutWhole(context, maxBytes)
}

const cutWhole = (text: string, maxBytes: number): string => (bytesOf(text) <= maxBytes ? text : '')
