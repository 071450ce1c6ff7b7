import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/history/state.ts'
import { GITHUB_TOKEN as TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { connectGitHub, type GitHub, type Resources } from '../../src/github/github.ts'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { RUN_FACTS } from '../../testing/given-run.ts'
import { withGitHub, catchError, type EmbeddedGitHubOptions } from '../../testing/github-client.ts'
import { commit, repositoryWithPull } from '../../testing/github-state.ts'
import { connectInProcess } from '../../testing/in-process-github.ts'
import { observeGitHub } from '../../testing/observe-github.ts'
import { serveSockets } from '../../testing/socket-server.ts'

const DAY_MS = 86_400_000
const LIST = 'repos/list-pull-requests-associated-with-commit'
const list = (github: GitHub) => github.findPullRequestsOfCommit('acme/docs', commit('a'))
const PULL = { repository: 'acme/docs', number: 7 }

/** Returns the result or the error of one call, and its duration. The requests after the faults succeed. */
const callOnce = (faults: readonly GitHubFault[], options: EmbeddedGitHubOptions = {}, endsInMs = DAY_MS) =>
  withGitHub(
    { docs: repositoryWithPull({ state: 'closed' }), faults: { [LIST]: faults }, deadlineAt: endsInMs, ...options },
    async (github, { operations, clock }) => {
      const found = await list(github).catch((error: unknown) => error)
      return { found, tries: operations.length, tookMs: clock.now() }
    },
  )

const code = (code: ActionError['code']) => expect.objectContaining({ code }) as unknown
const repeat = (fault: GitHubFault) => Array<GitHubFault>(9).fill(fault)

test.each<[string, readonly GitHubFault[], unknown, number, number, number?]>([
  ['retries a server that is temporarily unavailable', ['unavailable', 408], [], 3, 5_000],
  ['retries after broken connections', ['reset', 'response-lost'], [], 3, 5_000],
  ['retries a request without a response after 30 seconds', ['never'], [], 2, 31_000],
  ['gives up after four attempts', repeat(503), code('service-error'), 4, 14_000],
  ['waits for a primary rate limit', ['primary-limit'], [], 2, 6_000],
  ['waits for a secondary rate limit', ['secondary-limit'], [], 2, 5_000],
  ['waits for the rate limit of a gateway', ['plain-limit'], [], 2, 5_000],
  ['waits a minute for a rate limit without a time', [429], [], 2, 60_000],
  ['waits for each of repeated rate limits', repeat(429), [], 10, 540_000],
  ['waits for repeated rate limits until the deadline', repeat(429), code('rate-limited'), 4, 180_000, 240_000],
  ['waits longer for each rate limit in a row, up to a minute', repeat('plain-limit'), [], 10, 251_000],
  ['does not count rate limits as failed attempts', ['plain-limit', 503, 'plain-limit', 503, 503], [], 6, 24_000],
  ['does not wait for a rate limit that ends at the deadline', ['plain-limit'], code('rate-limited'), 1, 0, 5_000],
  ['waits for a rate limit that ends before the deadline', ['plain-limit'], [], 2, 5_000, 5_001],
  ['retries a new token that GitHub does not know everywhere yet', [401, 401], [], 3, 5_000],
  ['rejects a wrong token after four attempts', repeat(401), code('unauthorized'), 4, 14_000],
  ['does not retry if the retry would be too late', [503, 503], code('service-error'), 2, 1_000, 4_000],
  ['fails at the deadline without a response', ['never'], code('deadline'), 1, 20_000, 20_000],
  ['sends nothing after the deadline', [], code('deadline'), 0, 0, 0],
  ['retries after a page that is not from GitHub', ['html'], [], 2, 1_000],
  ['rejects a page that is not from GitHub after four attempts', repeat('html'), code('invalid-response'), 4, 14_000],
])('%s', async (_what, faults, found, tries, tookMs, endsInMs = DAY_MS) => {
  expect(await callOnce(faults, {}, endsInMs)).toEqual({ found, tries, tookMs })
})

test.each([400, 403, 404, 409, 410, 422, 451])('does not retry a %i', async (status) => {
  expect((await callOnce([status])).tries).toBe(1)
})

test.each<[EmbeddedGitHubOptions, string, string]>([
  [{ token: 'ghs_wrong' }, 'unauthorized', '401'],
  [{ state: { permissions: {} } }, 'forbidden', '“Resource not accessible by integration” (403)'],
  [{ state: { repositories: {} } }, 'not-found', '“Not Found” (404)'],
])('reports %j', async (options, code, part) => {
  expect((await callOnce([], options)).found).toMatchObject({ code, message: expect.stringContaining(part) as unknown })
})

test.each<[what: string, faults: readonly GitHubFault[], waitMs: number, isLate: boolean]>([
  ['in the first requests', repeat(401), 0, false],
  ['after it was accepted before', ['none', 401], 0, true],
  ['in the first request, after most of an hour', [401], 50 * 60_000, true],
])('reports a token that is refused %s as invalid or as expired', async (_what, faults, waitMs, isLate) => {
  const error = await withGitHub(
    { docs: repositoryWithPull({ state: 'closed' }), faults: { [LIST]: faults } },
    async (github, { clock }) => {
      await clock.sleep(waitMs, new AbortController().signal)
      if (faults[0] === 'none') await list(github)
      return catchError(list(github))
    },
  )
  const advice = isLate ? 'lasts one hour: keep `timeout-minutes`' : 'Check `github-token`'
  expect(error).toMatchObject({ code: 'unauthorized', hint: expect.stringContaining(advice) as unknown })
})

test.each(['during a request', 'while the event loop is busy, before a request'])(
  'a cancellation %s ends the call immediately, and nothing is sent after it',
  async (when) => {
    const [run, cancelled] = [new AbortController(), new ActionError('cancelled', 'The run was cancelled.')]
    const cancel = (): void => {
      run.abort(cancelled)
    }
    const options = { signal: run.signal, onBeforeResponse: cancel, faults: { [LIST]: ['never'] } } as const
    await withGitHub(options, async (github, { operations, clock }) => {
      const busyClock: Pick<Clock, 'yieldToEventLoop'> = { yieldToEventLoop: () => Promise.resolve().then(cancel) }
      if (when.includes('busy')) Object.assign(clock, busyClock)
      expect([await catchError(list(github)), await catchError(list(github))]).toEqual([cancelled, cancelled])
      expect(operations).toHaveLength(when.includes('busy') ? 0 : 1)
    })
  },
)

const ADD_COMMENT = 'issues/create-comment'
const ADD_LABEL = 'issues/add-labels'
const addComment = (github: Resources) => github.addComment(PULL, 'Hello.')
const addLabel = (github: Resources) => github.addLabel(PULL, 'docs-agent')

test.each<[string, string, (github: GitHub) => Promise<unknown>, readonly GitHubFault[], number]>([
  ['retries a write that is idempotent', ADD_LABEL, addLabel, [503, 'response-lost'], 3],
  ['retries such a write after an unusable response', ADD_LABEL, addLabel, ['html'], 2],
  ['does not retry a comment that may have been added', ADD_COMMENT, addComment, ['response-lost'], 1],
  ['does not retry a comment after a 502', ADD_COMMENT, addComment, [502], 1],
  ['does not retry a comment after an unusable response', ADD_COMMENT, addComment, ['html'], 1],
  ['adds a comment after a rate limit', ADD_COMMENT, addComment, ['secondary-limit'], 2],
])('%s', async (_what, operation, write, faults, tries) => {
  await withGitHub({ docs: repositoryWithPull(), faults: { [operation]: faults } }, async (github, { operations }) => {
    await write(github).catch((error: unknown) => error)
    expect(operations.filter((name) => name === operation)).toHaveLength(tries)
  })
})

test('what is left at the deadline has 30 more seconds', async () => {
  const options = { docs: repositoryWithPull(), deadlineAt: 60_000, faults: { [ADD_LABEL]: ['never'] } } as const
  await withGitHub(options, async (github, { clock, operations }) => {
    await clock.sleep(60_000)
    await addComment(github.atEnd())
    // Nothing else gets more time.
    expect(await catchError(addComment(github))).toMatchObject({ code: 'deadline' })
    expect(await catchError(addLabel(github.atEnd()))).toMatchObject({ code: 'unreachable' })
    expect(clock.now()).toBe(90_000)
    expect(await catchError(addComment(github.atEnd()))).toMatchObject({ code: 'deadline' })
    expect(operations).toEqual([ADD_COMMENT, ADD_LABEL])
  })
})

test('what is left when the run is cancelled has one second', async () => {
  const [run, cancelled] = [new AbortController(), new ActionError('cancelled', 'The run was cancelled.')]
  const options = { docs: repositoryWithPull(), signal: run.signal, faults: { [ADD_LABEL]: ['never'] } } as const
  await withGitHub(options, async (github, { clock, operations }) => {
    run.abort(cancelled)
    expect(await catchError(addComment(github))).toBe(cancelled)
    await addComment(github.atEnd())
    expect(await catchError(addLabel(github.atEnd()))).toMatchObject({ code: 'deadline' })
    expect(clock.now()).toBe(1_000)
    expect(operations).toEqual([ADD_COMMENT, ADD_LABEL])
  })
})

test('logs retries in debug lines, and no debug line or error contains a secret', async () => {
  const lines: string[] = []
  const redact = (text: string): string => text.replaceAll(TOKEN, '***')
  const { found } = await callOnce([503, 'long-limit'], { redact, debug: (line) => lines.push(line) })
  expect(lines).toEqual([
    `Retrying in 1 s: GET https://git.example.com/api/v3/repos/acme/docs/commits/${commit('a')}/pulls`,
  ])
  expect(JSON.stringify([found, String(found), lines])).not.toContain(TOKEN)
})

test('logs a wait for a rate limit, with the time at which it ends', async () => {
  const lines: string[] = []
  await callOnce([503, 429, 'plain-limit'], { log: (line) => lines.push(line) })
  const limit = (until: string) => `GitHub's rate limit is exceeded. Waiting until 2026-01-01 00:${until} UTC.`
  expect(lines).toEqual([limit('01:01'), limit('01:06')])
})

test('throws a bug unchanged', async () => {
  const bug = new TypeError('debug is not a function')
  const debug = (): never => {
    throw bug
  }
  expect((await callOnce([503], { debug })).found).toBe(bug)
})

test('redacts what GitHub returns', async () => {
  const redact = (text: string): string => text.replaceAll('guide', '***')
  const found = await withGitHub({ docs: repositoryWithPull(), redact }, (github) => github.readPullRequest(PULL))
  expect(found.branch).toBe('agent/***')
})

const RUNS = { repository: 'acme/docs', workflow: 'a', branch: 'b', runId: 1 }
const COMMENT = { kind: 'comment', id: 71, threadId: 71, writtenAt: '' } as const
const BELOW_ISSUE = { ...COMMENT, repository: 'acme/docs', number: 8, isOnPullRequest: false }

test.each<[string, (github: GitHub) => Promise<unknown>]>([
  ['actions: read', (github) => github.findSuccesses(RUNS)],
  ['actions: read', (github) => github.readJobLog('acme/docs', 7)],
  ['checks: read', (github) => github.listAnnotations('acme/docs', 7)],
  ['checks: read', (github) => github.readChecks('acme/docs', commit('c'), RUN_FACTS)],
  ['contents: read', (github) => github.compare('acme/docs', 'main', 'agent/guide')],
  ['contents: read', (github) => github.listCommitsBetween('acme/docs', 'main', 'agent/guide')],
  ['contents: read', (github) => github.listTags('acme/docs')],
  ['issues: read', (github) => github.listComments(BELOW_ISSUE, isOwnComment)],
  ['issues: write', (github) => github.addComment(BELOW_ISSUE, 'Done.')],
  ['issues: write', (github) => github.createLabel('acme/docs', 'docs-agent')],
  ['metadata: read', (github) => github.mayWrite('acme/docs', { login: 'mona' })],
  ['pull-requests: read', (github) => github.listComments(PULL, isOwnComment)],
  ['pull-requests: read', (github) => github.listOpenPullRequests('acme/docs', 'docs-agent')],
  ['pull-requests: read', (github) => github.listNewestPullRequests('acme/docs', 'docs-agent')],
  ['pull-requests: read', (github) => github.hasAddedLabel(PULL, 'docs-agent')],
  ['pull-requests: read', (github) => github.listPullRequestCommits(PULL)],
  ['pull-requests: read', (github) => github.listApprovers(PULL)],
  ['pull-requests: read', (github) => github.readPullRequest(PULL)],
  ['pull-requests: write', (github) => github.addComment(PULL, 'Done.')],
  ['pull-requests: write', (github) => github.addEyes({ ...PULL, ...COMMENT, isOnPullRequest: true })],
  ['pull-requests: write', (github) => github.addEyesToPullRequest(PULL)],
  ['pull-requests: write', (github) => github.addLabel(PULL, 'docs-agent')],
  ['pull-requests: write', (github) => github.editComment(PULL, 71, 'Done.')],
  ['pull-requests: write', (github) => github.requestReviews(PULL, ['mona'])],
])('the hint of a refusal names the permission `%s` (%#)', async (permission, perform) => {
  const body = JSON.stringify({ message: 'Resource not accessible by integration' })
  const github = connectInProcess({
    clock: virtualClock(),
    signal: new AbortController().signal,
    handle: () => ({ status: 403, headers: {}, body, delivery: 'complete' }),
  })
  const hint = expect.stringContaining(`Grant \`${permission}\``) as unknown
  expect(await catchError(perform(github))).toMatchObject({ code: 'forbidden', hint })
})

test('reading checks fails without `statuses: read`', async () => {
  const state = { permissions: { checks: 'read', actions: 'read' } } as const
  const read = (github: GitHub) => catchError(github.readChecks('acme/docs', commit('c'), RUN_FACTS))
  expect(await withGitHub({ state }, read)).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('`statuses: read`') as unknown,
  })
})

