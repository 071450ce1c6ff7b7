import * as toolkit from '@actions/github'
import { afterEach, expect, test } from '@jest/globals'
import { createRequests } from '../../src/github/requests.ts'
import { openOctokit, type LoadToolkit } from '../../src/github/octokit.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const { GITHUB_EVENT_PATH: before } = process.env
afterEach(() => {
  if (before === undefined) delete process.env['GITHUB_EVENT_PATH']
  else process.env['GITHUB_EVENT_PATH'] = before
})

function requests(load: LoadToolkit) {
  const surroundings = { token: 'ghs_1', clock: virtualClock(), debug: () => undefined }
  const { perform } = createRequests(
    surroundings,
    () => Promise.resolve({ status: 200, headers: {}, body: '{}' }),
    load,
  )
  const request = { method: 'GET', url: new URL('https://api.example.com/a') } as const
  return () => perform(request, new AbortController().signal, Infinity)
}

test('the toolkit is loaded once, by the first request, and does not see the event, with which it breaks if that is cut', async () => {
  process.env['GITHUB_EVENT_PATH'] = 'event.json'
  const seen: unknown[] = []
  const ask = requests(() => {
    seen.push(process.env['GITHUB_EVENT_PATH'])
    return Promise.resolve(toolkit)
  })
  expect(seen).toEqual([])
  await ask()
  await ask()
  expect(seen).toEqual([undefined])
  expect(process.env['GITHUB_EVENT_PATH']).toBe('event.json')
})

test('an address that the toolkit trips over as it is loaded is named, and a defect in it is none', async () => {
  const failing = (error: Error) => {
    const reject = () => Promise.reject(error)
    return openOctokit('ghs_1', reject, () => undefined, reject)
  }
  await expect(failing(Object.assign(new TypeError(), { code: 'ERR_INVALID_URL' }))).rejects.toMatchObject({
    code: 'proxy',
    hint: expect.stringContaining('HTTPS_PROXY') as unknown,
  })
  await expect(failing(new RangeError())).rejects.toBeInstanceOf(RangeError)
})
