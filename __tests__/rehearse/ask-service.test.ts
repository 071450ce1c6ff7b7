import { expect, test } from '@jest/globals'
import { startEmulator } from '../../src/emulator/server.ts'
import { askService } from '../../src/rehearse/ask-service.ts'

test('a service that runs answers, and once it is closed it is silent', async () => {
  const service = await startEmulator()
  expect(await askService(service.url)).toBe('answers')
  await service.close()
  expect(await askService(service.url)).toBe('silent')
})
