import * as z from 'zod/mini'
import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/history/state.ts'
import type { GitHub } from '../../src/github/github.ts'
import { createFirstPageParser } from '../../src/github/pages.ts'
import {
  InvalidResponse,
  integerField,
  parseResponse,
  looseObject,
  skipMalformed,
  stringField,
  withGaps,
} from '../../src/github/schemas.ts'
import { stubGitHub } from '../../testing/github-client.ts'
import { commit } from '../../testing/github-state.ts'

const PULL = { repository: 'acme/docs', number: 7 }
const REVIEW = { ...PULL, kind: 'review', id: 9, threadId: 9, isOnPullRequest: true, writtenAt: '' } as const
const NEXT = '<https://api.example.com/x?page=2>; rel="next"'

const LISTS = {
  listComments: (github) => github.listComments(PULL, isOwnComment),
  listPullRequestCommits: (github) => github.listPullRequestCommits(PULL),
  listTags: (github) => github.listTags('acme/docs'),
  listReviewComments: (github) => github.listReviewComments(REVIEW),
} satisfies Readonly<Record<string, (github: GitHub) => Promise<readonly unknown[]>>>

test.each<[keyof typeof LISTS, number, unknown]>([
  ['listComments', 50, 'GitHub has more than 5000 items to list.'],
  ['listPullRequestCommits', 3, 'GitHub has more than 300 items to list.'],
  ['listTags', 10, []],
  ['listReviewComments', 10, []],
])('%s reads up to %d pages, even if they are not full, and then: %j', async (name, maxPages, expected) => {
  /** Returns the list or the message of the error, and the number of pages that were read. */
  async function list(pageCount: number): Promise<unknown> {
    let pages = 0
    const nextLink = () => (++pages % pageCount === 0 ? undefined : NEXT)
    const found = await LISTS[name](stubGitHub(() => [], nextLink)).catch((error: unknown) => (error as Error).message)
    return [found, pages]
  }
  expect(await list(Infinity)).toEqual([expected, maxPages])
  expect(await list(maxPages)).toEqual([[], maxPages])
})

test('follows links by page or cursor, and takes nothing else from them', async () => {
  const requests: string[] = []
  const links = [
    '<https://api.example.com/x?per_page=1&page=2>; rel="next", <https://api.example.com/x?page=9>; rel="last"',
    '<https://api.example.com/x?page=1>; rel="prev", <https://elsewhere.example.com/y?owner=eve&after=c%3D2>; rel="next"',
    '<https://api.example.com/x?page=1>; rel="first"',
  ]
  const github = stubGitHub(
    (path, query) => {
      requests.push(`${path}?${query.toString()}`)
      return [{ name: `v${requests.length}`, commit: { sha: commit('a') } }]
    },
    () => links[requests.length - 1],
  )
  expect(await github.listTags('acme/docs')).toEqual(['v1', 'v2', 'v3'])
  expect(requests).toEqual(['/tags?per_page=100&page=1', '/tags?per_page=100&page=2', '/tags?per_page=100&after=c%3D2'])
})

test('accepts a page with more items than requested', async () => {
  const tag = { name: 'v1', commit: { sha: commit('a') } }
  expect(await stubGitHub(() => Array<object>(1_001).fill(tag)).listTags('acme/docs')).toHaveLength(1_001)
})

const itemSchema = z.object({ name: stringField, size: integerField, of: looseObject({ id: integerField }) })
const createItems = (count: number) => Array.from({ length: count }, () => ({ name: 'a' }))
const toResponse = (link: string | undefined, data: object) => ({
  status: 200,
  url: '',
  data,
  headers: link === undefined ? {} : { link },
})

const parseFirstPage = (list: unknown, total_count?: unknown, link?: string) =>
  createFirstPageParser('list', itemSchema)(toResponse(link, { list, total_count, state: 'success' }))

test.each([
  ['as many items as counted', parseFirstPage(createItems(2), 2), 0, false],
  ['fewer items than counted', parseFirstPage(createItems(2), 5), 3, false],
  ['more items than counted', parseFirstPage(createItems(2), 1), 0, false],
  ['a malformed item', parseFirstPage([...createItems(1), null], 2), 1, false],
  ['a page that is not full, and no count', parseFirstPage(createItems(99), 'many'), 0, false],
  ['a full page, and no count', parseFirstPage(createItems(100), null), 1, true],
  ['a full page, and more', parseFirstPage(createItems(100), 250), 150, true],
  ['a page that is not full, and a next page', parseFirstPage(createItems(2), undefined, NEXT), 1, true],
])('counts the missing items: %s', (_what, page, missing, isFull) => {
  expect(page).toMatchObject({ missing, isFull, combinedState: 'success' })
})

const WELL_FORMED = { name: 'a', size: 1, of: { id: 2 } }

test('a malformed field is undefined, and an item that is no object is skipped', () => {
  const malformed = [
    { name: 1, size: '1', of: { id: null } },
    { name: null, size: null, of: [] },
    { size: Infinity, of: 7 },
  ]
  const found = skipMalformed(itemSchema).parse([WELL_FORMED, ...malformed, null, 'a', 7, []])
  expect(found).toEqual([WELL_FORMED, { of: {} }, { of: {} }, { of: {} }])
})

test('an item without a required field is malformed, and a bug of ours is thrown', () => {
  const nameSchema = z.object({ name: z.string() })
  const data = [WELL_FORMED, { name: 7 }]
  expect(skipMalformed(nameSchema).parse(data)).toEqual([{ name: 'a' }])
  expect(withGaps(nameSchema).parse(data)).toEqual([{ name: 'a' }, undefined])
  expect(() => parseResponse(z.array(nameSchema), { data })).toThrow(InvalidResponse)
  const broken = z.transform((): string => {
    throw new TypeError('x is not a function')
  })
  expect(() => skipMalformed(broken).parse(data)).toThrow('x is not a function')
})

test('the message of an invalid response quotes nothing of it', () => {
  const error = new InvalidResponse(z.array(z.int()).safeParse(['secret']).error)
  expect(`${error.message} ${JSON.stringify(error.cause)}`).not.toContain('secret')
})

test.each([undefined, null, 'x'.repeat(100), {}])('rejects %j as a list', (list) => {
  expect(() => parseFirstPage(list)).toThrow(InvalidResponse)
})
