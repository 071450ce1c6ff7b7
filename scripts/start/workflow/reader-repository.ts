import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** The repository that contains a workflow file. */
export interface ReaderRepository {
  /** Its folder, or that of a file elsewhere. */
  readonly folder: string
  /** `owner/name` */
  readonly name: string
}

/** The `owner/name` in the configuration of a clone. */
export function parseRepositoryName(gitConfig: string): string | undefined {
  return /^\s*url = \S*?[:/]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/m.exec(gitConfig)?.[1]
}

/**
 * Names a repository by its clone's configuration, or by its folder.
 * @param file the absolute path of a workflow file
 */
export function findReaderRepository(file: string): ReaderRepository {
  const inFolder = dirname(file)
  const isInRepository = /[\\/]\.github[\\/]workflows$/.test(inFolder)
  const folder = isInRepository ? resolve(inFolder, '../..') : inFolder
  const config = `${folder}/.git/config`
  const name = existsSync(config) ? parseRepositoryName(readFileSync(config, 'utf8')) : undefined
  const isNamed = isInRepository && /^[\w.-]+$/.test(basename(folder))
  return { folder, name: name ?? `acme/${isNamed ? basename(folder) : 'code'}` }
}
