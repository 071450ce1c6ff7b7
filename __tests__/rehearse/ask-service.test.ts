import { expect, test } from '@jest/globals'
import { startEmulator } from '../../src/emulator/server.ts'
import { askService } from '../../src/rehearse/ask-service.ts'

test('a service that runs says which process it is, and once it is closed nobody answers', async () => {
  const service = await startEmulator({ instance: '42' })
  expect(await askService(service.url)).toBe(42)
  await service.close()
  expect(await askService(service.url)).toBe('nobody')
})

test('what answers without a process id is a stranger', async () => {
  const service = await startEmulator()
  expect(await askService(service.url)).toBe('stranger')
  await service.close()
})
