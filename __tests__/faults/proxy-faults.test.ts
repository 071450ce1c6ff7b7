import { jest, test } from '@jest/globals'
import { PROXY_SCRIPTS } from './systematic-scripts.ts'
import { tryScripts } from './try-scripts.ts'

jest.setTimeout(300_000)

test('every promise holds whatever a proxy does with its sockets', async () => {
  await tryScripts(PROXY_SCRIPTS)
})
