import { expect, test } from '@jest/globals'
import { followPages, PAGE_SIZE, readPages } from '../../src/github/read-pages.ts'

function pagesOf(count: number): { asked: number[]; readPage: (page: number) => Promise<number[]> } {
  const asked: number[] = []
  const readPage = (page: number): Promise<number[]> => {
    asked.push(page)
    const length = Math.min(PAGE_SIZE, Math.max(0, count - (page - 1) * PAGE_SIZE))
    return Promise.resolve(Array.from({ length }, (_, index) => (page - 1) * PAGE_SIZE + index))
  }
  return { asked, readPage }
}

test('reads until a page is not full', async () => {
  const { asked, readPage } = pagesOf(250)
  expect(await readPages(readPage, 10)).toHaveLength(250)
  expect(asked).toEqual([1, 2, 3])
})

test('a page may hold more than anybody asked for', async () => {
  expect(await readPages(() => Promise.resolve(Array<number>(500_000).fill(0)), 2)).toHaveLength(1_000_000)
})

test('asks once where there is nothing', async () => {
  const { asked, readPage } = pagesOf(0)
  expect(await readPages(readPage, 10)).toEqual([])
  expect(asked).toEqual([1])
})

test('a page that is no list is refused, although a text has a length too', async () => {
  const page = '<!doctype html>' as unknown as string[]
  await expect(readPages(() => Promise.resolve(page), 10)).rejects.toBeInstanceOf(TypeError)
})

test('reads no more pages than it may', async () => {
  const { asked, readPage } = pagesOf(1_000)
  expect(await readPages(readPage, 2)).toHaveLength(200)
  expect(asked).toEqual([1, 2])
})

const linked = (data: readonly number[], link?: string) => Promise.resolve({ data, headers: { link } })

test('follows the links, by number or behind an entry, and takes nothing else of them', async () => {
  const asked: object[] = []
  const links = [
    '<https://api.example.com/x?per_page=1&page=2>; rel="next", <https://api.example.com/x?page=9>; rel="last"',
    '<https://api.example.com/x?page=1>; rel="prev", <https://elsewhere.example.com/y?owner=eve&after=c%3D2>; rel="next"',
    '<https://api.example.com/x?page=1>; rel="first"',
  ]
  const readPage = (place: object) => {
    asked.push(place)
    return linked([asked.length], links[asked.length - 1])
  }
  expect(await followPages(readPage, 3)).toEqual([1, 2, 3])
  expect(asked).toEqual([{ page: 1 }, { page: 2 }, { after: 'c=2' }])
})

test('a list that goes on past the last page that may be read is not known', async () => {
  const endless = () => linked([1], '<https://api.example.com/x?page=2>; rel="next"')
  await expect(followPages(endless, 3)).rejects.toMatchObject({ code: 'rejected' })
  const page = '<!doctype html>' as unknown as number[]
  await expect(followPages(() => linked(page), 3)).rejects.toBeInstanceOf(TypeError)
})
