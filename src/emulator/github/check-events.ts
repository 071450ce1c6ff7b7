import { toCheckRunBody, toStatusBody, toSuiteBody } from './check-operations.ts'
import { listCheckSuites, type ShownSuite } from './checks-view.ts'
import type { CheckRun, CommitStatus, Deployment, WorkflowRun } from './check-state.ts'
import { findCommit } from './history.ts'
import { type Call, formatTime, getApiUrl } from './reply.ts'
import { toCommitBody, toUserBody } from './resource-body.ts'
import { getCurrentRun, toRunBody, toWorkflowBody } from './workflow-operations.ts'

/** An event that happens at its time, not because somebody changes something. */
interface CheckEvent {
  /** Identifies the event among all others. */
  readonly key: string
  readonly atMs: number
  /** The login of the sender. */
  readonly by: string
  readonly name: string
  readonly createFields: () => Readonly<Record<string, unknown>>
}

/** GitHub's docs, "Events that trigger workflows": checks by GitHub Actions do not trigger `check_run` and `check_suite` workflows. */
const ACTIONS = 'github-actions'

/** The open pull requests of a head commit. As on GitHub, without those of forks. */
function listPullsOfHead(call: Call, sha: string): readonly object[] {
  const { name, repository } = call
  const repo = { id: repository.id, url: getApiUrl(call, ''), name: name.split('/')[1] }
  return Object.entries(repository.pulls)
    .filter(([, pull]) => pull.headSha === sha && pull.state === 'open' && pull.fork === undefined)
    .map(([number, { branch, base }]) => ({
      url: getApiUrl(call, `/pulls/${number}`),
      id: Number(number),
      number: Number(number),
      head: { ref: branch, sha, repo },
      base: { ref: base, sha: repository.branches[base], repo },
    }))
}

/** Returns the newest branch with this head commit. */
function findBranch({ repository }: Call, sha: string): string | null {
  return Object.entries(repository.branches).findLast(([, head]) => head === sha)?.[0] ?? null
}

function listCheckRunEvents(call: Call, run: CheckRun): readonly CheckEvent[] {
  const { id, app, headSha, suiteId, createdAtMs, completedAtMs } = run
  const createEvent = (action: 'created' | 'completed', atMs: number): CheckEvent => ({
    key: `check_run ${id} ${action}`,
    atMs,
    by: `${app}[bot]`,
    name: 'check_run',
    createFields() {
      const pull_requests = listPullsOfHead(call, headSha)
      const check_suite = { id: suiteId, head_branch: findBranch(call, headSha), head_sha: headSha, pull_requests }
      return { action, check_run: { ...toCheckRunBody({ ...call, nowMs: atMs }, run), check_suite, pull_requests } }
    },
  })
  return [createEvent('created', createdAtMs), createEvent('completed', completedAtMs)].filter(
    ({ atMs }) => atMs <= call.nowMs,
  )
}

function toSuiteEvent(call: Call, suite: ShownSuite): CheckEvent {
  const { id, app, headSha, updatedAtMs } = suite
  return {
    key: `check_suite ${id} ${updatedAtMs}`,
    atMs: updatedAtMs,
    by: `${app}[bot]`,
    name: 'check_suite',
    createFields() {
      const subject = { head_branch: findBranch(call, headSha), pull_requests: listPullsOfHead(call, headSha) }
      return { action: 'completed', check_suite: { ...toSuiteBody(call, suite), ...subject } }
    },
  }
}

function listSuiteEvents(call: Call): readonly CheckEvent[] {
  const { repository, nowMs } = call
  const heads = new Set(repository.checkRuns.filter(({ app }) => app !== ACTIONS).map(({ headSha }) => headSha))
  const suites = [...heads].flatMap((sha) => listCheckSuites(repository, sha, nowMs))
  return suites
    .filter(({ app, status }) => app !== ACTIONS && status === 'completed')
    .map((suite) => toSuiteEvent(call, suite))
}

