import { expect, test } from '@jest/globals'
import type { Outputs } from '../../src/agent/report/outputs.ts'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import {
  combineScenarios,
  type GitHubScenario,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import { createPullState, type PullState, type Review } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { playInWorld } from '../support/embedded-world.ts'
import { PUSH, type GivenRun } from '../support/fake-github.ts'
import { agentInputs } from '../support/fake-step.ts'
import { changedRepository, commit, madeCommit } from '../support/github-state.ts'

/** One run with the real client of GitHub against the embedded one. */
interface Row {
  readonly name: string
  readonly given: Readonly<Record<string, string>>
  /** What happens on GitHub; the later one counts. */
  readonly plays?: readonly GitHubScenarioName[]
  /** What the service plays; by default a job that opens a pull request. */
  readonly service?: ScenarioName
  /** What none of the named scenarios has. */
  readonly github?: Partial<GitHubScenario>
  readonly repository?: RepositoryState
  readonly facts?: Partial<GivenRun>
  /** The colour and the outcome. */
  readonly ends: string
  readonly outputs?: Partial<Outputs>
  /** Parts of what is said in the log, in the last words, in the notice or in the summary. */
  readonly says?: readonly string[]
  /** Parts of the one notice; without them there is none. */
  readonly notice?: string
  /** Parts of the one prompt that the service took; empty if it was asked nothing. */
  readonly prompt?: readonly string[]
  /** The pull request of the rolling pull request, as the step left it. */
  readonly leaves?: Readonly<Record<string, unknown>>
}

const EXEMPTS = { 'skip-labels': 'no-docs', 'change-context': 'files', 'change-range': 'v1.1.0...main' }
const WAITS = { 'wait-for-checks': 'true' }
const RUN = { id: 31, workflow_id: 51, event: 'push' }
const GREEN = { branch: 'main', status: 'completed', conclusion: 'success', createdAtMs: 0 } as const
/** A pull request by a person that was merged as the commit of this digit. */
const mergedPull = (digit: string, base: string, fields: Partial<PullState>): PullState =>
  createPullState({
    ...{ branch: `flag-${digit}`, headSha: commit(digit), user: 'cid', state: 'closed', closedBaseSha: commit(base) },
    ...{ merge: { sha: commit(digit), atMs: 0 }, ...fields },
  })
const approval = (user: string, id: number): Review => ({
  ...{ id, user, body: '', state: 'APPROVED', headSha: commit('b'), submittedAtMs: 0 },
})
const ROWS: readonly Row[] = [
  {
    name: 'the step marks the pull request, waits until check runs and commit statuses are in, and looks at its files',
    given: { ...WAITS, 'allowed-paths': 'docs/**', 'fail-on': 'failed, checks, out-of-scope' },
    ends: 'green, pull-request',
    outputs: { checks: 'success', 'in-scope': 'true' },
    says: ['All its checks have passed. All its files match `allowed-paths`.'],
    leaves: { labels: ['docs-agent'], comments: [{ body: expect.stringContaining('job_000001') }] },
  },
  {
    name: 'a pull request whose checks fail makes the step red if the follow-up adds nothing, too',
    given: { ...WAITS, 'job-id': 'job_finished' },
    service: 'idle-follow-up',
    plays: ['checks-fail'],
    ends: 'red, no-changes',
    outputs: { checks: 'failure', changed: 'false', 'pr-operation': 'unchanged', 'pr-state': 'open', 'pr-number': '1' },
    says: ['Pull request unchanged, its checks failed', 'At least one of its checks failed.'],
  },
  {
    name: 'checks the pull request of a turn that failed',
    given: { ...WAITS, 'allowed-paths': 'guides/**', 'fail-on': 'out-of-scope', 'job-id': 'job_finished' },
    service: 'failed',
    ends: 'red, failed',
    outputs: { checks: 'success', 'in-scope': 'false', changed: '', 'pr-number': '1' },
    says: ['Its pull request was checked anyway.', 'outside of `allowed-paths`'],
  },
  ...(
    [
      ['a failed check fails the step', 'checks-fail', 'red', 'failure', 'Pull request opened, its checks failed'],
      ['no check at all is told apart from all passed', 'checks-none', 'red', 'none', 'No check is registered for it.'],
      ['one event does not hide that of another', 'checks-of-two-events', 'red', 'failure', '1 of 2 failed (build)'],
      ['a job behind another one is waited for', 'checks-in-turn', 'red', 'failure', '1 of 4 failed (deploy)'],
      ['a job hides no other one of its name', 'checks-of-one-name', 'red', 'failure', '1 of 2 failed (build)'],
      ['a job that is started again later has failed', 'checks-again', 'red', 'failure', '1 of 1 failed (build)'],
      ['a workflow that cannot start has failed', 'checks-cannot-start', 'red', 'failure', 'with startup_failure)'],
      ['hundreds of checks are known by their suites', 'checks-many', 'green', 'success', 'all 250 passed.'],
      ['the deadline covers the waiting for checks', 'checks-pending', 'red', 'pending', 'checks have not finished'],
      ['a commit that comes meanwhile is the one that counts', 'head-moves', 'green', 'success', 'a new commit, '],
      [
        'an environment may wait for somebody',
        'checks-wait-for-environment',
        'red',
        'pending',
        '1 of 4 waiting for approval (deploy)',
      ],
      [
        'an environment is advised to be reviewed',
        'checks-wait-for-environment',
        'red',
        'pending',
        'Review the deployment on the page of the run',
      ],
      [
        'a required check that never comes is told',
        'blocked',
        'green',
        'success',
        'a required check was never registered',
      ],
      ['what GitHub blocks is ready for review', 'blocked', 'green', 'success', 'The pull request is ready for review'],
      [
        'the checks of a pull request that is closed are not late',
        'closed-meanwhile',
        'red',
        'pending',
        'Its checks had not finished when it was closed.',
      ],
    ] as const
  ).map(([name, plays, colour, checks, told]): Row => ({
    name,
    given: { ...WAITS, 'fail-on': 'checks' },
    plays: [plays],
    ends: `${colour}, pull-request`,
    outputs: { checks, changed: 'true' },
    says: [told],
  })),
  {
    name: 'without `actions: read` nothing takes the place of a failure, and the notice says what to grant',
    given: { ...WAITS, 'fail-on': 'checks' },
    plays: ['checks-of-two-events'],
    github: { permissions: { 'pull-requests': 'write', checks: 'read', statuses: 'read' } },
    ends: 'red, pull-request',
    outputs: { checks: 'failure' },
    notice: '`actions: read`',
  },
  {
    name: 'requests reviews from authors of the change and from named reviewers',
    given: { reviewers: 'change-authors\nacme/writers\ndora', 'change-range': 'v1.0.0...main' },
    ends: 'green, pull-request',
    says: ['Requested a review from `mona`.', 'Requested a review from `acme/writers`.'],
    notice: 'No review was requested from `dora`: GitHub says “Reviews may only be requested from collaborators.',
    leaves: { reviewEvents: [{ name: 'acme/writers' }, { name: 'mona' }] },
  },
  {
    name: 'requests reviews from people who approved or merged the pull requests of the change',
    given: { reviewers: 'change-reviewers', 'change-context': 'commits' },
    facts: { eventName: 'push', payload: { ...PUSH, before: commit('a'), after: commit('d') } },
    repository: createRepositoryState({
      commits: [
        madeCommit({ sha: commit('a') }),
        madeCommit({ sha: commit('b'), parents: [commit('a')], message: 'Add a flag (#5)' }),
        madeCommit({ sha: commit('d'), parents: [commit('b')], message: 'Add another flag (#6)' }),
      ],
      branches: { main: commit('d') },
      collaborators: { mona: 'maintain', dora: 'write' },
      pulls: {
        5: mergedPull('b', 'a', { reviews: [approval('mona', 1), approval('link-checker[bot]', 2)] }),
        6: mergedPull('d', 'b', { merge: { sha: commit('d'), atMs: 0, by: 'dora' } }),
      },
    }),
    ends: 'green, pull-request',
    says: ['Requested a review from `dora`.', 'Requested a review from `mona`.'],
    leaves: { reviewEvents: [{ name: 'dora' }, { name: 'mona' }] },
  },
  {
    name: 'a change by a reviewed pull request asks its reviewer, and the log refers to it',
    given: { reviewers: 'change-reviewers', 'change-context': 'commits', 'change-range': 'v1.1.0...main' },
    plays: ['reviewed-change'],
    ends: 'green, pull-request',
    says: ['Requested a review from `lisa`.'],
    leaves: {
      reviewEvents: [{ name: 'lisa' }],
      comments: [{ body: expect.stringContaining(', for acme/docs#101 |') }],
    },
  },
  {
    name: 'a token that ends while the agent works costs what comes after it, and the advice names the recipe',
    given: { ...WAITS, 'fail-on': 'none', 'change-context': 'commits', 'change-range': 'v1.1.0...main' },
    plays: ['token-expires'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': '', checks: '' },
    notice: 'The recipe `long-job-with-app.yml`',
    leaves: { labels: [], comments: [] },
  },
  {
    name: 'requests reviews from people who approved the change before its authors',
    given: { reviewers: 'change-authors\nchange-reviewers', 'change-context': 'commits' },
    facts: { eventName: 'push', payload: { ...PUSH, before: commit('a'), after: commit('b') } },
    repository: createRepositoryState({
      commits: [
        madeCommit({ sha: commit('a') }),
        madeCommit({ sha: commit('b'), parents: [commit('a')], message: 'Add a flag (#5)', author: 'dora' }),
      ],
      branches: { main: commit('b') },
      collaborators: { mona: 'maintain', dora: 'write' },
      pulls: { 5: mergedPull('b', 'a', { reviews: [approval('mona', 1)] }) },
    }),
    ends: 'green, pull-request',
    says: ['Requested a review from `mona`.', 'Requested a review from `dora`.'],
    leaves: { reviewEvents: [{ name: 'mona' }, { name: 'dora' }] },
  },
  {
    name: 'what waits for approval is not waited for until the deadline',
    given: { ...WAITS, 'timeout-minutes': '60' },
    plays: ['checks-wait-for-approval'],
    ends: 'red, pull-request',
    outputs: { checks: 'pending', 'duration-seconds': '323.5' },
    says: ['1 of 1 waiting for approval (ci.yml)', 'its checks wait for approval'],
  },
  {
    name: 'a conflict with the base branch is told, although GitHub knows of it late',
    given: {},
    plays: ['github-lagging', 'conflict'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': 'open', 'pr-mergeable': 'false' },
    says: ['It conflicts with its base branch, so it cannot be merged.'],
  },
  {
    name: 'a token that may do nothing costs one notice, which says what to grant, and not the result',
    given: { ...WAITS, 'allowed-paths': 'docs/**', 'fail-on': 'none' },
    plays: ['no-permission'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': '', checks: '', 'in-scope': '' },
    notice: 'Grant `pull-requests: read`',
  },
  {
    name: 'a token that may only read tells all, marks nothing, and says why',
    given: {},
    plays: ['read-only'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': 'open' },
    notice: 'Grant `pull-requests: write`',
    leaves: { labels: [], comments: [] },
  },
  {
    name: 'while GitHub is down the result of the job stands',
    given: WAITS,
    plays: ['github-down'],
    ends: 'red, pull-request',
    outputs: { 'pr-state': '', changed: 'true' },
    notice: 'GitHub responded with 503.',
  },
  {
    name: 'a run of another workflow sends what came since that one succeeded, though a run for less stands on the same commit',
    given: { 'change-context': 'commits', paths: 'src/**' },
    facts: {
      ...{ eventName: 'workflow_run', sha: commit('b') },
      payload: {
        workflow_run: { ...RUN, head_sha: commit('b'), head_branch: 'main', pull_requests: [] },
        repository: { id: 1, full_name: 'acme/docs', default_branch: 'main' },
      },
    },
    repository: changedRepository(
      { from: 'e', files: [{ filename: 'src/flags.ts' }] },
      {
        workflowRuns: [
          { ...GREEN, id: 29, workflow: '51', headSha: commit('e'), event: 'push' },
          { ...GREEN, id: 31, workflow: '51', headSha: commit('b'), event: 'push' },
          { ...GREEN, id: 41, workflow: 'docs.yml', headSha: commit('b'), event: 'workflow_run' },
        ],
      },
    ),
    ends: 'green, pull-request',
    says: [', and the commits ('],
    prompt: ['the last successful run of the workflow that started this one, from eeeeeee to bbbbbbb'],
  },
  {
    name: 'a change that came with a pull request of `skip-labels` is skipped',
    given: EXEMPTS,
    plays: ['no-docs-label'],
    ends: 'green, skipped',
    says: ['Every pull request of the change has a label from `skip-labels`: #101.'],
    prompt: [],
  },
  {
    name: 'a change of which a part came with a pull request of `skip-labels` is sent without that part',
    given: EXEMPTS,
    plays: ['no-docs-label-in-part'],
    ends: 'green, pull-request',
    says: ['Left out by `skip-labels`: #101.'],
    prompt: ['1 commit, 1 file. Left out, because they need no documentation: #101.', 'Files:\nM src/output.ts'],
  },
  {
    name: 'the pull requests of a change in another repository are looked up there',
    given: { ...EXEMPTS, 'change-range': 'acme/code@v1.1.0...main' },
    plays: ['no-docs-label'],
    ends: 'green, pull-request',
    prompt: ['What changed in acme/code', 'src/deploy.ts'],
  },
  {
    name: 'a prompt goes on with the open pull request of the agent, and is counted there',
    given: { prompt: 'And the index.', 'on-open-pr': 'follow-up' },
    plays: ['open-pull-request'],
    ends: 'green, pull-request',
    outputs: { continued: 'pull-request', 'job-id': 'job_finished', 'pr-number': '1', 'pr-operation': 'updated' },
    says: ['Adding to pull request #1 (job job_finished, follow-up 1 of 20).'],
    prompt: ['And the index.\n\n---\n\nPull request #1 of acme/docs'],
    leaves: { comments: [{ body: expect.stringContaining('-->\n<!-- docs-agent-action: follow-ups=1 -->\n') }] },
  },
]

test.each(ROWS)('$name', async ({ given, plays = [], service, github, ends, outputs = {}, ...row }) => {
  const all = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'timeout-minutes': '5', ...given }
  const world = await playInWorld({
    inputs: agentInputs({}, all),
    github: { ...combineScenarios(plays), ...github },
    repository: row.repository,
    facts: row.facts,
    ...(service && { scenario: service }),
  })

  expect(`${world.isGreen ? 'green' : 'red'}, ${world.report.outcome}`).toBe(ends)
  expect(world.outputs).toMatchObject(outputs)
  const said = [...world.said, world.line, world.notice?.text, world.summary].join('\n')
  for (const part of row.says ?? []) expect(said).toContain(part)
  const notice = { title: 'Not done on GitHub', text: expect.stringContaining(row.notice ?? '') as unknown }
  expect(world.notice).toEqual(row.notice === undefined ? undefined : notice)
  const prompts = world.service.requests.flatMap(({ prompt }) => prompt ?? [])
  const parts = row.prompt ?? ['Fix the guide.']
  expect(prompts).toHaveLength(Math.min(parts.length, 1))
  for (const part of parts) expect(prompts[0]).toContain(part)
  const pull = world.docs.pulls[Number(world.outputs['pr-number'])]
  expect(pull ?? {}).toMatchObject(row.leaves ?? {})
  if (world.outputs['pr-head-sha'] !== '') expect(world.outputs['pr-head-sha']).toBe(pull?.headSha)
  expect(JSON.stringify([said, world.outputs])).not.toContain(GITHUB_TOKEN)
})
