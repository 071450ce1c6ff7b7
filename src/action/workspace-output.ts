import * as fs from 'node:fs'
import * as path from 'node:path'

/** A place for a new file that was found to be safe to write to. */
export interface OutputPlace {
  /** The absolute path, with every link in it followed. */
  readonly file: string
  /** The path below the workspace, with `/` on every system. */
  readonly name: string
}

type FoundPlace =
  { readonly kind: 'place'; readonly place: OutputPlace } | { readonly kind: 'problem'; readonly problem: string }

const problem = (text: string): FoundPlace => ({ kind: 'problem', problem: text })

/**
 * Follows all links in a path whose last parts need not be there yet.
 * @throws Error if a link on the way leads nowhere, or where what should be a folder is none
 */
function followLinks(file: string): string {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return fs.realpathSync.native(file)
  const folder = followLinks(path.dirname(file))
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true) throw new Error('This is a file.')
  return path.join(folder, path.basename(file))
}

function checkPlace(root: string, real: string): FoundPlace {
  const parts = path.relative(root, real).split(path.sep)
  if (path.isAbsolute(path.relative(root, real)) || parts[0] === '..') return problem('is outside the workspace')
  // Where a file system ignores case, `.GIT` is git's own folder too.
  if (parts.some((part) => part.toLowerCase() === '.git')) return problem("is inside git's own folder")
  const stats = fs.statSync(real, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return problem('is a folder')
  if (stats !== undefined && !stats.isFile()) return problem('is not a plain file')
  return { kind: 'place', place: { file: real, name: parts.join('/') } }
}

/**
 * Finds where a new file of the workspace would really be. Links are followed before the place is judged, since a
 * checked-out link may point anywhere on the runner. Folders on the way need not be there. Nothing is written.
 */
export function findOutputPlace(workspace: string, file: string): FoundPlace {
  if (/[\u0000-\u001f\u007f]/.test(file)) return problem('must not contain control characters')
  if (/[/\\]$/.test(file)) return problem('is a folder')
  try {
    const root = fs.realpathSync.native(workspace)
    return checkPlace(root, followLinks(path.resolve(workspace, file)))
  } catch {
    return problem('cannot be written there, because its folder or a link on the way to it cannot be followed')
  }
}

/** A file could not be written. */
export class OutputFileError extends Error {
  override readonly name = 'OutputFileError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Carries the system's code (`ENOSPC`) and none of its text, which holds paths. */
function refusedBySystem(cause: unknown): OutputFileError {
  const code = (cause as { code?: unknown } | null)?.code
  return new OutputFileError(
    `The file could not be written${typeof code === 'string' ? ` (${code})` : ''}.`,
    'Check the free space of the runner, and who may write to the folder of the file.',
  )
}

/** A file that is there as a whole or not at all. All methods throw `OutputFileError` and nothing else. */
export interface OutputFile {
  /** Appends a text, as UTF-8. */
  readonly write: (text: string) => void
  /** Puts the file in its place, where it replaces the one that was there before. */
  readonly commit: () => void
  /** Leaves nothing behind; does nothing after a commit. Never throws, so that it can stand in a `finally`. */
  readonly discard: () => void
}

function orThrow(act: () => void): void {
  try {
    act()
  } catch (error) {
    throw error instanceof OutputFileError ? error : refusedBySystem(error)
  }
}

/** What cannot be tidied up must not hide why it had to be. */
function orLeaveIt(act: () => void): void {
  try {
    act()
  } catch {
    return
  }
}

/** 512 MiB: a hundred times what a large site needs, and less than the free space of any runner. */
const MOST_BYTES = 512 * 1024 * 1024

/** The folders that are missing on the way to `folder` and `folder` itself, the deepest first. */
function missingFolders(folder: string): string[] {
  return fs.existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))]
}

/**
 * Opens a file for writing. Until it is committed, all is in a temporary file beside it, so that the rename stays within
 * one file system. Folders that are missing are made, and removed again where the file is discarded. It writes
 * synchronously: then it can be discarded while the process ends, too.
 * @param mostBytes what is larger is refused, since what is written comes from a stranger
 */
export function openOutputFile({ file }: OutputPlace, mostBytes = MOST_BYTES): OutputFile {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${crypto.randomUUID()}.part`)
  const made = missingFolders(folder)
  let descriptor: number | undefined
  let bytes = 0
  let isDone = false

  function open(): void {
    fs.mkdirSync(folder, { recursive: true })
    descriptor = fs.openSync(temporary, 'wx')
  }

  function write(text: string): void {
    if (descriptor === undefined) throw new Error('The file is closed.')
    bytes += Buffer.byteLength(text)
    if (bytes > mostBytes)
      throw new OutputFileError(
        `The file would be larger than ${mostBytes} bytes.`,
        'Ask for less in one step, such as for fewer days.',
      )
    fs.writeFileSync(descriptor, text)
  }

  function close(): void {
    if (descriptor !== undefined) fs.closeSync(descriptor)
    descriptor = undefined
  }

  function commit(): void {
    // Some file systems notice that the disk is full only now.
    if (descriptor !== undefined) fs.fsyncSync(descriptor)
    close()
    fs.renameSync(temporary, file)
    isDone = true
  }

  function discard(): void {
    if (isDone) return
    isDone = true
    orLeaveIt(close)
    orLeaveIt(() => {
      fs.unlinkSync(temporary)
    })
    for (const folder of made) {
      orLeaveIt(() => {
        fs.rmdirSync(folder)
      })
    }
  }

  try {
    orThrow(open)
  } catch (error) {
    discard()
    throw error
  }
  return {
    write: (text) => {
      orThrow(() => {
        write(text)
      })
    },
    commit: () => {
      orThrow(commit)
    },
    discard,
  }
}
