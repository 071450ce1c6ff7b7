import { spawnSync } from 'node:child_process'
import { basename, dirname, resolve } from 'node:path'

/** The repository that contains a workflow file. */
export interface ReaderRepository {
  /** Its folder, or that of a file elsewhere. */
  readonly folder: string
  /** `owner/name` */
  readonly name: string
  readonly defaultBranch: string
}

/** The `owner/name` in the URL of a remote. */
export function parseRepositoryName(url: string): string | undefined {
  return /^\S*?[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url)?.[1]
}

/** Variables such as `GIT_DIR`, which a Git hook sets, would name another repository. */
const listEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))

/** @returns what a Git command prints that only reads; undefined if it fails, or without Git */
function readGit(folder: string, ...args: readonly string[]): string | undefined {
  const { stdout, status } = spawnSync('git', args, { cwd: folder, env: listEnv(), encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/**
 * Describes a clone as Git resolves it, also a worktree: its remote and its default branch.
 * @param file the absolute path of a workflow file
 */
export function findReaderRepository(file: string): ReaderRepository {
  const inFolder = dirname(file)
  const isInRepository = /[\\/]\.github[\\/]workflows$/.test(inFolder)
  const folder = isInRepository ? resolve(inFolder, '../..') : inFolder
  const isNamed = isInRepository && /^[\w.-]+$/.test(basename(folder))
  const named = `acme/${isNamed ? basename(folder) : 'code'}`
  // A prefix is the path from the root of a clone that contains this folder.
  if (!isInRepository || readGit(folder, 'rev-parse', '--show-prefix') !== '')
    return { folder, name: named, defaultBranch: 'main' }
  const remotes = readGit(folder, 'remote')?.split('\n') ?? []
  const remote = remotes.includes('origin') ? 'origin' : (remotes[0] ?? '')
  const head = readGit(folder, 'symbolic-ref', '--short', `refs/remotes/${remote}/HEAD`)?.slice(remote.length + 1)
  return {
    folder,
    name: parseRepositoryName(readGit(folder, 'remote', 'get-url', remote) ?? '') ?? named,
    defaultBranch: head ?? readGit(folder, 'symbolic-ref', '--short', 'HEAD') ?? 'main',
  }
}
