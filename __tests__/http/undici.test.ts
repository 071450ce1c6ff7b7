import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import * as undici from 'undici'
import { Agent, Pool, ProxyAgent } from '../../src/http/undici.ts'

test("exports undici's own classes, and the bundle contains no other parts of undici", () => {
  expect([Agent, Pool, ProxyAgent]).toEqual([undici.Agent, undici.Pool, undici.ProxyAgent])
  const bundle = readFileSync(new URL('../../dist/agent/index.js', import.meta.url), 'utf8')
  const isBundled = ['UND_ERR_CONNECT_TIMEOUT', 'sec-websocket-key', 'MockAgent'].map((text) => bundle.includes(text))
  expect(isBundled).toEqual([true, false, false])
})
