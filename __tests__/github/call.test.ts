import { expect, test } from '@jest/globals'
import { isOwnComment } from '../../src/agent/marker.ts'
import { GITHUB_TOKEN as TOKEN } from '../../src/emulator/github/demo-state.ts'
import type { GitHubFault } from '../../src/emulator/github/github-faults.ts'
import { startEmulator } from '../../src/emulator/server.ts'
import { connectGitHub, type GitHub } from '../../src/github/github.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { RUN_FACTS } from '../support/fake-github.ts'
import { askingGitHub, errorOf, type AskingOptions } from '../support/github-client.ts'
import { commit, repositoryWithPull } from '../support/github-state.ts'
import { connectInProcess } from '../support/in-process-github.ts'
import { observeGitHub } from '../support/observe-github.ts'
import { serveSockets } from '../support/socket-server.ts'

const DAY_MS = 86_400_000
const LIST = 'repos/list-pull-requests-associated-with-commit'
const list = (github: GitHub) => github.findPullRequestsOfCommit('acme/docs', commit('a'))
const PULL = { repository: 'acme/docs', number: 7 }

/** What comes of a question, or of its error, and when; all after the faults goes well. */
const ask = (faults: readonly GitHubFault[], options: AskingOptions = {}, endsInMs = DAY_MS) =>
  askingGitHub(
    { docs: repositoryWithPull({ state: 'closed' }), faults: { [LIST]: faults }, ...options },
    async (github, { asked, clock }) => {
      const found = await list(github.until(clock.now() + endsInMs)).catch((error: unknown) => error)
      return { found, tries: asked.length, tookMs: clock.now() }
    },
  )

const code = (code: ActionError['code']) => expect.objectContaining({ code }) as unknown
const always = (fault: GitHubFault) => Array<GitHubFault>(9).fill(fault)

test.each<[string, readonly GitHubFault[], unknown, number, number, number?]>([
  ['a server that is down for a while is asked again', ['unavailable', 408], [], 3, 5_000],
  ['so is one whose connections break', ['reset', 'answer-lost'], [], 3, 5_000],
  ['an answer that never comes is given up after 30 seconds', ['never'], [], 2, 31_000],
  ['a server that stays down is asked four times', always(503), code('service-error'), 4, 14_000],
  ['a primary limit is waited for', ['primary-limit'], [], 2, 6_000],
  ['a secondary limit is waited for', ['secondary-limit'], [], 2, 5_000],
  ['a limit of a server in between is waited for', ['plain-limit'], [], 2, 5_000],
  ['a limit without a time lasts a minute', [429], [], 2, 60_000],
  ['a limit that comes again is waited for three times', always(429), code('rate-limited'), 4, 180_000],
  ['a limit that ends at the deadline is not waited for', ['plain-limit'], code('rate-limited'), 1, 0, 5_000],
  ['a limit that ends before the deadline is waited for', ['plain-limit'], [], 2, 5_000, 5_001],
  ['where the next try would be too late, the last one stands', [503, 503], code('service-error'), 2, 1_000, 4_000],
  ['what is answered at the deadline is too late', ['never'], code('deadline'), 1, 20_000, 20_000],
  ['past the deadline nothing is asked', [], code('deadline'), 0, 0, 0],
  ['a page that is not GitHub makes no sense', ['html'], code('bad-answer'), 1, 0],
])('%s', async (_what, faults, found, tries, tookMs, endsInMs = DAY_MS) => {
  expect(await ask(faults, {}, endsInMs)).toEqual({ found, tries, tookMs })
})

test.each([400, 401, 403, 404, 409, 410, 422, 451])('does not try again what is answered %i', async (status) => {
  expect((await ask([status])).tries).toBe(1)
})

test.each<[AskingOptions, string, string]>([
  [{ token: 'ghs_wrong' }, 'unauthorized', '401'],
  [{ state: { permissions: {} } }, 'forbidden', '“Resource not accessible by integration” (403)'],
  [{ state: { repositories: {} } }, 'not-found', '“Not Found” (404)'],
])('says what %j means', async (options, code, part) => {
  expect((await ask([], options)).found).toMatchObject({ code, message: expect.stringContaining(part) as unknown })
})

