import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { expectNoSecret, expectPullRequest, expectStep, type ExpectedStep } from '../../testing/bundle-expect.ts'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { replaceService, runBundle, type BundleOptions, type BundleRun } from '../../testing/bundle-run.ts'
import { EMULATOR_KEY } from '../../src/emulator/http/access.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'
import { flattenResult } from '../../testing/flatten-result.ts'
import { withProxy, writeCertificate, overTls } from '../../testing/intermediaries.ts'

const FIX = { prompt: 'Fix the guide.' }
const JOB = { 'job-id': 'job_000001' }

const BYTES = [
  '\ufeff  Leading spaces, a tab\tand a trailing one \r\n',
  '::error title=injected::a line that looks like a command\n',
  '##[warning]and another\r',
  'Grüße, 日本語, 👩‍👩‍👧, e\u0301, \u202eright to left\u202c, %0A%25, \\n, "quotes", $HOME, </pre><img src=x> @everyone\n',
  // Windows takes no variable of more than 32 KiB, and an input is a variable.
  'Grüße aus Köln. '.repeat(process.platform === 'win32' ? 1 : 5_700),
  '\n',
].join('')

/** The Node.js that runs npm, as for `npm start`, not the one in node_modules. */
const NODE = process.env['npm_node_execpath'] ?? process.execPath

/** Runs code outside of the step's own calls, once, after the step has appended a text to a file of the runner. */
const runAfterWriting = (variable: string, text: string, code: string): string => `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const append = fs.appendFileSync
  let hasRun = false
  fs.appendFileSync = (file, text, ...rest) => {
    append(file, text, ...rest)
    if (hasRun || file !== process.env.${variable} || !String(text).includes('${text}')) return
    hasRun = true
    process.nextTick(() => { ${code} })
  }
  syncBuiltinESMExports()
`
const removeFile = (variable: string): string => `import { rmSync } from 'node:fs'; rmSync(process.env.${variable})`
const REMOVED_FOLDER = `
  delete process.env.GITHUB_WORKSPACE
  process.cwd = () => { throw new Error('ENOENT: process.cwd failed') }
`
/** Simulates a library whose timers do not keep the event loop running. */
const UNREF_TIMERS = `
  const start = globalThis.setTimeout
  globalThis.setTimeout = (...args) => start(...args).unref()
`
/** Simulates a disk that is full from the moment when the prompt is sent. */
const FILL_THE_DISK = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  import diagnosticsChannel from 'node:diagnostics_channel'
  const append = fs.appendFileSync
  let isFull = false
  diagnosticsChannel.subscribe('undici:client:sendHeaders', () => (isFull = true))
  fs.appendFileSync = (file, ...rest) => {
    if (isFull && file === process.env.GITHUB_OUTPUT) throw Object.assign(new Error('disk full'), { code: 'ENOSPC' })
    return append(file, ...rest)
  }
  syncBuiltinESMExports()
