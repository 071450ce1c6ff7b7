import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

test('the bundle contains the client of undici, and no other parts of it', () => {
  const bundle = readFileSync(new URL('../../dist/agent/index.js', import.meta.url), 'utf8')
  const isBundled = ['UND_ERR_CONNECT_TIMEOUT', 'sec-websocket-key', 'MockInterceptor'].map((text) =>
    bundle.includes(text),
  )
  expect(isBundled).toEqual([true, false, false])
})
