import { type CheckRun, type CommitStatus, selectStatuses } from './check-state.ts'
import { listChecks, selectLatestRuns, getStatus } from './checks-view.ts'
import { type Paging, createConnection } from './graphql-list.ts'
import { requireAccess } from './graphql-errors.ts'
import { parseNodeId } from './node-id.ts'
import { type Call, formatTime } from './reply.ts'
import type { RepositoryState } from './repository-state.ts'
import { getAppId, getCheckPageUrl } from './resource-body.ts'

interface PullArgument {
  readonly pullRequestId?: string
  readonly pullRequestNumber?: number
}

/** Creates the resolver of `isRequired`: whether the base of a pull request requires the check. */
const createIsRequired =
  ({ pulls, protections }: RepositoryState, name: string) =>
  ({ pullRequestId = '', pullRequestNumber = Number(parseNodeId(pullRequestId)?.key) }: PullArgument): boolean =>
    protections[pulls[pullRequestNumber]?.base ?? '']?.requiredChecks.includes(name) === true

/** Returns the conclusion of a completed run, otherwise its status. */
function getState(run: CheckRun, nowMs: number): string {
  const status = getStatus(run, nowMs)
  return (status === 'completed' ? run.conclusion : status).toUpperCase()
}

function toCheckRunView(call: Call, run: CheckRun): object {
  const { nowMs, repository, baseUrl, name } = call
  const { id, runId, app, suiteId, startedAtMs, completedAtMs } = run
  const status = getStatus(run, nowMs)
  const isCompleted = status === 'completed'
  const workflowRun = repository.workflowRuns.find((run) => run.id === runId)
  const { title = null, summary = null } = isCompleted ? run : {}
  return {
    __typename: 'CheckRun',
    id: `CR_${id}`,
    databaseId: id,
    name: run.name,
    status: status.toUpperCase(),
    conclusion: isCompleted ? run.conclusion.toUpperCase() : null,
    startedAt: nowMs >= startedAtMs ? formatTime(startedAtMs) : null,
    completedAt: isCompleted ? formatTime(completedAtMs) : null,
    detailsUrl: run.detailsUrl ?? getCheckPageUrl(call, run),
    url: getCheckPageUrl(call, run),
    title,
    summary,
    isRequired: createIsRequired(repository, run.name),
    checkSuite: {
      id: `CS_${suiteId}`,
      app: { id: `A_${getAppId(app)}`, name: app, slug: app },
      workflowRun:
        workflowRun === undefined
          ? null
          : {
              id: `WFR_${workflowRun.id}`,
              databaseId: workflowRun.id,
              event: workflowRun.event,
              url: `${baseUrl}/${name}/actions/runs/${workflowRun.id}`,
              workflow: { id: `W_${workflowRun.workflow}`, name: workflowRun.workflow },
            },
    },
  }
}

function toStatusView({ repository }: Call, status: CommitStatus): object {
  const { context, state, description = null, targetUrl = null, createdAtMs } = status
  return {
    __typename: 'StatusContext',
    id: `SC_${repository.statuses.indexOf(status) + 1}`,
    context,
    state: state.toUpperCase(),
    description,
    targetUrl,
    createdAt: formatTime(createdAtMs),
    isRequired: createIsRequired(repository, context),
  }
}

function countStates(states: readonly string[]): readonly { readonly state: string; readonly count: number }[] {
  return [...new Set(states)].map((state) => ({ state, count: states.filter((other) => other === state).length }))
}

/** Returns the checks and statuses of a commit with their combined state, or null if there are none. */
export function toRollupView(call: Call, sha: string): object | null {
  requireAccess(call, 'checks/list-for-ref')
  requireAccess(call, 'repos/get-combined-status-for-ref')
  const { repository, nowMs } = call
  const isRegistered = ({ headSha, createdAtMs }: CheckRun): boolean => headSha === sha && createdAtMs <= nowMs
  const runs = selectLatestRuns(repository.checkRuns.filter(isRegistered))
  const reported = selectStatuses(repository.statuses, sha, nowMs)
  const statuses = [...new Map(reported.map((status) => [status.context, status])).values()]
  if (runs.length + statuses.length === 0) return null
  const states = listChecks(repository, sha, nowMs).map(({ state }) => state)
  const isPending = states.some((state) => state === 'queued' || state === 'running')
  return {
    id: `SCR_${sha}`,
    state: states.includes('failed') ? 'FAILURE' : isPending ? 'PENDING' : 'SUCCESS',
    contexts: (paging: Paging) => ({
      ...createConnection('contexts', [...runs, ...statuses], paging, (item) =>
        'context' in item ? toStatusView(call, item) : toCheckRunView(call, item),
      ),
      checkRunCount: runs.length,
      checkRunCountsByState: countStates(runs.map((run) => getState(run, nowMs))),
      statusContextCount: statuses.length,
      statusContextCountsByState: countStates(statuses.map(({ state }) => state.toUpperCase())),
    }),
  }
}
