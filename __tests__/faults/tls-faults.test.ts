import { jest, test } from '@jest/globals'
import { TLS_SCRIPTS } from './systematic-scripts.ts'
import { tryScripts } from './try-scripts.ts'

jest.setTimeout(300_000)

test('every promise holds where TLS goes wrong', async () => {
  await tryScripts(TLS_SCRIPTS)
})
