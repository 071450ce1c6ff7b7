import { expect, test } from '@jest/globals'
import { GITHUB_TOKEN } from '../../src/emulator/github/demo-state.ts'
import {
  combineScenarios,
  type GitHubScenario,
  type GitHubScenarioName,
} from '../../src/emulator/github/github-scenarios.ts'
import { createPullState, type PullState, type Review } from '../../src/emulator/github/pull-state.ts'
import { createRepositoryState, type RepositoryState } from '../../src/emulator/github/repository-state.ts'
import type { ScenarioName } from '../../src/emulator/service/scenarios.ts'
import { playStep, respondForbidden } from '../../testing/play-step.ts'
import { PUSH, type GivenRun } from '../../testing/given-run.ts'
import { agentInputs } from '../../testing/agent-inputs.ts'
import { changedRepository, commit, madeCommit } from '../../testing/github-state.ts'

/** One run with the real GitHub client against the embedded GitHub. */
interface Row {
  readonly name: string
  readonly given: Readonly<Record<string, string>>
  /** The scenarios of GitHub; later ones override earlier ones. */
  readonly plays?: readonly GitHubScenarioName[]
  /** The scenario of the service; by default a job that opens a pull request. */
  readonly service?: ScenarioName
  /** Properties that no named scenario has. */
  readonly github?: Partial<GitHubScenario>
  readonly repository?: RepositoryState
  readonly facts?: Partial<GivenRun>
  /** The colour and the outcome. */
  readonly ends: string
  readonly outputs?: Readonly<Record<string, string>>
  /** Parts of the log, the final message, the notice or the summary. */
  readonly texts?: readonly string[]
  /** A part of the only notice; undefined if no notice is expected. */
  readonly notice?: string
  /** Parts of the only prompt that the service accepted; empty if no prompt is sent. */
  readonly prompt?: readonly string[]
  /** The pull request after the step. */
  readonly leaves?: Readonly<Record<string, unknown>>
}

const EXEMPTS = { 'skip-labels': 'no-docs', 'change-context': 'files', 'change-range': 'v1.1.0...main' }
const WAITS = { 'wait-for-checks': 'true' }
const RUN = { id: 31, workflow_id: 51, event: 'push' }
const GREEN = { branch: 'main', status: 'completed', conclusion: 'success', createdAtMs: 0 } as const
/** A pull request by a person whose merge commit has this digit. */
const mergedPull = (digit: string, base: string, fields: Partial<PullState>): PullState =>
  createPullState({
    branch: `flag-${digit}`,
    headSha: commit(digit),
    user: 'cid',
    state: 'closed',
    closedBaseSha: commit(base),
    merge: { sha: commit(digit), atMs: 0 },
    ...fields,
  })
