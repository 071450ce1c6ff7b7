import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

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

/** @param file the path of a workflow file */
export function findReaderRepository(file: string): ReaderRepository {
  const inFolder = dirname(file)
  const folder = /[\\/]\.github[\\/]workflows$/.test(inFolder) ? resolve(inFolder, '../..') : inFolder
  const config = `${folder}/.git/config`
  const name = existsSync(config) ? parseRepositoryName(readFileSync(config, 'utf8')) : undefined
  return { folder, name: name ?? 'acme/docs' }
}
