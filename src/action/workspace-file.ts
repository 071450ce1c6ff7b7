import * as fs from 'node:fs'
import * as path from 'node:path'
import { refuse } from './inputs.ts'

/** A place for a new file that was found to be safe to write to. */
export interface OutputPlace {
  /** The absolute path, with every link in it followed. */
  readonly file: string
  /** The path below the workspace, with `/` on every system. */
  readonly name: string
}

/** Refuses what the system cannot do, in words of our own: its words hold paths. */
function orRefuse<T>(act: () => T, problem: string): T {
  try {
    return act()
  } catch {
    return refuse(problem)
  }
}

/** As the system says it: on Windows a part of a path may also be named by its short name, such as `GIT~1`. */
const realPath = fs.realpathSync.native

/**
 * The parts of a path below the workspace. Git's own folder is refused, as it can hold a token.
 * @param system the rules for paths; on Windows the way to another drive is an absolute path
 */
export function partsInside(root: string, real: string, system: path.PlatformPath = path): readonly string[] {
  const relative = system.relative(root, real)
  const parts = relative.split(system.sep)
  if (system.isAbsolute(relative) || parts[0] === '..') return refuse('is outside the workspace')
  // Where a file system ignores case, `.GIT` is git's own folder too.
  return parts.some((part) => part.toLowerCase() === '.git') ? refuse("is inside git's own folder") : parts
}

/**
 * Reads a UTF-8 text file of at most `maxBytes` bytes from inside the workspace, or refuses the input that names it. Links
 * are followed before the place is judged: a checked-out link may point anywhere on the runner.
 */
export function readWorkspaceFile(workspace: string, file: string, maxBytes: number): string {
  const root = orRefuse(() => realPath(workspace), 'cannot be read, because this step has no workspace')
  const missing = 'does not exist; is the repository checked out before this step?'
  const real = orRefuse(() => realPath(path.resolve(root, file)), missing)
  partsInside(root, real)
  const stats = orRefuse(() => fs.statSync(real), 'cannot be read')
  if (!stats.isFile()) return refuse('is not a file')
  if (stats.size > maxBytes) return refuse(`has ${stats.size} bytes; at most ${maxBytes} are allowed`)
  const bytes = orRefuse(() => fs.readFileSync(real), 'cannot be read')
  // A byte order mark is part of the file, and so of the prompt.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return orRefuse(() => decoder.decode(bytes), 'is not UTF-8 text')
}

/**
 * Follows all links in a path whose last parts need not be there yet.
 * @throws Error if a link on the way leads nowhere, or where what should be a folder is none
 */
function followLinks(file: string): string {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return realPath(file)
  const folder = followLinks(path.dirname(file))
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true) throw new Error('This is a file.')
  return path.join(folder, path.basename(file))
}

/**
 * Finds where a new file of the workspace would really be, links followed, or refuses the input that names it. Folders on
 * the way need not be there. Nothing is written.
 */
export function findOutputPlace(workspace: string, file: string): OutputPlace {
  if (/[\u0000-\u001f\u007f]/.test(file)) return refuse('must not contain control characters')
  if (/[/\\]$/.test(file)) return refuse('is a folder')
  const problem = 'cannot be written, because its folder or a symbolic link in its path cannot be resolved'
  const root = orRefuse(() => realPath(workspace), problem)
  const real = orRefuse(() => followLinks(path.resolve(workspace, file)), problem)
  const parts = partsInside(root, real)
  const stats = orRefuse(() => fs.statSync(real, { throwIfNoEntry: false }), problem)
  if (stats?.isDirectory() === true) return refuse('is a folder')
  if (stats !== undefined && !stats.isFile()) return refuse('is not a regular file')
  return { file: real, name: parts.join('/') }
}

export class OutputFileError extends Error {
  override readonly name = 'OutputFileError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/** Of an error of the system its code (`ENOSPC`) is told, and none of its text, which holds paths. */
function orThrow(act: () => void): void {
  try {
    act()
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw new OutputFileError(
      `The file could not be written${typeof code === 'string' ? ` (${code})` : ''}.`,
      'Check the free disk space of the runner and the permissions of the folder.',
    )
  }
}

/** 512 MiB: a hundred times what a large site needs, and less than the free space of any runner. */
const MAX_BYTES = 512 * 1024 * 1024

/** The folders that are missing on the way to `folder` and `folder` itself, the deepest first. */
function missingFolders(folder: string): string[] {
  return fs.existsSync(folder) ? [] : [folder, ...missingFolders(path.dirname(folder))]
}

/** In place of a descriptor: whatever is asked of it fails. */
const CLOSED = -1

/**
 * Writes a file that is there as a whole, or not at all and with nothing left behind: until it is whole, all is in a
 * temporary file beside it, so that the rename stays within one file system. Folders that are missing are made.
 * @param fill begins once the place is known to be good, and gives the texts of the file, which are written synchronously:
 *   then it can be discarded while the process ends, too
 * @param mostBytes what is larger is refused, since what is written comes from a stranger
 * @throws OutputFileError, and what `fill` throws
 */
export async function writeWholeFile(
  file: string,
  fill: (write: (text: string) => void) => Promise<void>,
  mostBytes = MAX_BYTES,
): Promise<void> {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${crypto.randomUUID()}.part`)
  const madeFolders = missingFolders(folder)
  let descriptor = CLOSED
  let bytes = 0

  function write(text: string): void {
    bytes += Buffer.byteLength(text)
    if (bytes > mostBytes)
      throw new OutputFileError(
        `The file would be larger than ${mostBytes} bytes.`,
        'Export less in one step, such as fewer days.',
      )
    orThrow(() => {
      fs.writeFileSync(descriptor, text)
    })
  }
  function close(): void {
    const open = descriptor
    // What is opened next may get the same number.
    descriptor = CLOSED
    fs.closeSync(open)
  }
  function discard(): void {
    const removals = madeFolders.map((made) => fs.rmdirSync.bind(fs, made))
    for (const tidy of [close, fs.unlinkSync.bind(fs, temporary), ...removals]) {
      try {
        tidy()
      } catch {
        // What cannot be tidied up must not hide why it had to be. Of a whole file the folder is not empty, and stays.
      }
    }
  }

  // A second signal, or a defect elsewhere, ends the process at once.
  process.once('exit', discard)
  try {
    orThrow(() => {
      fs.mkdirSync(folder, { recursive: true })
      descriptor = fs.openSync(temporary, 'wx')
    })
    await fill(write)
    orThrow(() => {
      // Some file systems notice that the disk is full only now.
      fs.fsyncSync(descriptor)
      close()
      fs.renameSync(temporary, file)
    })
  } finally {
    discard()
    process.off('exit', discard)
  }
}
