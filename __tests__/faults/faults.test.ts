import { expect, jest, test } from '@jest/globals'
import { IS_SOAK, SEED } from '../support/seed.ts'
import { randomScript } from './random-scripts.ts'
import { PROXY_SCRIPTS, SERVICE_SCRIPTS, TLS_SCRIPTS } from './systematic-scripts.ts'
import { tryScripts } from './try-scripts.ts'

jest.setTimeout(3_600_000)

test('there are hundreds of scripts, each with a name of its own', () => {
  const names = SERVICE_SCRIPTS.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(400)
  expect(new Set(names).size).toBe(names.length)
})

test.each([
  ['the service does with its sockets', SERVICE_SCRIPTS],
  ['a proxy does with its sockets', PROXY_SCRIPTS],
  ['TLS does', TLS_SCRIPTS],
])('every promise holds whatever %s', async (_what, scripts) => {
  await tryScripts(scripts)
})

const MIXTURES = IS_SOAK ? 2_000 : 200

test('every promise holds where one fault follows the other', async () => {
  await tryScripts(Array.from({ length: MIXTURES }, (_, index) => randomScript(SEED + index)))
})