const approval = (user: string, id: number): Review => ({
  id,
  user,
  body: '',
  state: 'APPROVED',
  headSha: commit('b'),
  submittedAtMs: 0,
})
const ROWS: readonly Row[] = [
  {
    name: 'marks the pull request, waits for check runs and commit statuses, and compares its files',
    given: { ...WAITS, 'allowed-paths': 'docs/**', 'fail-on': 'failed, checks, out-of-scope' },
    ends: 'green, pull-request',
    outputs: { checks: 'success', 'in-scope': 'true' },
    texts: ['All its checks have passed. All its files are in the allowed paths.'],
    leaves: { labels: ['docs-agent'], comments: [{ body: expect.stringContaining('job_000001') }] },
  },
  {
    name: 'fails if the checks of a pull request fail, even if the follow-up adds nothing',
    given: { ...WAITS, 'job-id': 'job_finished' },
    service: 'idle-follow-up',
    plays: ['checks-fail'],
    ends: 'red, no-changes',
    outputs: {
      checks: 'failure',
      changed: 'false',
      'pull_request.operation': 'unchanged',
      'pr-state': 'open',
      'pr-number': '1',
    },
    texts: ['Pull request unchanged, but its checks failed', 'Its checks failed: `'],
  },
  {
    name: 'checks the pull request of a turn that failed',
    given: { ...WAITS, 'allowed-paths': 'guides/**', 'fail-on': 'out-of-scope', 'job-id': 'job_finished' },
    service: 'failed',
    ends: 'red, failed',
    outputs: { checks: 'success', 'in-scope': 'false', changed: '', 'pr-number': '1' },
    texts: ['Its pull request was checked anyway.', 'outside of the allowed paths'],
  },
  ...(
    [
      ['fails if a check fails', 'checks-fail', 'red', 'failure', 'Pull request opened, but its checks failed'],
      [
        'distinguishes no checks from passed checks',
        'checks-none',
        'red',
        'none',
        'Pull request opened, but no check is registered for it',
      ],
      [
        'keeps the failure of one event despite the success of another',
        'checks-of-two-events',
        'red',
        'failure',
        '1 of 2 failed (build)',
      ],
      ['waits for a job that depends on another job', 'checks-in-turn', 'red', 'failure', '1 of 4 failed (deploy)'],
      [
        'keeps the failure of a job despite another job of the same name',
        'checks-of-one-name',
        'red',
        'failure',
        '1 of 2 failed (build)',
      ],
      [
        'reports a failed job although it may be re-run later',
        'checks-again',
        'red',
        'failure',
        '1 of 1 failed (build)',
      ],
      [
        'reports a workflow that cannot start as failed',
        'checks-cannot-start',
        'red',
        'failure',
        '1 of 2 failed (broken.yml)',
      ],
      ['counts hundreds of checks by their suites', 'checks-many', 'green', 'success', 'all 250 passed.'],
      ['stops waiting for checks at the deadline', 'checks-pending', 'red', 'pending', 'checks have not finished'],
      ['follows a new head commit while waiting for checks', 'head-moves', 'green', 'success', 'a new commit, '],
      [
        'logs a check that waits for the approval of an environment',
        'checks-wait-for-environment',
        'red',
        'pending',
        '1 of 4 waiting for approval (deploy)',
      ],
      [
        'recommends to review a waiting deployment',
        'checks-wait-for-environment',
        'red',
        'pending',
        'or review the deployment, on the page of the pull request.',
      ],
      [
        'reports a required check that is never registered',
        'blocked',
        'green',
        'success',
        'a required check was never registered',
      ],
      [
        'reports a blocked pull request as ready for review',
        'blocked',
        'green',
        'success',
        'The pull request is ready for review',
      ],
      [
        'reports the checks of a pull request that is closed meanwhile',
        'closed-meanwhile',
        'green',
        'success',
        'Pull request closed',
      ],
    ] as const
  ).map(([name, plays, colour, checks, text]): Row => ({
    name,
    given: { ...WAITS, 'fail-on': 'checks' },
    plays: [plays],
    ends: `${colour}, pull-request`,
    outputs: { checks, changed: 'true' },
    texts: [text],
  })),
  {
    name: 'without `actions: read`, counts the checks of all runs',
    given: { ...WAITS, 'fail-on': 'checks' },
    plays: ['checks-of-two-events'],
    github: { permissions: { issues: 'write', 'pull-requests': 'write', checks: 'read', statuses: 'read' } },
    ends: 'red, pull-request',
    outputs: { checks: 'failure' },
  },
  {
    name: 'requests reviews from authors of the change and from named reviewers',
    given: { reviewers: 'change-authors\nacme/writers\ndora', 'change-range': 'v1.0.0...main' },
    ends: 'green, pull-request',
    texts: ['Requested a review from `mona`.', 'Requested a review from `acme/writers`.'],
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
    texts: ['Requested a review from `dora`, `mona`.'],
    leaves: { reviewEvents: [{ name: 'dora' }, { name: 'mona' }] },
  },
  {
    name: 'requests a review from the reviewer of the source pull request, and references it in the history',
    given: { reviewers: 'change-reviewers', 'change-context': 'commits', 'change-range': 'v1.1.0...main' },
    plays: ['reviewed-change'],
    ends: 'green, pull-request',
    texts: ['Requested a review from `lisa`.'],
    leaves: {
      reviewEvents: [{ name: 'lisa' }],
      comments: [{ body: expect.stringContaining(', about #101 |') }],
    },
  },
  {
    name: 'only warns if the token expires while the agent works, and recommends the recipe',
    given: { ...WAITS, 'fail-on': 'none', 'change-context': 'commits', 'change-range': 'v1.1.0...main' },
    plays: ['token-expires'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': '', checks: '' },
    notice: 'with the recipe `attach.yml`',
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
    texts: ['Requested a review from `mona`, `dora`.'],
    leaves: { reviewEvents: [{ name: 'mona' }, { name: 'dora' }] },
  },
  {
    name: 'reports checks that wait for approval at once',
    given: { ...WAITS, 'timeout-minutes': '60' },
    plays: ['checks-wait-for-approval'],
    ends: 'red, pull-request',
    outputs: { checks: 'pending', duration_seconds: '23' },
    texts: ['1 of 1 waiting for approval (ci.yml)', 'its checks wait for approval'],
  },
  {
    name: 'reports a conflict with the base branch that GitHub computes late',
    given: {},
    plays: ['github-lagging', 'conflict'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': 'open', 'pull_request.mergeable': 'false' },
    texts: ['Pull request opened, but it conflicts with its base branch'],
  },
  {
    name: 'keeps the result and writes one notice if the token has no permissions',
    given: { ...WAITS, 'allowed-paths': 'docs/**', 'fail-on': 'none' },
    plays: ['no-permission'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': '', checks: '', 'in-scope': '' },
    notice: 'these permissions: `permissions: { actions: read, checks: read, contents: read,',
  },
  {
    name: 'reads everything, marks nothing and names all permissions with a read-only token',
    given: {},
    plays: ['read-only'],
    ends: 'green, pull-request',
    outputs: { 'pr-state': 'open' },
    notice: 'issues: write, pull-requests: write }`',
    leaves: { labels: [], comments: [] },
  },
  {
    name: 'keeps the result of the job if GitHub is down',
    given: WAITS,
    plays: ['github-down'],
    ends: 'red, pull-request',
    outputs: { 'pr-state': '', changed: 'true' },
    notice: 'GitHub responded with 503.',
  },
  {
    name: 'sends the changes since the last success of the workflow that started the run, despite its own success on that commit',
    given: { 'change-context': 'commits', paths: 'src/**' },
    facts: {
      eventName: 'workflow_run',
      sha: commit('b'),
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
    texts: [', and the commits ('],
    prompt: ['the last successful run of the workflow that started this one, from `eeeeeee` to `bbbbbbb`'],
  },
  {
    name: 'skips a change if all its pull requests have a label from `skip-labels`',
    given: EXEMPTS,
    plays: ['no-docs-label'],
    ends: 'green, skipped',
    texts: ['Every pull request of the change has a label from `skip-labels`: #101.'],
    prompt: [],
  },
  {
    name: 'sends a change of which only a part is exempt, and names the exempt pull requests',
    given: EXEMPTS,
    plays: ['no-docs-label-in-part'],
    ends: 'green, pull-request',
    prompt: ['2 commits, 2 files. These pull requests need no documentation: #101.', 'M src/output.ts'],
  },
  {
    name: 'looks up the pull requests of a change in another repository',
    given: { ...EXEMPTS, 'change-range': 'acme/code@v1.1.0...main' },
    plays: ['no-docs-label'],
    ends: 'green, pull-request',
    prompt: ['What changed in acme/code', 'src/deploy.ts'],
  },
  {
    name: 'sends a follow-up to the open pull request of the agent, and counts it',
    given: { prompt: 'And the index.', 'on-open-pr': 'follow-up' },
    plays: ['open-pull-request'],
    ends: 'green, pull-request',
    outputs: {
      continued: 'pull-request',
      'job-id': 'job_finished',
      'pr-number': '1',
      'pull_request.operation': 'updated',
    },
    texts: ['Adding to pull request #1 (job job_finished, follow-up 1 of 20).'],
    prompt: ['And the index.\n\n---\n\nPull request #1 of acme/docs'],
    leaves: { comments: [{ body: expect.stringContaining('"followUps":1,') }] },
  },
  {
    name: 'does not ask people to merge what the agent has not finished',
    given: { prompt: 'And the index.', 'job-id': 'job_finished' },
    plays: ['open-pull-request'],
    service: 'fails-after-push',
    ends: 'red, failed',
    prompt: ['And the index.'],
    leaves: { comments: [{ body: expect.stringContaining('- The agent did not finish its work: check what is') }] },
  },
]

test.each(ROWS)('$name', async ({ given, plays = [], service, github, ends, outputs = {}, ...row }) => {
  const all = { 'github-token': GITHUB_TOKEN, label: 'docs-agent', 'timeout-minutes': '5', ...given }
  const played = await playStep({
    inputs: agentInputs({}, all),
    github: { ...combineScenarios(plays), ...github },
    repository: row.repository,
    facts: row.facts,
    ...(service && { scenario: service }),
  })

  expect(`${played.isGreen ? 'green' : 'red'}, ${played.report.outcome}`).toBe(ends)
  expect(played.outputs).toMatchObject(outputs)
  const texts = [...played.hostCalls, played.line, played.notice?.text, played.summary].join('\n')
  for (const part of row.texts ?? []) expect(texts).toContain(part)
  const notice = { title: 'Not done on GitHub', text: expect.stringContaining(row.notice ?? '') as unknown }
  expect(played.notice).toEqual(row.notice === undefined ? undefined : notice)
  const prompts = played.service.requests.flatMap(({ prompt }) => prompt ?? [])
  const parts = row.prompt ?? ['Fix the guide.']
  expect(prompts).toHaveLength(Math.min(parts.length, 1))
  for (const part of parts) expect(prompts[0]).toContain(part)
  const pull = played.docs.pulls[Number(played.outputs['pr-number'])]
  expect(pull ?? {}).toMatchObject(row.leaves ?? {})
  if (played.outputs['pr-head-sha'] !== '') expect(played.outputs['pr-head-sha']).toBe(pull?.headSha)
  expect(JSON.stringify([texts, played.outputs])).not.toContain(GITHUB_TOKEN)
})

test.each<[operation: string, given: Record<string, string>, permissions: string]>([
  [
    'checks/list-for-ref',
    { 'wait-for-checks': 'true' },
    'actions: read, checks: read, contents: read, issues: write, pull-requests: write, statuses: read',
  ],
  [
    'repos/get-combined-status-for-ref',
    { 'wait-for-checks': 'true' },
    'actions: read, checks: read, contents: read, issues: write, pull-requests: write, statuses: read',
  ],
  [
    'repos/compare-commits-with-basehead',
    { 'allowed-paths': 'docs/**' },
    'actions: read, contents: read, issues: write, pull-requests: write',
  ],
])('names all permissions if %s is refused after the prompt', async (operation, given, permissions) => {
  const inputs = agentInputs({}, { 'github-token': GITHUB_TOKEN, label: 'docs-agent', ...given })
  const { isGreen, line, notice } = await playStep({ inputs, responses: { [operation]: respondForbidden } })
  expect(isGreen).toBe(false)
  for (const text of [line, notice?.text]) {
    expect(text).toContain(`\`permissions: { ${permissions} }\``)
    expect(text).not.toContain('under `permissions` of the job')
  }
})

test('names the one permission that a token for another repository lacks', async () => {
  const given = { 'github-token': GITHUB_TOKEN, 'pr-repository': 'acme/docs', 'allowed-paths': 'docs/**' }
  const responses = { 'repos/compare-commits-with-basehead': respondForbidden }
  const { line } = await playStep({ inputs: agentInputs({}, given), facts: { repository: 'acme/code' }, responses })
  expect(line).toContain('If `acme/docs` is not')
  expect(line).not.toContain('`permissions: {')
})
