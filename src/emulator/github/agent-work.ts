import { createEdits, getTitle } from '../service/agent-edits.ts'
import {
  type JobRecord,
  type ScheduledTurn,
  getPushTimesMs,
  listPushedTurns,
  listStartedTurns,
} from '../service/job-machine.ts'
import { startPullChecks } from './start-checks.ts'
import { BOT, getAgentLogin, MAINTAINER, OUTSIDER, TOKEN_USER } from './demo-state.ts'
import type { GitHubScenario, PlannedEvent } from './github-scenarios.ts'
import type { PullState } from './pull-state.ts'
import { getBranches, closeIssue, mergePull, openPull, pushCommit, writeComment } from './repository-changes.ts'
import { type FileChange, type RepositoryState, WEB_FLOW } from './repository-state.ts'
import { type GitHubState, takeId } from './state.ts'
import { Timeline } from './timeline.ts'

/** The job whose pull request exists from the start. */
const FINISHED_JOB = 'job_finished'
/** The label that the action adds to the pull requests of its jobs. */
const LABEL = 'docs-agent'
/** The history comment that an earlier run has written. */
const createHistoryComment = (jobId: string, followUps = 0): string =>
  `<!-- docs-agent-action: ${JSON.stringify({ v: 1, job: jobId, labels: [LABEL], followUps, rows: [], dropped: 0 })} -->\n\nThe docs agent opened this pull request.`

const COMMENTERS = { maintainer: MAINTAINER, outsider: OUTSIDER, bot: BOT } as const

function listFiles({ prompt }: ScheduledTurn): readonly FileChange[] {
  return createEdits(prompt).map(({ path, change, diff }) => ({
    filename: path,
    status: change,
    additions: diff.filter((line) => line.startsWith('+')).length,
    deletions: diff.filter((line) => line.startsWith('-')).length,
    patch: diff.join('\n'),
  }))
}

/** A planned event and the open pull request that it changes. */
interface EventContext {
  readonly repository: RepositoryState
  readonly repositoryName: string
  readonly number: number
  readonly pull: PullState
  readonly atMs: number
  readonly event: PlannedEvent
}

interface AgentWorkOptions {
  readonly state: GitHubState
  readonly scenario: GitHubScenario
  /** Lists all jobs of the service. */
  readonly listJobs: () => Iterable<JobRecord>
}

/**
 * Simulates the agent and the scenario's other users on GitHub. The agent pushes to the job's branch at the times that each
 * turn plans, and opens a pull request at the end of the first turn that has one.
 * @returns a function that performs everything that is due at a time, in milliseconds since 1970
 */
