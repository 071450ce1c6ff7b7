import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { expect, test } from '@jest/globals'
import { createAskGitHub, splitRepository } from '../../src/github/ask-github.ts'
import { connectPullRequests } from '../../src/github/pull-requests.ts'
import { systemClock, type Clock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { CLOCK_START_MS, fakeClock } from '../support/fake-clock.ts'
import { askingGitHub, errorOf, type AskedGitHub, type AskingOptions } from '../support/github-client.ts'
import { GITHUB_TOKEN as TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { repositoryWithPull, commit } from '../support/github-state.ts'

const OPERATION = 'repos/list-pull-requests-associated-with-commit'
const askOnce = ({ ask }: AskedGitHub) => connectPullRequests(ask).findPullRequestsOfCommit('acme/docs', commit('a'))
const DOCS = { docs: repositoryWithPull({ state: 'closed' }) }
const failing = (...faults: GitHubFault[]) => ({ ...DOCS, faults: { [OPERATION]: faults } })

test('tries again after server errors', async () => {
  await askingGitHub(failing('unavailable', 'unavailable'), async (asked) => {
    expect(await askOnce(asked)).toEqual([])
    expect(asked.github.requests).toHaveLength(3)
  })
})

test('gives up on a server that stays down, and says so', async () => {
  const faults = failing('unavailable', 'unavailable', 'unavailable', 'unavailable')
  await askingGitHub(faults, async (asked) => {
    expect(await errorOf(askOnce(asked))).toMatchObject({ code: 'service-error', message: 'GitHub answered 503.' })
    expect(asked.github.requests).toHaveLength(4)
  })
})

/** A proxy that hangs up on whoever asks for a tunnel. */
async function withRudeProxy(perform: (address: string, connections: () => number) => Promise<void>): Promise<void> {
  let connections = 0
  const proxy = createServer((socket) => {
    connections++
    socket.on('error', () => undefined)
    socket.once('data', () => socket.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  try {
    await perform(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, () => connections)
  } finally {
    proxy.close()
  }
}

test('a proxy that hangs up is not asked in a hot loop', async () => {
  await withRudeProxy(async (address, connections) => {
    await askingGitHub({ ...DOCS, env: { http_proxy: address } }, async (asked) => {
      expect(await errorOf(askOnce(asked))).toMatchObject({ code: 'unreachable' })
      expect(asked.github.requests).toEqual([])
    })
    // Four attempts, each with no more than three connections.
    expect(connections()).toBeGreaterThanOrEqual(4)
    expect(connections()).toBeLessThanOrEqual(12)
  })
})

test('NO_PROXY lets GitHub go directly', async () => {
  await withRudeProxy(async (address, connections) => {
    await askingGitHub({ ...DOCS, env: { http_proxy: address, no_proxy: '127.0.0.1' } }, async (asked) => {
      expect(await askOnce(asked)).toEqual([])
    })
    expect(connections()).toBe(0)
  })
})

test('the token does not go along with a redirect to another origin', async () => {
  const seen: (string | undefined)[] = []
  const agents: (string | undefined)[] = []
  const listening = async (onRequest: RequestListener): Promise<Server> => {
    const server = createHttpServer(onRequest).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const elsewhere = await listening((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  })
  const github = await listening((request, response) => {
    agents.push(request.headers['user-agent'])
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: `${addressOf(elsewhere)}/x` }).end()
  })
  try {
    const deadlineAt = systemClock.now() + 60_000
    const ask = createAskGitHub({
      ...{ token: TOKEN, apiUrl: addressOf(github), env: {}, clock: systemClock, signal: new AbortController().signal },
      ...{ deadlineAt, debug: () => undefined, redact: (text: string) => text },
    })
    await connectPullRequests(ask).findPullRequestsOfCommit('acme/docs', commit('a'))
    expect(seen).toEqual([`token ${TOKEN}`, undefined])
    expect(agents).toEqual([expect.stringMatching(/^docs-agent-action/)])
  } finally {
    github.close()
    elsewhere.close()
  }
})

test.each(['primary-limit', 'secondary-limit', 'plain-limit'] as const)('waits for the end of a %s', async (limit) => {
  await askingGitHub(failing(limit), async (asked) => {
    expect(await askOnce(asked)).toEqual([])
    expect(asked.github.requests).toHaveLength(2)
  })
})

test('does not wait for the end of a rate limit that comes after the deadline', async () => {
  await askingGitHub(failing('long-limit'), async (asked) => {
    expect(await errorOf(askOnce(asked))).toMatchObject({ code: 'rate-limited' })
    expect(asked.github.requests).toHaveLength(1)
  })
})

test.each([
  [{ token: 'ghs_wrong' }, 'unauthorized', '401'],
  [{ state: { permissions: {} } }, 'forbidden', '“Resource not accessible by integration” (403)'],
  [{ state: { repositories: {} } }, 'not-found', '“Not Found” (404)'],
] as const)('does not try again what %j forbids', async (options, code, part) => {
  await askingGitHub(options, async (asked) => {
    const error = await errorOf(askOnce(asked))
    expect(error).toMatchObject({ code, message: expect.stringContaining(part) as unknown })
    expect(asked.github.statuses).toHaveLength(1)
  })
})

test.each([400, 401, 403, 404, 409, 410, 422, 451])('does not try again what is answered %i', async (status) => {
  await askingGitHub(failing(status), async (asked) => {
    await errorOf(askOnce(asked))
    expect(asked.github.requests).toHaveLength(1)
  })
})

/** Time stands still until GitHub has the request. */
function timeFromArrival(clock: Clock): Pick<AskingOptions, 'clock' | 'beforeAnswer'> {
  let arrive = (): void => undefined
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  return {
    clock: { ...clock, sleep: (ms, signal) => arrived.then(() => clock.sleep(ms, signal)) },
    beforeAnswer: () => {
      arrive()
    },
  }
}

test('a question whose own deadline passes ends, is not asked again, and leaves the next one its time', async () => {
  await askingGitHub({ ...failing('never'), ...timeFromArrival(systemClock) }, async (asked) => {
    const ask = asked.askUntil(systemClock.now() + 100)
    expect(await errorOf(askOnce({ ...asked, ask }))).toMatchObject({ code: 'deadline' })
    expect(await askOnce(asked)).toEqual([])
    expect(asked.github.requests).toHaveLength(2)
  })
})

test('ends at the deadline although an answer never comes, and asks nothing after it', async () => {
  const times = { ...timeFromArrival(fakeClock()), deadlineAt: CLOCK_START_MS + 25_000 }
  await askingGitHub({ ...failing('never', 'never'), ...times }, async (asked) => {
    expect(await errorOf(askOnce(asked))).toMatchObject({ code: 'deadline' })
    expect(await errorOf(askOnce(asked))).toMatchObject({ code: 'deadline' })
    expect(asked.github.requests).toHaveLength(1)
  })
})

test('ends at once when the run is cancelled', async () => {
  const controller = new AbortController()
  const cancelled = new ActionError('cancelled', 'The run was cancelled.')
  const beforeAnswer = (): void => {
    controller.abort(cancelled)
  }
  await askingGitHub({ ...failing('never'), beforeAnswer, signal: controller.signal }, async (asked) => {
    expect(await errorOf(askOnce(asked))).toBe(cancelled)
    expect(await errorOf(askOnce(asked))).toBe(cancelled)
    expect(asked.github.requests).toHaveLength(1)
  })
})

test('a page that is not GitHub makes no sense, and nothing of it is shown', async () => {
  const error = await askingGitHub(failing('html'), (asked) => errorOf(askOnce(asked)))
  expect(error).toMatchObject({ code: 'bad-answer' })
  expect(JSON.stringify(error)).not.toContain('Sign in')
})

test('no error and no debug line holds the token', async () => {
  await askingGitHub(failing('long-limit', 'unavailable'), async (asked) => {
    const errors = [await errorOf(askOnce(asked)), await askOnce(asked)]
    const said = JSON.stringify([errors, asked.debugLines, errors.map(String)])
    expect(asked.debugLines.length).toBeGreaterThan(0)
    expect(said).not.toContain(TOKEN)
  })
})

test('writes nothing past the log that it is given', async () => {
  const written: unknown[] = []
  const before = { ...console }
  const note = (...texts: unknown[]): void => {
    written.push(texts)
  }
  Object.assign(console, { log: note, info: note, warn: note, error: note, debug: note })
  try {
    await askingGitHub(failing('primary-limit', 'unavailable'), askOnce)
  } finally {
    Object.assign(console, before)
  }
  expect(written).toEqual([])
})

test('takes a name apart', () => {
  expect(splitRepository('acme/docs')).toEqual({ owner: 'acme', repo: 'docs' })
})
