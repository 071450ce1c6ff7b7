import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { timesFaster } from '../../scripts/small-runner/faster-time.ts'
import { DEFAULT_START_MS } from '../../src/emulator/embedded-service.ts'
import { GITHUB_TOKEN, demoState } from '../../src/emulator/github/demo-state.ts'
import { combineScenarios, type GitHubScenarioName } from '../../src/emulator/github/github-scenarios.ts'
import type { PullState } from '../../src/emulator/github/pull-state.ts'
import type { GitHubState } from '../../src/emulator/github/state.ts'
import { expectPullRequest } from '../support/bundle-expect.ts'
import { PUSH } from '../support/fake-github.ts'
import { runBundle, type BundleOptions, type BundleRun } from '../support/bundle-run.ts'
import { commit } from '../support/github-state.ts'
import { observeGitHub, type ObservedOptions } from '../support/observe-github.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The pull request that the embedded service's first job opens. */
const PULL = 4

interface GitHubRunOptions
  extends Omit<BundleOptions, 'env' | 'github'>, Pick<ObservedOptions, 'faults' | 'beforeAnswer'> {
  /** What happens on GitHub; the later one counts. */
  readonly gitHubScenarios?: readonly GitHubScenarioName[]
  /** Besides that of a runner whose GitHub is the test's own. */
  readonly env?: (serviceUrl: string) => Record<string, string>
}

interface GitHubRun extends BundleRun {
  readonly github: { readonly requests: readonly string[]; readonly state: GitHubState }
  readonly notices: readonly string[]
}

/**
 * Runs the packaged action with the GitHub of the embedded service, ten times as fast. All that the two say to each other
 * is held against GitHub's published description, and the token must be nowhere.
 */
async function runWithGitHub(options: GitHubRunOptions): Promise<GitHubRun> {
  const { gitHubScenarios = [], faults, beforeAnswer, env, inputs, preload = '', ...bundle } = options
  const scenario = combineScenarios(gitHubScenarios)
  const state = demoState(scenario, DEFAULT_START_MS)
  const observed = observeGitHub({
    scenario,
    state,
    ...(faults === undefined ? {} : { faults }),
    ...(beforeAnswer === undefined ? {} : { beforeAnswer }),
  })
  const run = await runBundle({
    ...bundle,
    github: observed.options,
    // Minutes of the step's own time, which runs ten times as fast.
    inputs: { prompt: 'Fix the guide.', 'github-token': GITHUB_TOKEN, 'timeout-minutes': '5', ...inputs },
    preload: timesFaster(10) + preload,
    env: (serviceUrl) => ({
      GITHUB_API_URL: `${serviceUrl}/api/v3`,
      GITHUB_SERVER_URL: serviceUrl,
      GITHUB_RUN_ID: '42',
      GITHUB_SHA: commit('b'),
      GITHUB_WORKFLOW_REF: 'acme/docs/.github/workflows/docs.yml@refs/heads/main',
      ...env?.(serviceUrl),
    }),
  })
  expect(observed.violations).toEqual([])
  const said = run.rawOutput.replaceAll(`::add-mask::${GITHUB_TOKEN}`, '') + Object.values(run.rawFiles).join('')
  expect(said).not.toContain(GITHUB_TOKEN)
  const notices = run.annotations.filter(({ level }) => level === 'notice').map(({ message }) => message)
  return { ...run, github: { requests: observed.requests, state }, notices }
}

/** The pull request of the first job, as the run left it. */
function pullOf({ github }: GitHubRun, number = PULL): PullState {
  const pull = github.state.repositories['acme/docs']?.pulls[number]
  if (pull === undefined) throw new Error('The pull request is gone.')
  return pull
}

const folder = temporaryFolder()
const [CUT_EVENT, MODULES] = [join(folder, 'event.json'), join(folder, 'modules.json')]
writeFileSync(CUT_EVENT, '{"ref":')