/** Runs calls over sockets, with the token of the embedded GitHub and the system clock. */
async function runOverSockets(
  env: NodeJS.ProcessEnv,
  perform: (github: GitHub) => Promise<unknown>,
  timeoutMs = 60_000,
): Promise<readonly string[]> {
  const observed = observeGitHub({ state: { repositories: { 'acme/docs': repositoryWithPull() } } })
  const server = await startEmulator({ github: observed.options })
  const { token, apiUrl } = server.github
  const github = connectGitHub({
    token,
    apiUrl,
    env,
    clock: systemClock,
    signal: new AbortController().signal,
    deadlineAt: systemClock.now() + timeoutMs,
    log: () => undefined,
    debug: () => undefined,
    redact: (text) => text,
  })
  await perform(github).finally(() => server.close())
  expect(observed.violations).toEqual([])
  return observed.requests
}

test('reads and writes at the given URL', async () => {
  const operations = await runOverSockets({}, async (github) => {
    await github.addLabel(PULL, 'docs-agent')
    expect(await github.listOpenPullRequests('acme/docs', 'docs-agent')).toMatchObject([PULL])
  })
  expect(operations).toEqual(['issues/add-labels', 'pulls/list'])
})

test('connects to a proxy that hangs up once per attempt, and obeys NO_PROXY', async () => {
  const proxy = await serveSockets({ onRequest: (socket) => socket.destroy() })
  const http_proxy = `http://127.0.0.1:${proxy.port}`
  const readOnce = async (github: GitHub): Promise<void> => {
    expect(await catchError(list(github))).toMatchObject({ code: 'unreachable' })
  }
  const operations = await runOverSockets({ http_proxy }, readOnce, 900)
  expect(operations).toEqual([])
  await runOverSockets({ http_proxy, no_proxy: '127.0.0.1' }, list)
  expect(proxy.connections()).toBe(1)
  await proxy.close()
})
