import { expect, test } from '@jest/globals'
import { openGitHub } from '../../src/action/open-github.ts'
import { type LoadGitHub, openStep, type StepInputs } from '../../src/action/open-step.ts'
import type { Step } from '../../src/action/step.ts'
import type { Environment } from '../../src/runtime/environment.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { fakeGitHub } from '../support/fake-github.ts'
import { fakeHost } from '../support/fake-host.ts'
import { fakeStep } from '../support/fake-step.ts'

const INPUTS = { projectId: 'docs', apiKey: 'docs_key', baseUrl: 'https://docs.example.com', timeoutMs: 60_000 }

const load: LoadGitHub = () => import('../../src/github/github.ts')

function open(inputs: Partial<StepInputs> = {}, env: Environment = {}, loadGitHub = load): Step {
  const { signal } = new AbortController()
  const origin = { core: fakeHost(), clock: fakeClock(), signal, startedAt: 2_000, env, loadGitHub }
  return openStep({ ...INPUTS, ...inputs }, origin)
}

test('the time runs from the start of the step, and the run is read from its environment, with another GitHub', () => {
  const step = open({ githubApiUrl: 'http://127.0.0.1:4010/api/v3' }, { GITHUB_REPOSITORY: 'acme/docs' })
  const urls = { apiUrl: 'http://127.0.0.1:4010/api/v3', serverUrl: 'http://127.0.0.1:4010' }
  const context: unknown = expect.objectContaining({ repository: 'acme/docs', ...urls })
  expect(step).toMatchObject({ startedAt: 2_000, deadlineAt: 62_000, context })
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

test.each([
  { timeMs: 10, graceMs: 0, endsAfter: 10 },
  { timeMs: 200, graceMs: 0, endsAfter: 100 },
  { timeMs: 200, graceMs: 50, endsAfter: 150 },
])(
  'questions of $timeMs ms end after $endsAfter of a step of 100, if it may last $graceMs longer',
  async ({ timeMs, graceMs, endsAfter }) => {
    const [github, clock] = [fakeGitHub(), fakeClock()]
    await openGitHub(fakeStep({ github, clock, timeoutMs: 100 }), timeMs, graceMs)
    expect(github.deadlines).toEqual([clock.now() + endsAfter])
  },
)

test('without a token nobody is asked', async () => {
  await expect(openGitHub(fakeStep(), 1)).rejects.toMatchObject({ code: 'unauthorized' })
})
