import { describe, expect, test } from '@jest/globals'
import { repositoryState } from '../../src/emulator/github/repository-state.ts'
import { downloadLog, lastLines } from '../../src/github/job-log.ts'
import { sendThrough, type Send } from '../../src/github/transport.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { askingGitHub, errorOf, type AskingOptions } from '../support/github-client.ts'
import { checkRun, commit } from '../support/github-state.ts'
import { toBody, connectInProcess } from '../support/in-process-github.ts'
import { httpAnswer, serveSockets, type SocketBehaviour } from '../support/socket-server.ts'

const lastLinesOf = (...parts: readonly string[]) => lastLines(toBody(...parts))
const numbered = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `line ${from + index}\n`).join('')

test('lines that come in pieces are put together', async () => {
  expect(await lastLinesOf('o', 'ne\ntw', 'o\n', 'three')).toEqual(['one', 'two', 'three'])
})

test('a log without an error is its end', async () => {
  const lines = await lastLinesOf(numbered(1_000))
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([120, 'line 880', 'line 999'])
})

test('of several errors the last one counts, with what stands before it and a little of what comes after', async () => {
  const [before, after] = [numbered(500, 500), numbered(500, 1_000)]
  const lines = await lastLinesOf(numbered(500), '##[error]first\n', before, '##[error]last\n', after)
  expect([lines.length, lines[0], lines[119], lines.at(-1)]).toEqual([150, 'line 881', '##[error]last', 'line 1029'])
})

test('no line takes more than its room, however long it is', async () => {
  const lines = await lastLinesOf(...Array<string>(1_000).fill('x'.repeat(10_000)), '\nend\n')
  expect(lines.map(({ length }) => length)).toEqual([28_576, 3])
})

const LOG = [
  '2026-01-01T00:00:00.1234567Z ##[group]Run it',
  '2026-01-01T00:00:01.1234567Z ##[error]It broke: docs_key',
  'last ##[one]\n',
].join('\n')
const RUN = { id: 7, name: 'build', headSha: commit('c'), runId: 5 }
const withLog = (log?: string) =>
  repositoryState({ checkRuns: [checkRun({ ...RUN, ...(log !== undefined && { log }) })] })

const read = (options: AskingOptions, repository = 'acme/docs') =>
  askingGitHub(options, (github) => github.readJobLog(repository, 7).catch((error: unknown) => error))

test('gives the log without time stamps and without secrets', async () => {
  const redact = (text: string): string => text.replaceAll('docs_key', '***')
  expect(await read({ docs: withLog(LOG), redact })).toBe('group: Run it\nerror: It broke: ***\nlast ##[one]')
})

test('throws a defect as it is, and not as a log that cannot be read', async () => {
  const defect = new TypeError('text is not a function')
  const redact = (text: string): string => {
    if (text.includes('docs_key')) throw defect
    return text
  }
  expect(await read({ docs: withLog(LOG), redact })).toBe(defect)
})

test.each([3_990, 3_999, 4_000, 28_570, 28_575])(
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

test('the log of a repository that was renamed is asked for at its new place', async () => {
  const moved = repositoryState({ id: 5, movedTo: 'acme/docs' })
  const state = { repositories: { 'acme/docs': withLog(LOG), 'acme/old': moved } }
  expect(await read({ state }, 'acme/old')).toContain('It broke')
})

test('a log that is gone is one that cannot be read', async () => {
  expect(await read({ docs: withLog() })).toMatchObject({ code: 'rejected' })
})

const REFUSED = [undefined, 'nonsense', 'http://logs.example.com/1', 'file:///etc/passwd']

test.each(REFUSED)('an address such as %s is not asked', async (location) => {
  const asked: string[] = []
  const github = connectInProcess({
    clock: virtualClock(),
    signal: new AbortController().signal,
    handle: ({ target }) => {
      asked.push(target)
      return { status: 302, headers: location === undefined ? {} : { location }, body: '', delivery: 'whole' }
    },
  })
  expect(await errorOf(github.readJobLog('acme/docs', 7))).toMatchObject({ code: 'bad-answer' })
  expect(asked).toEqual(['/api/v3/repos/acme/docs/actions/jobs/7/logs'])
})

describe('download', () => {
  /** Gives the lines and the request, when both sides have closed all connections. */
  async function downloading(
    onRequest: SocketBehaviour['onRequest'] & object,
    take: () => void = () => undefined,
    { clock = systemClock, signal = new AbortController().signal } = {},
  ) {
    const server = await serveSockets({ onRequest })
    const url = new URL(`http://127.0.0.1:${server.port}/log?sig=secret`)
    const send: Send = async (request, end) => {
      const answer = await sendThrough({})(request, end)
      async function* watched() {
        for await (const piece of answer.body) yield (take(), piece)
      }
      return { ...answer, body: watched() }
    }
    const lines = await downloadLog(url, send, { clock, signal }).finally(() => server.close())
    return { lines, request: server.requests[0] }
  }

  test('reads the text piece by piece, cuts no character, leaves out the mark of its order, and shows no token', async () => {
    const bytes = Buffer.from(httpAnswer(200, `\ufeff${'é'.repeat(1_000)}`))
    let [pieces, sendRest] = [0, (): void => undefined]
    const { lines, request } = await downloading(
      (socket) => {
        sendRest = () => socket.end(bytes.subarray(-999))
        socket.write(bytes.subarray(0, -999))
      },
      () => {
        pieces++
        sendRest()
      },
    )
    expect(pieces).toBeGreaterThan(1)
    expect(lines).toEqual(['é'.repeat(1_000)])
    expect(request).not.toMatch(/authorization/i)
  })

  test.each([
    ['another status', httpAnswer(403, 'secret'), 'rejected'],
    ['a redirect', httpAnswer(302, '', { location: '/other' }), 'rejected'],
    ['a broken connection', '', 'unreachable'],
  ])('%s is an error that does not tell the address', async (_what, answer, code) => {
    const error = await errorOf(downloading((socket) => socket.end(answer)))
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('secret')
  })

  const endless: SocketBehaviour['onRequest'] = (socket) => socket.write(httpAnswer(200, 'drip drip').slice(0, -1))

  test('what drips for ever is cut off', async () => {
    const limits: number[] = []
    const sleep = (ms: number): Promise<void> => {
      limits.push(ms)
      return systemClock.sleep(50)
    }
    const clock = { ...systemClock, sleep }
    expect(await errorOf(downloading(endless, undefined, { clock }))).toMatchObject({ code: 'deadline' })
    expect(limits).toEqual([60_000])
  })

  test('a cancelled run reads no further', async () => {
    const [run, cancelled] = [new AbortController(), new ActionError('cancelled', 'The run was cancelled.')]
    const cancel = run.abort.bind(run, cancelled)
    expect(await errorOf(downloading(endless, cancel, { signal: run.signal }))).toBe(cancelled)
  })
})
