import { expect, test } from '@jest/globals'
import { readBounded } from '../../src/runtime/read-bounded.ts'

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield await Promise.resolve(new Uint8Array(size).fill(97))
}

test('gives all bytes of a body that is not too long, and none of none', async () => {
  expect((await readBounded(chunks(2, 0, 3), 5)).toString()).toBe('aaaaa')
  expect(await readBounded(null, 5)).toHaveLength(0)
})

test('reads no further than it has to, and says what is wrong', async () => {
  const body = chunks(3, 3, 3)
  await expect(readBounded(body, 5)).rejects.toMatchObject({ code: 'ANSWER_TOO_LARGE' })
  expect((await body.next()).done).toBe(true)
})
