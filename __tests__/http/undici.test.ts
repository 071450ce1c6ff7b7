import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { Agent, Pool, ProxyAgent } from '../../src/http/undici.ts'

test("exports undici's classes, and the bundle contains no other parts of undici", () => {
  expect([Agent, Pool, ProxyAgent].map(({ name }) => name)).toEqual(['Agent', 'Pool', 'ProxyAgent'])
  const bundle = readFileSync(new URL('../../dist/agent/index.js', import.meta.url), 'utf8')
  const isBundled = ['UND_ERR_CONNECT_TIMEOUT', 'sec-websocket-key', 'MockAgent'].map((text) => bundle.includes(text))
  expect(isBundled).toEqual([true, false, false])
})
