import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { createDownload } from '../../src/github/download.ts'
import type { GitHubOptions } from '../../src/github/ask-github.ts'
import { systemClock, type Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { errorOf } from '../support/github-client.ts'

const TOKEN = 'ghs_token'
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

async function downloading(
  answer: RequestListener,
  take: (text: string) => void,
  options: Partial<GitHubOptions> = {},
): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/log?sig=secret`)
  const bounds = { clock: systemClock, deadlineAt: systemClock.now() + 60_000, signal: new AbortController().signal }
  const rest = { token: TOKEN, apiUrl: url.origin, env: {}, debug: () => undefined, redact: (text: string) => text }
  try {
    await createDownload({ ...bounds, ...rest, ...options })(url, take)
  } finally {
    // It ends when the other side has closed all connections, also one whose answer was cut.
    await once(server.close(), 'close')
  }
}

test('gives the text piece by piece, with no character cut in two, and shows the token to nobody', async () => {
  const heads: string[] = []
  const pieces: string[] = []
  let sendRest = (): void => undefined
  await downloading(
    (request, response) => {
      heads.push(request.rawHeaders.join('\n'))
      const bytes = Buffer.from('é'.repeat(1_000))
      sendRest = () => response.end(bytes.subarray(1_001))
      response.write(bytes.subarray(0, 1_001))
    },
    (piece) => {
      pieces.push(piece)
      sendRest()
    },
  )
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe('é'.repeat(1_000))
  expect(heads.join('')).not.toContain(TOKEN)
})

test.each([
  ['another status', (_request, response) => response.writeHead(403).end('secret'), 'rejected'],
  ['a redirect', (_request, response) => response.writeHead(302, { location: '/other' }).end(), 'unreachable'],
  ['a broken connection', (_request, response) => response.destroy(), 'unreachable'],
] as const satisfies readonly (readonly [string, RequestListener, string])[])(
  '%s is an error that does not tell the address',
  async (_what, answer, code) => {
    const error = await errorOf(downloading(answer, () => undefined))
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('secret')
  },
)

test('what drips for ever is cut off', async () => {
  const limits: number[] = []
  const clock: Clock = {
    ...systemClock,
    sleep: (ms) => {
      limits.push(ms)
      return systemClock.sleep(50)
    },
  }
  const endless: RequestListener = (_request, response) => response.write('drip')
  const deadlineAt = systemClock.now() + 3_600_000
  expect(await errorOf(downloading(endless, () => undefined, { clock, deadlineAt }))).toMatchObject({
    code: 'deadline',
  })
  expect(limits).toEqual([60_000])
})

test('a cancelled run reads no further', async () => {
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  const controller = new AbortController()
  const { signal } = controller
  const endless: RequestListener = (_request, response) => response.write('drip')
  const cancel = (): void => {
    controller.abort(cancelled)
  }
  expect(await errorOf(downloading(endless, cancel, { signal }))).toBe(cancelled)
})