function toStatusFields(call: Call, status: CommitStatus): ReturnType<CheckEvent['createFields']> {
  const { repository, name } = call
  const { headSha } = status
  const commit = findCommit(repository, headSha)
  const branches = Object.entries(repository.branches)
    .filter(([, head]) => head === headSha)
    .map(([branch]) => ({
      name: branch,
      commit: { sha: headSha, url: getApiUrl(call, `/commits/${headSha}`) },
      protected: branch in repository.protections,
    }))
  const { id, context, description, state, target_url, created_at, updated_at } = toStatusBody(call, status)
  return {
    ...{ id, sha: headSha, name, context, description, state, target_url, created_at, updated_at },
    commit: commit === undefined ? { sha: headSha } : toCommitBody(call, commit),
    branches,
  }
}

function toStatusEvent(call: Call, status: CommitStatus, index: number): CheckEvent {
  const { creator = 'mona', createdAtMs: atMs } = status
  const createFields = () => toStatusFields(call, status)
  return { key: `status ${index}`, atMs, by: creator, name: 'status', createFields }
}

function listDeploymentEvents(call: Call, deployment: Deployment): readonly CheckEvent[] {
  const { id, headSha, ref, environment, creator: by, createdAtMs, completedAtMs, state } = deployment
  const creator = toUserBody(call.state, by)
  const url = getApiUrl(call, `/deployments/${id}`)
  const created = { created_at: formatTime(createdAtMs), updated_at: formatTime(createdAtMs) }
  const completed = { created_at: formatTime(completedAtMs), updated_at: formatTime(completedAtMs) }
  const described = { description: null, environment, original_environment: environment }
  const body = { id, url, sha: headSha, ref, task: 'deploy', payload: {}, ...described, creator, ...created }
  const status = { id, url: `${url}/statuses/${id}`, state, creator, description: '', environment, ...completed }
  const events: readonly CheckEvent[] = [
    {
      key: `deployment ${id}`,
      atMs: createdAtMs,
      by,
      name: 'deployment',
      createFields: () => ({ action: 'created', deployment: body }),
    },
    {
      key: `deployment_status ${id}`,
      atMs: completedAtMs,
      by,
      name: 'deployment_status',
      createFields: () => ({
        action: 'created',
        deployment: { ...body, updated_at: completed.updated_at },
        deployment_status: status,
      }),
    },
  ]
  return events.filter(({ atMs }) => atMs <= call.nowMs)
}

function listRunEvents(call: Call, planned: WorkflowRun): readonly CheckEvent[] {
  const { nowMs } = call
  const run = getCurrentRun(call, planned)
  const { id, createdAtMs, updatedAtMs = createdAtMs, attempt = 1, actor = 'mona', workflow, headSha, status } = run
  if (createdAtMs > nowMs) return []
  const createEvent = (action: 'requested' | 'completed', atMs: number, shown: WorkflowRun): CheckEvent => ({
    key: `workflow_run ${id} ${attempt} ${action}`,
    atMs,
    by: actor,
    name: 'workflow_run',
    createFields() {
      const pull_requests = run.event.startsWith('pull_request') ? listPullsOfHead(call, headSha) : []
      return {
        action,
        workflow_run: { ...toRunBody(call, shown), pull_requests },
        workflow: toWorkflowBody(call, workflow),
      }
    },
  })
  return [
    createEvent('requested', createdAtMs, { ...run, status: 'queued', conclusion: null }),
    ...(status === 'completed' ? [createEvent('completed', updatedAtMs, run)] : []),
  ]
}

/** Lists the events of checks, statuses, deployments and workflow runs up to the time of the call. */
export function listCheckEvents(call: Call): readonly CheckEvent[] {
  const { checkRuns, deployments, statuses, workflowRuns } = call.repository
  return [
    ...checkRuns.filter(({ app }) => app !== ACTIONS).flatMap((run) => listCheckRunEvents(call, run)),
    ...listSuiteEvents(call),
    ...statuses.map((status, index) => toStatusEvent(call, status, index)).filter(({ atMs }) => atMs <= call.nowMs),
    ...deployments.flatMap((deployment) => listDeploymentEvents(call, deployment)),
    ...workflowRuns.flatMap((run) => listRunEvents(call, run)),
  ]
}
