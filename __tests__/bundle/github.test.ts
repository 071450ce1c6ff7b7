import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { expectPullRequest } from '../../testing/bundle-expect.ts'
import { runWithGitHub } from '../../testing/bundle-github.ts'
import { createTemporaryFolder } from '../../testing/temporary-folder.ts'
import { flattenResult } from '../../testing/flatten-result.ts'

const MANUAL = { inputs: {}, eventName: 'workflow_dispatch', event: {} } as const

test('a manual run sets exactly the outputs that are known of its pull request', async () => {
  const run = await runWithGitHub(MANUAL)

  const branch = { 'pr-state': 'open' }
  expectPullRequest(run, {
    verdict: '✅ The pull request is open',
    outputs: { ...branch, 'pr-head-sha': expect.stringMatching(/^[0-9a-f]{40}$/) as unknown as string },
    requestKinds: ['POST job', 'GET job/job_000001'],
  })
  expect(run.summary).toContain('open, <code>agent&#47;job&#95;000001</code>')
})

test('a step that may not write on GitHub is green, with a notice before its result', async () => {
  const run = await runWithGitHub({
    ...MANUAL,
    plays: 'read-only',
    inputs: { 'on-open-pr': 'new', label: 'docs-agent' },
  })

  expect(run).toMatchObject({ conclusion: 'success', annotations: [{ level: 'notice', title: 'Not done on GitHub' }] })
  expect(run.log.at(-2)?.kind).toBe('notice')
})

test('a manual run does not load the undici of Node.js', async () => {
  const modules = join(createTemporaryFolder(), 'modules.json')
  const preload = `
    import { writeFileSync } from 'node:fs'
    process.on('exit', () => writeFileSync(${JSON.stringify(modules)}, JSON.stringify(process.moduleLoadList)))
  `
  const run = await runWithGitHub({ ...MANUAL, preload })

  expect(run.outputs).toMatchObject({ outcome: 'pull-request' })
  const loaded = JSON.parse(readFileSync(modules, 'utf8')) as string[]
  expect(loaded).toContain('NativeModule net')
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([])
})

test('sends failing checks to the job with the ends of their logs, until they pass', async () => {
  const run = await runWithGitHub({
    plays: 'checks-fixed-late',
    inputs: { 'timeout-minutes': '60', 'wait-for-checks': 'true', 'fix-rounds': '3', 'fail-on': 'checks' },
    // In addition to the factor of ten.
    preload: `{ ${timesFaster(2)} }`,
  })

  expect(run).toMatchObject({ conclusion: 'success', annotations: [] })
  expect(flattenResult(run.outputs)).toMatchObject({ outcome: 'pull-request', checks: 'success', fix_rounds: '2' })
  const [, ...rounds] = run.prompts
  const log: unknown = expect.stringContaining('error: Process completed with exit code 1.')
  expect(rounds).toEqual([log, expect.stringContaining('One link is broken')])
})

test('a run that is cancelled while GitHub does not respond ends immediately, and has output its pull request', async () => {
  const statusOperation = 'repos/get-combined-status-for-ref'
  const controller = new AbortController()
  const onBeforeResponse = (operation: string): void => {
    if (operation === statusOperation) controller.abort()
  }
  const run = await runWithGitHub({
    plays: 'checks-pending',
    observed: { faults: { [statusOperation]: ['never'] }, onBeforeResponse },
    inputs: { 'wait-for-checks': 'true' },
    cancel: controller.signal,
    cancelTimes: { sigtermAfterMs: 2_000, killAfterMs: 2_000 },
  })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: 1 })
  expect(run.outputs).toMatchObject({ outcome: 'cancelled', status: 'completed', 'pr-number': '4' })
  expect(run.summary).toMatch(/^## 🛑 Cancelled · /)
})

test('finds the last success although the lists that GitHub filters are stale', async () => {
  const inputs = { 'change-context': 'files', 'change-range': 'since-last-success', wait: 'false' }
  const run = await runWithGitHub({
    ...MANUAL,
    plays: 'run-lists-stale',
    inputs,
    preload: "process.env.GITHUB_SHA = 'main'",
  })
  expect(run).toMatchObject({ conclusion: 'success', outputs: { outcome: 'submitted' } })
  expect(run.prompts).toEqual([expect.stringContaining('src/deploy.ts')])
})

test('the toolkit for GitHub is in its own file, which a step without GitHub requests does not load', () => {
  const folder = new URL('../../dist/agent/', import.meta.url)
  const parts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const isToolkit = (name: string): boolean => readFileSync(new URL(name, folder), 'utf8').includes('octokit-core.js')
  expect(isToolkit('index.js')).toBe(false)
  expect(parts.some(isToolkit)).toBe(true)
})
