import { expect, jest, test } from '@jest/globals'
import { SERVICE_SCRIPTS } from './systematic-scripts.ts'
import { tryScripts } from './try-scripts.ts'

jest.setTimeout(300_000)

test('there are hundreds of scripts, each with a name of its own', () => {
  const names = SERVICE_SCRIPTS.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(400)
  expect(new Set(names).size).toBe(names.length)
})

test('every promise holds whatever the service does with its sockets', async () => {
  await tryScripts(SERVICE_SCRIPTS)
})