const containing = (text: string): unknown => expect.stringContaining(text)
const STEPS: Readonly<Record<string, readonly [GitHubRunOptions, GitHubRun['conclusion'], (run: GitHubRun) => void]>> =
  {
    'the pull request gets its label and the comment that names its job': [
      { inputs: {} },
      'success',
      (run) => {
        const { headSha, labels, comments } = pullOf(run)
        expectPullRequest(run, {
          verdict: '✅ The pull request is ready',
          outputs: {
            ...{ 'pr-state': 'open', 'pr-branch': 'agent/job_000001' },
            ...{ 'pr-head-sha': headSha, 'pr-mergeable': 'true' },
          },
          asks: ['POST job', 'GET job/job_000001'],
        })
        expect(labels).toEqual(['docs-agent'])
        expect(comments.map(({ body }) => body)).toEqual([
          expect.stringMatching(/^<!-- docs-agent-action: job=job_000001 -->\n/),
        ])
        const branch = 'agent&#47;job&#95;000001'
        expect(run.summary).toContain(`open, <code>${branch}</code>`)
      },
    ],
    'a step that looks at the same job again adds only its row to the pull request': [
      { inputs: { prompt: '', 'job-id': 'job_finished' }, gitHubScenarios: ['open-pull-request'] },
      'success',
      (run) => {
        expect(run.github.requests).toEqual(['pulls/get', 'issues/list-comments', 'issues/update-comment'])
        expect(pullOf(run, 1)).toMatchObject({ labels: ['docs-agent'], comments: { length: 1 } })
      },
    ],
    'an event that is cut costs its context and no more, with one notice': [
      { inputs: { 'change-context': 'diff' }, eventName: 'push', env: () => ({ GITHUB_EVENT_PATH: CUT_EVENT }) },
      'success',
      (run) => {
        expect(run.outputs).toMatchObject({ outcome: 'pull-request', 'pr-state': 'open' })
        expect(run.prompts).toEqual(['Fix the guide.'])
        expect(run.notices).toEqual([containing('as if there were none')])
      },
    ],
    'failing checks go back to the job with the end of their logs, until they pass': [
      {
        gitHubScenarios: ['checks-mended-late'],
        inputs: { 'timeout-minutes': '60', 'wait-for-checks': 'true', 'fix-rounds': '3', 'fail-on': 'checks' },
        // Besides the ten times of all steps here.
        preload: `{ ${timesFaster(2)} }`,
      },
      'success',
      (run) => {
        expect(run.outputs).toMatchObject({
          ...{ outcome: 'pull-request', checks: 'success', 'fix-rounds': '2' },
          ...{ changed: 'true', 'pr-operation': 'created', status: 'completed' },
        })
        const [, ...rounds] = run.prompts
        expect(rounds).toEqual(Array(2).fill(containing('error: Process completed with exit code 1.')))
        expect(run.annotations).toEqual([])
      },
    ],
    'a step on a push, which asks GitHub too, never loads the undici that Node has in it': [
      {
        inputs: {},
        eventName: 'push',
        event: PUSH,
        preload: `
        import { writeFileSync } from 'node:fs'
        process.on('exit', () => writeFileSync(${JSON.stringify(MODULES)}, JSON.stringify(process.moduleLoadList)))
      `,
      },
      'success',
      () => {
        const modules = JSON.parse(readFileSync(MODULES, 'utf8')) as string[]
        expect(modules).toContain('NativeModule net')
        expect(modules.filter((name) => name.includes('undici'))).toEqual([])
      },
    ],
  }

test.each(Object.entries(STEPS))('%s', async (_name, [options, conclusion, hold]) => {
  const run = await runWithGitHub(options)
  expect(run.conclusion).toBe(conclusion)
  hold(run)
})

test('a run that is cancelled while it waits for checks leaves at once, and has told its pull request', async () => {
  const controller = new AbortController()
  const run = await runWithGitHub({
    inputs: { 'wait-for-checks': 'true' },
    gitHubScenarios: ['checks-pending'],
    faults: { 'repos/get-combined-status-for-ref': ['never'] },
    beforeAnswer: (operation) => {
      if (operation === 'repos/get-combined-status-for-ref') controller.abort()
    },
    cancel: controller.signal,
    cancelTimes: { sigtermAfterMs: 2_000, killAfterMs: 2_000 },
  })

  expect(run).toMatchObject({ conclusion: 'cancelled', exitCode: 1 })
  expect(run.outputs).toMatchObject({ outcome: 'cancelled', status: 'completed', 'pr-number': '4' })
  expect(run.summary).toMatch(/^## 🛑 .*: Cancelled$/m)
})

const agentFolder = new URL('../../dist/agent/', import.meta.url)
const hasClient = (name: string): boolean =>
  readFileSync(new URL(name, agentFolder), 'utf8').includes('x-ratelimit-limit')

test('what talks to GitHub is apart from the program, so that a step that asks it nothing does not pay for it', () => {
  const parts = readdirSync(agentFolder).filter((name) => name.endsWith('.js'))
  expect(hasClient('index.js')).toBe(false)
  expect(parts.some(hasClient)).toBe(true)
})
