import { expect, test } from '@jest/globals'
import { invalid, pageOf, refusal, wireTime } from '../../../src/emulator/github/reply.ts'

const ITEMS = Array.from({ length: 250 }, (_, index) => index)
const page = (query: string) => pageOf({ query: new URLSearchParams(query), url: 'http://x/list' }, ITEMS)

test('pages are 30 long, or as long as is asked for, and never longer than 100', () => {
  expect(page('').items).toEqual(ITEMS.slice(0, 30))
  expect(page('per_page=100&page=2').items).toEqual(ITEMS.slice(100, 200))
  expect(page('per_page=1000').items).toHaveLength(100)
  expect(page('per_page=0&page=x').items).toHaveLength(30)
})

test('a page names the next one and the last one, with all else that was asked', () => {
  expect(page('per_page=100&state=all').headers['link']).toBe(
    '<http://x/list?per_page=100&state=all&page=2>; rel="next", <http://x/list?per_page=100&state=all&page=3>; rel="last"',
  )
  expect(page('per_page=100&page=3').headers).toEqual({})
})

test('refusals are in GitHub’s form', () => {
  expect(refusal(404, 'Not Found').body).toMatchObject({ message: 'Not Found', status: '404' })
  expect(invalid('Label', 'name', 'already_exists')).toMatchObject({
    status: 422,
    body: { message: 'Validation Failed', errors: [{ resource: 'Label', field: 'name', code: 'already_exists' }] },
  })
})

test('times are told to the second', () => {
  expect(wireTime(1_999)).toBe('1970-01-01T00:00:01Z')
})
