/** Reads and adds the labels of pull requests. */
import * as z from 'zod/mini'
import { type Call, type Cursor, PAGE_SIZE, readAll, readPages } from './pages.ts'
import { readOwnId } from './comments.ts'
import { tolerateRefusal } from './github-error.ts'
import { accountSchema, labelsSchema, type PullRequestAddress } from './pull-requests.ts'
import { parseResponse } from './schemas.ts'

const listedSchema = z.lazy(() =>
  z.pipe(
    z.object({ number: z.int(), labels: labelsSchema, user: accountSchema, pull_request: z.optional(z.unknown()) }),
    z.transform(({ number, labels, user: author, pull_request: pullRequest }) => ({
      number,
      labels,
      author,
      isPullRequest: pullRequest !== undefined,
    })),
  ),
)

// Reject the whole list if any item is malformed: the malformed item could be the one we are looking for.
const listSchema = z.lazy(() => z.array(listedSchema))

const eventsSchema = z.lazy(() =>
  z.array(
    z.union([
      z.object({
        event: z.literal('labeled'),
        label: z.object({ name: z.string() }),
        /** Null for a deleted account. */
        actor: z.nullable(z.object({ id: z.int() })),
      }),
      z.pipe(
        z.object({ event: z.string().check(z.regex(/^(?!labeled$)\w/)) }),
        z.transform(() => undefined),
      ),
    ]),
  ),
)

/** A pull request with more events is too old. */
const MAX_EVENT_PAGES = 10

type Listed = Readonly<z.infer<typeof listedSchema>>

/** A pull request, with the fields that both GitHub's lists of pull requests and its lists of issues contain. */
export type PullRequestInList = PullRequestAddress & Pick<Listed, 'author' | 'labels'>

/** The token cannot read issues (403, 404), or issues are disabled in the repository (410). */
const NO_ISSUES = [403, 404, 410]

/** A longer list by label is rejected. */
const MAX_PAGES = 30
/** The maximum number of pages of a list in which only the newest items matter. */
const MAX_NEWEST_PAGES = 10

const OPEN = { per_page: PAGE_SIZE, state: 'open', sort: 'created', direction: 'asc' } as const
const NEWEST = { per_page: PAGE_SIZE, state: 'all', sort: 'created', direction: 'desc' } as const
const READ_LABEL = 'GET /repos/{owner}/{repo}/labels/{name}'
const NEWEST_OPEN = { ...NEWEST, state: 'open' } as const

/**
 * Whether labels include a label. GitHub ignores the case of labels.
 * @param label empty if no label is in use
 */
export function hasLabel(label: string, labels: readonly string[]): boolean {
  return label !== '' && labels.some((name) => name.toLowerCase() === label.toLowerCase())
}

function toPullRequests(repository: string, listed: readonly Listed[]): readonly PullRequestInList[] {
  return listed.map(({ number, author, labels }) => ({ repository, number, author, labels }))
}

export interface Labels {
  /**
   * Adds a label to a pull request. GitHub creates a label that the repository does not have, if the token has `issues:
   * write`.
   */
  readonly addLabel: (pullRequest: PullRequestAddress, label: string) => Promise<void>
  /** Returns whether the token's own user or app has added a label to a pull request. */
  readonly hasAddedLabel: (pullRequest: PullRequestAddress, label: string) => Promise<boolean>
  /** Lists those of the newest 100 pull requests that have a label, in any state, newest first. */
  readonly listNewestPullRequests: (repository: string, label: string) => Promise<readonly PullRequestInList[]>
  /**
   * Lists the open pull requests, oldest first, the 1,000 newest of them. If there are more, those with the label are listed
   * too, unless the token cannot read issues.
   */
  readonly listOpenPullRequests: (repository: string, label: string) => Promise<readonly PullRequestInList[]>
  /** Returns whether a repository has a label. */
  readonly labelExists: (repository: string, label: string) => Promise<boolean>
  /** Creates a label that did not exist. */
  readonly createLabel: (repository: string, label: string) => Promise<void>
}

export const connectLabels = (call: Call): Labels => ({
  addLabel: ({ repository, number }, label) =>
    call('pull-requests: write', repository, async ({ request, repo }) => {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels'
      await request(route, { ...repo, issue_number: number, labels: [label], request: { isIdempotent: true } })
    }),
  hasAddedLabel: ({ repository, number }, label) =>
    call('pull-requests: read', repository, async (api) => {
      const query = { ...api.repo, issue_number: number, per_page: PAGE_SIZE }
      const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/events'
      const readPage = (cursor: Cursor) => api.request(route, { ...query, ...cursor })
      const events = await readAll(readPage, { page: eventsSchema, maxPages: MAX_EVENT_PAGES, canBeCut: true })
      const added = events.filter((event) => event !== undefined && hasLabel(label, [event.label.name]))
      const ids = added.flatMap((event) => event?.actor?.id ?? [])
      const ownId = ids.length === 0 ? undefined : await readOwnId(api)
      return ownId !== undefined && ids.includes(ownId)
    }),
  listNewestPullRequests: (repository, label) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const newest = parseResponse(listSchema, await request('GET /repos/{owner}/{repo}/pulls', { ...repo, ...NEWEST }))
      return toPullRequests(
        repository,
        newest.filter(({ labels }) => hasLabel(label, labels)),
      )
    }),
  listOpenPullRequests: (repository, label) =>
    call('pull-requests: read', repository, async ({ request, repo }) => {
      const query = { ...repo, ...NEWEST_OPEN }
      const readPage = (cursor: Cursor) => request('GET /repos/{owner}/{repo}/pulls', { ...query, ...cursor })
      const pages = await readPages(readPage, { page: listSchema, maxPages: MAX_NEWEST_PAGES, canBeCut: true })
      const readLabelled = (cursor: Cursor) =>
        request('GET /repos/{owner}/{repo}/issues', { ...repo, ...OPEN, labels: label, ...cursor })
      const labelled =
        pages.length < MAX_NEWEST_PAGES
          ? []
          : await tolerateRefusal(readAll(readLabelled, { page: listSchema, maxPages: MAX_PAGES }), NO_ISSUES)
      const issues = (labelled ?? []).filter(({ isPullRequest }) => isPullRequest)
      const newest = new Map([...issues, ...pages.flat()].map((pull) => [pull.number, pull]))
      return toPullRequests(
        repository,
        [...newest.values()].toSorted((a, b) => a.number - b.number),
      )
    }),
  labelExists: (repository, label) =>
    call('issues: write', repository, async ({ request, repo }) => {
      return (await tolerateRefusal(request(READ_LABEL, { ...repo, name: label }), [404])) !== undefined
    }),
  createLabel: (repository, label) =>
    call('issues: write', repository, async ({ request, repo }) => {
      const once = { request: { isIdempotent: true } }
      const created = request('POST /repos/{owner}/{repo}/labels', { ...repo, name: label, ...once })
      // Another step, or an attempt whose response was lost, may have created the label in the meantime.
      if ((await tolerateRefusal(created, [422])) === undefined) await request(READ_LABEL, { ...repo, name: label })
    }),
})
