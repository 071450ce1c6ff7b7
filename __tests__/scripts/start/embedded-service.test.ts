import { fileURLToPath } from 'node:url'
import { expect, jest, test } from '@jest/globals'
import { startEmbeddedService } from '../../../scripts/start/embedded-service.mjs'

const SERVICE = fileURLToPath(new URL('../../../dist/emulator/index.js', import.meta.url))

// Starting a process can take seconds on a busy machine.
jest.setTimeout(60_000)

test('each request is told of, and all of them by the time the service has stopped', async () => {
  const lines: string[] = []
  const service = await startEmbeddedService(SERVICE, 'failed', {
    speed: 1_000,
    startAt: '2031-05-06',
    onLine: (line) => lines.push(line),
  })
  const answer = await fetch(`${service.baseUrl}/v2/agent/${service.projectId}/job`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: '{"prompt":"Document the flag."}',
  })
  expect(await answer.json()).toMatchObject({ createdAt: expect.stringMatching(/^2031-05-06T/) })
  await service.stop()
  expect(lines.filter((line) => line.startsWith('POST '))).toEqual([
    `POST /v2/agent/${service.projectId}/job -> ${answer.status} (failed)`,
  ])
})

test('a service that does not start says why', async () => {
  await expect(startEmbeddedService(SERVICE, 'nice')).rejects.toThrow('--scenario must be one of')
})
