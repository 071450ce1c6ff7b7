import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { expectPullRequest } from '../../testing/bundle-expect.ts'
import { runWithGitHub, type GitHubRunOptions } from '../../testing/bundle-github.ts'
import type { BundleRun } from '../../testing/bundle-run.ts'
import { changeOnWire, encode, type WireMessage, type WireRequest } from '../../testing/change-on-wire.ts'

const gzipTwice = (body: Uint8Array): Uint8Array => gzipSync(gzipSync(body))
const withByteOrderMark = (body: Uint8Array): Uint8Array => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), body])

/** Forms of a response that mean the same as the original. */
const SAME: Readonly<Record<string, (message: WireMessage) => WireMessage>> = {
  'as they are': (message) => message,
  'in gzip': encode(gzipSync, 'gzip'),
  'in gzip that is not announced': encode(gzipSync),
  'in gzip twice, announced once': encode(gzipTwice, 'gzip'),
  'in br': encode(brotliCompressSync, 'br'),
  'in deflate': encode(deflateSync, 'deflate'),
  'in raw deflate': encode(deflateRawSync, 'deflate'),
  'in chunks of one byte': (message) => ({ ...message, isChunked: true }),
  'with a byte order mark': encode(withByteOrderMark),
}

const respond = (status: number, text: string, headers: WireMessage['headers']): WireMessage => ({
  status,
  headers,
  body: Buffer.from(text),
})

/** Forms of a response from which its content cannot be read. */
const DAMAGED: Readonly<Record<string, (message: WireMessage, request: WireRequest) => WireMessage>> = {
  'an HTML page': () => respond(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  'a truncated body': ({ body, ...message }) => ({ ...message, body: body.subarray(0, 9), isCut: true }),
  'a truncated body in gzip': ({ body, ...message }) => ({
    ...message,
    headers: { ...message.headers, 'content-encoding': 'gzip' },
    body: gzipSync(body).subarray(0, -9),
  }),
  'a redirect': (_message, { path }) => respond(302, '', { location: path }),
  'an empty body': ({ status, headers }) => respond(status, '', headers),
}

/** A manual run changes responses, which the step asks for one after the other. */
async function run(
  change: (message: WireMessage, request: WireRequest) => WireMessage,
  options: Partial<GitHubRunOptions> = {},
): Promise<BundleRun & { readonly changed: readonly WireRequest[] }> {
  const changed: WireRequest[] = []
  const intermediary = changeOnWire((message, request) => {
    const sent = change(message, request)
    if (sent !== message) changed.push(request)
    return sent
  })
  const inputs = { label: 'docs-agent', 'on-open-pr': 'new' }
  const result = await runWithGitHub({ inputs, eventName: 'workflow_dispatch', event: {}, intermediary, ...options })
  return { ...result, changed }
}

const OPEN = {
  verdict: '✅ The pull request is open',
  outputs: { 'pr-state': 'open', 'pr-head-sha': expect.stringMatching(/^[0-9a-f]{40}$/) as unknown as string },
  requestKinds: ['POST job', 'GET job/job_000001'],
}

test.concurrent.each(Object.entries(SAME))('reads responses of the service and of GitHub %s', async (_name, change) => {
  const { changed, ...result } = await run((message) => ({ ...change(message) }))

  expectPullRequest(result, OPEN)
  expect(new Set(changed.map(({ peer, method }) => `${peer} ${method}`))).toEqual(
    new Set(['service GET', 'service POST', 'github GET', 'github POST']),
  )
})

test.concurrent.each(Object.entries(DAMAGED))('reads jobs and pull requests again after %s', async (_name, damage) => {
  const { changed, ...result } = await run((message, request) => {
    const { peer, method, earlier } = request
    return method === 'GET' && earlier === (peer === 'service' ? 1 : 0) ? damage(message, request) : message
  })

  expectPullRequest(result, OPEN)
  expect(new Set(changed.map(({ peer }) => peer))).toEqual(new Set(['service', 'github']))
})

test.concurrent.each(Object.entries(DAMAGED))('does not resend a prompt after %s', async (_name, damage) => {
  const result = await run((message, request) =>
    request.peer === 'service' && request.method === 'POST' ? damage(message, request) : message,
  )

  expect(result).toMatchObject({ conclusion: 'failure', exitCode: 1, requests: ['POST job'] })
  expect(result.outputs).toMatchObject({ outcome: 'error', 'job-id': '', changed: '' })
  expect(result.annotations.filter(({ level }) => level === 'error')).toMatchObject([
    { title: 'The service may have accepted the prompt' },
  ])
})

/** Simulates a defect: a function that a bundle does not have. */
const WITHOUT_GUNZIP = `
  import zlib from 'node:zlib'
  Object.defineProperty(zlib, 'createGunzip', { value: undefined })
`
const GZIP = encode(gzipSync, 'gzip')

interface Defect {
  readonly peer: WireRequest['peer']
  readonly method: string
  readonly jobId: string
  readonly advice: string
}

test.concurrent.each(
  Object.entries<Defect>({
    'to a prompt': { peer: 'service', method: 'POST', jobId: '', advice: 'Before you run the step again, look for' },
    'about a job': { peer: 'service', method: 'GET', jobId: 'job_000001', advice: 'with `job-id: job_000001`' },
    'about a pull request': { peer: 'github', method: 'GET', jobId: 'job_000001', advice: 'Report it' },
  }),
)('reports a bug in the code that reads a response %s as a bug, with the known job', async (_what, defect) => {
  let isSent = false
  const result = await run(
    (message, { peer, method }) => {
      isSent ||= peer === 'service'
      return isSent && peer === defect.peer && method === defect.method ? GZIP(message) : message
    },
    { preload: WITHOUT_GUNZIP },
  )

  expect(result).toMatchObject({ conclusion: 'failure', exitCode: 1 })
  expect(result.annotations.filter(({ level }) => level === 'error')).toMatchObject([
    { title: 'Internal error', message: expect.stringContaining(defect.advice) as unknown },
  ])
  expect(result.outputs).toMatchObject({ outcome: 'error', 'job-id': defect.jobId })
  expect(result.rawOutput).toMatch(/TypeError: .* is not a function/)
  expect(result.rawOutput).not.toMatch(/connection was lost|could not be reached/)
  expect(result.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
})
