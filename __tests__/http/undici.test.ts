import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import * as whole from 'undici'
import { Agent, Pool, ProxyAgent } from '../../src/http/undici.ts'

test('the parts are those of the package, and the packaged action starts without the others', () => {
  expect([Agent, Pool, ProxyAgent]).toEqual([whole.Agent, whole.Pool, whole.ProxyAgent])
  const bundle = readFileSync(new URL('../../dist/agent/index.js', import.meta.url), 'utf8')
  const has = ['UND_ERR_CONNECT_TIMEOUT', 'sec-websocket-key', 'MockAgent'].map((mark) => bundle.includes(mark))
  expect(has).toEqual([true, false, false])
})