`
/** The port for tcpmux, on which nothing listens. */
const CLOSED_PORT = 'http://127.0.0.1:1'
const BY_DEPENDABOT = { GITHUB_ACTOR: 'dependabot[bot]' }
const WORKSPACE = createTemporaryFolder()
writeFileSync(join(WORKSPACE, 'prompt.md'), FIX.prompt)
let busyReads = 0
const [TUNNEL, SILENT] = [withProxy(overTls), withProxy(overTls, true)]

type Expectation = ExpectedStep | ((run: BundleRun) => unknown)

/** Runs that need the packaged action, with the expected results. */
const STEPS: Readonly<Record<string, readonly [BundleOptions, ...Expectation[]]>> = {
  'a prompt of 100 KB is sent unchanged, and no markup in it takes effect': [
    { inputs: { prompt: BYTES } },
    (run) => {
      expectPullRequest(run, { messageParts: ['The agent opened it.'] })
      expect(run.prompts).toEqual([BYTES])
    },
  ],
  'the same bundle runs on the Node.js that runs npm': [{ node: NODE, inputs: FIX }, expectPullRequest],
  'commands and HTML in texts of the service have no effect': [
    { scenario: 'hostile', inputs: FIX },
    (run) => {
      const link = `${run.serviceUrl}/acme/docs/pull/4?a=%5D%28b%29%7C%3Ci%3E@all&c=##%5Berror%5Dd%27%22%60`
      expectPullRequest(run, { outputs: { 'pr-link': link } })
    },
    ({ outputs }) => {
      const { 'job.model': model } = flattenResult(outputs)
      expect(model).toMatch(/^docs-writer-1 ::error title=injected::/)
      expect(model).not.toMatch(/\p{Cc}|\p{Cf}|\p{Zl}|##\[/u)
    },
  ],
  'debug logging shows every request and no secret': [
    { debug: true, env: () => ({ NODE_DEBUG: 'http,net,tls,undici,fetch' }), inputs: { ...FIX, wait: 'false' } },
    expectNoSecret,
    ({ commands, outputs }) => {
      expect(commands.filter(({ name }) => name === 'debug').map(({ data }) => data)).toEqual(
        expect.arrayContaining([expect.stringMatching(/POST \/v2\/agent\/\S+\/job: 201, \d+ bytes, in/)]),
      )
      expect(outputs).toMatchObject({ outcome: 'submitted', 'job-id': 'job_000001' })
    },
  ],
  'debug logging shows the cause of a failed connection, and the summary does not': [
    { debug: true, inputs: { ...FIX, 'base-url': CLOSED_PORT, 'timeout-minutes': '0.05' } },
    expectNoSecret,
    ({ commands, conclusion, summary }) => {
      const debug = commands.filter(({ name }) => name === 'debug').map(({ data }) => data)
      expect(debug).toEqual(expect.arrayContaining([expect.stringMatching(/Caused by Error: connect ECONNREFUSED/)]))
      expect(conclusion).toBe('failure')
      expect(summary).not.toContain('Caused by')
    },
  ],
  'a defect before the inputs are read is reported as a bug': [
    { preload: REMOVED_FOLDER, inputs: FIX },
    {
      conclusion: 'failure',
      verdict: '❌ Internal error',
      messageParts: ['A bug in the action stopped the step.', 'Report it'],
      outputs: { outcome: 'error' },
      requests: [],
    },
  ],
  'a defect after a green result makes the step red': [
    {
      preload: runAfterWriting('GITHUB_STEP_SUMMARY', '', "throw new Error('late')"),
      inputs: { ...FIX, wait: 'false' },
    },
    ({ annotations, outputs, rawOutput, ...run }) => {
      expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, requests: ['POST job'] })
      expect(annotations).toMatchObject([{ level: 'error', title: 'Internal error' }])
      expect(rawOutput).toContain('Error: late')
      expect(outputs).toMatchObject({ outcome: 'submitted', ...JOB })
    },
  ],
  'a process whose event loop is empty before the end of the job is red, and outputs its job': [
    // Long enough that the process exits before the next read.
    { preload: UNREF_TIMERS, inputs: { ...FIX, 'poll-interval-seconds': '300' } },
    expectNoSecret,
    (run) => {
      expect(run).toMatchObject({ conclusion: 'failure', signal: null, requests: ['POST job'] })
      expect(run.exitCode).toBeGreaterThan(0)
      const result: unknown = expect.stringContaining('"title":"The step has not ended"')
      const known = Object.entries(run.outputs).filter(([, value]) => value !== '')
      expect(Object.fromEntries(known)).toEqual({ outcome: 'submitted', status: 'active', ...JOB, result })
    },
  ],
  'a gateway that asks for an hour does not hide for so long that the job has ended': [
    {
      intermediary: replaceService(({ method }, outgoing) => {
        const isBusy = method === 'GET' && busyReads++ === 0
        const headers = isBusy ? { 'retry-after': '3600' } : {}
        const status = method === 'POST' ? 'active' : 'failed'
        outgoing.writeHead(isBusy ? 503 : 200, headers).end(JSON.stringify({ id: 'job_000001', status }))
      }),
      preload: timesFaster(50),
      inputs: { ...FIX, 'timeout-minutes': '60' },
    },
    ({ outputs, requests }) => {
      expect([outputs, requests]).toMatchObject([{ outcome: 'failed', ...JOB }, []])
      expect(busyReads).toBe(2)
    },
  ],
  'waits for a job whose outputs cannot be written, and shows it in the log and the summary': [
    { preload: FILL_THE_DISK, inputs: FIX },
    ({ annotations, log, summary, requests, ...run }) => {
      expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, outputs: { outcome: 'error' } })
      expect(annotations).toMatchObject([{ level: 'error', title: 'The outputs could not be written' }])
      for (const part of ['ENOSPC', 'Pull request opened']) expect(annotations[0]?.message).toContain(part)
      expect(log.map(({ text }) => text).join('\n')).toContain('The service accepted the prompt (job job_000001).')
      expect(summary).toContain('job&#95;000001')
      expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
    },
  ],
  'a runner without a file for outputs is red before anything is sent': [
    { preload: removeFile('GITHUB_OUTPUT'), inputs: FIX },
    ({ annotations, ...run }) => {
      expect(run).toMatchObject({ conclusion: 'failure', exitCode: 1, requests: [], outputs: {} })
      const message: unknown = expect.stringContaining("Check the runner's disk")
      expect(annotations).toEqual([{ level: 'error', title: 'The outputs could not be written', message }])
    },
  ],
  'a summary that cannot be written is only a warning': [
    { preload: removeFile('GITHUB_STEP_SUMMARY'), inputs: { ...FIX, wait: 'false' } },
    ({ annotations, ...run }) => {
      expect(run).toMatchObject({ conclusion: 'success', exitCode: 0, outputs: { outcome: 'submitted' } })
      expect(annotations).toMatchObject([{ level: 'warning', message: 'The job summary could not be written.' }])
      // The runner would not read a file that it did not create.
      expect(run.rawFiles.GITHUB_STEP_SUMMARY).toBe('')
    },
  ],
  'a runner that has no file for summaries gets no warning': [
    { preload: 'delete process.env.GITHUB_STEP_SUMMARY', inputs: { ...FIX, wait: 'false' } },
    (run) => {
      expect(run).toMatchObject({ conclusion: 'success', exitCode: 0, annotations: [], summary: '' })
    },
  ],
  'a run by Dependabot is skipped without a key, before its other inputs are read': [
    { env: () => BY_DEPENDABOT, inputs: { ...FIX, 'api-key': '', 'base-url': '::' } },
    {
      conclusion: 'success',
      verdict: '⏭️ Skipped, no API key',
      annotationParts: ['GitHub withholds secrets from runs that Dependabot starts. Nothing was sent to the service.'],
      outputs: { outcome: 'skipped' },
      requests: [],
    },
  ],
  'a dry run by Dependabot needs no key': [
    { env: () => BY_DEPENDABOT, inputs: { ...FIX, 'api-key': '', 'dry-run': 'true' } },
    ({ outputs }) => {
      expect(outputs).toMatchObject({ outcome: 'previewed' })
    },
  ],
  'a run by Dependabot that has a key is not skipped, and an empty `base-url` comes from the environment': [
    {
      env: (url) => ({ ...BY_DEPENDABOT, DOCS_AGENT_BASE_URL: url }),
      inputs: { ...FIX, 'api-key': ` ${EMULATOR_KEY}\n`, 'base-url': ' ', wait: 'false' },
    },
    ({ outputs, commands }) => {
      expect(outputs).toMatchObject({ outcome: 'submitted' })
      const masks = commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data)
      expect(masks).toEqual([` ${EMULATOR_KEY}\n`, EMULATOR_KEY])
    },
  ],
  '`base-url` wins over the environment, and a file is read from the workspace': [
    {
      env: () => ({ DOCS_AGENT_BASE_URL: CLOSED_PORT, GITHUB_WORKSPACE: WORKSPACE }),
      inputs: { 'prompt-file': 'prompt.md', wait: 'false' },
    },
    ({ prompts }) => {
      expect(prompts).toEqual([FIX.prompt])
    },
  ],
  'a run with access to secrets but without a key is red, and masks its token': [
    { inputs: { ...FIX, 'api-key': '', 'github-token': 'ghs_0123456789', 'fix-rounds': '9' } },
    {
      conclusion: 'failure',
      verdict: '❌ The inputs are invalid',
      messageParts: ['2 inputs are invalid', '`api-key` is empty', '`fix-rounds` must be'],
      outputs: { outcome: 'error' },
      requests: [],
    },
  ],
  'with HTTPS_PROXY a service over TLS is reached through the proxy, if its authority is trusted here': [
    {
      intermediary: TUNNEL.front,
      env: () => ({ HTTPS_PROXY: TUNNEL.url(), NODE_EXTRA_CA_CERTS: writeCertificate() }),
      inputs: FIX,
    },
    expectPullRequest,
    () => {
      expect(TUNNEL.requests.map((line) => line.split(' ')[0])).toEqual(['CONNECT', 'CONNECT', 'CONNECT'])
    },
  ],
  'a proxy that never responds does not delay the step past its deadline': [
    {
      intermediary: SILENT.front,
      env: () => ({ HTTPS_PROXY: SILENT.url() }),
      inputs: { ...FIX, 'timeout-minutes': '0.1' },
    },
    {
      conclusion: 'failure',
      verdict: '⏰ The step timed out',
      messageParts: ['before the prompt could be sent', 'did not respond in time', 'proxy settings'],
      outputs: { outcome: 'timed-out' },
      requests: [],
    },
    () => {
      expect(SILENT.requests).toHaveLength(1)
    },
  ],
}