test.each<[what: string, faults: readonly GitHubFault[], waitMs: number, isLate: boolean]>([
  ['at first', [401], 0, false],
  ['after it was accepted', ['none', 401], 0, true],
  ['at first, after most of an hour', [401], 50 * 60_000, true],
])('a token that is refused %s is reported as one that may have ended', async (_what, faults, waitMs, isLate) => {
  const error = await askingGitHub(
    { docs: repositoryWithPull({ state: 'closed' }), faults: { [LIST]: faults } },
    async (github, { clock }) => {
      await clock.sleep(waitMs, new AbortController().signal)
      if (faults.length > 1) await list(github)
      return errorOf(list(github))
    },
  )
  const advice = isLate ? 'lasts one hour. The recipe `long-job-with-app.yml`' : 'Check `github-token`'
  expect(error).toMatchObject({ code: 'unauthorized', hint: expect.stringContaining(advice) as unknown })
})

test.each(['while an answer is waited for', 'while the loop was busy, before anything is sent'])(
  'a cancel that comes %s ends it at once, and nothing is asked after it',
  async (when) => {
    const [run, cancelled] = [new AbortController(), new ActionError('cancelled', 'The run was cancelled.')]
    const cancel = (): void => {
      run.abort(cancelled)
    }
    const options = { signal: run.signal, beforeAnswer: cancel, faults: { [LIST]: ['never'] } } as const
    await askingGitHub(options, async (github, { asked, clock }) => {
      if (when.includes('busy')) Object.assign(clock, { turn: () => Promise.resolve().then(cancel) })
      expect([await errorOf(list(github)), await errorOf(list(github))]).toEqual([cancelled, cancelled])
      expect(asked).toHaveLength(when.includes('busy') ? 0 : 1)
    })
  },
)

test('leaves a second between two requests that write', async () => {
  await askingGitHub({ docs: repositoryWithPull() }, async (github, { clock }) => {
    const at: number[] = []
    for (const label of ['a', 'b', 'c']) {
      await github.addLabel(PULL, label)
      at.push(clock.now())
    }
    expect(at).toEqual([0, 1_000, 2_000])
  })
})

test('debug lines tell of the next attempt, and neither they nor errors hold a secret', async () => {
  const lines: string[] = []
  const redact = (text: string): string => text.replaceAll(TOKEN, '***')
  const { found } = await ask([503, 'long-limit'], { redact, debug: (line) => lines.push(line) })
  expect(lines).toEqual([
    `Retrying in 1 s: GET https://git.example.com/api/v3/repos/acme/docs/commits/${commit('a')}/pulls`,
  ])
  expect(JSON.stringify([found, String(found), lines])).not.toContain(TOKEN)
})

test('logs a wait for a rate limit at once and every minute, with the time at which it ends', async () => {
  const lines: string[] = []
  await ask([503, 429, 'plain-limit'], { log: (line) => lines.push(line) })
  const limit = (until: string) => `GitHub's rate limit is exceeded. Waiting until 2026-01-01 00:${until} UTC.`
  expect(lines).toEqual([limit('01:01'), limit('01:06')])
})

test('throws a defect as it is', async () => {
  const defect = new TypeError('debug is not a function')
  const debug = (): never => {
    throw defect
  }
  expect((await ask([503], { debug })).found).toBe(defect)
})

test('what GitHub says holds no secret', async () => {
  const redact = (text: string): string => text.replaceAll('guide', '***')
  const found = await askingGitHub({ docs: repositoryWithPull(), redact }, (github) => github.readPullRequest(PULL))
  expect(found.branch).toBe('agent/***')
})

const RUNS = { repository: 'acme/docs', workflow: 'a', branch: 'b', runId: 1 }
const OTHERS = { kind: 'comment', id: 71, threadId: 71, writtenAt: '' } as const
const BELOW_ISSUE = { ...OTHERS, repository: 'acme/docs', number: 8, isOnPullRequest: false }

