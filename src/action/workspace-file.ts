import * as fs from 'node:fs'
import * as path from 'node:path'
import { refuse } from './parse-inputs.ts'

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
  const root = orRefuse(() => realPath(workspace), 'cannot be read, because there is no workspace here')
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
  const problem = 'cannot be written there, because its folder or a link on the way to it cannot be followed'
  const root = orRefuse(() => realPath(workspace), problem)
  const real = orRefuse(() => followLinks(path.resolve(workspace, file)), problem)
  const parts = partsInside(root, real)
  const stats = orRefuse(() => fs.statSync(real, { throwIfNoEntry: false }), problem)
  if (stats?.isDirectory() === true) return refuse('is a folder')
  if (stats !== undefined && !stats.isFile()) return refuse('is not a plain file')
  return { file: real, name: parts.join('/') }
}
