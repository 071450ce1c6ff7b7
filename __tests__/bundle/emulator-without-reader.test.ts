import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const program = fileURLToPath(new URL('../../dist/emulator/index.js', import.meta.url))

test('the embedded service goes on when nobody reads its log any more', async () => {
  const service = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(service, 'exit')
  try {
    let said = ''
    for await (const chunk of service.stdout) {
      said += String(chunk)
      if (said.includes('Requests:\n')) break
    }
    service.stdout.destroy()
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
    for (let request = 1; request <= 3; request++)
      expect((await fetch(`${url}/v2/agent/docs/job/job_1`)).status).toBe(401)
  } finally {
    service.kill()
    await ended
  }
})
