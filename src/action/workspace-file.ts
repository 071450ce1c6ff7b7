import * as fs from 'node:fs'
import * as path from 'node:path'

export type FileText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'problem'; readonly problem: string }

const problem = (text: string): FileText => ({ kind: 'problem', problem: text })

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file)
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** Where a file system ignores case, `.GIT` is git's own folder too. */
function isGitFolder(relative: string): boolean {
  return relative.toLowerCase().split(path.sep).includes('.git')
}

/** As the system says it: on Windows a part of a path may also be named by its short name, such as `GIT~1`. */
function realPath(file: string): string | undefined {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return undefined
  }
}

/**
 * Reads a UTF-8 text file of at most `maxBytes` bytes from inside the workspace. Links are followed before the place is
 * judged: a checked-out link may point anywhere on the runner. Git's own folder is refused, as it can hold a token.
 */
export function readWorkspaceFile(workspace: string, file: string, maxBytes: number): FileText {
  const root = realPath(workspace)
  if (root === undefined) return problem('cannot be read, because there is no workspace here')
  const real = realPath(path.resolve(root, file))
  if (real === undefined) return problem('does not exist; is the repository checked out before this step?')
  if (!isInside(root, real)) return problem('is outside the workspace')
  if (isGitFolder(path.relative(root, real))) return problem("is inside git's own folder")
  try {
    const stats = fs.statSync(real)
    if (!stats.isFile()) return problem('is not a file')
    if (stats.size > maxBytes) return problem(`has ${stats.size} bytes, more than the ${maxBytes} that are allowed`)
    return decode(fs.readFileSync(real))
  } catch {
    return problem('cannot be read')
  }
}

function decode(bytes: Buffer): FileText {
  try {
    // A byte order mark is part of the file, and so of the prompt.
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return problem('is not UTF-8 text')
  }
}
