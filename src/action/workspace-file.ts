/** Reads and writes files of the workspace, and rejects paths outside of it. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { rejectInput } from './inputs.ts'

/** A validated location for a new file. */
export interface OutputPath {
  /** The absolute path, with all symbolic links resolved. */
  readonly file: string
  /** The path relative to the workspace, with `/` on every platform. */
  readonly name: string
}

const isTooLong = (error: unknown): boolean => (error as { code?: unknown }).code === 'ENAMETOOLONG'

/** Rejects the input if `act` throws. The system's own messages contain paths, so they are not shown. */
function attemptRead<T>(act: () => T, problem: string): T {
  try {
    return act()
  } catch (error) {
    return rejectInput(
      isTooLong(error) ? 'is too long for the file system: most allow 255 bytes for each name' : problem,
    )
  }
}

/** The native variant also expands the short names of Windows, such as `GIT~1`. */
const realPath = fs.realpathSync.native

/**
 * Splits a path inside the workspace into its parts. Rejects paths outside it, and `.git`, which can contain a token.
 * @param system the platform's path rules; on Windows, the relative path to another drive is absolute
 */
export function partsInside(root: string, real: string, system: path.PlatformPath = path): readonly string[] {
  const relative = system.relative(root, real)
  const parts = relative.split(system.sep)
  if (system.isAbsolute(relative) || parts[0] === '..') return rejectInput('is outside the workspace')
  // On a case-insensitive file system, `.GIT` is the same folder.
  return parts.some((part) => part.toLowerCase() === '.git') ? rejectInput("is inside git's own folder") : parts
}

/**
 * Reads a UTF-8 text file of at most `maxBytes` bytes from the workspace, or rejects the input. Resolves symbolic links
 * before it checks the path: a link in the repository can point anywhere on the runner.
 */
export function readWorkspaceFile(workspace: string, file: string, maxBytes: number): string {
  const root = attemptRead(() => realPath(workspace), 'cannot be read, because this step has no workspace')
  const missing = 'does not exist; is the repository checked out before this step?'
  const real = attemptRead(() => realPath(path.resolve(root, file)), missing)
  partsInside(root, real)
  const stats = attemptRead(() => fs.statSync(real), 'cannot be read')
  if (!stats.isFile()) return rejectInput('is not a file')
  if (stats.size > maxBytes) return rejectInput(`has ${stats.size} bytes; at most ${maxBytes} are allowed`)
  const bytes = attemptRead(() => fs.readFileSync(real), 'cannot be read')
  // Keep a byte order mark: it is part of the file, and so of the prompt.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return attemptRead(() => decoder.decode(bytes), 'is not UTF-8 text')
}

/**
 * Resolves all symbolic links in a path whose last parts may not exist.
 * @throws Error if a link is dangling or a parent is a file
 */
function followLinks(file: string): string {
  if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return realPath(file)
  const folder = followLinks(path.dirname(file))
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isFile() === true) throw new Error('This is a file.')
  return path.join(folder, path.basename(file))
}

/**
 * Resolves the location of a new file in the workspace, or rejects the input. The parent folders may not exist. Writes
 * nothing.
 */
export function findOutputPlace(workspace: string, file: string): OutputPath {
  if (/[\u0000-\u001f\u007f]/.test(file)) return rejectInput('must not contain control characters')
  if (/[/\\]$/.test(file)) return rejectInput('is a folder')
  const problem = 'cannot be written, because its folder or a symbolic link in its path cannot be resolved'
  const root = attemptRead(() => realPath(workspace), problem)
  const real = attemptRead(() => followLinks(path.resolve(workspace, file)), problem)
  const parts = partsInside(root, real)
  const stats = attemptRead(() => fs.statSync(real, { throwIfNoEntry: false }), problem)
  if (stats?.isDirectory() === true) return rejectInput('is a folder')
  if (stats !== undefined && !stats.isFile()) return rejectInput('is not a regular file')
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

/** Reports only the code of a system error, such as `ENOSPC`, because its message contains paths. */
function attemptWrite(act: () => void): void {
  try {
    act()
  } catch (error) {
    const { code } = error as { code?: unknown }
    throw new OutputFileError(
      `The file could not be written${typeof code === 'string' ? ` (${code})` : ''}.`,
      isTooLong(error)
        ? 'Its path is too long for the file system: choose shorter names.'
        : 'Check the free disk space of the runner and the permissions of the folder.',
    )
  }
}

/** A hundred times what a large site needs, and less than the free space of any runner. */
const MAX_BYTES = 512 * 1024 * 1024

/** An invalid descriptor: every operation on it fails. */
const CLOSED = -1

/**
 * Writes a file atomically: if it fails, it leaves no file behind. The text goes to a temporary file in the same
 * folder, because a rename works within one file system only. Creates missing folders.
 * @param fill called after the temporary file is opened; writes synchronously, so that the file can be discarded while
 *   the process exits
 * @param maxBytes limits the file, because its content is untrusted
 * @throws OutputFileError, and what `fill` throws
 */
export async function writeFileAtomically(
  file: string,
  fill: (write: (text: string) => void) => Promise<void>,
  maxBytes = MAX_BYTES,
): Promise<void> {
  const folder = path.dirname(file)
  const temporary = path.join(folder, `.${crypto.randomUUID()}.part`)
  let descriptor = CLOSED
  let bytes = 0

  function write(text: string): void {
    bytes += Buffer.byteLength(text)
    if (bytes > maxBytes)
      throw new OutputFileError(
        `The file would be larger than ${maxBytes} bytes.`,
        'Export less in one step, such as fewer days.',
      )
    attemptWrite(() => {
      fs.writeFileSync(descriptor, text)
    })
  }
  function close(): void {
    const open = descriptor
    // The next file that is opened may get the same number.
    descriptor = CLOSED
    fs.closeSync(open)
  }
  function discard(): void {
    for (const cleanUp of [close, fs.unlinkSync.bind(fs, temporary)]) {
      try {
        cleanUp()
      } catch {
        // A failed clean-up must not hide the original error.
      }
    }
  }

  // A second signal, or an unexpected error elsewhere, exits immediately.
  process.once('exit', discard)
  try {
    attemptWrite(() => {
      fs.mkdirSync(folder, { recursive: true })
      descriptor = fs.openSync(temporary, 'wx')
    })
    await fill(write)
    attemptWrite(() => {
      // Some file systems report a full disk only here.
      fs.fsyncSync(descriptor)
      close()
      fs.renameSync(temporary, file)
    })
  } finally {
    discard()
    process.off('exit', discard)
  }
}
