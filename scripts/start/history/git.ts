import { execFileSync } from 'node:child_process'

/**
 * Git must neither use the network, nor run programs that the configuration of a clone names. GitHub does not know the objects
 * that a clone replaces (orhun/git-cliff#826).
 */
const SAFE_ENV = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
}
/** Git sets these for its hooks, and they would name another repository (lycheeverse/lychee#2292). */
const NO_REPOSITORY = { GIT_DIR: undefined, GIT_WORK_TREE: undefined }
const SAFE_CONFIG = [
  'core.fsmonitor=false',
  'core.quotePath=false',
  'log.showSignature=false',
  // Git for Windows is often configured for another encoding (gitextensions/gitextensions#3707).
  'i18n.logOutputEncoding=UTF-8',
  // Otherwise a submodule can have no `diff --git` line, or several (fork-dev/Tracker#522).
  'diff.submodule=short',
  'diff.ignoreSubmodules=none',
]

/** Large enough for the log of a year of a large repository. */
const MAX_OUTPUT_BYTES = 1024 ** 3

/** Runs a git command that only reads. Returns undefined if it fails. */
export type Git = (...args: readonly string[]) => string | undefined

/** @param folder the clone */
export function openGit(folder: string): Git {
  const config = SAFE_CONFIG.flatMap((setting) => ['-c', setting])
  return (...args) => {
    try {
      return execFileSync('git', ['-C', folder, ...config, ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...NO_REPOSITORY, ...SAFE_ENV },
        maxBuffer: MAX_OUTPUT_BYTES,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new Error('This needs git, which was not found. Install it, or add it to PATH.', { cause: error })
      return undefined
    }
  }
}
