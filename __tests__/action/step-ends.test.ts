import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { announceSkip } from '../../src/action/announce-skip.ts'
import { cancelOnSignals } from '../../src/action/cancellation.ts'
import { formatConclusion, mostUrgent } from '../../src/action/conclusion.ts'
import { type LoadGitHub, openStep, type StepInputs } from '../../src/action/open-step.ts'
import type { Step } from '../../src/action/step.ts'
import type { Environment } from '../../src/runtime/environment.ts'
import { ActionError } from '../../src/runtime/errors.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeHost } from '../support/fake-host.ts'
import { commit } from '../support/github-state.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CONCLUSION = { isGreen: false, title: 'A', text: 'It broke.', advice: 'Mend it.' }

test('tells what happened, what the service says and what to do, in this order', () => {
  expect(formatConclusion(CONCLUSION, 'No.')).toBe('It broke. The service says: “No.” Mend it.')
})

test('leaves out what nobody said', () => {
  expect(formatConclusion({ ...CONCLUSION, advice: undefined }, undefined)).toBe('It broke.')
})

test('what follows on a list begins a line of its own', () => {
  expect(formatConclusion({ ...CONCLUSION, text: '- a.\n- b.' }, undefined)).toBe('- a.\n- b.\nMend it.')
})

test('of all advice only the most urgent is given', () => {
  expect(mostUrgent([undefined, '', 'Mend it.', 'Try again.'])).toBe('Mend it.')
  expect(mostUrgent([undefined, ''])).toBeUndefined()
})

function said(env: Environment): string[] {
  const host = fakeHost()
  announceSkip(host, env)
  return host.said
}

/** A pull request to acme/docs, as the runner tells of it. */
function pullRequestFrom(full_name: string): Environment {
  const file = join(temporaryFolder(), 'event.json')
  const pull_request = { head: { sha: commit('a'), repo: { full_name } } }
  writeFileSync(file, JSON.stringify({ pull_request, repository: { full_name: 'acme/docs' } }))
  return { GITHUB_ACTOR: 'ann', GITHUB_EVENT_NAME: 'pull_request', GITHUB_EVENT_PATH: file }
}

const NOTICE: readonly unknown[] = [expect.stringMatching(/^notice: /)]
const WARNING: readonly unknown[] = [expect.stringMatching(/^warn: .*Check the name of the secret/)]

test('a run that gets no secrets is skipped with a notice', () => {
  expect(said({ GITHUB_ACTOR: 'dependabot[bot]' })).toEqual(NOTICE)
  expect(said(pullRequestFrom('stranger/docs'))).toEqual(NOTICE)
})

test('a run that may have secrets is warned of', () => {
  expect(said({ GITHUB_ACTOR: 'ann' })).toEqual(WARNING)
  expect(said(pullRequestFrom('acme/docs'))).toEqual(WARNING)
})

describe('cancellation', () => {
  const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

  const before = SIGNALS.map((name) => process.listeners(name))
  const exit = jest.spyOn(process, 'exit')

  beforeEach(() => {
    exit.mockReset().mockImplementation(() => undefined as never)
  })

  afterEach(() => {
    SIGNALS.forEach((name, index) => {
      for (const listener of process.listeners(name)) {
        if (before[index]?.includes(listener) !== true) process.off(name, listener)
      }
    })
  })

  test('without a signal nothing is cancelled', () => {
    expect(cancelOnSignals().aborted).toBe(false)
  })

  test.each(SIGNALS)('%s starts an orderly end', (name) => {
    const signal = cancelOnSignals()

    process.emit(name)

    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBeInstanceOf(ActionError)
    expect(signal.reason).toMatchObject({ code: 'cancelled' })
    expect(exit).not.toHaveBeenCalled()
  })

  test.each([
    ['SIGINT', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGINT'],
    ['SIGHUP', 'SIGTERM'],
  ] as const)('after %s, %s ends the process at once', (first, second) => {
    const signal = cancelOnSignals()

    process.emit(first)
    const { reason } = signal as { reason: unknown }
    process.emit(second)

    expect(exit).toHaveBeenCalledTimes(1)
    expect(signal.reason).toBe(reason)
  })
})

const INPUTS: StepInputs = {
  projectId: 'docs',
  apiKey: 'docs_key',
  baseUrl: 'https://docs.example.com',
  timeoutMs: 60_000,
}

const load: LoadGitHub = () => import('../../src/github/connect-github.ts')

function open(
  inputs: Partial<StepInputs> = {},
  env: Environment = {},
  loadGitHub: LoadGitHub | undefined = load,
): Step {
  const { signal } = new AbortController()
  const origin = { core: fakeHost(), clock: fakeClock(), signal, startedAt: 2_000, env, loadGitHub }
  return openStep({ ...INPUTS, ...inputs }, origin)
}

test('the time runs from the start of the step', () => {
  expect(open()).toMatchObject({ startedAt: 2_000, deadlineAt: 62_000 })
})

test('what is known of the run is read from its environment', () => {
  expect(open({}, { GITHUB_REPOSITORY: 'acme/docs' }).context).toMatchObject({ repository: 'acme/docs' })
})

test('another GitHub takes the place of that of the run, with its pages', () => {
  const { context } = open({ githubApiUrl: 'http://127.0.0.1:4010/api/v3' }, { GITHUB_REPOSITORY: 'acme/docs' })
  expect(context).toMatchObject({ apiUrl: 'http://127.0.0.1:4010/api/v3', serverUrl: 'http://127.0.0.1:4010' })
  expect(context.repository).toBe('acme/docs')
})

test('what talks to GitHub is loaded once, by the first who asks, and not without a token', async () => {
  let loads = 0
  const counting: LoadGitHub = () => {
    loads++
    return load()
  }
  for (const inputs of [{}, { githubToken: '' }]) expect(await open(inputs, {}, counting).github()).toBeUndefined()
  const step = open({ githubToken: 'ghs_1' }, {}, counting)
  expect(loads).toBe(0)
  expect(await step.github()).toHaveProperty('readChecks')
  expect(await step.github()).toBe(await step.github())
  expect(loads).toBe(1)
})

test('the toolkit, which breaks with an event that is cut, does not see it as it is loaded', async () => {
  const { GITHUB_EVENT_PATH: before } = process.env
  process.env['GITHUB_EVENT_PATH'] = 'event.json'
  try {
    const seen: unknown[] = []
    const looking: LoadGitHub = () => {
      seen.push(process.env['GITHUB_EVENT_PATH'])
      return load()
    }
    await open({ githubToken: 'ghs_1' }, {}, looking).github()
    expect(seen).toEqual([undefined])
    expect(process.env['GITHUB_EVENT_PATH']).toBe('event.json')
  } finally {
    if (before === undefined) delete process.env['GITHUB_EVENT_PATH']
    else process.env['GITHUB_EVENT_PATH'] = before
  }
})

test("a proxy that is no address is named when the service's client is made", () => {
  expect(() => open({}, { HTTPS_PROXY: 'http://[' })).toThrow(expect.objectContaining({ code: 'proxy' }))
})

test('so is an address that the toolkit trips over as it is loaded, and a defect in it is none', async () => {
  const failing = (error: Error) => open({ githubToken: 'ghs_1' }, {}, () => Promise.reject(error)).github()
  await expect(failing(Object.assign(new TypeError(), { code: 'ERR_INVALID_URL' }))).rejects.toMatchObject({
    code: 'proxy',
    hint: expect.stringContaining('HTTPS_PROXY') as unknown,
  })
  await expect(failing(new RangeError())).rejects.toBeInstanceOf(RangeError)
})
