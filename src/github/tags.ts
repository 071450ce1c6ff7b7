import type { AskGitHub } from './ask-github.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'
import { splitRepository } from './repository-name.ts'

/** Tags past these are not read. */
const MOST_PAGES = 10

export interface Tag {
  readonly name: string
  /** The commit that it names. */
  readonly sha: string
}

/**
 * The tags of a repository (`GET /repos/{owner}/{repo}/tags`).
 * @throws ActionError if GitHub does not tell
 */
export function listTags(ask: AskGitHub, repository: string): Promise<readonly Tag[]> {
  return ask({ permission: 'contents: read', repository }, ({ rest }) =>
    readPages(async (page) => {
      const { data } = await rest.repos.listTags({ ...splitRepository(repository), per_page: PAGE_SIZE, page })
      return data.map(({ name, commit }) => ({ name, sha: commit.sha }))
    }, MOST_PAGES),
  )
}
