import * as z from 'zod/mini'
import type { AskGitHub } from './ask-github.ts'
import { parseItems } from './parse-list.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

/** Tags past these are not read. */
const MOST_PAGES = 10

export interface Tag {
  readonly name: string
  /** The commit that it names. */
  readonly sha: string
}

const tagSchema = z.object({ name: z.string(), commit: z.object({ sha: z.string() }) })

/**
 * The tags of a repository (`GET /repos/{owner}/{repo}/tags`).
 * @throws ActionError if GitHub does not tell
 */
export function listTags(ask: AskGitHub, repository: string): Promise<readonly Tag[]> {
  return ask({ permission: 'contents: read', repository }, async ({ rest }) => {
    const tags = await readPages(async (page) => {
      return (await rest.repos.listTags({ ...splitRepository(repository), per_page: PAGE_SIZE, page })).data
    }, MOST_PAGES)
    return parseItems(tagSchema, tags).map(({ name, commit }) => ({ name, sha: commit.sha }))
  })
}