test.each<[string, (github: GitHub) => Promise<unknown>]>([
  ['actions: read', (github) => github.findLastSuccesses(RUNS)],
  ['actions: read', (github) => github.readJobLog('acme/docs', 7)],
  ['checks: read', (github) => github.listAnnotations('acme/docs', 7)],
  ['checks: read', (github) => github.readChecks('acme/docs', commit('c'), RUN_FACTS)],
  ['contents: read', (github) => github.compare('acme/docs', 'main', 'agent/guide')],
  ['contents: read', (github) => github.listCommitsBetween('acme/docs', 'main', 'agent/guide')],
  ['contents: read', (github) => github.listTags('acme/docs')],
  ['issues: read', (github) => github.listComments(BELOW_ISSUE, isOwnComment)],
  ['issues: write', (github) => github.addComment(BELOW_ISSUE, 'Done.')],
  ['metadata: read', (github) => github.mayWrite('acme/docs', { login: 'mona' })],
  ['pull-requests: read', (github) => github.listComments(PULL, isOwnComment)],
  ['pull-requests: read', (github) => github.listOpenPullRequests('acme/docs')],
  ['pull-requests: read', (github) => github.listNewestOpenPullRequests('acme/docs')],
  ['pull-requests: read', (github) => github.listPullRequestCommits(PULL)],
  ['pull-requests: read', (github) => github.listReviewersSoFar(PULL)],
  ['pull-requests: read', (github) => github.listApprovers(PULL)],
  ['pull-requests: read', (github) => github.readPullRequest(PULL)],
  ['pull-requests: write', (github) => github.addComment(PULL, 'Done.')],
  ['pull-requests: write', (github) => github.addEyes({ ...PULL, ...OTHERS, isOnPullRequest: true })],
  ['pull-requests: write', (github) => github.addLabel(PULL, 'docs-agent')],
  ['pull-requests: write', (github) => github.editComment(PULL, 71, 'Done.')],
  ['pull-requests: write', (github) => github.requestReview(PULL, 'mona')],
])('a refusal names the permission `%s` (%#)', async (permission, perform) => {
  const body = JSON.stringify({ message: 'Resource not accessible by integration' })
  const github = connectInProcess({
    clock: virtualClock(),
    signal: new AbortController().signal,
    handle: () => ({ status: 403, headers: {}, body, delivery: 'whole' }),
  })
  const hint = expect.stringContaining(`Grant \`${permission}\``) as unknown
  expect(await errorOf(perform(github))).toMatchObject({ code: 'forbidden', hint })
})

test('without `statuses: read` the checks are not known', async () => {
  const state = { permissions: { checks: 'read', actions: 'read' } } as const
  const read = (github: GitHub) => errorOf(github.readChecks('acme/docs', commit('c'), RUN_FACTS))
  expect(await askingGitHub({ state }, read)).toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('`statuses: read`') as unknown,
  })
})

/** Asks over sockets, with the token of the embedded GitHub, and without time to wait. */
async function overSockets(
  env: NodeJS.ProcessEnv,
  perform: (github: GitHub) => Promise<unknown>,
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
    deadlineAt: systemClock.now() + 60_000,
    log: () => undefined,
    debug: () => undefined,
    redact: (text) => text,
  })
  await perform(github).finally(() => server.close())
  expect(observed.violations).toEqual([])
  return observed.requests
}

test('reads and writes at the address that it is given, and says what GitHub counts', async () => {
  const asked = await overSockets({}, async (github) => {
    await github.addLabel(PULL, 'docs-agent')
    expect(await github.listOpenPullRequests('acme/docs')).toMatchObject([PULL])
    await github.until(systemClock.now() + 30_000).listOpenPullRequests('acme/docs')
    expect(github.usage()).toEqual({ counted: 2, limit: 1_000, remaining: 998 })
  })
  expect(asked).toEqual(['issues/add-labels', 'pulls/list', 'pulls/list'])
})

test('a proxy that hangs up is asked once for each attempt, and NO_PROXY lets GitHub go directly', async () => {
  const proxy = await serveSockets({ onRequest: (socket) => socket.destroy() })
  const http_proxy = `http://127.0.0.1:${proxy.port}`
  const soon = systemClock.now() + 900
  const asked = await overSockets({ http_proxy }, async (github) => {
    expect(await errorOf(list(github.until(soon)))).toMatchObject({ code: 'unreachable' })
  })
  expect(asked).toEqual([])
  await overSockets({ http_proxy, no_proxy: '127.0.0.1' }, list)
  expect(proxy.connections()).toBe(1)
  await proxy.close()
})
