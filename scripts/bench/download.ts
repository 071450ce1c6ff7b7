import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from '../../testing/markdown-files.ts'
import { openScratchFolder } from '../small-runner/scratch-folder.ts'
import type { Row } from './row.ts'

/**
 * Every job downloads the archive before its first step. Nearly all of it is bundles. The limit leaves room for features, but
 * not for a second copy of the emulator or of a package.
 */
export const DOWNLOAD_LIMIT_MB = 0.75

/**
 * Packs the files of the work tree that the runner would download if they were committed: without those that
 * `.gitattributes` leaves out. The repository itself is not changed.
 * @param paths only these; all by default
 */
export function measurePackedMb(...paths: string[]): number {
  const scratch = openScratchFolder('docs-agent-archive-')
  try {
    const [index, objects] = [join(scratch.path, 'index'), join(scratch.path, 'objects')]
    const git = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Buffer =>
      execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30, env: { ...process.env, ...env } })
    const locate = (name: string): string => resolve(root, git(['rev-parse', '--git-path', name]).toString().trim())
    copyFileSync(locate('index'), index)
    mkdirSync(objects)
    const env = {
      GIT_INDEX_FILE: index,
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: locate('objects'),
    }
    git(['add', '--all'], env)
    const tree = git(['write-tree'], env).toString().trim()
    const archive = git(['archive', '--worktree-attributes', tree, ...paths], env)
    return gzipSync(archive, { level: 9 }).length / 1e6
  } finally {
    scratch.remove()
  }
}

/** Measures the archive of the repository, which the runner downloads. */
export function measureDownload(): Row[] {
  const [whole, bundles] = [measurePackedMb(), measurePackedMb('dist')]
  const format = (mb: number): string => `${mb.toFixed(2)} MB`
  return [
    ['The archive', format(whole), `${format(DOWNLOAD_LIMIT_MB)}: the limit`, whole / DOWNLOAD_LIMIT_MB, 1],
    ['The bundles in it', format(bundles), `${format(whole)}: the archive`, bundles / whole],
  ]
}
