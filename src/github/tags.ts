import * as z from 'zod/mini'
import type { AskGitHub } from './ask-github.ts'
import { parseItems } from './parse-list.ts'
import { PAGE_SIZE, readPages } from './read-pages.ts'

/** Tags past these are not read. */
const MOST_PAGES = 10

export interface Tag {
  readonly name: string
  /** The commit that it names. */
  readonly sha: string
}

const tagSchema = z.object({ name: z.string(), commit: z.object({ sha: z.string() }) })

export interface Tags {
  /** `GET /repos/{owner}/{repo}/tags` */
  readonly listTags: (repository: string) => Promise<readonly Tag[]>
}

export const connectTags = (ask: AskGitHub): Tags => ({
  listTags: (repository) =>
    ask({ permission: 'contents: read', repository }, async ({ rest }, where) => {
      const readPage = async (page: number) => (await rest.repos.listTags({ ...where, per_page: PAGE_SIZE, page })).data
      const tags = await readPages(readPage, MOST_PAGES)
      return parseItems(tagSchema, tags).map(({ name, commit }) => ({ name, sha: commit.sha }))
    }),
})