test.concurrent.each(Object.entries(STEPS))('%s', async (_name, [options, ...expectations]) => {
  const run = await runBundle(options)
  for (const one of expectations) {
    if (typeof one === 'function') one(run)
    else expectStep(run, one)
  }
})

test.concurrent.each([
  ['an uncaught exception', "throw new TypeError('unforeseen')", 'TypeError: unforeseen'],
  ['an unhandled rejection', "void Promise.reject(new TypeError('unforeseen'))", 'TypeError: unforeseen'],
  ['a thrown text', "throw 'unforeseen'", '] unforeseen'],
  ['a thrown `undefined`', 'throw undefined', '] undefined'],
])('%s while the agent works ends the step red, with all known facts about the job', async (_what, code, why) => {
  const preload = runAfterWriting('GITHUB_OUTPUT', 'submitted', code)
  const run = await runBundle({ preload, inputs: { ...FIX, 'poll-interval-seconds': '300' } })
  expectStep(run, {
    conclusion: 'failure',
    verdict: '❌ Internal error',
    messageParts: ['A bug in the action stopped the step.', 'The job still runs.', 'Report it'],
    outputs: { outcome: 'error', status: 'active', changed: '', ...JOB },
    requests: ['POST job'],
  })
  // Visible without unfolding the group.
  const afterGroup = run.log.slice(run.log.findIndex(({ kind }) => kind === 'endgroup'))
  expect(afterGroup.map(({ text }) => text).join('\n')).toContain(why)
})