export function createAgentWork({ state, scenario, listJobs }: AgentWorkOptions): (nowMs: number) => void {
  const timeline = new Timeline()
  const scheduledTurnCounts = new Map<number, number>()
  const agent = getAgentLogin(scenario)
  const findRepository = ({ repository }: JobRecord): RepositoryState | undefined => state.repositories[repository]

  const getBranch = ({ id }: JobRecord): string => scenario.agentBranch ?? `agent/${id}`

  /** Creates the fork that the agent pushes to, if the scenario has one. */
  function ensureFork(repository: RepositoryState): string | undefined {
    const { agentFork } = scenario
    if (agentFork !== undefined) repository.forks[agentFork] ??= { id: takeId(state), branches: {} }
    return agentFork
  }

  const commitAs =
    (author: string) =>
    ({ repository, pull, atMs }: EventContext): void => {
      const files = [{ filename: 'docs/index.md', patch: '@@ -1 +1 @@\n-# Acme\n+# Acme Docs' }]
      pushCommit(repository, pull.branch, { message: 'Correct the title', author, files }, atMs, pull.fork)
      startPullChecks(state, repository, pull, author, atMs)
    }

  /** Pushes a commit to the base, then merges the base into the branch as a bot. */
  function mergeBase({ repository, pull, atMs }: EventContext): void {
    const { headSha, base, branch, fork } = pull
    const files = [{ filename: 'src/main.ts', patch: '@@ -1 +1 @@\n-1\n+2' }]
    const { sha } = pushCommit(repository, base, { message: 'Count further', author: MAINTAINER, files }, atMs)
    const message = `Merge branch '${base}' into ${branch}`
    const merge = { message, author: BOT, committer: WEB_FLOW, files: [], parents: [headSha, sha] }
    pushCommit(repository, branch, merge, atMs, fork)
    startPullChecks(state, repository, pull, BOT, atMs)
  }

  const commentAs =
    (user: string) =>
    ({ pull, atMs, event: { body = '' } }: EventContext): unknown =>
      writeComment(state, pull, user, body, atMs)

  const ACTS: Readonly<Record<PlannedEvent['act'], (context: EventContext) => unknown>> = {
    'person-commits': commitAs(MAINTAINER),
    'bot-commits': commitAs(BOT),
    'bot-merges-base': mergeBase,
    merge: ({ repository, repositoryName, number, atMs, event: { by = MAINTAINER, method = 'squash' } }) =>
      mergePull(repository, number, by, atMs, { method, repositoryName }),
    close: ({ repository, pull, atMs }) => {
      closeIssue(repository, pull, atMs)
    },
    'outsider-comments': commentAs(OUTSIDER),
    'maintainer-comments': commentAs(MAINTAINER),
  }

  function planEvents(after: PlannedEvent['after'], job: JobRecord, atMs: number): void {
    const { pullNumber: number } = job
    for (const event of scenario.events) {
      if (event.after !== after) continue
      timeline.schedule(atMs + event.delayMs, (thenMs) => {
        const repository = findRepository(job)
        const pull = repository?.pulls[number]
        if (repository === undefined || pull === undefined) return
        if (pull.state !== 'open') return
        ACTS[event.act]({ repository, repositoryName: job.repository, number, pull, atMs: thenMs, event })
      })
    }
  }

  function openJobPull(repository: RepositoryState, job: JobRecord, atMs: number): void {
    const { id, pullNumber, turns } = job
    const text = { title: getTitle(turns[0].prompt), body: 'Opened by the embedded documentation service.' }
    const fields = { ...text, user: agent, branch: getBranch(job), fork: scenario.agentFork, ...scenario.pull }
    const pull = openPull(repository, pullNumber, fields, atMs)
    startPullChecks(state, repository, pull, agent, atMs)
    if (id === FINISHED_JOB) leaveEarlierMarks(repository, pull, atMs)
    else planEvents('opened', job, atMs)
  }

  function leaveEarlierMarks(repository: RepositoryState, pull: PullState, atMs: number): void {
    const { earlierPull } = scenario
    if (earlierPull === 'plain') return
    repository.labels.push(LABEL)
    pull.labels.push(LABEL)
    const author = earlierPull === 'marked-by-outsider' ? OUTSIDER : TOKEN_USER
    writeComment(state, pull, author, createHistoryComment(FINISHED_JOB, earlierPull === 'used-up' ? 20 : 0), atMs)
    if (scenario.commentBy === 'nobody') return
    writeComment(state, pull, COMMENTERS[scenario.commentBy], '/docs Shorten the second paragraph.', atMs)
  }

  /** Does nothing if the job's number belongs to a pull request from another branch. */
  function pushTurn(job: JobRecord, turn: ScheduledTurn, atMs: number): void {
    const repository = findRepository(job)
    if (repository === undefined || !listStartedTurns(job, atMs).includes(turn)) return
    const { [job.pullNumber]: pull } = repository.pulls
    const branch = getBranch(job)
    if (pull !== undefined && pull.branch !== branch) return
    const tip = repository.branches[repository.defaultBranch]
    const parents = scenario.agentPush === 'forced' && tip !== undefined ? { parents: [tip] } : {}
    const files = [...(scenario.edits?.(turn.prompt) ?? listFiles(turn)), ...scenario.files]
    const commit = { message: getTitle(turn.prompt), author: agent, files, ...parents }
    pushCommit(repository, branch, commit, atMs, ensureFork(repository))
    if (pull?.state === 'open') startPullChecks(state, repository, pull, agent, atMs)
  }

  /** Opens the pull request at the end of the first turn that has one. */
  function endTurn(job: JobRecord, turn: ScheduledTurn, atMs: number): void {
    const repository = findRepository(job)
    if (repository === undefined || !listPushedTurns(job, atMs).includes(turn)) return
    const isPushed = getBranches(repository, scenario.agentFork)[getBranch(job)] !== undefined
    if (isPushed && repository.pulls[job.pullNumber] === undefined) openJobPull(repository, job, atMs)
  }

  return (nowMs) => {
    for (const job of listJobs()) {
      const { pullNumber, turns } = job
      const scheduled = scheduledTurnCounts.get(pullNumber) ?? 0
      scheduledTurnCounts.set(pullNumber, turns.length)
      for (const turn of turns.slice(scheduled)) {
        if (turn !== turns[0]) planEvents('follow-up', job, turn.startsAtMs)
        for (const pushesAtMs of getPushTimesMs(turn)) {
          timeline.schedule(pushesAtMs, (atMs) => {
            pushTurn(job, turn, atMs)
          })
        }
        timeline.schedule(turn.endsAtMs, (atMs) => {
          endTurn(job, turn, atMs)
        })
      }
    }
    timeline.runUntil(nowMs)
  }
}
