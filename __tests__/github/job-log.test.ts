import { describe, expect, test } from '@jest/globals'
import { createRepositoryState } from '../../src/emulator/github/repository-state.ts'
import { downloadLog, readEnd, takeLastLines } from '../../src/github/workflow-runs.ts'
import { sendThrough, type Send } from '../../src/github/transport.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { Deadline } from '../../src/runtime/deadline.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { withGitHub, catchError, type EmbeddedGitHubOptions } from '../../testing/github-client.ts'
import { checkRun, commit } from '../../testing/github-state.ts'
import { toBody, connectInProcess } from '../../testing/in-process-github.ts'
import { formatResponse, serveSockets, type SocketBehaviour } from '../../testing/socket-server.ts'

const keep = (text: string): string => text
const readLines = (log: string): readonly string[] => takeLastLines(log, keep).split('\n')

test('returns the last 200 lines of a log', () => {
  const lines = readLines(Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`).join(''))
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 800', 'line 999'])
  expect(readLines('one\n\nthree')).toEqual(['one', '', 'three'])
})

describe('read the end', () => {
  const MIB = 1024 * 1024

  test('joins chunks, and keeps a log of 1 MiB as it is', async () => {
    expect(await readEnd(toBody('o', 'ne\ntw', 'o\n', '', 'three'))).toBe('one\ntwo\nthree')
    expect(await readEnd(toBody())).toBe('')
    const log = ['x', 'y'.repeat(MIB - 1)]
    expect(await readEnd(toBody(...log))).toBe(log.join(''))
  })

  test('keeps the last 1 MiB of a log of any length', async () => {
    const chunk = `${'x'.repeat(9_999)}\n`.repeat(10)
    const log = await readEnd(toBody(...Array<string>(1_000).fill(chunk), 'end\n'))
    expect(log.length).toBeGreaterThan(MIB - 10_000)
    expect(log.length).toBeLessThan(MIB + chunk.length)
    expect(log.endsWith('x\nend\n')).toBe(true)
  })

  test('leaves out the first line of a cut log, which can begin within a secret or a character', async () => {
    const rest = `${'x'.repeat(MIB)}\n`
    expect(await readEnd(toBody('docs_', `key\n${rest}`))).toBe(rest)
    const bytes = Buffer.from(`é\n${rest}`)
    expect(await readEnd(toBody(bytes.subarray(0, 1), bytes.subarray(1)))).toBe(rest)
    expect(await readEnd(toBody('docs_', `key${'x'.repeat(MIB)}`))).toBe('')
  })
})

const LOG = [
  '2026-01-01T00:00:00.1234567Z ##[group]Run it',
  '2026-01-01T00:00:01.1234567Z ##[error]It broke: docs_key',
  'last ##[one]\n',
].join('\n')
const RUN = { id: 7, name: 'build', headSha: commit('c'), runId: 5 }
const withLog = (log?: string) =>
  createRepositoryState({ checkRuns: [checkRun({ ...RUN, ...(log !== undefined && { log }) })] })

const read = (options: EmbeddedGitHubOptions, repository = 'acme/docs') =>
  withGitHub(options, (github) => github.readJobLog(repository, 7).catch((error: unknown) => error))

test('returns the log without timestamps and secrets', async () => {
  const redact = (text: string): string => text.replaceAll('docs_key', '***')
  expect(await read({ docs: withLog(LOG), redact })).toBe('group: Run it\nerror: It broke: ***\nlast ##[one]')
})

test('rethrows a programming error instead of reporting an unreadable log', async () => {
  const bug = new TypeError('text is not a function')
  const redact = (text: string): string => {
    if (text.includes('docs_key')) throw bug
    return text
  }
  expect(await read({ docs: withLog(LOG), redact })).toBe(bug)
})

test.each([0, 3_990, 3_999, 4_000])(
  'redacts a secret at character %i of a line before the line is cut to 4,000 characters',
  async (at) => {
    const redact = (text: string): string => text.replaceAll('docs_key', '***')
    const line = `${'x'.repeat(at)}docs_key${'y'.repeat(100_000)}`
    const log = await read({ docs: withLog(`${line}\n${'docs_key'.repeat(10_000)}\n`), redact })
    expect(log).not.toMatch(/d(?:o|$)/m)
    const lengths = String(log)
      .split('\n')
      .map(({ length }) => length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4_000)
    expect(lengths[0]).toBeGreaterThan(3_980)
  },
)

test('requests the log of a renamed repository at its new URL', async () => {
  const moved = createRepositoryState({ id: 5, movedTo: 'acme/docs' })
  const state = { repositories: { 'acme/docs': withLog(LOG), 'acme/old': moved } }
  expect(await read({ state }, 'acme/old')).toContain('It broke')
})

test('reports a deleted log as `rejected`', async () => {
  expect(await read({ docs: withLog() })).toMatchObject({ code: 'rejected' })
})

const INVALID_URLS = [undefined, 'nonsense', 'http://logs.example.com/1', 'file:///etc/passwd']

test.each(INVALID_URLS)('does not download from %s', async (location) => {
  const requests: string[] = []
  const github = connectInProcess({
    clock: virtualClock(),
    signal: new AbortController().signal,
    handle: ({ target }) => {
      requests.push(target)
      return { status: 302, headers: location === undefined ? {} : { location }, body: '', delivery: 'complete' }
    },
  })
  expect(await catchError(github.readJobLog('acme/docs', 7))).toMatchObject({ code: 'invalid-response' })
  expect(requests).toEqual(['/api/v3/repos/acme/docs/actions/jobs/7/logs'])
})

describe('download', () => {
  /** Returns the log and the request, after both sides have closed all connections. */
  async function download(
    onRequest: SocketBehaviour['onRequest'] & object,
    onChunk: () => void = () => undefined,
    { clock = systemClock, signal = new AbortController().signal } = {},
  ) {
    const server = await serveSockets({ onRequest })
    const url = new URL(`http://127.0.0.1:${server.port}/log?sig=secret`)
    const send: Send = async (request, end) => {
      const response = await sendThrough({}, 'https://api.github.com')(request, end)
      async function* watchBody() {
        for await (const chunk of response.body) yield (onChunk(), chunk)
      }
      return { ...response, body: watchBody() }
    }
    const deadline = new Deadline(Infinity, signal, clock)
    const log = await downloadLog(url, send, clock, deadline).finally(() => server.close())
    return { log, request: server.requests[0] }
  }

  test('decodes chunks without cutting characters, removes a byte order mark, and sends no token', async () => {
    const bytes = Buffer.from(formatResponse(200, `\ufeff${'é'.repeat(1_000)}`))
    let [chunks, sendRest] = [0, (): void => undefined]
    const { log, request } = await download(
      (socket) => {
        sendRest = () => socket.end(bytes.subarray(-999))
        socket.write(bytes.subarray(0, -999))
      },
      () => {
        chunks++
        sendRest()
      },
    )
    expect(chunks).toBeGreaterThan(1)
    expect(log).toBe('é'.repeat(1_000))
    expect(request).not.toMatch(/authorization/i)
  })

  test.each([
    ['another status', formatResponse(403, 'secret'), 'rejected'],
    ['a redirect', formatResponse(302, '', { location: '/other' }), 'rejected'],
    ['a broken connection', '', 'unreachable'],
  ])('reports %s without the URL', async (_what, response, code) => {
    const error = await catchError(download((socket) => socket.end(response)))
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('secret')
  })

  const endless: SocketBehaviour['onRequest'] = (socket) => socket.write(formatResponse(200, 'drip drip').slice(0, -1))

  test('aborts a download that never finishes', async () => {
    const sleeps: number[] = []
    const sleep = (ms: number): Promise<void> => {
      sleeps.push(ms)
      return systemClock.sleep(50)
    }
    const clock = { ...systemClock, sleep }
    expect(await catchError(download(endless, undefined, { clock }))).toMatchObject({ code: 'deadline' })
    expect(sleeps).toEqual([60_000])
  })

  test('cancelling the run aborts the download', async () => {
    const [run, cancelled] = [new AbortController(), new ActionError('cancelled', 'The run was cancelled.')]
    const cancel = run.abort.bind(run, cancelled)
    expect(await catchError(download(endless, cancel, { signal: run.signal }))).toBe(cancelled)
  })
})

test('a bug in the code that reads a log stays a bug', async () => {
  const clock = virtualClock()
  const bug = new TypeError('createGunzip is not a function')
  async function* fail(): AsyncGenerator<Uint8Array> {
    throw await Promise.resolve(bug)
  }
  const send: Send = () => Promise.resolve({ status: 200, headers: {}, body: fail() })
  const deadline = new Deadline(60_000, new AbortController().signal, clock)
  const download = downloadLog(new URL('https://logs.example.com/1'), send, clock, deadline)
  await expect(download).rejects.toBe(bug)
})
