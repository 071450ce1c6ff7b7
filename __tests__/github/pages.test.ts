import { expect, test } from '@jest/globals'
import * as z from 'zod/mini'
import type { GitHub } from '../../src/github/github.ts'
import { parseFirstPage } from '../../src/github/pages.ts'
import { number, parseItems, part, text } from '../../src/github/parse-answer.ts'
import { answering } from '../support/github-client.ts'
import { commit } from '../support/github-state.ts'

const PULL = { repository: 'acme/docs', number: 7 }
const REVIEW = { ...PULL, kind: 'review', id: 9, threadId: 9, isOnPullRequest: true, writtenAt: '' } as const
const NEXT = '<https://api.example.com/x?page=2>; rel="next"'

test.each<[string, (github: GitHub) => Promise<readonly unknown[]>, number, string?]>([
  ['listMarkerComments', (github) => github.listMarkerComments(PULL), 50, 'GitHub has more than 5000 to list.'],
  [
    'listOpenPullRequests',
    (github) => github.listOpenPullRequests('acme/docs', 'x'),
    30,
    'GitHub has more than 3000 to list.',
  ],
  [
    'findLabelledPullRequests',
    (github) => github.findLabelledPullRequests('acme/docs', 'x'),
    30,
    'GitHub has more than 3000 to list.',
  ],
  ['listReviewersSoFar', (github) => github.listReviewersSoFar(PULL), 10, 'GitHub has more than 1000 to list.'],
  ['listPullRequestCommits', (github) => github.listPullRequestCommits(PULL), 3, 'GitHub has more than 300 to list.'],
  ['listTags', (github) => github.listTags('acme/docs'), 10],
  ['listReviewComments', (github) => github.listReviewComments(REVIEW), 10],
])(
  '%s goes from page to page, though one is not full, and not for ever',
  async (_name, list, mostPages, refused = '') => {
    let pages = 0
    const endless = answering(
      () => {
        pages++
        return []
      },
      () => NEXT,
    )
    if (refused === '') expect(await list(endless)).toEqual([])
    else await expect(list(endless)).rejects.toMatchObject({ code: 'rejected', message: refused })
    expect(pages).toBe(mostPages)

    pages = 0
    const last = answering(
      () => {
        pages++
        return []
      },
      () => (pages % mostPages === 0 ? undefined : NEXT),
    )
    expect(await list(last)).toEqual([])
    expect(pages % mostPages).toBe(0)
  },
)

test('follows the links, by number or behind an entry, and takes nothing else of them', async () => {
  const asked: string[] = []
  const links = [
    '<https://api.example.com/x?per_page=1&page=2>; rel="next", <https://api.example.com/x?page=9>; rel="last"',
    '<https://api.example.com/x?page=1>; rel="prev", <https://elsewhere.example.com/y?owner=eve&after=c%3D2>; rel="next"',
    '<https://api.example.com/x?page=1>; rel="first"',
  ]
  const github = answering(
    (path, query) => {
      asked.push(`${path}?${query.toString()}`)
      return [{ name: `v${asked.length}`, commit: { sha: commit('a') } }]
    },
    () => links[asked.length - 1],
  )
  expect((await github.listTags('acme/docs')).map(({ name }) => name)).toEqual(['v1', 'v2', 'v3'])
  expect(asked).toEqual(['/tags?per_page=100&page=1', '/tags?per_page=100&page=2', '/tags?per_page=100&after=c%3D2'])
})

test('a page may hold more than anybody asked for', async () => {
  const tag = { name: 'v1', commit: { sha: commit('a') } }
  expect(await answering(() => Array<object>(200_000).fill(tag)).listTags('acme/docs')).toHaveLength(200_000)
})

const schema = z.object({ name: text, size: number, of: part(z.object({ id: z.number() })) })
const items = (count: number) => Array.from({ length: count }, () => ({ name: 'a' }))

test.each([
  ['all that is counted', items(2), 2, 0, false],
  ['less than is counted', items(2), 5, 3, false],
  ['more than is counted', items(2), 1, 0, false],
  ['one that cannot be read', [...items(1), null], 2, 1, false],
  ['a page that is not full, and no count', items(99), 'many', 0, false],
  ['a full page, and no count', items(100), null, 1, true],
  ['a full page, and more', items(100), 250, 150, true],
  ['a page that is not full and has a next one', items(2), undefined, 1, true, NEXT],
])('with %s, it knows what is missing', (_what, list, total_count, missing, isFull, link = '') => {
  expect(parseFirstPage(schema, { data: { list, total_count }, link }, 'list')).toMatchObject({ missing, isFull })
})

const WHOLE = { name: 'a', size: 1, of: { id: 2 } }

test.each<[unknown, readonly object[]]>([
  [WHOLE, [WHOLE]],
  [{ name: 1, size: '1', of: { id: null } }, [{}]],
  [{ name: null, size: null, of: null }, [{}]],
  [{}, [{}]],
  [null, []],
  ['a', []],
  [7, []],
])('of %j it takes %j: a field that is not as described is not there', (item, taken) => {
  expect(parseItems(schema, [item])).toEqual(taken)
})

test.each([undefined, null, 'x'.repeat(100), {}])('%j is no list', (list) => {
  expect(() => parseItems(schema, list)).toThrow(TypeError)
  expect(() => parseFirstPage(schema, { data: { list }, link: undefined }, 'list')).toThrow(TypeError)
})
