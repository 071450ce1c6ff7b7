import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { createDownload } from '../../src/github/download.ts'
import type { GitHubOptions } from '../../src/github/ask-github.ts'
import { LogWindow } from '../../src/github/log-window.ts'
import { systemClock, type Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { askingGitHub, errorOf, type AskingOptions } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'
import { connectInProcess } from '../support/in-process-github.ts'

function windowOf(...parts: readonly string[]): readonly string[] {
  const window = new LogWindow()
  for (const part of parts) window.add(part)
  return window.lines()
}

const numbered = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('')

test('lines that come in pieces are put together', () => {
  expect(windowOf('o', 'ne\ntw', 'o\n', 'three')).toEqual(['one', 'two', 'three'])
})

test('a log without an error is its end', () => {
  const lines = windowOf(numbered(1_000))
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([120, 'line 880', 'line 999'])
})

test('of several errors the last one counts, with what stands before it and a little of what comes after', () => {
  const lines = windowOf(numbered(500), '##[error]first\n', numbered(500, 500), '##[error]last\n', numbered(500, 1_000))
  expect([lines.length, lines[0], lines[119], lines.at(-1)]).toEqual([150, 'line 881', '##[error]last', 'line 1029'])
})

test('no line takes more than its room, however long it is', () => {
  const window = new LogWindow()
  for (let piece = 0; piece < 1_000; piece++) window.add('x'.repeat(10_000))
  window.add('\nend\n')
  expect(window.lines().map(({ length }) => length)).toEqual([4_000, 3])
})

const LOG =
  '2026-01-01T00:00:00.1234567Z ##[group]Run it\n2026-01-01T00:00:01.1234567Z ##[error]It broke: docs_key\nlast ##[one]\n'
const withLog = (log?: string) =>
  repositoryState({
    checkRuns: [checkRun({ id: 7, name: 'build', headSha: commit('c'), runId: 5, ...(log !== undefined && { log }) })],
  })

const read = (options: AskingOptions, repository = 'acme/docs') =>
  askingGitHub(options, (github) => github.readJobLog(repository, 7).catch((error: unknown) => error))

test('gives the log without time stamps and without secrets', async () => {
  const redact = (text: string): string => text.replaceAll('docs_key', '***')
  expect(await read({ docs: withLog(LOG), redact })).toBe('group: Run it\nerror: It broke: ***\nlast ##[one]')
})

test('the log of a repository that was renamed is asked for at its new place', async () => {
  const moved = repositoryState({ id: 5, movedTo: 'acme/docs' })
  const state = { repositories: { 'acme/docs': withLog(LOG), 'acme/old': moved } }
  expect(await read({ state }, 'acme/old')).toContain('It broke')
})

test('a log that is gone is one that cannot be read', async () => {
  expect(await read({ docs: withLog() })).toMatchObject({ code: 'rejected' })
})

test.each([undefined, 'nonsense', 'http://logs.example.com/1', 'file:///etc/passwd'])(
  'an address such as %s is not asked',
  async (location) => {
    const asked: string[] = []
    const github = connectInProcess({
      ...{ clock: virtualClock(), signal: new AbortController().signal },
      handle: ({ target }) => {
        asked.push(target)
        return { status: 302, headers: location === undefined ? {} : { location }, body: '', delivery: 'whole' }
      },
    })
    expect(await errorOf(github.readJobLog('acme/docs', 7))).toMatchObject({ code: 'bad-answer' })
    expect(asked).toEqual(['/api/v3/repos/acme/docs/actions/jobs/7/logs'])
  },
)

describe('download', () => {
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

  test('gives the text piece by piece, with no character cut in two and no mark of its order, and shows the token to nobody', async () => {
    const heads: string[] = []
    const pieces: string[] = []
    let sendRest = (): void => undefined
    await downloading(
      (request, response) => {
        heads.push(request.rawHeaders.join('\n'))
        const bytes = Buffer.from(`\ufeff${'é'.repeat(1_000)}`)
        sendRest = () => response.end(bytes.subarray(1_004))
        response.write(bytes.subarray(0, 1_004))
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
    ['a redirect', (_request, response) => response.writeHead(302, { location: '/other' }).end(), 'rejected'],
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
})
